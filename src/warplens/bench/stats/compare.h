// Is B faster than A? Paired log ratios from interleaved measurements, and a verdict with a margin.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "warplens/bench/stats/sequential.h"

namespace warplens::bench {

/// The verdict on B, the new one, against A.
enum class Verdict { kFaster, kSlower, kEquivalent, kInconclusive };
std::string_view name_of(Verdict verdict);

struct Comparison {
  double ratio = 1, low = 1, high = 1;  // time of B over time of A, with its confidence interval
  Verdict verdict = Verdict::kInconclusive;
  double margin = 0;
  size_t pairs = 0, looks = 0;
  double a_ns = 0, b_ns = 0;            // medians, where times were taken in this run
  double a_host_ns = 0, b_host_ns = 0;  // to issue a call
};

/// The verdict on an interval of log(B / A). Slower: all of it is above log(1 + margin). Faster: all of it is below
/// -log(1 + margin). Equivalent: all of it is between. Otherwise inconclusive.
Comparison judge(const Estimate& log_ratio, double margin);

struct PairedOptions {
  double confidence = 0.95;
  double margin = 0.005;
  size_t min_pairs = 20;
  size_t max_pairs = 1000;
  double trim = 0.2;  // of the log ratios: as robust as needed, and unlike the median not blind to a timer's steps
};

/// Takes pairs until there is a verdict. Usage: while (!test.done()) add as many pairs as wanted() asks for.
class PairedTest {
 public:
  explicit PairedTest(const PairedOptions& options);
  void add(double a, double b);
  size_t wanted() const;  // pairs still to be taken before the next look
  bool done() const { return done_; }
  /// The result so far. Its verdict is inconclusive until done, and may be inconclusive even then.
  const Comparison& result() const { return result_; }
  /// Evaluates now, at any point of the schedule, for a caller without time.
  void stop();

 private:
  void look();
  PairedOptions options_;
  LookSchedule schedule_;
  std::vector<double> log_ratios_;
  Comparison result_;
  bool done_ = false;
};

/// The verdict on two series taken at different times. Drift and machine state may separate them. `extra` is the known
/// difference of such runs without a cause (a noise floor, as a share); it widens the interval.
Comparison compare_stored(std::span<const double> a, std::span<const double> b, double margin, double confidence,
                          double extra, double resolution_ns);

}  // namespace warplens::bench
