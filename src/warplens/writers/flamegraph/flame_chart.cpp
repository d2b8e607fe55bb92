#include "warplens/writers/flamegraph/flame_chart.h"

#include <algorithm>
#include <cmath>

#include "warplens/base/text.h"
#include "warplens/program/analysis/kernel_name.h"

namespace warplens::writers {
namespace {

struct Tone {
  double hue, saturation;
};
constexpr std::array<Tone, kFlameKinds.size()> kTones = {
    {{215, 0.08}, {28, 0.75}, {142, 0.40}, {262, 0.50}, {212, 0.65}, {180, 0.40}}};

std::string hex(Tone tone, double lightness) {
  const double chroma = (1 - std::abs(2 * lightness - 1)) * tone.saturation;
  const auto channel = [&](double share) {
    return std::lround(255 * (lightness + chroma * (std::clamp(share, 0.0, 1.0) - 0.5)));
  };
  const double side = tone.hue / 60;  // of the hexagon of hues
  return fmt::format("#{:02x}{:02x}{:02x}", channel(std::abs(side - 3) - 1), channel(2 - std::abs(side - 2)),
                     channel(2 - std::abs(side - 4)));
}

FlameKind kind_of(std::string_view name, bool is_kernel, bool sampled) {
  if (is_kernel) return FlameKind::kKernel;
  if (contains(name, "): ") || name.starts_with("<built-in")) return FlameKind::kPython;
  if (name.starts_with("nn.Module: ")) return FlameKind::kModule;
  return sampled ? FlameKind::kFunction : FlameKind::kOperator;
}

uint8_t colour_of(std::string_view name, FlameKind kind) {
  uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return static_cast<uint8_t>(static_cast<size_t>(kind) * kFlameShades + (hash >> 8) % kFlameShades);
}

class Charting {
 public:
  Charting(const FlameTree& tree, FlameMetric metric) : tree_(tree), device_(metric == FlameMetric::kDeviceTime) {}

  FlameChart chart() {
    out_.title = device_ ? "GPU time by Python code, operator and kernel" : "Host time by Python code and operator";
    if (tree_.sampled) out_.title = "Host time by sampled stack";
    if (tree_.nodes[0].total_ns <= 0) return std::move(out_);
    out_.frames.push_back({"all", "all", 0, tree_.nodes[0].total_ns, colour_of("all", FlameKind::kAll)});
    add_below_root();
    for (size_t kind = 1; kind < kFlameKinds.size(); ++kind) {
      if (seen_[kind]) out_.kinds.push_back(static_cast<FlameKind>(kind));
    }
    return std::move(out_);
  }

 private:
  struct Child {
    uint32_t node, above;  // and the frame above it
  };

  /// Each frame before those in it, the longest first. Without recursion: a trace may nest as deeply as it likes.
  void add_below_root() {
    std::vector<Child> open;
    open_children(0, 0, open);
    while (!open.empty()) {
      const Child child = open.back();
      open.pop_back();
      open_children(child.node, add(child), open);
    }
  }

  /// The first child last: it is taken next.
  void open_children(uint32_t node, uint32_t frame, std::vector<Child>& open) const {
    const auto begin = static_cast<std::ptrdiff_t>(open.size());
    for (const auto& [name, child] : tree_.nodes[node].children) open.push_back({child, frame});
    const auto total_ns = [&](const Child& child) { return tree_.nodes[child.node].total_ns; };
    std::stable_sort(open.begin() + begin, open.end(),
                     [&](const Child& a, const Child& b) { return total_ns(a) > total_ns(b); });
    std::reverse(open.begin() + begin, open.end());
  }

  /// The number of its frame.
  uint32_t add(const Child& child) {
    const FlameNode& n = tree_.nodes[child.node];
    const bool is_kernel = device_ && n.children.empty();
    const FlameKind kind = kind_of(n.name, is_kernel, tree_.sampled);
    seen_[static_cast<size_t>(kind)] = true;
    out_.frames.push_back({is_kernel ? analysis::short_kernel_name(n.name) : std::string(n.name), n.name, child.above,
                           n.total_ns, colour_of(n.name, kind)});
    return static_cast<uint32_t>(out_.frames.size() - 1);
  }

  const FlameTree& tree_;
  bool device_;
  FlameChart out_;
  std::array<bool, kFlameKinds.size()> seen_{};
};

}  // namespace

FlameChart flame_chart(const FlameTree& tree, FlameMetric metric) { return Charting(tree, metric).chart(); }

std::vector<std::string> flame_colours(bool dark) {
  constexpr double kLightFrom = 0.74, kLightStep = 0.014, kDarkFrom = 0.22, kDarkStep = 0.012, kPale = 0.6;
  std::vector<std::string> out;
  for (const Tone& tone : kTones) {
    for (size_t shade = 0; shade < kFlameShades; ++shade) {
      const auto k = static_cast<double>(shade);
      const Tone own{tone.hue, dark ? tone.saturation * kPale : tone.saturation};
      out.push_back(hex(own, dark ? kDarkFrom + kDarkStep * k : kLightFrom + kLightStep * k));
    }
  }
  return out;
}

}  // namespace warplens::writers
