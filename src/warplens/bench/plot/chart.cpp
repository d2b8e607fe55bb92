#include "warplens/bench/plot/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "warplens/base/text.h"

namespace warplens::bench {
namespace {

struct Scale {
  double factor;
  const char* unit;
};

std::string scaled(double value, std::initializer_list<Scale> scales) {
  Scale chosen = *scales.begin();
  for (const Scale& s : scales) {
    if (std::fabs(value) >= s.factor * 0.9995) chosen = s;
  }
  const double x = value / chosen.factor;
  const std::string number = std::fabs(x - std::round(x)) < 5e-4 * std::max(1.0, std::fabs(x))
                                 ? fmt::format("{:.0f}", x)
                                 : fmt::format("{:.3g}", x);
  return *chosen.unit ? fmt::format("{} {}", number, chosen.unit) : number;
}

/// Sizes of problems are mostly powers of two: 1048576 is 1M, 1000000 too.
std::string count_label(double value) {
  for (const auto& [power, thousand, letter] : {std::tuple(0x1p40, 1e12, "T"), std::tuple(0x1p30, 1e9, "G"),
                                                std::tuple(0x1p20, 1e6, "M"), std::tuple(0x1p10, 1e3, "k")}) {
    if (value >= power && std::fmod(value, power / 8) == 0) return fmt::format("{:.4g}{}", value / power, letter);
    if (value >= thousand && std::fmod(value, thousand / 100) == 0)
      return fmt::format("{:.4g}{}", value / thousand, letter);
  }
  return fmt::format("{:.4g}", value);
}

template <typename Get>
Range range_of(const Chart& chart, bool logarithmic, const Get& get) {
  Range r{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const Series& s : chart.series) {
    for (const ChartPoint& p : s.points) {
      for (const double v : get(p)) {
        if (std::isfinite(v) && (!logarithmic || v > 0)) {
          r.low = std::min(r.low, v);
          r.high = std::max(r.high, v);
        }
      }
    }
  }
  if (r.low > r.high) return {1, 10};
  if (r.low == r.high)
    return logarithmic ? Range{r.low / 2, r.high * 2} : Range{std::min(0.0, r.low), r.high != 0 ? r.high * 1.2 : 1};
  return r;
}

}  // namespace

std::string label_of(double value, Unit unit) {
  switch (unit) {
    case Unit::kTimeNs: return scaled(value, {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}});
    case Unit::kBytesPerSecond:
      return scaled(value, {{1, "B/s"}, {1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}, {1e12, "TB/s"}});
    case Unit::kFlopsPerSecond:
      return scaled(value, {{1, "FLOP/s"}, {1e6, "MFLOP/s"}, {1e9, "GFLOP/s"}, {1e12, "TFLOP/s"}});
    case Unit::kBytes: return scaled(value, {{1, "B"}, {0x1p10, "KiB"}, {0x1p20, "MiB"}, {0x1p30, "GiB"}});
    case Unit::kRatio: return fmt::format("{:.3g}x", value);
    case Unit::kNumber: break;
  }
  return count_label(value);
}

std::vector<Tick> ticks(double low, double high, bool logarithmic, Unit unit, size_t wanted) {
  std::vector<Tick> out;
  if (!(high > low) || !std::isfinite(high - low) || (logarithmic && low <= 0)) return out;
  if (!logarithmic) {
    const double raw = (high - low) / static_cast<double>(std::max<size_t>(1, wanted)),
                 base = std::pow(10, std::floor(std::log10(raw)));
    double step = base * 10;
    for (const double m : {5.0, 2.5, 2.0, 1.0}) {
      if (base * m >= raw) step = base * m;
    }
    for (double i = std::ceil(low / step - 1e-9) + 0.0; i * step <= high * (1 + 1e-12); ++i)
      out.push_back({i * step, label_of(i * step + 0.0, unit)});
    return out;
  }
  // Bytes come in powers of two; all else in decades, with 2 and 5 between where the axis is short.
  const double base = unit == Unit::kBytes ? 4 : 10;
  const double spans = std::log(high / low) / std::log(base);
  const double stride = std::max(1.0, std::ceil(spans / static_cast<double>(wanted)));
  const std::vector<double> within = spans >= 3 || base == 4 ? std::vector<double>{1}
                                     : spans >= 1            ? std::vector<double>{1, 2, 5}
                                                             : std::vector<double>{1, 1.5, 2, 3, 4, 5, 6, 8};
  for (double e = std::floor(std::log(low) / std::log(base)); e <= std::ceil(std::log(high) / std::log(base)); ++e) {
    if (std::fmod(std::fabs(e), stride) != 0) continue;
    for (const double m : within) {
      const double value = std::pow(base, e) * m;
      if (value >= low * 0.999 && value <= high * 1.001) out.push_back({value, label_of(value, unit)});
    }
  }
  return out;
}

Range x_range(const Chart& chart) {
  return range_of(chart, chart.log_x, [](const ChartPoint& p) { return std::array<double, 1>{p.x}; });
}

Range y_range(const Chart& chart) {
  Range r = range_of(chart, chart.log_y, [](const ChartPoint& p) { return std::array<double, 3>{p.low, p.y, p.high}; });
  if (chart.log_y) return {r.low / std::pow(r.high / r.low, 0.06), r.high * std::pow(r.high / r.low, 0.06)};
  return {std::min(0.0, r.low), r.high * 1.06};
}

double position(double value, const Range& range, bool logarithmic) {
  if (logarithmic) return std::log(std::max(value, 1e-300) / range.low) / std::log(range.high / range.low);
  return (value - range.low) / (range.high - range.low);
}

}  // namespace warplens::bench
