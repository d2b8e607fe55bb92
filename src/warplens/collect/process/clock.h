// The clock of a recording: real time, which CUPTI's timestamps are in on Linux, so that one host's processes agree.
#pragma once
#include <cstdint>
#include <ctime>

namespace warplens::collect {

inline uint64_t clock_ns(clockid_t clock) {
  timespec now;
  ::clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}
inline uint64_t now_ns() { return clock_ns(CLOCK_REALTIME); }

}  // namespace warplens::collect
