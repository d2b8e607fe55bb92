// The part of the plane that a roofline shows, for both ways to draw it.
#pragma once
#include <algorithm>
#include <cmath>
#include <string>

#include "warplens/report/roofline.h"

namespace warplens::report {

/// In powers of ten.
struct RooflineView {
  double left, right, bottom, top;
  double across(double intensity) const { return (std::log10(std::max(intensity, 1e-6)) - left) / (right - left); }
  double up(double flops) const { return (std::log10(std::max(flops, 1e-6)) - bottom) / (top - bottom); }
  double intensity(double share) const { return std::pow(10, left + share * (right - left)); }
};

RooflineView view_of(const Roofline& roofline);
double highest_ceiling(const Roofline& roofline);  // FLOP a ns
std::string rate_text(double flops_per_ns);        // "66.9 TFLOP/s"

}  // namespace warplens::report
