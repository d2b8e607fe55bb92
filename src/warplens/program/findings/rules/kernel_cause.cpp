// kernel-cause: a kernel that was counted has a finding of its own, which would shorten the step.
#include <algorithm>
#include <map>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/kernel_name.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

struct Caused {
  uint32_t op = kNone;
  int64_t device_ns = 0, saved_ns = 0;
};

}  // namespace

std::optional<Finding> kernel_cause(const Context& c) {
  const CountedKernels& counted = c.joined.counted;
  if (!counted.any()) return std::nullopt;
  Change change;
  Finding f;
  std::map<std::pair<StringId, uint32_t>, Caused> kernels;  // by name and counted launch
  for (const ProgramEvent& event : c.program.events) {
    const uint32_t launch = counted.joins[event.row].launch;
    const double saving = launch == kNone ? 0 : counted.launches[launch].saving_fraction.value_or(0);
    if (saving <= 0) continue;
    const auto saved_ns = static_cast<int64_t>(saving * static_cast<double>(event.duration_ns));
    change.event_duration.emplace_back(event.row, event.duration_ns - saved_ns);
    Caused& kernel = kernels[{c.p.device_events.name[event.row], launch}];
    kernel.op = c.op_of(event);
    kernel.device_ns += event.duration_ns;
    kernel.saved_ns += saved_ns;
  }
  if (kernels.empty()) return std::nullopt;
  const auto worst = std::ranges::max_element(kernels, {}, [](const auto& kernel) { return kernel.second.saved_ns; });
  const CountedLaunch& cause = counted.launches[worst->first.second];
  c.set_saving(f, change);
  const std::string name(c.p.text(worst->first.first));
  f.title = fmt::format("{}: {}", ellipsis(analysis::short_kernel_name(name), 60), cause.title);
  f.detail = fmt::format("Counted: {}{}. Such kernels take {} {}; fixing the finding could save {}.", cause.id,
                         cause.where.empty() ? "" : " at " + cause.where.front(),
                         format_ns(c.per_step(static_cast<double>(worst->second.device_ns))), c.each_step(),
                         format_ns(c.per_step(static_cast<double>(worst->second.saved_ns))));
  if (kernels.size() > 1)
    f.detail +=
        fmt::format(" {} more counted kernels have their own findings; the saving includes them.", kernels.size() - 1);
  f.advice = cause.advice;
  f.evidence = {{"kernel", name},
                {"kernel_finding", cause.id},
                {"device_ns", worst->second.device_ns / static_cast<int64_t>(c.program.steps)},
                {"kernels_with_findings", static_cast<int64_t>(kernels.size())}};
  f.where = cause.where;
  if (worst->second.op != kNone) {
    for (std::string& place : c.places({worst->second.op})) f.where.push_back(std::move(place));
  }
  return f;
}

}  // namespace warplens::findings
