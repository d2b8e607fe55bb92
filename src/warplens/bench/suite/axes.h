// Parameter sweeps: axes, their points, and ${...} in texts filled in for a point.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::bench {

struct Axis {
  std::string name;
  std::vector<std::string> values;
};

/// One value of each axis, in their order.
using Point = std::vector<std::pair<std::string, std::string>>;

/// "n=1024,4096", "n=2^10:2^20:*4" (from, to, factor), "n=0:100:+25" (step), "dtype=f32,f16".
Result<Axis> parse_axis(const std::string& text);

/// Every combination, the last axis fastest; one empty point without axes. More than 10,000 is an error.
Result<std::vector<Point>> points_of(const std::vector<Axis>& axes);

/// A whole number from + - * / % ^ ( ) and the point's numeric values; `/` rounds down, `a /^ b` up.
Result<int64_t> whole_number(std::string_view expression, const Point& point);

/// `text` with each ${EXPRESSION} replaced by an axis's value, or by the value of the expression.
Result<std::string> filled_in(const std::string& text, const Point& point);

}  // namespace warplens::bench
