// idle-gpu: the device does nothing for a good part of the step.
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/idle.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

using analysis::GapCause;

GapCause largest_cause(const IdleTime& idle) {
  size_t largest = 0;
  for (size_t i = 0; i < idle.by_cause.size(); ++i) {
    if (idle.by_cause[i] > idle.by_cause[largest]) largest = i;
  }
  return static_cast<GapCause>(largest);
}

std::string_view advice(GapCause cause) {
  switch (cause) {
    case GapCause::kLaunchBound:
      return "The host is slower than the device: fewer and larger launches (CUDA graphs, torch.compile, larger "
             "batches).";
    case GapCause::kPython:
      return "The program's own Python code runs there: run it ahead of time, or in another thread. To see the line, "
             "use `warplens record --cpu`, or torch.profiler with with_stack=True.";
    case GapCause::kHost:
      return "The program's own host code runs there: run it ahead of time or in another thread, or queue more work "
             "before it. `warplens record --cpu` names the line of a Python program.";
    case GapCause::kGil:
      return "Move the work of the thread that held Python's lock (GIL) to another process, or into code that "
             "releases the lock.";
    case GapCause::kInput:
      return "The next batch is not ready: load and prepare it in worker processes while the device computes.";
    case GapCause::kSynchronization:
      return "The host waited for the device before it launched more: keep values on the device, copy with "
             "non_blocking=True.";
    case GapCause::kAllocator:
      return "The driver allocates or frees memory there: keep PyTorch's caching allocator on, and warm up before "
             "recording.";
    case GapCause::kPageableCopy:
      return "The host stages copies from pageable memory there: pin it, and copy with non_blocking=True.";
    case GapCause::kProfiler:
      return "The profiler itself was at work there: record fewer steps, or without stacks and shapes.";
    case GapCause::kPeer: return "Compare the ranks with `warplens ranks`: another rank came late.";
    case GapCause::kQueued:
      return "The next kernel was queued, and waited for something that this trace does not show. Check for another "
             "process or context on the device, a host function, or work launched before the recording. If the gaps "
             "are short, the driver may submit launches late (Windows, WSL).";
    case GapCause::kOtherStream:
      return "Streams wait for each other: launch the awaited work earlier, or remove events that are not needed.";
    default: return "`warplens timeline` shows each gap with its cause.";
  }
}

}  // namespace

std::optional<Finding> idle_gpu(const Context& c) {
  constexpr double kIdle = 0.15;
  std::vector<analysis::Span> busy;
  for (const ProgramEvent& event : c.program.events) {
    if (c.p.device_events.device[event.row] == c.device)
      busy.push_back({c.start_of(event), c.start_of(event) + event.duration_ns});
  }
  const int64_t busy_ns = analysis::length_ns(analysis::unite(std::move(busy))) / static_cast<int64_t>(c.program.steps);
  const double idle = 1 - static_cast<double>(busy_ns) / static_cast<double>(c.own_step_ns());
  if (idle < kIdle) return std::nullopt;
  Finding f;
  f.level = idle > 0.5 ? Level::kWarn : Level::kInfo;
  f.title =
      fmt::format("the device is idle for {} of the {}", format_share(idle), c.program.has_steps ? "step" : "trace");
  f.detail = fmt::format("The device is busy for {} of {}, without the profiler's own cost.",
                         format_ns(static_cast<double>(busy_ns)), format_ns(static_cast<double>(c.own_step_ns())));
  if (const std::string causes = causes_text(c, c.idle()); !causes.empty())
    f.detail += fmt::format(" Idle time as recorded, by cause: {}.", causes);
  const GapCause cause = largest_cause(c.idle());
  f.advice = advice(cause);
  if (const std::string& code = c.idle().code[static_cast<size_t>(cause)]; !code.empty()) f.where = {code};
  f.evidence = {{"busy_ns", busy_ns},
                {"idle_ns", c.own_step_ns() - busy_ns},
                {"concerned_fraction", idle},
                {"largest_cause", std::string(analysis::gap_cause_name(cause))}};
  for (size_t i = 0; i < analysis::kGapCauses; ++i) {
    if (c.idle().by_cause[i] > 0)
      f.evidence.emplace_back(fmt::format("{}_ns", analysis::gap_cause_name(static_cast<GapCause>(i))),
                              c.idle().by_cause[i] / static_cast<int64_t>(c.program.steps));
  }
  return f;
}

}  // namespace warplens::findings
