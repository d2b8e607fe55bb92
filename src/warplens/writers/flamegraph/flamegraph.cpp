#include "warplens/writers/flamegraph/flamegraph.h"

#include <algorithm>
#include <tuple>

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/base/units.h"
#include "warplens/base/xml.h"
#include "warplens/output/svg.h"
#include "warplens/program/analysis/kernel_name.h"
#include "warplens/writers/flamegraph/flame_tree.h"
#include "warplens/writers/flamegraph/script.h"

namespace warplens::writers {
namespace {

constexpr double kWidth = 1200, kRow = 17, kTop = 44, kBottom = 22, kCharacter = 6.6;
constexpr double kNarrowest = 0.15;  // narrower boxes are left out

/// Colours by what a box is; the same name has the same shade everywhere.
std::string colour(std::string_view name, bool leaf_of_device) {
  uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  const uint32_t shade = hash % 40;
  if (leaf_of_device) return fmt::format("rgb({},{},{})", 225 + shade / 2, 120 + shade, 70);  // kernels
  if (contains(name, "): ") || name.starts_with("<built-in"))
    return fmt::format("rgb({},{},{})", 110 + shade, 165 + shade, 225);  // Python
  if (name.starts_with("nn.Module: ")) return fmt::format("rgb({},{},{})", 150 + shade, 140 + shade, 220);
  return fmt::format("rgb({},{},{})", 130 + shade, 190 + shade, 130);  // operators and ranges
}

class Drawing {
 public:
  Drawing(const FlameTree& tree, FlameMetric metric) : tree_(tree), device_(metric == FlameMetric::kDeviceTime) {}

  std::string draw() {
    const auto whole = static_cast<double>(tree_.nodes[0].total_ns);
    box(0, 0, 0, kWidth / whole);
    const double height = kTop + kRow * static_cast<double>(deepest_ + 1) + kBottom;
    const std::string title = fmt::format("{} time, {}", device_ ? "GPU" : "CPU", format_ns(whole));
    std::string out = "<style>" + std::string(kFlameStyle) + "</style>\n";
    out += svg::text(10, 20, title, "ink", "font-size=\"15\" font-weight=\"600\"");
    out += svg::text(kWidth - 10, 20, "search", "fill0", "id=\"search\" text-anchor=\"end\"");
    out += legend();
    out += svg::text(10, 38, "reset zoom", "fill0", "id=\"reset\" visibility=\"hidden\"");
    out += svg::text(kWidth - 10, 38, "", "faint", "id=\"found\" text-anchor=\"end\"");
    out += svg::text(10, height - 7, " ", "ink", "id=\"details\" font-size=\"11\"");
    out += "<g id=\"frames\" font-size=\"11\">\n";
    for (const Box& b : boxes_) out += drawn(b, height);
    out += "</g>\n<script><![CDATA[" + std::string(kFlameScript) + "]]></script>\n";
    return svg::Picture{kWidth, height, title, std::move(out)}.document();
  }

  /// What the colours mean.
  std::string legend() const {
    std::string out;
    double x = 300;
    for (const auto& [name, sample, leaf] : {std::tuple("kernel", "", true),
                                             {"operator or range", "aten::mm", false},
                                             {"module", "nn.Module: M", false},
                                             {"Python", "<built-in", false}}) {
      if (leaf && !device_) continue;
      out += fmt::format("<rect x=\"{}\" y=\"11\" width=\"10\" height=\"10\" fill=\"{}\"/>", x, colour(sample, leaf));
      out += svg::text(x + 14, 20, name, "ink", "font-size=\"11\"");
      x += 40 + kCharacter * static_cast<double>(std::string_view(name).size());
    }
    return out;
  }

 private:
  struct Box {
    uint32_t node;
    int depth;
    double x, width;
  };

  void box(uint32_t node, int depth, double x, double scale) {
    const FlameNode& n = tree_.nodes[node];
    const double width = static_cast<double>(n.total_ns) * scale;
    if (width < kNarrowest) return;
    deepest_ = std::max(deepest_, depth);
    boxes_.push_back({node, depth, x, width});
    for (const auto& [name, child] : n.children) {
      box(child, depth + 1, x, scale);
      x += static_cast<double>(tree_.nodes[child].total_ns) * scale;
    }
  }

  std::string drawn(const Box& b, double height) const {
    const FlameNode& n = tree_.nodes[b.node];
    const std::string name = b.node == 0 ? "all" : std::string(n.name);
    const double share = static_cast<double>(n.total_ns) / static_cast<double>(tree_.nodes[0].total_ns);
    const double y = height - kBottom - kRow * (b.depth + 1);
    const auto room = static_cast<size_t>(std::max(0.0, (b.width - 6) / kCharacter));
    const std::string shown = device_ && n.children.empty() ? analysis::short_kernel_name(name) : name;
    const std::string label = room < 3 ? "" : ellipsis(shown, room);  // the end tells functions and kernels apart
    return fmt::format(
        "<g data-x=\"{0:.3f}\" data-w=\"{1:.3f}\" data-d=\"{2}\"><title>{3} ({4}, {5})</title><rect x=\"{0:.3f}\" "
        "y=\"{6}\" width=\"{1:.3f}\" "
        "height=\"{7}\" fill=\"{8}\" rx=\"1\"/><text x=\"{9:.3f}\" y=\"{10}\">{11}</text></g>\n",
        b.x, b.width, b.depth, xml_escaped(name), format_ns(static_cast<double>(n.total_ns)), format_share(share), y,
        kRow - 1, colour(name, device_ && n.children.empty()), b.x + 3, y + kRow - 5, xml_escaped(label));
  }

  const FlameTree& tree_;
  bool device_;
  int deepest_ = 0;
  std::vector<Box> boxes_;
};

}  // namespace

Result<std::string> flame_graph(const Profile& profile, FlameMetric metric) {
  const TimedScope timed("flame graph");
  const bool device = metric == FlameMetric::kDeviceTime;
  const FlameTree tree = device ? device_flames(profile) : host_flames(profile);
  if (tree.nodes[0].total_ns <= 0) {
    return not_found(device ? "nothing ran on a GPU here: try --metric self_cpu_time_total"
                            : "there are no operators or Python frames here");
  }
  return Drawing(tree, metric).draw();
}

}  // namespace warplens::writers
