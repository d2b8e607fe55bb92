// launch-bound: the device waits for the host to launch its kernels.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/model/constants.h"
#include "warplens/program/analysis/timeline/launches.h"
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

/// Whether a step takes many slices of one tensor one after the other: select or slice at ever new places of a
/// dimension, by the program itself. Operators that take buffers apart (unflatten_dense_tensors, split) slice too.
bool loops_over_slices(const Context& c) {
  NameMemo slices(c.p, [](std::string_view name) { return name == "aten::select" || name == "aten::slice"; });
  std::set<std::pair<StringId, StringId>> seen;  // input shapes and concrete inputs
  for (const uint32_t op : c.joined.operators.order) {
    if (!slices(c.p.operators.name[op]) || c.p.operators.start_ns[op] < c.program.start_ns ||
        c.p.operators.start_ns[op] >= c.program.end_ns || c.root_of(op) != op)
      continue;
    seen.insert({c.p.operators.input_shapes[op], c.p.operators.concrete_inputs[op]});
  }
  std::map<std::pair<StringId, std::string>, std::set<std::string>> places;  // by shapes and dimension
  for (const auto& [shapes, inputs] : seen) {
    const auto concrete = analysis::parse_string_array(c.p.text(inputs));
    if (concrete.size() > 2) places[{shapes, concrete[1]}].insert(concrete[2]);
  }
  return std::any_of(places.begin(), places.end(),
                     [](const auto& entry) { return entry.second.size() >= kLeastTurns; });
}

/// Whether the results of a loop's turns come together: now and then, not in every turn, tensors become one. Where
/// nothing gathers them, each turn takes what the one before made, as a recurrent cell does: none runs beside another.
bool gathers_slices(const Context& c) {
  NameMemo gathers(c.p, [](std::string_view name) { return name == "aten::cat" || name == "aten::stack"; });
  const auto gathered = std::ranges::count_if(c.joined.operators.order, [&](uint32_t op) {
    return gathers(c.p.operators.name[op]) && c.p.operators.start_ns[op] >= c.program.start_ns &&
           c.p.operators.start_ns[op] < c.program.end_ns && c.root_of(op) == op;
  });
  return gathered > 0 && static_cast<size_t>(gathered) < kLeastTurns * c.program.steps;
}

/// A loop over the batch: the same small kernels, the same shapes, over slices of one tensor. Then one launch of each
/// kernel does all slices; it takes as long as the blocks of all need, in waves over the SMs.
bool batch_loop(const Context& c, Change& change) {
  if (!loops_over_slices(c) || !gathers_slices(c)) return false;
  std::map<std::tuple<StringId, StringId, uint32_t>, std::vector<const ProgramEvent*>> groups;
  for (const ProgramEvent& event : c.program.events) {
    const uint32_t op = c.op_of(event), config = c.p.device_events.launch_config[event.row];
    if (op != kNone)
      groups[{c.p.device_events.name[event.row], c.p.operators.input_shapes[op], config}].push_back(&event);
  }
  bool any = false;  // else the slices are views that one kernel reads
  for (const auto& [key, events] : groups) {
    const size_t repeats = events.size() / c.program.steps;
    if (repeats < kLeastTurns) continue;
    any = true;
    const auto& configs = c.p.launch_configs;
    const uint32_t config = std::get<2>(key);
    if (config == kNone) continue;
    const double blocks = static_cast<double>(configs.grid_x[config]) * configs.grid_y[config] * configs.grid_z[config];
    const double at_once =
        static_cast<double>(std::max(c.hardware.sm_count, 1)) * std::max(blocks_per_sm(c, config), 1);
    const double waves = std::max(1.0, blocks * static_cast<double>(repeats) / at_once);
    for (size_t i = 0; i < events.size(); ++i) {
      if (i % repeats) change.events_removed.push_back(events[i]->row);
      else
        change.event_duration.emplace_back(events[i]->row,
                                           static_cast<int64_t>(static_cast<double>(events[i]->duration_ns) *
                                                                std::min(waves, static_cast<double>(repeats))));
    }
  }
  return any;
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
  const bool loop = batch_loop(c, change);
  if (waits.for_shapes && !loop) return std::nullopt;
  Finding f;
  c.set_saving(f, change);
  if (!loop) c.set_saving(f, std::min(*f.saving_ns, idle_that_goes_ns(c)));
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
    f.detail =
        "The same small kernels run over slices of one tensor, one slice after the other. The saving assumes that "
        "each runs once for all slices.";
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
