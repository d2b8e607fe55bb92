// graph-health: CUDA graphs that hold too little, or whose replays leave the device idle between them.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {

std::optional<Finding> graph_health(const Context& c) {
  constexpr double kFewNodes = 8, kMuchOutside = 0.3;
  if (c.p.integrity.find("graphs-as-wholes") != nullptr) return std::nullopt;  // what they hold is not known
  analysis::CallRoles roles(c.p);
  size_t replays = 0, nodes = 0, outside = 0;
  std::vector<uint32_t> small, alone;  // rows of device_events: of replays that hold little, and launched one by one
  for (const analysis::ProgramCall& call : c.program.calls) {
    const size_t events = call.events_end - call.events_begin;
    const bool is_replay = roles(call.row) == analysis::CallRole::kGraphLaunch;
    if (is_replay) {
      ++replays;
      nodes += events;
    } else outside += events;
    for (uint32_t i = call.events_begin; i < call.events_end; ++i)
      (is_replay ? small : alone).push_back(c.program.events[i].row);
  }
  if (!replays || !nodes) return std::nullopt;
  const double each = static_cast<double>(nodes) / static_cast<double>(replays);
  const double share = static_cast<double>(outside) / static_cast<double>(outside + nodes);
  if (each >= kFewNodes && share <= kMuchOutside) return std::nullopt;
  Finding f;
  f.events = std::move(each < kFewNodes ? small : alone);
  f.title = each < kFewNodes ? fmt::format("a graph replay launches {:.1f} kernels on average", each)
                             : fmt::format("{} of the kernels are launched outside the graphs", format_share(share));
  f.detail =
      fmt::format("{} replays with {} kernels and copies, {} more launched one by one.", replays, nodes, outside);
  f.advice =
      "Capture more at once: a graph pays off when it replaces many launches. Find graph breaks "
      "(TORCH_LOGS=graph_breaks,cudagraphs), inputs copied before each replay, and operators that cannot be "
      "captured.";
  f.evidence = {{"replays_per_step", c.per_step(static_cast<double>(replays))},
                {"nodes_per_replay", each},
                {"share_outside", share}};
  return f;
}

}  // namespace warplens::findings
