// The program times itself: `--timing` prints the times of these scopes.
#pragma once
#include <cstdint>
#include <string>

namespace warplens {

int64_t monotonic_ns();

/// Adds the time from its construction to its end to the phase `name` (a string literal).
class TimedScope {
 public:
  explicit TimedScope(const char* name) : name_(name), begin_ns_(monotonic_ns()) {}
  ~TimedScope();
  TimedScope(const TimedScope&) = delete;
  TimedScope& operator=(const TimedScope&) = delete;

 private:
  const char* name_;
  int64_t begin_ns_;
};

/// One line a phase: its time, calls, name; then the peak resident memory.
std::string timing_report();

}  // namespace warplens
