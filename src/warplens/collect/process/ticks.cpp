#include "warplens/collect/process/ticks.h"

#include <algorithm>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

#include "warplens/collect/process/clock.h"

namespace warplens::collect {
namespace {

#if defined(__x86_64__)
bool counter_is_steady() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kPowerLeaf = 0x80000007, kInvariantCounter = 1u << 8;
  return __get_cpuid(kPowerLeaf, &a, &b, &c, &d) != 0 && (d & kInvariantCounter) != 0;
}
const bool uses_counter = counter_is_steady();
#endif

constexpr uint64_t kFirstNs = 100'000;  // for a first slope, until there is a longer one
constexpr int kTries = 5;
constexpr uint64_t kApartNs = 100'000'000;  // so that what a pair is off by hardly tilts the line

/// Of a few tries the one in which least came between both readings: a thread may lose its core there.
TickClock::Pair pair_now() {
  TickClock::Pair best{};
  uint64_t narrowest = UINT64_MAX;
  for (int i = 0; i < kTries; ++i) {
    const uint64_t before = ticks(), ns = now_ns(), apart = ticks() - before;
    if (apart < narrowest) best = {before + apart / 2, ns};
    narrowest = std::min(narrowest, apart);
  }
  return best;
}

}  // namespace

uint64_t ticks() {
#if defined(__x86_64__)
  if (uses_counter) return __rdtsc();
#endif
  return now_ns();
}

TickClock::TickClock() : before_(pair_now()), middle_(before_), last_(before_) {
  while (last_.ns - before_.ns < kFirstNs) last_ = pair_now();
}

void TickClock::sample() { sample(pair_now()); }

void TickClock::sample(Pair now) {
  if (now.ticks <= last_.ticks) return;
  last_ = now;
  if (now.ns - middle_.ns < kApartNs) return;
  before_ = middle_;
  middle_ = now;
}

uint64_t TickClock::ns(uint64_t ticks) const {
  const double slope = static_cast<double>(static_cast<int64_t>(last_.ns - before_.ns)) /
                       static_cast<double>(last_.ticks - before_.ticks);
  const auto since_last = static_cast<double>(static_cast<int64_t>(ticks - last_.ticks));
  return last_.ns + static_cast<uint64_t>(static_cast<int64_t>(since_last * slope));
}

}  // namespace warplens::collect
