// Integers of floating-point numbers that a file gave: a plain conversion of one out of range is undefined.
#pragma once
#include <cstdint>
#include <optional>

namespace warplens {

/// The part of `value` before the point; the nearest int64_t where it is out of range, 0 for NaN.
constexpr int64_t nearest_int64(double value) {
  if (value >= 0x1p63) return INT64_MAX;
  if (value < -0x1p63) return INT64_MIN;
  return value == value ? static_cast<int64_t>(value) : 0;
}

/// `value` as an integer; nothing for fractions and for values outside int64_t.
constexpr std::optional<int64_t> exact_int64(double value) {
  const int64_t nearest = nearest_int64(value);
  if (static_cast<double>(nearest) != value || value >= 0x1p63) return std::nullopt;
  return nearest;
}

}  // namespace warplens
