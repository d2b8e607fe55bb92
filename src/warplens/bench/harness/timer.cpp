#include "warplens/bench/harness/timer.h"

#include "warplens/base/random.h"
#include "warplens/base/text.h"

namespace warplens::bench {

std::string_view name_of(Regime regime) {
  switch (regime) {
    case Regime::kCold: return "cold";
    case Regime::kWarm: return "warm";
    case Regime::kThroughput: break;
  }
  return "throughput";
}

Result<Regime> regime_named(std::string_view name) {
  for (const Regime r : {Regime::kCold, Regime::kWarm, Regime::kThroughput}) {
    if (name_of(r) == name) return r;
  }
  return usage_error(fmt::format("no regime '{}'; give cold, warm or throughput", name));
}

Status Timer::take_pairs(const Work& a, const Work& b, Regime regime, size_t count, uint64_t seed,
                         std::vector<Sample>& of_a, std::vector<Sample>& of_b) {
  Random random(seed);
  for (size_t i = 0; i < count; ++i) {
    const bool a_first = random.below(2) == 0;
    if (a_first) WL_TRY(take(a, regime, 1, of_a));
    WL_TRY(take(b, regime, 1, of_b));
    if (!a_first) WL_TRY(take(a, regime, 1, of_a));
  }
  return {};
}

}  // namespace warplens::bench
