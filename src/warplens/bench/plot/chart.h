// A chart as data; svg.h and terminal_chart.h draw it.
#pragma once
#include <string>
#include <vector>

namespace warplens::bench {

enum class Unit { kTimeNs, kBytesPerSecond, kFlopsPerSecond, kBytes, kRatio, kNumber };

struct ChartPoint {
  double x, y, low, high;  // low and high: the interval of y; equal to y if there is none
};

struct Series {
  std::string name;
  std::vector<ChartPoint> points;
  bool guide = false;      // a roof or an ideal: dashed, without marks
  bool scattered = false;  // marks alone
};

struct Chart {
  std::string file_name;  // "latency"
  std::string title, subtitle, x_label;
  Unit x_unit = Unit::kNumber, y_unit = Unit::kNumber;
  bool log_x = true, log_y = true;
  std::vector<Series> series;
  /// Bars instead of lines: one a series, of its first point.
  bool bars = false;
};

struct Tick {
  double value;
  std::string label;
};

/// "12.5 us", "3.2 TB/s", "1.4x", "16M": short enough for an axis.
std::string label_of(double value, Unit unit);

/// Round numbers in [low, high], about `wanted` of them.
std::vector<Tick> ticks(double low, double high, bool logarithmic, Unit unit, size_t wanted);

/// The range of the chart's values along x or y, with room around them; a linear axis of y begins at 0.
struct Range {
  double low, high;
};
Range x_range(const Chart& chart);
Range y_range(const Chart& chart);

/// Where `value` is in `range`, 0 to 1.
double position(double value, const Range& range, bool logarithmic);

}  // namespace warplens::bench
