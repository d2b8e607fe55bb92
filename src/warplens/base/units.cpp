#include "warplens/base/units.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace warplens {
namespace {

/// Three significant digits, never in exponent form.
std::string three_digits(double value) {
  const double magnitude = std::fabs(value);
  if (magnitude >= 99.95) return fmt::format("{:.0f}", value);
  if (magnitude >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

template <size_t N>
std::string scaled(double value, double step, const std::array<const char*, N>& units, bool whole_first) {
  size_t unit = 0;
  while (unit + 1 < N && std::fabs(value) >= step - step * 0.0005) {
    value /= step;
    ++unit;
  }
  const bool whole = unit == 0 && whole_first && value == std::floor(value);
  const std::string digits = whole ? fmt::format("{:.0f}", value) : three_digits(value);
  return *units[unit] ? fmt::format("{} {}", digits, units[unit]) : digits;
}

}  // namespace

std::string format_ns(double ns) { return scaled<4>(ns, 1000, {"ns", "us", "ms", "s"}, true); }
std::string format_bytes(double bytes) { return scaled<5>(bytes, 1024, {"B", "KiB", "MiB", "GiB", "TiB"}, true); }
std::string format_rate(double bytes_per_s) {
  return scaled<5>(bytes_per_s, 1000, {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"}, true);
}
std::string format_count(double count) { return scaled<5>(count, 1000, {"", "k", "M", "G", "T"}, true); }
std::string format_share(double share) { return fmt::format("{:.1f} %", share * 100); }

}  // namespace warplens
