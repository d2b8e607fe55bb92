// idle-gpu: the device does nothing for a good part of the step.
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {

std::optional<Finding> idle_gpu(const Context& c) {
  constexpr double kIdle = 0.25;
  std::vector<analysis::Span> busy;
  for (const ProgramEvent& event : c.program.events)
    if (c.p.device_events.device[event.row] == c.device)
      busy.push_back({c.start_of(event), c.start_of(event) + event.duration_ns});
  const int64_t busy_ns = analysis::length_ns(analysis::unite(std::move(busy))) / static_cast<int64_t>(c.program.steps);
  const double idle = 1 - static_cast<double>(busy_ns) / static_cast<double>(c.step_ns);
  if (idle < kIdle) return std::nullopt;
  Finding f;
  f.level = idle > 0.5 ? Level::kWarn : Level::kInfo;
  f.title =
      fmt::format("the device is idle for {} of the {}", format_share(idle), c.program.has_steps ? "step" : "trace");
  f.detail = fmt::format("{} of {} are busy, the profiler's own cost taken out. The causes are findings of their own.",
                         format_ns(static_cast<double>(busy_ns)), format_ns(static_cast<double>(c.step_ns)));
  f.advice = "`warplens timeline` shows each gap with its cause.";
  f.evidence = {{"busy_ns", busy_ns}, {"idle_ns", c.step_ns - busy_ns}};
  return f;
}

}  // namespace warplens::findings
