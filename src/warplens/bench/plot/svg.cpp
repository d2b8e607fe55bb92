#include "warplens/bench/plot/svg.h"

#include <algorithm>
#include <cmath>

#include "warplens/base/text.h"
#include "warplens/base/xml.h"
#include "warplens/output/svg.h"

namespace warplens::bench {
namespace {

constexpr double kHeight = 460, kTop = 86, kBottom = 62, kCharacter = 7.4, kLineHeight = 17, kNarrow = 500;

class SvgChart {
 public:
  SvgChart(const Chart& chart, double width)
      : chart_(chart), width_(width), narrow_(width < kNarrow), left_(narrow_ ? 72 : 108), margin_(narrow_ ? 4 : 28) {
    size_t longest = 0;
    for (const Series& s : chart.series) longest = std::max(longest, display_width(s.name));
    right_ = chart.bars ? 90 : narrow_ ? 20 : std::min(270.0, 34 + kCharacter * static_cast<double>(longest));
  }

  svg::Picture draw() {
    const double size = narrow_ ? 13.5 : 19, room = width_ - 2 * margin_;
    text(margin_, 36, svg::shortened(chart_.title, room * 12.5 / size), "start", "ink",
         fmt::format("font-size=\"{}\" font-weight=\"650\"", size));
    text(margin_, 58, svg::shortened(chart_.subtitle, room), "start", "faint");
    if (chart_.bars) bars();
    else lines();
    return {width_, height(), chart_.title, std::move(out_)};
  }

 private:
  double row_height() const { return narrow_ ? 50 : 34; }
  double height() const {
    const auto count = static_cast<double>(chart_.series.size());
    if (chart_.bars) return 96 + row_height() * count + 20;
    return kHeight + (narrow_ ? kLineHeight * count + 8 : 0);
  }
  double plot_width() const { return width_ - left_ - right_; }
  double x_at(double x) const { return left_ + position(x, x_, chart_.log_x) * plot_width(); }
  double y_at(double y) const { return kHeight - kBottom - position(y, y_, chart_.log_y) * (kHeight - kTop - kBottom); }
  std::string coloured(const char* what, size_t series) const {
    return fmt::format("{}{}", what, series % svg::kLight.series.size());
  }
  std::string fill(size_t series) const { return coloured("fill", series); }
  std::string line(size_t series) const { return chart_.series[series].guide ? "axis" : coloured("line", series); }

  void text(double x, double y, const std::string& what, const char* anchor, std::string_view css_class,
            std::string_view more = {}) {
    out_ += svg::text(x, y, what, css_class, fmt::format("text-anchor=\"{}\" {}", anchor, more));
  }

  void lines() {
    x_ = x_range(chart_);
    y_ = y_range(chart_);
    for (const Tick& t : ticks(y_.low, y_.high, chart_.log_y, chart_.y_unit, 6)) {
      out_ +=
          fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", left_, y_at(t.value), width_ - right_);
      text(left_ - 10, y_at(t.value) + 4, t.label, "end", "faint");
    }
    const double floor = kHeight - kBottom;
    for (const Tick& t : x_ticks()) {
      out_ += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}v5\"/>\n", x_at(t.value), floor);
      text(x_at(t.value), floor + 20, t.label, "middle", "faint");
    }
    out_ += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", left_, floor, width_ - right_);
    text(left_ + plot_width() / 2, kHeight - 16, svg::shortened(chart_.x_label, plot_width()), "middle", "faint");
    for (size_t s = 0; s < chart_.series.size(); ++s) series(s);
    if (narrow_) labels_below();
    else labels();
  }

  /// Where the data are when these are few, else round places.
  std::vector<Tick> x_ticks() const {
    std::vector<double> places;
    for (const Series& s : chart_.series) {
      if (!s.guide && !s.scattered) {
        for (const ChartPoint& p : s.points) places.push_back(p.x);
      }
    }
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    if (places.empty() || places.size() > 10)
      return ticks(x_.low, x_.high, chart_.log_x, chart_.x_unit, narrow_ ? 4 : 8);
    std::vector<Tick> out;
    for (const double x : places) {
      if (out.empty() || x_at(x) - x_at(out.back().value) > 42) out.push_back({x, label_of(x, chart_.x_unit)});
    }
    return out;
  }

  void series(size_t index) {
    const Series& s = chart_.series[index];
    std::string path, upper, lower;
    for (const ChartPoint& p : s.points) {
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x_at(p.x), y_at(p.y));
      upper += fmt::format("{}{:.1f} {:.1f}", upper.empty() ? "M" : "L", x_at(p.x), y_at(p.high));
      lower = fmt::format("L{:.1f} {:.1f}", x_at(p.x), y_at(p.low)) + lower;
    }
    if (!s.guide && !s.scattered && s.points.size() > 1)
      out_ += fmt::format("<path class=\"{}\" d=\"{}{}Z\" opacity=\"0.16\"/>\n", fill(index), upper, lower);
    if (!s.scattered)
      out_ += fmt::format(
          "<path class=\"{}\" d=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\" stroke-linecap=\"round\"{}/>\n",
          line(index), path, s.guide ? 1.5 : 2.25, s.guide ? " stroke-dasharray=\"5 5\"" : "");
    if (s.guide) return;
    for (const ChartPoint& p : s.points)
      out_ += fmt::format(
          "<circle class=\"{} edge\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" stroke-width=\"1.5\"><title>{}: {}</title>"
          "</circle>\n",
          fill(index), x_at(p.x), y_at(p.y), s.scattered ? 5.5 : 3.6, xml_escaped(s.name),
          label_of(p.y, chart_.y_unit));
  }

  /// Each series is named at its end, names pushed apart where ends are close.
  void labels() {
    struct Label {
      size_t series;
      double y, wanted;
    };
    std::vector<Label> list;
    for (size_t s = 0; s < chart_.series.size(); ++s) {
      if (!chart_.series[s].points.empty())
        list.push_back({s, y_at(chart_.series[s].points.back().y), y_at(chart_.series[s].points.back().y)});
    }
    std::stable_sort(list.begin(), list.end(), [](const Label& a, const Label& b) { return a.y < b.y; });
    for (size_t i = 1; i < list.size(); ++i) list[i].y = std::max(list[i].y, list[i - 1].y + kLineHeight);
    double limit = kHeight - kBottom;
    for (size_t i = list.size(); i-- > 0;) {
      list[i].y = std::min(list[i].y, limit);
      limit = list[i].y - kLineHeight;
    }
    for (const Label& l : list) {
      const double end = x_at(chart_.series[l.series].points.back().x), x = width_ - right_ + 14;
      if (!chart_.series[l.series].scattered && (std::fabs(l.y - l.wanted) > 6 || end < width_ - right_ - 2))
        out_ += fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" opacity=\"0.45\"/>\n",
                            line(l.series), end + 6, l.wanted, x - 4, l.y);
      text(x, l.y + 4, chart_.series[l.series].name, "start", chart_.series[l.series].guide ? "faint" : fill(l.series),
           "font-weight=\"560\"");
    }
  }

  void labels_below() {
    double y = kHeight + 8;
    for (size_t s = 0; s < chart_.series.size(); ++s, y += kLineHeight) {
      const Series& series = chart_.series[s];
      out_ += fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}h18\" stroke-width=\"2.25\"{}/>\n", line(s), margin_,
                          y - 4, series.guide ? " stroke-dasharray=\"5 5\"" : "");
      text(margin_ + 26, y, svg::shortened(series.name, width_ - 2 * margin_ - 26), "start",
           series.guide ? "faint" : fill(s), "font-weight=\"560\"");
    }
  }

  void bars() {
    size_t longest = 0;
    double most = 0;
    for (const Series& s : chart_.series) {
      longest = std::max(longest, display_width(s.name));
      most = std::max(most, s.points[0].high);
    }
    const double left = narrow_ ? margin_ : std::min(340.0, 40 + kCharacter * static_cast<double>(longest)),
                 room = width_ - left - right_ - (narrow_ ? 0 : 30);
    double y = narrow_ ? 104 : 88;
    for (size_t s = 0; s < chart_.series.size(); ++s, y += row_height()) {
      const ChartPoint& p = chart_.series[s].points[0];
      const double length = std::max(1.0, p.y / most * room);
      if (narrow_) text(left, y - 6, svg::shortened(chart_.series[s].name, width_ - 2 * margin_), "start", "ink");
      else text(left - 12, y + 15, ellipsis(chart_.series[s].name, 44), "end", "ink");
      out_ += fmt::format("<rect class=\"fill0\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"22\" rx=\"3\"/>\n",
                          left, y, length);
      if (p.high > p.low)
        out_ += fmt::format("<path class=\"mark\" d=\"M{:.1f} {:.1f}H{:.1f}\" stroke-width=\"2\"/>\n",
                            left + p.low / most * room, y + 11, left + p.high / most * room);
      text(left + std::max(length, p.high / most * room) + 10, y + 15, label_of(p.y, chart_.y_unit), "start", "faint");
    }
  }

  const Chart& chart_;
  double width_;
  bool narrow_;
  double left_, margin_, right_ = 0;
  Range x_{1, 10}, y_{1, 10};
  std::string out_;
};

}  // namespace

svg::Picture picture_of(const Chart& chart, double width) { return SvgChart(chart, width).draw(); }

}  // namespace warplens::bench
