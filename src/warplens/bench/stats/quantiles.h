// Order statistics and the quantiles of the normal and Student distributions.
#pragma once
#include <span>
#include <vector>

namespace warplens::bench {

/// Quantile `q` (0..1) of sorted values, linear between neighbours (Hyndman and Fan's type 7). NaN when empty.
double sorted_quantile(std::span<const double> sorted, double q);

/// Median of values in any order. NaN when empty.
double median(std::span<const double> values);

/// The value that a standard normal stays below with probability `p` (Wichura, AS 241; accurate to 1e-7 or better).
double normal_quantile(double p);

/// The same for Student's t with `degrees` degrees of freedom (exact below 3 degrees, then Abramowitz and
/// Stegun 26.7.5).
double student_quantile(double p, double degrees);

}  // namespace warplens::bench
