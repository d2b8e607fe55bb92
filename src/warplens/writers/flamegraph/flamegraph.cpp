#include "warplens/writers/flamegraph/flamegraph.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/base/units.h"
#include "warplens/base/xml.h"
#include "warplens/output/svg.h"
#include "warplens/writers/flamegraph/script.h"

namespace warplens::writers {
namespace {

constexpr double kWidth = 1200, kRow = 17, kTop = 44, kBottom = 22, kCharacter = 6.6;
constexpr double kNarrowest = 0.15;  // narrower boxes are left out

class Drawing {
 public:
  Drawing(const FlameChart& chart, const char* what) : chart_(chart), what_(what) {
    scale_ = kWidth / static_cast<double>(chart.frames[0].total_ns);
  }

  std::string draw() {
    lay_out();
    const double height = kTop + kRow * static_cast<double>(deepest_ + 1) + kBottom;
    const std::string title =
        fmt::format("{} time, {}", what_, format_ns(static_cast<double>(chart_.frames[0].total_ns)));
    std::string out = "<style>" + std::string(kFlameStyle) + colours() + "</style>\n";
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

 private:
  struct Box {
    uint32_t frame;
    int depth;
    double x, width;
  };

  static std::string colours() {
    std::string out;
    for (const bool dark : {false, true}) {
      if (dark) out += "@media (prefers-color-scheme:dark){";
      const std::vector<std::string> all = flame_colours(dark);
      for (size_t k = 0; k < all.size(); ++k) out += fmt::format(".b{}{{fill:{}}}", k, all[k]);
    }
    return out + "}";
  }

  /// What the colours mean.
  std::string legend() const {
    std::string out;
    double x = 300;
    for (const FlameKind kind : chart_.kinds) {
      const std::string_view name = kFlameKinds[static_cast<size_t>(kind)];
      out += fmt::format("<rect x=\"{}\" y=\"11\" width=\"10\" height=\"10\" class=\"b{}\"/>", x,
                         static_cast<size_t>(kind) * kFlameShades);
      out += svg::text(x + 14, 20, name, "ink", "font-size=\"11\"");
      x += 40 + kCharacter * static_cast<double>(name.size());
    }
    return out;
  }

  /// Each frame stands beside its siblings before it, within its parent.
  void lay_out() {
    std::vector<double> next(chart_.frames.size());  // where a frame's next child begins
    std::vector<int> depth(chart_.frames.size());
    for (uint32_t k = 0; k < chart_.frames.size(); ++k) {
      const FlameFrame& frame = chart_.frames[k];
      const double width = static_cast<double>(frame.total_ns) * scale_;
      double x = 0;
      if (k > 0) {
        x = next[frame.parent];
        depth[k] = depth[frame.parent] + 1;
        next[frame.parent] += width;
      }
      next[k] = x;
      if (width < kNarrowest) continue;
      deepest_ = std::max(deepest_, depth[k]);
      boxes_.push_back({k, depth[k], x, width});
    }
  }

  std::string drawn(const Box& b, double height) const {
    const FlameFrame& frame = chart_.frames[b.frame];
    const auto total = static_cast<double>(frame.total_ns);
    const double share = total / static_cast<double>(chart_.frames[0].total_ns);
    const double y = height - kBottom - kRow * (b.depth + 1);
    const auto room = static_cast<size_t>(std::max(0.0, (b.width - 6) / kCharacter));
    const std::string label = room < 3 ? "" : ellipsis(frame.name, room);  // the end tells functions and kernels apart
    return fmt::format(
        "<g data-x=\"{0:.3f}\" data-w=\"{1:.3f}\" data-d=\"{2}\"><title>{3} ({4}, {5})</title><rect x=\"{0:.3f}\" "
        "y=\"{6}\" width=\"{1:.3f}\" height=\"{7}\" class=\"b{8}\" rx=\"1\"/><text class=\"ink\" x=\"{9:.3f}\" "
        "y=\"{10}\">{11}</text></g>\n",
        b.x, b.width, b.depth, xml_escaped(frame.whole), format_ns(total), format_share(share), y, kRow - 1,
        frame.colour, b.x + 3, y + kRow - 5, xml_escaped(label));
  }

  const FlameChart& chart_;
  const char* what_;
  double scale_ = 0;
  int deepest_ = 0;
  std::vector<Box> boxes_;
};

}  // namespace

Result<std::string> flame_graph(const Profile& profile, FlameMetric metric) {
  const TimedScope timed("flame graph");
  const bool device = metric == FlameMetric::kDeviceTime;
  const FlameTree tree = device ? device_flames(profile) : host_flames(profile);
  const FlameChart chart = flame_chart(tree, metric);
  if (chart.frames.empty()) {
    return not_found(device ? "nothing ran on a GPU here: try --metric self_cpu_time_total"
                            : "there are no operators or Python frames here");
  }
  return Drawing(chart, device ? "GPU" : "CPU").draw();
}

}  // namespace warplens::writers
