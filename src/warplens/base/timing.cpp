#include "warplens/base/timing.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <mutex>
#include <vector>

#include "warplens/base/units.h"

namespace warplens {
namespace {

struct Phase {
  const char* name;
  int64_t total_ns = 0, calls = 0;
};

std::mutex phases_mutex;
std::vector<Phase> phases;

}  // namespace

int64_t monotonic_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

TimedScope::~TimedScope() {
  const int64_t spent_ns = monotonic_ns() - begin_ns_;
  const std::lock_guard lock(phases_mutex);
  for (Phase& phase : phases) {
    if (phase.name == name_) {
      phase.total_ns += spent_ns;
      ++phase.calls;
      return;
    }
  }
  phases.push_back({name_, spent_ns, 1});
}

std::string timing_report() {
  const std::lock_guard lock(phases_mutex);
  std::string text;
  for (const Phase& phase : phases)
    text +=
        fmt::format("{:>10}  {:>6} x  {}\n", format_ns(static_cast<double>(phase.total_ns)), phase.calls, phase.name);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return text +
         fmt::format("{:>10}  peak resident memory\n", format_bytes(static_cast<double>(usage.ru_maxrss) * 1024));
}

}  // namespace warplens
