// Which code a host thread was in, by samples of its stack.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// The innermost frame of the program's own Python in a stack, else the innermost of all Python's; empty if there is
/// none.
std::string_view own_frame(std::string_view stack);
/// The innermost informative native frame ("libz.so.1: deflate"). It has a name, and is not in the C library or
/// CUDA, where most stacks end. If a stack has only those, the innermost. Empty if Python itself called those
/// alone.
std::string_view native_frame(std::string_view stack);
/// Both: "train.py(12): step > libz.so.1: deflate".
std::string code_of(std::string_view stack);

class HostSamples {
 public:
  explicit HostSamples(const Profile& profile);
  bool empty() const { return threads_.empty(); }
  /// Whether any stack has a frame of Python's.
  bool in_python() const { return in_python_; }

  struct Code {
    uint32_t sample = kNone;  // row of other_events: one in the code that took most of the time; kNone: none was taken
    bool gil = false;         // for more than half of the time the thread waited for Python's lock
    bool loader = false;      // for more than half of the time it waited in a data loader
  };
  /// The samples of a thread (row of threads) in [start_ns, end_ns).
  Code most(uint32_t thread, int64_t start_ns, int64_t end_ns) const;

 private:
  const Profile& p_;
  bool in_python_ = false;
  std::map<uint32_t, std::vector<uint32_t>> threads_;  // rows of other_events by time
};

}  // namespace warplens::analysis
