#include "warplens/bench/results/compare_results.h"

#include <algorithm>
#include <cmath>

#include "warplens/base/text.h"
#include "warplens/base/units.h"

namespace warplens::bench {
namespace {

constexpr std::string_view kNewIsNotValid = "NEW is not valid";

const Measurement* find(const Results& results, const std::string& key) {
  for (const Measurement& m : results.measurements) {
    if (m.key() == key) return &m;
  }
  return nullptr;
}

double log_ratio(double base_ns, double new_ns) { return base_ns > 0 && new_ns > 0 ? std::log(new_ns / base_ns) : 0; }

struct Modelled {
  double base_ns, new_ns;
  std::string_view time;
};

/// A bound says nothing of what the launch does not wait for, and an estimate little of a small launch: the one that
/// changed more is told, unless the two disagree, when the estimate is.
Modelled modelled(const Measurement& base, const Measurement& now) {
  const double bound = log_ratio(base.bound_ns, now.bound_ns), estimate = log_ratio(base.estimate_ns, now.estimate_ns);
  const bool estimated = base.estimate_ns > 0 && now.estimate_ns > 0, agree = bound * estimate >= 0;
  if (estimated && (!agree || std::fabs(estimate) >= std::fabs(bound)))
    return {base.estimate_ns, now.estimate_ns, "estimate"};
  return {base.bound_ns, now.bound_ns, "bound"};
}

ComparedPair compare(const Measurement& base, const Measurement& now, double extra, const CompareOptions& options) {
  ComparedPair out{now.label(), now.source, now.regime};
  if (!base.valid || !now.valid) {
    const Measurement& bad = base.valid ? now : base;
    out.base_ns = base.median_ns;
    out.new_ns = now.median_ns;
    out.why = fmt::format("{}: {}", base.valid ? kNewIsNotValid : "BASE is not valid",
                          bad.errors.empty() ? "" : bad.errors[0]);
  } else if (now.source == kEmulated) {
    const Modelled times = modelled(base, now);
    out.base_ns = times.base_ns;
    out.new_ns = times.new_ns;
    out.time = times.time;
    out.comparison = compare_emulated(base, now, options.margin);
  } else {
    out.base_ns = base.median_ns;
    out.new_ns = now.median_ns;
    out.comparison = compare_stored(base.samples_ns, now.samples_ns, options.margin, options.confidence, extra,
                                    std::max(base.resolution_ns, now.resolution_ns));
    if (base.samples_ns.empty() || now.samples_ns.empty()) out.why = "no samples in the file";
  }
  if (out.why.empty()) out.why = explain_counters(base.metrics, now.metrics, out.comparison.verdict);
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

void note_modelled_device(const Measurement& base, const Measurement& now, std::vector<std::string>& notes) {
  const std::string &was = base.modelled_device, &is = now.modelled_device;
  if (!was.empty() && !is.empty() && was != is)
    notes.push_back(fmt::format("{}: times were modelled for {}, now for {}", now.label(), was, is));
}

void note_clocks(const Measurement& base, const Measurement& now, std::vector<std::string>& notes) {
  if (base.sm_clock_mhz <= 0 || now.sm_clock_mhz <= 0) return;
  const double change = now.sm_clock_mhz / base.sm_clock_mhz - 1;
  if (std::fabs(change) > 0.02)
    notes.push_back(fmt::format("{}: the SM clock was {:.0f} MHz, now {:.0f} MHz ({:+.1f} %)", now.label(),
                                base.sm_clock_mhz, now.sm_clock_mhz, change * 100));
}

}  // namespace

Comparison compare_emulated(const Measurement& base, const Measurement& now, double margin) {
  const auto [base_ns, new_ns, time] = modelled(base, now);
  if (base_ns <= 0 || new_ns <= 0) return {};
  const double change = log_ratio(base_ns, new_ns);
  return judge({change, change, change, 1, 1}, margin);
}

std::string_view time_compared(const Measurement& base, const Measurement& now) { return modelled(base, now).time; }

size_t ComparedResults::slower_by_more_than(double share) const {
  return static_cast<size_t>(std::count_if(pairs.begin(), pairs.end(), [&](const ComparedPair& p) {
    return p.comparison.verdict == Verdict::kSlower && p.comparison.ratio > 1 + share;
  }));
}

std::vector<std::string> ComparedResults::not_judged() const {
  std::vector<std::string> out;
  for (const std::string& key : only_in_base) out.push_back(key + ": not in NEW");
  for (const ComparedPair& p : pairs) {
    if (p.why.starts_with(kNewIsNotValid)) out.push_back(fmt::format("{}: {}", p.label, p.why));
  }
  return out;
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
    note_modelled_device(*before, m, out.notes);
    out.pairs.push_back(compare(*before, m, extra, options));
  }
  for (const Measurement& m : base.measurements) {
    if (find(now, m.key()) == nullptr) out.only_in_base.push_back(m.key());
  }
  return out;
}

Table comparison_table(const ComparedResults& compared) {
  Table table{{{"benchmark", "benchmark"},
               {"source", "source"},
               {"regime", "regime"},
               {"time", "time"},
               {"base_ns", "base", Kind::kTimeNs},
               {"new_ns", "new", Kind::kTimeNs},
               {"ratio", "new/base", Kind::kNumber},
               {"low", "low", Kind::kNumber},
               {"high", "high", Kind::kNumber},
               {"verdict", "verdict"},
               {"why", "why"}},
              {}};
  for (const ComparedPair& p : compared.pairs) {
    const Comparison& c = p.comparison;
    const auto number = [&](double x) { return c.pairs > 0 ? Cell(x) : Cell(); };
    table.rows.push_back({p.label, p.source, p.regime, p.time, p.base_ns, p.new_ns, number(c.ratio), number(c.low),
                          number(c.high), std::string(name_of(c.verdict)), p.why});
  }
  return table;
}

}  // namespace warplens::bench
