// Two results files side by side: a verdict for each benchmark, and the counters that explain the difference.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "warplens/bench/results/results.h"
#include "warplens/bench/stats/compare.h"
#include "warplens/output/table.h"

namespace warplens::bench {

struct CompareOptions {
  double margin = 0.01;  // differences within it are called equivalent; wider than in one run, as machines drift
  double confidence = 0.95;
};

struct ComparedPair {
  std::string label, source, regime;
  std::string time = "median";  // what base_ns and new_ns are; of emulated ones "estimate" or "bound"
  double base_ns = 0, new_ns = 0;
  Comparison comparison;
  std::string why;  // counters that changed, or why there is no verdict
};

struct ComparedResults {
  std::vector<ComparedPair> pairs;
  std::vector<std::string> only_in_base, only_in_new, notes;
  size_t slower_by_more_than(double share) const;
  /// Benchmarks without a verdict because NEW lacks them or ran them wrong, with the reason.
  std::vector<std::string> not_judged() const;
};

/// Two emulated results, compared by their modelled times. A model has no noise, so there is no interval either.
Comparison compare_emulated(const Measurement& base, const Measurement& now, double margin);
/// Which of their times that judges by: "estimate" or "bound".
std::string_view time_compared(const Measurement& base, const Measurement& now);

ComparedResults compare_results(const Results& base, const Results& now, const CompareOptions& options);
Table comparison_table(const ComparedResults& compared);

/// The counters that changed most, in words: "4x the global-load sectors in line 42 (65536 -> 262144)". For a slower
/// kernel, those that grew come first, because they explain the cost; for a faster one, those that shrank. Empty if
/// none changed by 5 % or more.
std::string explain_counters(const std::map<std::string, double>& base, const std::map<std::string, double>& now,
                             Verdict verdict, size_t limit = 3);

}  // namespace warplens::bench
