// Two results files side by side: a verdict for each benchmark, and what the counters say about the difference.
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
  double base_ns = 0, new_ns = 0;  // for emulated ones, the bound
  Comparison comparison;
  std::string why;                 // counters that changed, or why there is no verdict
};

struct ComparedResults {
  std::vector<ComparedPair> pairs;
  std::vector<std::string> only_in_base, only_in_new, notes;
  size_t slower_by_more_than(double share) const;
};

ComparedResults compare_results(const Results& base, const Results& now, const CompareOptions& options);
Table comparison_table(const ComparedResults& compared);

/// The counters that changed most, in words: "4x the global-load sectors in line 42 (65536 -> 262144)". Empty when none
/// changed by 5 % or more.
std::string explain_counters(const std::map<std::string, double>& base, const std::map<std::string, double>& now,
                             size_t limit = 2);

}  // namespace warplens::bench
