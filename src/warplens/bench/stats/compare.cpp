#include "warplens/bench/stats/compare.h"

#include <algorithm>
#include <cmath>

namespace warplens::bench {

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFaster: return "faster";
    case Verdict::kSlower: return "slower";
    case Verdict::kEquivalent: return "equivalent";
    case Verdict::kInconclusive: break;
  }
  return "inconclusive";
}

Comparison judge(const Estimate& log_ratio, double margin) {
  Comparison out;
  out.ratio = std::exp(log_ratio.value);
  out.low = std::exp(log_ratio.low);
  out.high = std::exp(log_ratio.high);
  out.margin = margin;
  out.pairs = log_ratio.samples;
  const double edge = std::log1p(margin);
  if (log_ratio.samples == 0 || !std::isfinite(log_ratio.value)) return out;
  if (log_ratio.low > edge) out.verdict = Verdict::kSlower;
  else if (log_ratio.high < -edge) out.verdict = Verdict::kFaster;
  else if (log_ratio.low >= -edge && log_ratio.high <= edge) out.verdict = Verdict::kEquivalent;
  return out;
}

PairedTest::PairedTest(const PairedOptions& options)
    : options_(options), schedule_({options.confidence, 0, options.min_pairs, options.max_pairs}) {}

void PairedTest::add(double a, double b) {
  log_ratios_.push_back(std::log(b / a));
  if (!done_ && log_ratios_.size() >= schedule_.next()) look();
}

size_t PairedTest::wanted() const {
  return done_ || log_ratios_.size() >= schedule_.next() ? 0 : schedule_.next() - log_ratios_.size();
}

void PairedTest::look() {
  BootstrapOptions bootstrap;
  bootstrap.alpha = schedule_.alpha_per_look();
  bootstrap.trim = options_.trim;
  bootstrap.seed += schedule_.taken();
  result_ = judge(estimate(log_ratios_, bootstrap), options_.margin);
  result_.looks = schedule_.taken() + 1;
  done_ = result_.verdict != Verdict::kInconclusive || schedule_.last();
  schedule_.advance();
}

void PairedTest::stop() {
  if (!done_ && log_ratios_.size() >= 2) look();
  done_ = true;
}

Comparison compare_stored(std::span<const double> a, std::span<const double> b, double margin, double confidence,
                          double extra, double resolution_ns) {
  BootstrapOptions bootstrap;
  bootstrap.alpha = 1 - confidence;
  bootstrap.resolution = resolution_ns;
  Estimate log_ratio = log_ratio_of_medians(a, b, bootstrap);
  log_ratio.low -= std::log1p(extra);
  log_ratio.high += std::log1p(extra);
  return judge(log_ratio, margin);
}

}  // namespace warplens::bench
