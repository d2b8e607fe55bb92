// Times two ways to add up numbers, checks both, and says which is faster.
#include <cstdio>
#include <numeric>
#include <vector>

#include "warplens/base/random.h"
#include "warplens/bench/harness/cpu_timer.h"
#include "warplens/bench/harness/measure.h"
#include "warplens/bench/results/results_table.h"

namespace wb = warplens::bench;

int main() {
  std::vector<float> numbers(100000);
  double result = 0;

  // What a benchmark is: a call, new inputs for it, and its outputs beside what they should be.
  const auto work = [&](auto add_up) {
    wb::Work out;
    out.run = [&, add_up](void*) { return result = add_up(), warplens::Status(); };
    out.prepare = [&](uint64_t seed) {
      warplens::Random random(seed);
      for (float& x : numbers) x = static_cast<float>(random.uniform());
      return warplens::Status();
    };
    out.poison = [&](uint64_t) { return result = -1, warplens::Status(); };
    out.outputs = [&](void*) -> warplens::Result<std::vector<wb::Output>> {
      const double exact = std::accumulate(numbers.begin(), numbers.end(), 0.0);
      return std::vector<wb::Output>{{"sum", {result}, std::vector<double>{exact}, 1e-4}};
    };
    out.bytes = 4.0 * static_cast<double>(numbers.size());
    return out;
  };
  const wb::Work one = work([&] { return std::accumulate(numbers.begin(), numbers.end(), 0.0f); });
  const wb::Work four = work([&] {
    float sums[4] = {};
    for (size_t i = 0; i < numbers.size(); ++i) sums[i % 4] += numbers[i];
    return sums[0] + sums[1] + sums[2] + sums[3];
  });

  wb::CpuTimer timer;
  wb::MeasureOptions options;
  options.regime = wb::Regime::kThroughput;
  options.limit_seconds = 1;
  wb::Results results;
  results.environment = wb::this_machine();
  for (const auto& [name, w] : {std::pair("one sum", &one), std::pair("four sums", &four)}) {
    warplens::Result<wb::Measurement> m = wb::measure(*w, timer, options);
    if (!m.ok()) return std::fprintf(stderr, "%s\n", m.status().message().c_str()), 1;
    m->name = name;
    results.measurements.push_back(*m);
  }
  std::printf("%s", wb::to_text(results, 0).c_str());

  const warplens::Result<wb::Comparison> race = wb::race(one, four, timer, {.regime = wb::Regime::kThroughput});
  if (!race.ok()) return 1;
  std::printf("four sums beside one: %s, %.2f of the time\n", std::string(wb::name_of(race->verdict)).c_str(), race->ratio);
  return 0;
}
