#include "warplens/bench/stats/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "warplens/base/random.h"
#include "warplens/bench/stats/block_length.h"
#include "warplens/bench/stats/quantiles.h"

namespace warplens::bench {
namespace {

/// A series sorted once, so that a resample is a count for each rank and its statistic one pass over the counts.
class RankedSeries {
 public:
  explicit RankedSeries(std::span<const double> samples) : ranks_(samples.size()), sorted_(samples.size()) {
    std::vector<uint32_t> order(samples.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return samples[a] < samples[b]; });
    for (uint32_t r = 0; r < order.size(); ++r) {
      ranks_[order[r]] = r;
      sorted_[r] = samples[order[r]];
    }
  }

  const std::vector<double>& sorted() const { return sorted_; }
  const std::vector<uint32_t>& ranks() const { return ranks_; }

  /// The trimmed mean of a sample in which rank r stands `counts[r]` times.
  double statistic(const std::vector<uint32_t>& counts, double trim) const {
    const double n = static_cast<double>(sorted_.size());
    // At trim 0.5 this keeps the middle one or two samples, which is the median.
    const double cut = std::min(trim * n, std::ceil(n / 2) - 1);
    const double first = std::floor(cut), last = n - first;  // kept: sample places in [first, last)
    double place = 0, sum = 0;
    for (size_t r = 0; r < sorted_.size() && place < last; ++r) {
      const double end = place + counts[r];
      const double kept = std::min(end, last) - std::max(place, first);
      if (kept > 0) sum += kept * sorted_[r];
      place = end;
    }
    return sum / (last - first);
  }

 private:
  std::vector<uint32_t> ranks_;
  std::vector<double> sorted_;
};

std::vector<double> resampled_statistics(const RankedSeries& series, size_t block, const BootstrapOptions& options,
                                         uint64_t seed) {
  const size_t n = series.ranks().size();
  Random random(seed);
  std::vector<uint32_t> counts(n);
  std::vector<double> out;
  out.reserve(options.resamples);
  for (size_t b = 0; b < options.resamples; ++b) {
    std::fill(counts.begin(), counts.end(), 0u);
    for (size_t taken = 0; taken < n;) {
      size_t at = random.below(static_cast<uint32_t>(n));
      for (size_t k = 0; k < block && taken < n; ++k, ++taken) {
        ++counts[series.ranks()[at]];
        at = at + 1 == n ? 0 : at + 1;
      }
    }
    out.push_back(series.statistic(counts, options.trim));
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Memory shows in ranks as it does in values, and no outlier hides it there.
size_t block_length_of(const RankedSeries& series, const BootstrapOptions& options) {
  if (options.block_length != 0) return std::min(options.block_length, series.ranks().size());
  return automatic_block_length(std::vector<double>(series.ranks().begin(), series.ranks().end()));
}

/// Few blocks give too narrow a bootstrap: Student's quantile over the normal's, and n/(n-1) in the variance, widen it;
/// quantiles are taken at 95 % and scaled to the confidence asked for, since far tails need far more resamples.
double widening(double alpha, double blocks) {
  const double freedom = std::max(1.0, blocks - 1);
  return student_quantile(1 - alpha / 2, freedom) / normal_quantile(0.975) * std::sqrt((freedom + 1) / freedom);
}

Estimate interval_around(double value, const std::vector<double>& resampled, double blocks, double resolution,
                         const BootstrapOptions& options) {
  const double factor = widening(options.alpha, blocks);
  Estimate out;
  out.value = value;
  out.low = value - factor * std::max(0.0, value - sorted_quantile(resampled, 0.025)) - resolution / 2;
  out.high = value + factor * std::max(0.0, sorted_quantile(resampled, 0.975) - value) + resolution / 2;
  return out;
}

}  // namespace

double Estimate::relative_half_width() const {
  if (value == 0) return high > low ? std::numeric_limits<double>::infinity() : 0;
  return (high - low) / 2 / std::fabs(value);
}

Estimate estimate(std::span<const double> samples, const BootstrapOptions& options) {
  if (samples.empty()) return {};
  const RankedSeries series(samples);
  const double n = static_cast<double>(samples.size());
  const double value = series.statistic(std::vector<uint32_t>(samples.size(), 1u), options.trim);
  const size_t block = block_length_of(series, options);
  const std::vector<double> resampled = resampled_statistics(series, block, options, options.seed);
  Estimate out = interval_around(value, resampled, n / static_cast<double>(block), options.resolution, options);
  out.samples = samples.size();
  out.block_length = block;
  return out;
}

Estimate log_ratio_of_medians(std::span<const double> a, std::span<const double> b, const BootstrapOptions& options) {
  if (a.empty() || b.empty()) return {};
  const RankedSeries first(a), second(b);
  const size_t block_a = block_length_of(first, options), block_b = block_length_of(second, options);
  const std::vector<double> of_a = resampled_statistics(first, block_a, options, options.seed);
  const std::vector<double> of_b = resampled_statistics(second, block_b, options, options.seed + 1);
  // Pairing sorted resamples would tie them together: take b's in an independent order.
  Random random(options.seed + 2);
  std::vector<double> ratios;
  for (size_t i = 0; i < of_a.size(); ++i)
    ratios.push_back(std::log(of_b[random.below(static_cast<uint32_t>(of_b.size()))] / of_a[i]));
  std::sort(ratios.begin(), ratios.end());
  const double blocks = std::min(static_cast<double>(a.size()) / static_cast<double>(block_a),
                                 static_cast<double>(b.size()) / static_cast<double>(block_b));
  const double center_a = median(a), center_b = median(b);
  const double resolution = options.resolution * (1 / center_a + 1 / center_b);
  Estimate out = interval_around(std::log(center_b / center_a), ratios, blocks, resolution, options);
  out.samples = std::min(a.size(), b.size());
  out.block_length = std::max(block_a, block_b);
  return out;
}

}  // namespace warplens::bench
