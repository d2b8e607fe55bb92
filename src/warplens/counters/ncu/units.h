// Numbers and units as ncu prints them.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::counters::ncu {

struct Unit {
  double factor = 1;  // a value times this is in `base`
  std::string base;   // "byte", "ns", "hz", "byte/s", ...
};

/// "Kbyte" is 1000 byte, "usecond" 1000 ns, "Ghz" 1e9 hz, "sector/us" a million sector/s.
Unit unit_of(std::string_view text);

/// How a locale writes numbers; any other character between digits groups thousands.
struct NumberStyle {
  char decimal = '.';
};

/// Decided by unambiguous numbers: "1,843.02" has a decimal point, "1.843,02" and "0,5" a comma.
NumberStyle style_of(const std::vector<std::string_view>& cells);

/// No value if the text is not a number: "", "nan", "n/a", "no data", "(!) nan".
std::optional<double> number_of(std::string_view cell, NumberStyle style);

}  // namespace warplens::counters::ncu
