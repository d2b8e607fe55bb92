// Rooflines for terminals: both axes logarithmic, intensity across, FLOP/s up.
#include <algorithm>
#include <cmath>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/report/roofline_view.h"

namespace warplens::report {
double highest_ceiling(const Roofline& r) {
  double most = 0;
  for (const Ceiling& ceiling : r.ceilings) most = std::max(most, ceiling.flops_per_ns);
  return most;
}

RooflineView view_of(const Roofline& r) {
  RooflineView view{-2, 3, 0, 0};
  for (const Roof& roof : r.roofs) {
    if (roof.intensity <= 0) continue;
    view.left = std::min(view.left, std::floor(std::log10(roof.intensity)));
    view.right = std::max(view.right, std::ceil(std::log10(roof.intensity)));
  }
  view.top = std::ceil(std::log10(highest_ceiling(r)) + 0.1);
  view.bottom = view.top - 5;
  if (r.flops_per_ns > 0) view.bottom = std::min(view.bottom, std::floor(std::log10(r.flops_per_ns)));
  return view;
}

std::string rate_text(double flops_per_ns) {
  const std::string count = format_count(flops_per_ns * 1e9);  // "343 G", and "12" without a prefix
  return count + (count.find(' ') == std::string::npos ? " FLOP/s" : "FLOP/s");
}

namespace {

/// What a roof allows at an intensity.
double limit(const Roofline& r, const Roof& roof, double intensity) {
  return std::min(highest_ceiling(r), roof.bytes_per_ns * intensity);
}

std::string legend(const Roofline& r) {
  std::string out;
  for (const Roof& roof : r.roofs) {
    out += fmt::format("  {:<5} {:>9}  {:>9} moved  intensity {:.3g} FLOP/B\n", roof.level,
                       format_rate(roof.bytes_per_ns * 1e9), format_bytes(roof.bytes), roof.intensity);
  }
  for (const Ceiling& ceiling : r.ceilings)
    out += fmt::format("  {:<6} peak {}\n", ceiling.precision, rate_text(ceiling.flops_per_ns));
  return out + fmt::format("  peaks: {}\n", r.peaks_from);
}

constexpr size_t kLabel = 12;  // "100 TFLOP/s "

/// What stands left of each row: the rate, where a power of ten lies.
std::vector<std::string> rate_axis(const RooflineView& view, size_t height) {
  std::vector<std::string> labels(height, std::string(kLabel, ' '));
  for (double decade = view.bottom; decade <= view.top; ++decade) {
    const double share = (decade - view.bottom) / (view.top - view.bottom);
    const auto row = height - 1 - static_cast<size_t>(std::lround(share * static_cast<double>(height - 1)));
    const int exponent = static_cast<int>(decade) + 9;  // of FLOP/s
    labels[row] = fmt::format("{:>{}} ",
                              fmt::format("{:g} {}FLOP/s", std::pow(10, ((exponent % 3) + 3) % 3),
                                          exponent < 3 ? "" : std::string(1, "kMGTPE"[exponent / 3 - 1])),
                              kLabel - 1);
  }
  return labels;
}

}  // namespace

std::string draw_roofline(const Roofline& r, const std::string& title, size_t full_width, size_t height) {
  const RooflineView view = view_of(r);
  const size_t width = full_width - kLabel;
  std::vector<std::string> rows(height, std::string(width, ' '));
  auto put = [&](double x, double y, char mark) {
    if (x < 0 || x > 1 || y < 0 || y > 1) return;
    const auto column = static_cast<size_t>(std::lround(x * static_cast<double>(width - 1)));
    const auto row = height - 1 - static_cast<size_t>(std::lround(y * static_cast<double>(height - 1)));
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
  const std::vector<std::string> rates = rate_axis(view, height);
  for (size_t row = 0; row < height; ++row) out += rates[row] + "|" + rows[row] + "\n";
  const std::string below(kLabel, ' ');
  out += below + "+" + std::string(width, '-') + "\n" + below;
  out +=
      fmt::format(" {:<8g}{:^{}}{:>7g}\n", std::pow(10, view.left), "FLOP/byte", width - 15, std::pow(10, view.right));
  return out + "  D, 2, 1: this launch over the bytes of DRAM (/), L2 (:) and L1 (.)\n" + legend(r);
}

}  // namespace warplens::report
