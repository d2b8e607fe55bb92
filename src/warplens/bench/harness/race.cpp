#include <algorithm>

#include "warplens/base/random.h"
#include "warplens/base/timing.h"
#include "warplens/bench/harness/measure.h"
#include "warplens/bench/stats/quantiles.h"

namespace warplens::bench {

Result<Comparison> race(const Work& a, const Work& b, Timer& timer, const RaceOptions& options) {
  Random random(options.seed ? options.seed : fresh_seed());
  for (const Work* work : {&a, &b}) WL_TRY(timer.warm_up(*work, options.regime, options.warm_up_seconds));
  PairedTest test(options.paired);
  std::vector<Sample> of_a, of_b;
  std::vector<double> a_ns, b_ns, a_host_ns, b_host_ns;
  const int64_t end = monotonic_ns() + static_cast<int64_t>(options.limit_seconds * 1e9);
  while (!test.done()) {
    // A few pairs at once, so that the timer need not wait for each sample.
    for (size_t left = test.wanted(); left > 0 && monotonic_ns() < end;) {
      const size_t block = std::min<size_t>(left, 16);
      of_a.clear();
      of_b.clear();
      WL_TRY(timer.take_pairs(a, b, options.regime, block, random.next(), of_a, of_b));
      for (size_t i = 0; i < block; ++i) {
        test.add(of_a[i].ns, of_b[i].ns);
        a_ns.push_back(of_a[i].ns);
        b_ns.push_back(of_b[i].ns);
        a_host_ns.push_back(of_a[i].host_ns);
        b_host_ns.push_back(of_b[i].host_ns);
      }
      left -= block;
    }
    if (!test.done() && monotonic_ns() >= end) test.stop();
  }
  Comparison out = test.result();
  if (a_ns.empty()) return out;
  out.a_ns = median(a_ns);
  out.b_ns = median(b_ns);
  out.a_host_ns = median(a_host_ns);
  out.b_host_ns = median(b_host_ns);
  return out;
}

}  // namespace warplens::bench
