// Watches chosen launches one at a time, as the program makes them; nothing is replayed.
#pragma once
#include <cstdint>
#include <string>

#include "warplens/collect/counters/launch.h"

namespace warplens::collect {
class CountsFile;
}

namespace warplens::cupti {

class Cubins;

class Watcher {
 public:
  Watcher() = default;
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  virtual ~Watcher() = default;

  // Each returns why it cannot be done; empty when all is well.

  /// Prepares to watch in `context`, on `device`.
  virtual std::string open(void* context, uint32_t device) = 0;
  /// A launch is about to be made.
  virtual std::string begin(const Launch& launch) = 0;
  /// Why this launch is left out, while others are watched; empty where it is not.
  virtual std::string why_not(const Launch&) const { return ""; }
  /// It was made; waits for it. `made`: the driver took it.
  virtual std::string end(const Launch& launch, bool made) = 0;
  /// The results of all of them.
  virtual void write(Cubins* cubins, collect::CountsFile* file) = 0;
};

}  // namespace warplens::cupti
