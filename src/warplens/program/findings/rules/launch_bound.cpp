// launch-bound: the device waits for the host to launch its kernels.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/model/constants.h"
#include "warplens/program/analysis/timeline/launches.h"
#include "warplens/program/findings/batch_loops.h"
#include "warplens/program/findings/cold_start.h"
#include "warplens/program/findings/idle.h"
#include "warplens/program/findings/launch_shape.h"
#include "warplens/program/findings/rules.h"
#include "warplens/program/findings/tensor_loops.h"
#include "warplens/trace/profile/name_memo.h"

namespace warplens::findings {
namespace {

constexpr int64_t kReplayNs = 10'000;  // launching a graph

struct Launches {
  size_t events = 0, kernels = 0, graphed = 0, shorter_than_launch = 0;
};

/// Of the device, a step.
int64_t busy_ns(const Context& c) { return c.idle().busy_ns / static_cast<int64_t>(c.program.steps); }

/// Waits for the device: what lies between two of them is a graph of its own.
struct Waits {
  std::vector<int64_t> ends_ns;
  bool for_shapes = false;  // sizes of tensors that only the device knows: what uses them cannot be captured
};

bool asks_for_shapes(std::string_view name) {
  return contains(name, "nonzero") || contains(name, "masked_select") || contains(name, "unique") ||
         contains(name, "coalesce");
}

Launches count(const Context& c) {
  Launches out;
  analysis::CallRoles roles(c.p);
  for (const ProgramEvent& event : c.program.events) {
    ++out.events;
    const analysis::ProgramCall& call = c.program.calls[event.call];
    out.graphed += roles(call.row) == analysis::CallRole::kGraphLaunch;
    const bool kernel = c.p.device_events.kind[event.row] == DeviceEventKind::kKernel;
    out.kernels += kernel;
    out.shorter_than_launch += analysis::shorter_than_launch(c.p, event.row, call.row);
  }
  return out;
}

Waits waits_of(const Context& c) {
  Waits out;
  for (const analysis::ProgramCall& call : c.program.calls) {
    if (!call.blocks()) continue;
    const uint32_t op = c.joined.links.call_operator[call.row];
    out.ends_ns.push_back(call.end_ns);
    out.for_shapes |= c.around(op, asks_for_shapes) != kNone;
  }
  return out;
}

/// The host's time without what no graph takes over: making data, asking memory of the driver, a cold start.
analysis::TimeSet launching_time(const Context& c) {
  std::vector<analysis::Span> allocating;
  analysis::CallRoles roles(c.p);
  for (const analysis::ProgramCall& call : c.program.calls) {
    if (roles(call.row) == analysis::CallRole::kAllocate || roles(call.row) == analysis::CallRole::kFree)
      allocating.push_back({call.start_ns, call.end_ns});
  }
  analysis::TimeSet time = analysis::subtract({{c.program.start_ns, c.program.end_ns}}, c.host_data_work);
  time = analysis::subtract(time, analysis::unite(std::move(allocating)));
  return analysis::subtract(time, c.cold_start().time);
}

/// What a graph can save of a step: its idle time without what waits for other than the host, in the recorded
/// proportion.
int64_t idle_that_goes_ns(const Context& c) {
  using analysis::GapCause;
  const IdleTime& idle = c.idle();
  if (idle.span_ns <= idle.busy_ns) return 0;
  int64_t stays_ns = 0;
  for (const GapCause cause : {GapCause::kQueued, GapCause::kOtherStream, GapCause::kPeer, GapCause::kInput})
    stays_ns += idle.by_cause[static_cast<size_t>(cause)];
  const auto whole_ns = static_cast<double>(idle.span_ns - idle.busy_ns);
  const double idle_ns = static_cast<double>(c.step_ns - busy_ns(c));
  return static_cast<int64_t>(std::max(0.0, idle_ns * (1 - static_cast<double>(stays_ns) / whole_ns)));
}

/// What a profiler added to a step is known no better than to itself: so much may have stayed in it. What warplens
/// measured in the recorded process is known better.
bool is_profilers_own(const Context& c, const Finding& f) {
  int64_t unsure_ns = std::max<int64_t>(0, c.recorded_step_ns - c.step_ns);
  if (c.program.cost.measured)
    unsure_ns = std::min(unsure_ns, static_cast<int64_t>(model::kStepError * static_cast<double>(c.step_ns)));
  Finding least;
  c.set_saving(least, std::max<int64_t>(0, *f.saving_ns - unsure_ns));
  return least.level == Level::kInfo;
}

/// Loops over a batch that read nothing back: one launch of each kernel does all turns.
struct Batches {
  Change change;
  size_t turns = 0;
};

Batches batches_of(const Context& c) {
  Batches out;
  for (const BatchLoop& loop : c.batch_loops()) {
    if (loop.waits) continue;
    run_as_batch(c, loop, out.change);
    out.turns += loop.turns.size();
  }
  return out;
}

/// Adds one change to another.
void add(const Change& from, Change& to) {
  to.host_removed.insert(to.host_removed.end(), from.host_removed.begin(), from.host_removed.end());
  to.event_duration.insert(to.event_duration.end(), from.event_duration.begin(), from.event_duration.end());
  to.events_removed.insert(to.events_removed.end(), from.events_removed.begin(), from.events_removed.end());
  to.calls_not_waiting.insert(to.calls_not_waiting.end(), from.calls_not_waiting.begin(), from.calls_not_waiting.end());
}

/// Loops over tensors that no other finding is about: that neither update parameters nor read values.
struct Lists {
  Change change;
  size_t kernels = 0, tensors = 0;
};

Lists lists_of(const Context& c) {
  Lists out;
  for (const TensorLoop& loop : c.tensor_loops()) {
    if (loop.updates || loop.waits) continue;
    run_on_lists(c, loop, out.change);
    out.kernels += loop.kernels;
    out.tensors += loop.turns.size();
  }
  return out;
}

/// Where operators on lists spare more than a graph would save on top of them, they are the finding.
void tell_lists(const Context& c, Finding& f) {
  const Lists lists = lists_of(c);
  const int64_t whole_ns = *f.saving_ns, lists_ns = lists.kernels ? c.saving_ns(lists.change) : 0;
  if (2 * lists_ns <= whole_ns) return;
  c.set_saving(f, lists.change);
  f.detail = fmt::format(
      "{} of the kernels {} go through {} tensors, one tensor after the other. The saving assumes that operators on "
      "lists do them. The same device work as one graph would save {} in all.",
      format_count(c.per_step(static_cast<double>(lists.kernels))), c.each_step(),
      format_count(c.per_step(static_cast<double>(lists.tensors))), format_ns(static_cast<double>(whole_ns)));
  f.advice =
      "Replace the loop over tensors with operators on lists (torch._foreach_mul_, torch._foreach_norm, "
      "clip_grad_norm_ with foreach=True). Or keep the tensors in one flat buffer.";
  f.evidence.emplace_back("tensors_in_loops", c.per_step(static_cast<double>(lists.tensors)));
}

}  // namespace

std::optional<Finding> launch_bound(const Context& c) {
  const Launches seen = count(c);
  const double launches = c.per_step(static_cast<double>(seen.events - seen.graphed));
  if (seen.events < kExcerptEvents || seen.graphed > seen.events - seen.graphed) return std::nullopt;
  const Waits waits = waits_of(c);
  Change change;
  change.graph = true;
  change.host_removed = launching_time(c);
  change.host_added.emplace_back(c.program.start_ns, kReplayNs * static_cast<int64_t>(c.program.steps));
  for (const int64_t end_ns : waits.ends_ns) change.host_added.emplace_back(end_ns, kReplayNs);
  Finding f;
  const Batches batches = batches_of(c);
  bool loop = false;
  if (batches.turns) {  // worth telling if most of the saving comes from the batches
    Change both = change;
    add(batches.change, both);
    c.set_saving(f, both);
    loop = 2 * c.saving_ns(batches.change) > *f.saving_ns;
  }
  if (!loop) {
    if (waits.for_shapes) return std::nullopt;
    c.set_saving(f, change);
    c.set_saving(f, std::min(*f.saving_ns, idle_that_goes_ns(c)));
  }
  if (is_profilers_own(c, f)) return std::nullopt;
  const int64_t idle_ns = c.idle().launching_ns;
  const int64_t device_ns = busy_ns(c);
  f.title = fmt::format("{} launches {} keep the host busy longer than the device: {} of device work in {}",
                        format_count(launches), c.each_step(), format_ns(static_cast<double>(device_ns)),
                        format_ns(static_cast<double>(c.step_ns)));
  f.detail = fmt::format(
      "{} of {} kernels are shorter than the call that launches them. The device waits for launches during {} of the "
      "recorded time. The saving assumes the same device work, launched as one graph.",
      seen.shorter_than_launch, seen.kernels, format_share(c.idle().share(idle_ns)));
  f.advice =
      "Capture the step in a CUDA graph (torch.cuda.graph, torch.cuda.make_graphed_callables) or compile it with "
      "torch.compile(mode=\"reduce-overhead\"); otherwise give each launch more work: larger batches, batched or fused "
      "operators.";
  if (loop) {
    f.detail = fmt::format(
        "The same kernels run over slices of a tensor, one slice after the other: {} turns {}. The saving assumes that "
        "each runs once for all slices.",
        format_count(c.per_step(static_cast<double>(batches.turns))), c.each_step());
    f.advice =
        "Replace the loop over the batch with batched operators (bmm instead of mm in a loop, one softmax over the "
        "last dimension, torch.vmap). Capture or compile the rest as a CUDA graph.";
  }
  f.evidence = {{"loop_over_slices", loop},
                {"launches_per_step", launches},
                {"device_work_ns", device_ns},
                {"step_ns", c.step_ns},
                {"idle_for_launching_ns", idle_ns / static_cast<int64_t>(c.program.steps)},
                {"shorter_than_launch", static_cast<int64_t>(seen.shorter_than_launch)}};
  if (!loop) tell_lists(c, f);
  return f;
}

}  // namespace warplens::findings
