// Bytes of device memory as they were before a run changed them.
#pragma once
#include <cstdint>
#include <deque>
#include <mutex>

namespace warplens::simt::sass_machine {

class Undo {
 public:
  /// Held while bytes are saved and marked as saved: other threads must not change them in between.
  std::mutex mutex;
  /// Keeps up to 32 bytes.
  void keep(uint64_t begin, uint64_t size);
  /// Puts every byte back.
  void restore() const;

 private:
  struct Saved {
    uint64_t begin, size;
    uint8_t bytes[32];
  };
  std::deque<Saved> saved_;
};

}  // namespace warplens::simt::sass_machine
