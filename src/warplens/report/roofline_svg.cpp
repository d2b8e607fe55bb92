// The roofline as a picture: both axes logarithmic, intensity across, FLOP/s up.
#include <algorithm>
#include <cmath>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/output/svg.h"
#include "warplens/report/roofline_picture.h"
#include "warplens/report/roofline_view.h"

namespace warplens::report {
namespace {

constexpr double kHeight = 460, kTop = 78, kBottom = 64, kLine = 18, kDetail = 11, kNarrow = 500;

class RooflinePicture {
 public:
  RooflinePicture(const Roofline& roofline, const std::string& title, double width)
      : r_(roofline),
        title_(title),
        view_(view_of(roofline)),
        width_(width),
        narrow_(width < kNarrow),
        left_(narrow_ ? 118 : 130),
        right_(narrow_ ? 14 : 300),
        legend_(narrow_ ? 4 : width - right_ + 22),
        legend_width_(narrow_ ? width - 8 : right_ - 44) {}

  svg::Picture draw() {
    const double begin = narrow_ ? legend_ : left_, size = narrow_ ? 14 : 17;
    out_ += svg::text(begin, 34, svg::shortened(title_, (width_ - begin - (narrow_ ? 24 : 28)) * 12.5 / size), "ink",
                      fmt::format("font-size=\"{}\" font-weight=\"600\"", size));
    out_ += svg::text(begin, 56, "peaks: " + r_.peaks_from, "faint");
    axes();
    for (size_t k = 0; k < r_.roofs.size(); ++k) roof(k);
    for (size_t k = 0; k < r_.ceilings.size(); ++k) ceiling(k);
    for (size_t k = 0; k < r_.roofs.size(); ++k) point(k);
    const double end = legend();
    return {width_, narrow_ ? end : kHeight, title_, std::move(out_)};
  }

 private:
  double x(double intensity) const { return left_ + view_.across(intensity) * (width_ - left_ - right_); }
  double y(double flops) const { return kHeight - kBottom - view_.up(flops) * (kHeight - kTop - kBottom); }
  double left() const { return std::pow(10, view_.left); }
  double right() const { return std::pow(10, view_.right); }
  double lowest() const { return std::pow(10, view_.bottom); }
  size_t colour_of_ceiling(size_t k) const { return (r_.roofs.size() + k) % svg::kLight.series.size(); }

  void axes() {
    const double floor = kHeight - kBottom, end = width_ - right_;
    for (double decade = view_.left; decade <= view_.right; ++decade) {
      if (narrow_ && static_cast<int>(decade - view_.left) % 2 != 0) continue;  // their numbers would touch
      const double at = x(std::pow(10, decade));
      out_ += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", at, kTop, floor);
      out_ += svg::text(at, floor + 18, fmt::format("{:g}", std::pow(10, decade)), "faint", "text-anchor=\"middle\"");
    }
    for (double decade = view_.bottom; decade <= view_.top; ++decade) {
      const double at = y(std::pow(10, decade));
      out_ += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", left_, at, end);
      out_ += svg::text(left_ - 8, at + 4, rate_text(std::pow(10, decade)), "faint", "text-anchor=\"end\"");
    }
    out_ += fmt::format("<path class=\"axis\" d=\"M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}\"/>\n", left_, kTop, floor, end);
    out_ += svg::text((left_ + end) / 2, kHeight - 18, "arithmetic intensity, FLOP a byte", "faint",
                      "text-anchor=\"middle\"");
    out_ += svg::text(
        0, 0, "arithmetic, FLOP/s", "faint",
        fmt::format("text-anchor=\"middle\" transform=\"translate(18 {:.1f}) rotate(-90)\"", (kTop + floor) / 2));
  }

  /// A level of memory: rises until the highest ceiling.
  void roof(size_t k) {
    const Roof& roof = r_.roofs[k];
    const double top = highest_ceiling(r_), ridge = std::clamp(top / roof.bytes_per_ns, left(), right());
    const double from = std::clamp(lowest() / roof.bytes_per_ns, left(), ridge);
    out_ += fmt::format(
        "<path class=\"line{}\" stroke-width=\"2\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"><title>{}</title></path>\n", k,
        x(from), y(roof.bytes_per_ns * from), x(ridge), y(std::min(top, roof.bytes_per_ns * ridge)), roof.level);
  }

  /// What the units of one precision reach: from the steepest roof on.
  void ceiling(size_t k) {
    const Ceiling& ceiling = r_.ceilings[k];
    double from = right();
    for (const Roof& roof : r_.roofs) from = std::min(from, ceiling.flops_per_ns / roof.bytes_per_ns);
    out_ += fmt::format(
        "<path class=\"line{}\" stroke-width=\"2\" stroke-dasharray=\"7 4\" d=\"M{:.1f} {:.1f}H{:.1f}\">"
        "<title>{}</title></path>\n",
        colour_of_ceiling(k), x(std::max(from, left())), y(ceiling.flops_per_ns), width_ - right_, ceiling.precision);
  }

  /// The launch over the bytes of one level; rings of different sizes, since levels may coincide.
  void point(size_t k) {
    const Roof& roof = r_.roofs[k];
    if (roof.intensity <= 0 || r_.flops_per_ns <= 0) return;
    out_ += fmt::format(
        "<circle class=\"line{}\" stroke-width=\"2.5\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"><title>{}: {:.3g} FLOP a "
        "byte</title></circle>\n",
        k, x(roof.intensity), y(r_.flops_per_ns), 10 - 3 * k, roof.level, roof.intensity);
  }

  void entry(double& at, const std::string& mark, const std::string& name, const std::string& detail) {
    out_ += fmt::format("<g transform=\"translate({:.1f} {:.1f})\">{}</g>\n", legend_, at - 4, mark);
    out_ += svg::text(legend_ + 30, at, svg::shortened(name, legend_width_ - 30), "ink");
    out_ += svg::text(legend_ + 30, at + 15, svg::shortened(detail, (legend_width_ - 30) * 12.5 / kDetail), "faint",
                      fmt::format("font-size=\"{}\"", kDetail));
    at += 2 * kLine;
  }

  /// Where it ends.
  double legend() {
    double at = narrow_ ? kHeight + 12 : kTop + 8;
    for (size_t k = 0; k < r_.roofs.size(); ++k) {
      const Roof& roof = r_.roofs[k];
      const std::string line = fmt::format("<path class=\"line{}\" stroke-width=\"2\" d=\"M0 0H22\"/>", k);
      entry(at, line, fmt::format("{}  {}", roof.level, format_rate(roof.bytes_per_ns * 1e9)),
            fmt::format("{} moved, {:.3g} FLOP a byte", format_bytes(roof.bytes), roof.intensity));
    }
    for (size_t k = 0; k < r_.ceilings.size(); ++k) {
      const Ceiling& ceiling = r_.ceilings[k];
      const std::string line = fmt::format(
          "<path class=\"line{}\" stroke-width=\"2\" stroke-dasharray=\"7 4\" d=\"M0 0H22\"/>", colour_of_ceiling(k));
      entry(at, line, fmt::format("{} peak", ceiling.precision), rate_text(ceiling.flops_per_ns));
    }
    const std::string ring = "<circle class=\"axis\" stroke-width=\"2.5\" cx=\"11\" cy=\"0\" r=\"6\"/>";
    entry(at, ring, r_.flops > 0 ? "this launch" : "this launch computes nothing",
          r_.flops > 0 ? rate_text(r_.flops_per_ns) + ", a ring a level" : "it has no place here");
    return at;
  }

  const Roofline& r_;
  const std::string& title_;
  RooflineView view_;
  double width_;
  bool narrow_;
  double left_, right_, legend_, legend_width_;
  std::string out_;
};

}  // namespace

svg::Picture roofline_picture(const Roofline& roofline, const std::string& title, double width) {
  return RooflinePicture(roofline, title, width).draw();
}

}  // namespace warplens::report
