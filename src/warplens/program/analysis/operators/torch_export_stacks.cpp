#include <algorithm>
#include <tuple>

#include "warplens/base/text.h"
#include "warplens/program/analysis/operators/torch_events.h"
#include "warplens/program/analysis/operators/torch_stacks.h"
#include "warplens/program/analysis/operators/torch_table.h"

namespace warplens::analysis {
namespace {

std::string folded(const TorchStacks& stacks, uint32_t node) {
  std::string line;
  const std::vector<std::string_view> frames = stacks.frames(node, SIZE_MAX);
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (!line.empty()) line += ';';
    for (const char c : *frame) line += c == ' ' || c == ';' || c == '\t' || c == '\n' ? '_' : c;
  }
  return line;
}

/// Torch computes in microseconds as doubles and cuts to whole ones; following it decides the exact multiples.
struct Microseconds {
  int64_t zero_ns;
  double at(int64_t ns) const { return static_cast<double>(ns - zero_ns) / 1000; }
  double span(int64_t start_ns, int64_t duration_ns) const { return at(start_ns + duration_ns) - at(start_ns); }
};

struct Line {
  std::tuple<int64_t, int64_t, uint32_t> place;
  uint32_t node;
  int64_t metric;
};

std::vector<double> self_cpu_us(const TorchEvents& e, const Microseconds& us) {
  std::vector<double> children(e.size(), 0), self(e.size());
  for (size_t i = 0; i < e.size(); ++i) {
    if (!e.merged[i] && e.parent[i] != kNone) children[e.parent[i]] += us.span(e.start_ns[i], e.duration_ns[i]);
  }
  for (size_t i = 0; i < e.size(); ++i) self[i] = us.span(e.start_ns[i], e.duration_ns[i]) - children[i];
  return self;
}

}  // namespace

Status torch_stacks(const Profile& profile, const std::string& metric, const ByteSink& to) {
  const bool on_device = metric == "self_cuda_time_total" || metric == "self_device_time_total";
  if (!on_device && metric != "self_cpu_time_total") {
    return usage_error(
        fmt::format("no metric '{}'; the metrics are self_cpu_time_total and self_cuda_time_total", metric));
  }
  const TorchEvents events = torch_events(profile, true);
  const TorchStacks stacks(profile, events);
  const Microseconds us{profile.ranks.size() == 0 ? 0 : profile.ranks.window_start_ns[0]};
  std::vector<Line> lines;
  const std::vector<double> self_cpu = on_device ? std::vector<double>() : self_cpu_us(events, us);
  for (uint32_t i = 0; i < events.size(); ++i) {
    if (events.merged[i] || stacks.of_event(i) == 0) continue;
    const auto value =
        static_cast<int64_t>(on_device ? static_cast<double>(events.self_device_ns[i]) / 1000 : self_cpu[i]);
    if (value > 0) lines.push_back({{events.start_ns[i], -events.duration_ns[i], i}, stacks.of_event(i), value});
  }
  const auto& t = profile.device_events;
  for (uint32_t row = 0; on_device && row < t.size(); ++row) {
    const auto value = static_cast<int64_t>(us.span(t.start_ns[row], t.duration_ns[row]));
    if (stacks.of_device_event(row) == 0 || t.kind[row] == DeviceEventKind::kRange || value <= 0) continue;
    lines.push_back({{t.start_ns[row], -t.duration_ns[row], static_cast<uint32_t>(events.size()) + row},
                     stacks.of_device_event(row),
                     value});
  }
  std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.place < b.place; });
  for (const Line& line : lines) WL_TRY(to(fmt::format("{} {}\n", folded(stacks, line.node), line.metric)));
  return {};
}

}  // namespace warplens::analysis
