#include "warplens/bench/plot/terminal_chart.h"

#include <algorithm>
#include <cmath>

#include "warplens/base/text.h"
#include "warplens/output/terminal.h"

namespace warplens::bench {
namespace {

constexpr Style kStyles[] = {Style::kBlue, Style::kYellow, Style::kGreen, Style::kRed, Style::kCyan};

/// Dots, two a column and four a line.
class Canvas {
 public:
  Canvas(size_t columns, size_t lines)
      : columns_(columns), lines_(lines), dots_(columns * lines), owner_(columns * lines) {}

  void dot(double x, double y, size_t series) {
    const auto px = static_cast<long>(std::lround(x * static_cast<double>(2 * columns_ - 1)));
    const auto py = static_cast<long>(std::lround((1 - y) * static_cast<double>(4 * lines_ - 1)));
    if (px < 0 || py < 0 || px >= static_cast<long>(2 * columns_) || py >= static_cast<long>(4 * lines_)) return;
    static constexpr unsigned kBits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    const size_t cell = static_cast<size_t>(py / 4) * columns_ + static_cast<size_t>(px / 2);
    dots_[cell] |= kBits[py % 4][px % 2];
    owner_[cell] = series;
  }

  std::string line(size_t row) const {
    std::string out;
    for (size_t c = 0; c < columns_; ++c) {
      const unsigned bits = dots_[row * columns_ + c];
      if (bits == 0) {
        out += ' ';
        continue;
      }
      const unsigned code = 0x2800 + bits;
      const char utf8[] = {static_cast<char>(0xe0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 63)),
                           static_cast<char>(0x80 | (code & 63)), 0};
      out += styled(utf8, kStyles[owner_[row * columns_ + c] % std::size(kStyles)]);
    }
    return out;
  }

 private:
  size_t columns_, lines_;
  std::vector<unsigned> dots_;
  std::vector<size_t> owner_;
};

void draw_line(Canvas& canvas, const ChartPoint& a, const ChartPoint& b, const Chart& chart, const Range& xr,
               const Range& yr, size_t series) {
  const double x0 = position(a.x, xr, chart.log_x), y0 = position(a.y, yr, chart.log_y);
  const double x1 = position(b.x, xr, chart.log_x), y1 = position(b.y, yr, chart.log_y);
  constexpr int kSteps = 300;
  for (int i = 0; i <= kSteps; ++i) {
    const double t = static_cast<double>(i) / kSteps;
    canvas.dot(x0 + t * (x1 - x0), y0 + t * (y1 - y0), series);
  }
}

std::string bars(const Chart& chart, size_t width) {
  size_t longest = 0;
  double most = 0;
  for (const Series& s : chart.series) {
    longest = std::max(longest, display_width(s.name));
    most = std::max(most, s.points[0].y);
  }
  std::string out;
  const size_t room = std::max<size_t>(10, width > longest + 16 ? width - longest - 16 : 10);
  for (const Series& s : chart.series)
    out += s.name + std::string(longest - display_width(s.name) + 2, ' ') +
           styled(bar(s.points[0].y / most, room), Style::kBlue) + " " + label_of(s.points[0].y, chart.y_unit) + "\n";
  return out;
}

}  // namespace

std::string to_characters(const Chart& chart, size_t width, size_t height) {
  std::string out = styled(chart.title, Style::kBold) + "\n";
  if (chart.bars) return out + bars(chart, width);
  constexpr size_t kMargin = 14;
  const size_t columns = std::max<size_t>(20, width > kMargin ? width - kMargin : 20);
  Canvas canvas(columns, height);
  const Range xr = x_range(chart), yr = y_range(chart);
  for (size_t s = 0; s < chart.series.size(); ++s) {
    for (size_t i = 0; i < chart.series[s].points.size(); ++i)
      draw_line(canvas, chart.series[s].points[i > 0 && !chart.series[s].scattered ? i - 1 : i],
                chart.series[s].points[i], chart, xr, yr, s);
  }
  std::vector<std::string> labels(height);
  for (const Tick& t : ticks(yr.low, yr.high, chart.log_y, chart.y_unit, std::max<size_t>(2, height / 3))) {
    const auto row =
        static_cast<size_t>(std::lround((1 - position(t.value, yr, chart.log_y)) * static_cast<double>(height - 1)));
    if (row < height) labels[row] = t.label;
  }
  for (size_t row = 0; row < height; ++row)
    out += fmt::format("{:>{}} {}{}\n", labels[row], kMargin - 3, styled("│", Style::kDim), canvas.line(row));
  const std::string from = label_of(xr.low, chart.x_unit), to = label_of(xr.high, chart.x_unit);
  const size_t used = from.size() + to.size() + chart.x_label.size();
  const size_t gap = columns > used ? (columns - used) / 2 : 1;
  out +=
      std::string(kMargin - 1, ' ') + from + std::string(gap, ' ') + chart.x_label + std::string(gap, ' ') + to + "\n";
  for (size_t s = 0; s < chart.series.size(); ++s)
    out += std::string(kMargin - 1, ' ') + styled("━━", kStyles[s % std::size(kStyles)]) + " " + chart.series[s].name +
           "\n";
  return out;
}

}  // namespace warplens::bench
