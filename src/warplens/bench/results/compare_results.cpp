#include "warplens/bench/results/compare_results.h"

#include <algorithm>
#include <cmath>

#include "warplens/base/text.h"
#include "warplens/base/units.h"

namespace warplens::bench {
namespace {

const Measurement* find(const Results& results, const std::string& key) {
  for (const Measurement& m : results.measurements)
    if (m.key() == key) return &m;
  return nullptr;
}

/// Bounds are exact: a change of the work counted is one without an interval.
Comparison compare_bounds(double base_ns, double new_ns, double margin) {
  if (base_ns <= 0 || new_ns <= 0) return {};
  const double log_ratio = std::log(new_ns / base_ns);
  return judge({log_ratio, log_ratio, log_ratio, 1, 1}, margin);
}

ComparedPair compare(const Measurement& base, const Measurement& now, double extra, const CompareOptions& options) {
  ComparedPair out{now.label(), now.source, now.regime};
  out.why = explain_counters(base.metrics, now.metrics);
  if (!base.valid || !now.valid) {
    const Measurement& bad = base.valid ? now : base;
    out.base_ns = base.median_ns, out.new_ns = now.median_ns;
    out.why = fmt::format("{} is not valid: {}", base.valid ? "NEW" : "BASE", bad.errors.empty() ? "" : bad.errors[0]);
  } else if (now.source == kEmulated) {
    out.base_ns = base.bound_ns, out.new_ns = now.bound_ns;
    out.comparison = compare_bounds(base.bound_ns, now.bound_ns, options.margin);
  } else {
    out.base_ns = base.median_ns, out.new_ns = now.median_ns;
    out.comparison = compare_stored(base.samples_ns, now.samples_ns, options.margin, options.confidence, extra,
                                    std::max(base.resolution_ns, now.resolution_ns));
    if (base.samples_ns.empty() || now.samples_ns.empty()) out.why = "no samples in the file";
  }
  return out;
}

void note_differences(const Environment& base, const Environment& now, std::vector<std::string>& notes) {
  const auto note = [&](const char* what, const std::string& was, const std::string& is) {
    if (was != is) notes.push_back(fmt::format("{} differs: '{}' and '{}'", what, was, is));
  };
  note("the device", base.device, now.device);
  note("the driver", base.driver, now.driver);
  note("the CPU", base.cpu, now.cpu);
}

void note_clocks(const Measurement& base, const Measurement& now, std::vector<std::string>& notes) {
  if (base.sm_clock_mhz <= 0 || now.sm_clock_mhz <= 0) return;
  const double change = now.sm_clock_mhz / base.sm_clock_mhz - 1;
  if (std::fabs(change) > 0.02)
    notes.push_back(fmt::format("{}: the SM clock was {:.0f} MHz, now {:.0f} MHz ({:+.1f} %)", now.label(),
                                base.sm_clock_mhz, now.sm_clock_mhz, change * 100));
}

}  // namespace

size_t ComparedResults::slower_by_more_than(double share) const {
  return static_cast<size_t>(std::count_if(pairs.begin(), pairs.end(), [&](const ComparedPair& p) {
    return p.comparison.verdict == Verdict::kSlower && p.comparison.ratio > 1 + share;
  }));
}

ComparedResults compare_results(const Results& base, const Results& now, const CompareOptions& options) {
  ComparedResults out;
  note_differences(base.environment, now.environment, out.notes);
  const double extra = std::max(base.environment.noise_floor, now.environment.noise_floor);
  for (const Measurement& m : now.measurements) {
    const Measurement* before = find(base, m.key());
    if (before == nullptr) {
      out.only_in_new.push_back(m.key());
      continue;
    }
    note_clocks(*before, m, out.notes);
    out.pairs.push_back(compare(*before, m, extra, options));
  }
  for (const Measurement& m : base.measurements)
    if (find(now, m.key()) == nullptr) out.only_in_base.push_back(m.key());
  return out;
}

Table comparison_table(const ComparedResults& compared) {
  Table table{{{"benchmark", "benchmark"},
               {"source", "source"},
               {"regime", "regime"},
               {"base_ns", "base", Kind::kTimeNs},
               {"new_ns", "new", Kind::kTimeNs},
               {"ratio", "new/base", Kind::kNumber},
               {"low", "from", Kind::kNumber},
               {"high", "to", Kind::kNumber},
               {"verdict", "verdict"},
               {"why", "why"}},
              {}};
  for (const ComparedPair& p : compared.pairs) {
    const Comparison& c = p.comparison;
    const auto number = [&](double x) { return c.pairs > 0 ? Cell(x) : Cell(); };
    table.rows.push_back({p.label, p.source, p.regime, p.base_ns, p.new_ns, number(c.ratio), number(c.low),
                          number(c.high), std::string(name_of(c.verdict)), p.why});
  }
  return table;
}

}  // namespace warplens::bench
