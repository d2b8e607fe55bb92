// Rooflines for terminals and as SVG: both axes logarithmic, intensity across, FLOP/s up.
#include <algorithm>
#include <cmath>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/report/roofline.h"

namespace warplens::report {
namespace {

/// The part of the plane that is drawn, in powers of ten.
struct View {
  double left, right, bottom, top;
  double across(double intensity) const { return (std::log10(std::max(intensity, 1e-6)) - left) / (right - left); }
  double up(double flops) const { return (std::log10(std::max(flops, 1e-6)) - bottom) / (top - bottom); }
  double intensity(double share) const { return std::pow(10, left + share * (right - left)); }
};

double ceiling_of(const Roofline& r) {
  double most = 0;
  for (const Ceiling& ceiling : r.ceilings) most = std::max(most, ceiling.flops_per_ns);
  return most;
}

View view_of(const Roofline& r) {
  View view{-2, 3, 0, 0};
  for (const Roof& roof : r.roofs) {
    if (roof.intensity <= 0) continue;
    view.left = std::min(view.left, std::floor(std::log10(roof.intensity)));
    view.right = std::max(view.right, std::ceil(std::log10(roof.intensity)));
  }
  view.top = std::ceil(std::log10(ceiling_of(r)) + 0.1);
  view.bottom = view.top - 5;
  if (r.flops_per_ns > 0) view.bottom = std::min(view.bottom, std::floor(std::log10(r.flops_per_ns)));
  return view;
}

/// What a roof allows at an intensity.
double limit(const Roofline& r, const Roof& roof, double intensity) {
  return std::min(ceiling_of(r), roof.bytes_per_ns * intensity);
}

std::string rate(double flops_per_ns) { return fmt::format("{}FLOP/s", format_count(flops_per_ns * 1e9)); }

std::string legend(const Roofline& r) {
  std::string out;
  for (const Roof& roof : r.roofs) {
    out += fmt::format("  {:<5} {:>9}  {:>9} moved  intensity {:.3g} FLOP/B\n", roof.level,
                       format_rate(roof.bytes_per_ns * 1e9), format_bytes(roof.bytes), roof.intensity);
  }
  for (const Ceiling& ceiling : r.ceilings)
    out += fmt::format("  {:<6} peak {}\n", ceiling.precision, rate(ceiling.flops_per_ns));
  return out + fmt::format("  peaks: {}\n", r.peaks_from);
}

}  // namespace

std::string draw_roofline(const Roofline& r, const std::string& title, size_t width, size_t height) {
  const View view = view_of(r);
  std::vector<std::string> rows(height, std::string(width, ' '));
  auto put = [&](double x, double y, char mark) {
    if (x < 0 || x > 1 || y < 0 || y > 1) return;
    const auto column = static_cast<size_t>(x * static_cast<double>(width - 1) + 0.5);
    const auto row = height - 1 - static_cast<size_t>(y * static_cast<double>(height - 1) + 0.5);
    rows[row][column] = mark;
  };
  for (const Roof& roof : r.roofs) {
    for (size_t column = 0; column < width; ++column) {
      const double x = static_cast<double>(column) / static_cast<double>(width - 1);
      put(x, view.up(limit(r, roof, view.intensity(x))), roof.level == "DRAM" ? '/' : roof.level == "L2" ? ':' : '.');
    }
  }
  for (const Roof& roof : r.roofs)
    put(view.across(roof.intensity), view.up(r.flops_per_ns),
        roof.level == "L2"   ? '2'
        : roof.level == "L1" ? '1'
                             : 'D');
  std::string out = title + "\n";
  for (const std::string& row : rows) out += "|" + row + "\n";
  out += "+" + std::string(width, '-') + "\n";
  out += fmt::format(" {:<.3g}{:>{}.3g} FLOP/byte\n", std::pow(10, view.left), std::pow(10, view.right), width - 6);
  return out + "  D, 2, 1: this launch over the bytes of DRAM (/), L2 (:) and L1 (.)\n" + legend(r);
}

std::string roofline_svg(const Roofline& r, const std::string& title) {
  constexpr double kWidth = 640, kHeight = 400, kMargin = 60;
  const View view = view_of(r);
  auto x = [&](double intensity) { return kMargin + view.across(intensity) * (kWidth - 2 * kMargin); };
  auto y = [&](double flops) { return kHeight - kMargin - view.up(flops) * (kHeight - 2 * kMargin); };
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" "
      "font-size=\"11\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      kWidth, kHeight);
  out += fmt::format("<text x=\"{}\" y=\"24\" font-size=\"14\">{}</text>\n", kMargin,
                     replace_all(replace_all(title, "&", "&amp;"), "<", "&lt;"));
  for (double decade = view.left; decade <= view.right; ++decade) {
    const double at = x(std::pow(10, decade));
    out += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#eee\"/>"
                       "<text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4:.3g}</text>\n",
                       at, kMargin, kHeight - kMargin, kHeight - kMargin + 16, std::pow(10, decade));
  }
  for (double decade = view.bottom; decade <= view.top; ++decade) {
    const double at = y(std::pow(10, decade));
    out += fmt::format("<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#eee\"/>"
                       "<text x=\"{3}\" y=\"{2:.1f}\" text-anchor=\"end\">{4}</text>\n",
                       kMargin, kWidth - kMargin, at, kMargin - 6, format_count(std::pow(10, decade + 9)));
  }
  const char* colours[] = {"#c0392b", "#2471a3", "#1e8449"};
  for (size_t k = 0; k < r.roofs.size(); ++k) {
    const Roof& roof = r.roofs[k];
    const double ridge = ceiling_of(r) / roof.bytes_per_ns, left = std::pow(10, view.left),
                 right = std::pow(10, view.right);
    out += fmt::format(
        "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" points=\"{:.1f},{:.1f} {:.1f},{:.1f} "
        "{:.1f},{:.1f}\"/>\n",
        colours[k % 3], x(left), y(limit(r, roof, left)), x(ridge), y(ceiling_of(r)), x(right), y(ceiling_of(r)));
    if (roof.intensity <= 0 || r.flops_per_ns <= 0) continue;
    out += fmt::format(
        "<circle cx=\"{0:.1f}\" cy=\"{1:.1f}\" r=\"5\" fill=\"{2}\"/><text x=\"{3:.1f}\" y=\"{4:.1f}\">{5}</text>\n",
        x(roof.intensity), y(r.flops_per_ns), colours[k % 3], x(roof.intensity) + 8, y(r.flops_per_ns) + 4, roof.level);
  }
  return out + fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">FLOP per byte</text>\n</svg>\n", kWidth / 2,
                           kHeight - 20);
}

}  // namespace warplens::report
