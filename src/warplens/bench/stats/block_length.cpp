#include "warplens/bench/stats/block_length.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace warplens::bench {
namespace {

std::vector<double> centred(std::span<const double> series) {
  double mean = 0;
  for (const double x : series) mean += x;
  mean /= static_cast<double>(series.size());
  std::vector<double> out;
  out.reserve(series.size());
  for (const double x : series) out.push_back(x - mean);
  return out;
}

double autocovariance(std::span<const double> centred, size_t lag) {
  double sum = 0;
  for (size_t i = lag; i < centred.size(); ++i) sum += centred[i] * centred[i - lag];
  return sum / static_cast<double>(centred.size());
}

}  // namespace

double autocorrelation(std::span<const double> series, size_t lag) {
  if (series.size() <= lag) return 0;
  const std::vector<double> x = centred(series);
  const double variance = autocovariance(x, 0);
  return variance > 0 ? autocovariance(x, lag) / variance : 0;
}

size_t automatic_block_length(std::span<const double> series) {
  const size_t n = series.size();
  if (n < 9) return 1;
  const std::vector<double> x = centred(series);
  const double variance = autocovariance(x, 0);
  if (!(variance > 0)) return 1;
  const double log_n = std::log10(static_cast<double>(n));
  const auto quiet_run = std::max<size_t>(5, static_cast<size_t>(std::ceil(std::sqrt(log_n))));
  const size_t max_lag = std::min(n / 2, static_cast<size_t>(std::ceil(std::sqrt(static_cast<double>(n)))) + quiet_run);
  const double threshold = 2 * std::sqrt(log_n / static_cast<double>(n));

  // The last lag before `quiet_run` lags in a row are insignificant.
  std::vector<double> covariance(max_lag + 1);
  for (size_t k = 0; k <= max_lag; ++k) covariance[k] = autocovariance(x, k);
  size_t significant = 0, quiet = 0;
  for (size_t k = 1; k <= max_lag && quiet < quiet_run; ++k) {
    if (std::fabs(covariance[k]) > threshold * variance) {
      significant = k;
      quiet = 0;
    } else ++quiet;
  }
  if (significant == 0) return 1;

  // Flat-top lag window of width 2m.
  const size_t window = std::min(2 * significant, max_lag);
  double spectrum = covariance[0], slope = 0;
  for (size_t k = 1; k <= window; ++k) {
    const double t = static_cast<double>(k) / static_cast<double>(window);
    const double weight = t <= 0.5 ? 1 : 2 * (1 - t);
    spectrum += 2 * weight * covariance[k];
    slope += 2 * weight * static_cast<double>(k) * covariance[k];
  }
  const double denominator = 4.0 / 3.0 * spectrum * spectrum;
  if (!(denominator > 0)) return std::max<size_t>(1, n / 3);
  const double length = std::cbrt(2 * slope * slope / denominator * static_cast<double>(n));
  return std::clamp<size_t>(static_cast<size_t>(std::ceil(length)), 1, std::max<size_t>(1, n / 3));
}

}  // namespace warplens::bench
