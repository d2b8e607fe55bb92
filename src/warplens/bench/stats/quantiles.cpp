#include "warplens/bench/stats/quantiles.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warplens::bench {
namespace {

/// Ratio of two polynomials in `x`, coefficients from the constant up.
template <size_t N, size_t M>
double rational(const double (&top)[N], const double (&bottom)[M], double x) {
  double above = 0, below = 0;
  for (size_t i = N; i-- > 0;) above = above * x + top[i];
  for (size_t i = M; i-- > 0;) below = below * x + bottom[i];
  return above / below;
}

}  // namespace

double sorted_quantile(std::span<const double> sorted, double q) {
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double place = std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double median(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted_quantile(sorted, 0.5);
}

// Coefficients of PPND7 in Wichura, "Algorithm AS 241: the percentage points of the normal distribution" (1988).
double normal_quantile(double p) {
  static constexpr double kA[] = {3.3871327179, 50.434271938, 159.29113202, 59.109374720};
  static constexpr double kB[] = {1.0, 17.895169469, 78.757757664, 67.187563600};
  static constexpr double kC[] = {1.4234372777, 2.7568153900, 1.3067284816, 0.17023821103};
  static constexpr double kD[] = {1.0, 0.73700164250, 0.12021132975};
  static constexpr double kE[] = {6.6579051150, 3.0812263860, 0.42868294337, 0.017337203997};
  static constexpr double kF[] = {1.0, 0.24197894225, 0.012258202635};
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) return q * rational(kA, kB, 0.180625 - q * q);
  const double tail = q < 0 ? p : 1 - p;
  if (tail <= 0) return q < 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  const double r = std::sqrt(-std::log(tail));
  const double x = r <= 5 ? rational(kC, kD, r - 1.6) : rational(kE, kF, r - 5);
  return q < 0 ? -x : x;
}

double student_quantile(double p, double degrees) {
  const double z = normal_quantile(p), n = std::max(degrees, 1.0);
  if (n < 2) return std::tan(3.141592653589793 * (p - 0.5));
  if (n < 3) return (2 * p - 1) * std::sqrt(2 / (4 * p * (1 - p)));
  // Abramowitz and Stegun 26.7.5.
  const double z2 = z * z;
  const double g1 = (z2 + 1) * z / 4;
  const double g2 = ((5 * z2 + 16) * z2 + 3) * z / 96;
  const double g3 = (((3 * z2 + 19) * z2 + 17) * z2 - 15) * z / 384;
  const double g4 = ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) * z / 92160;
  return z + g1 / n + g2 / (n * n) + g3 / (n * n * n) + g4 / (n * n * n * n);
}

}  // namespace warplens::bench
