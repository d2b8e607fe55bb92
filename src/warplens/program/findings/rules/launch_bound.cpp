// launch-bound: the device waits for the host to launch its kernels.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/timeline/launches.h"
#include "warplens/program/findings/cold_start.h"
#include "warplens/program/findings/idle.h"
#include "warplens/program/findings/launch_shape.h"
#include "warplens/program/findings/rules.h"
#include "warplens/trace/profile/name_memo.h"

namespace warplens::findings {
namespace {

constexpr double kLeastLaunches = 20;  // a step
constexpr double kLeastSaving = 0.12;  // of a step, were all launches one graph
constexpr double kMostGraphed = 0.5;   // of the events: beyond, launches are already bundled
constexpr double kLeastIdle = 0.1;     // of the recorded time, idle because the host had not launched yet
constexpr double kShortNs = 12'000;    // mean length of a kernel: for longer ones launching is a burden only where
constexpr double kMuchIdle = 0.25;     // so much of a step without the profiler is idle for it
constexpr double kMostReadBacks = 2;   // a step: what waits for the device more often can only be captured in pieces
constexpr int64_t kReplayNs = 10'000;  // launching a graph
constexpr double kMuchWaiting = 0.25;  // of the time: waits within operators, which then decide on the host
constexpr double kMostlyStart = 0.5;   // of the recorded time: what is left of such a run are first calls, too

struct Launches {
  size_t events = 0, kernels = 0, graphed = 0, shorter_than_launch = 0, read_backs = 0;
  int64_t device_ns = 0;
};

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
    out.device_ns += event.duration_ns;
    out.read_backs +=
        c.is_copy(event, CopyKind::kDeviceToHost) && call.end_ns > call.start_ns && c.op_of(event) != kNone;
  }
  size_t waits = 0;  // of operators whose host code looks at what the device made, as a sparse tensor's coalesce does
  int64_t waited_ns = 0;
  for (const analysis::ProgramCall& call : c.program.calls) {
    const uint32_t op = c.joined.links.call_operator[call.row];
    if (!is_sync(roles(call.row)) || !call.blocks() || op == kNone || c.p.operators.kind[op] != OperatorKind::kOperator)
      continue;
    ++waits;
    waited_ns += call.end_ns - call.start_ns;
  }
  if (static_cast<double>(waited_ns) > kMuchWaiting * static_cast<double>(c.program.end_ns - c.program.start_ns))
    out.read_backs = std::max(out.read_backs, waits);
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

/// Share of a step without the profiler in which the device is idle for launching, if as much of its idle time has that
/// cause as is recorded.
double idle_without_profiler(const Context& c, int64_t launching_ns) {
  const IdleTime& idle = c.idle();
  if (idle.span_ns <= idle.busy_ns) return 0;
  const double busy_ns = static_cast<double>(idle.busy_ns) / static_cast<double>(c.program.steps);
  return (1 - busy_ns / static_cast<double>(c.step_ns)) * static_cast<double>(launching_ns) /
         static_cast<double>(idle.span_ns - idle.busy_ns);
}

constexpr size_t kLeastSlices = 8;  // of one tensor a step, and repeats of one kernel: then it is a loop

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
                     [](const auto& entry) { return entry.second.size() >= kLeastSlices; });
}

/// Whether the results of a loop's turns come together: now and then, not in every turn, tensors become one. Where
/// nothing gathers them, each turn takes what the one before made, as a recurrent cell does: none runs beside another.
bool gathers_slices(const Context& c) {
  NameMemo gathers(c.p, [](std::string_view name) { return name == "aten::cat" || name == "aten::stack"; });
  const auto gathered = std::ranges::count_if(c.joined.operators.order, [&](uint32_t op) {
    return gathers(c.p.operators.name[op]) && c.p.operators.start_ns[op] >= c.program.start_ns &&
           c.p.operators.start_ns[op] < c.program.end_ns && c.root_of(op) == op;
  });
  return gathered > 0 && static_cast<size_t>(gathered) < kLeastSlices * c.program.steps;
}

/// A loop over the batch: the same small kernels, the same shapes, over slices of one tensor. Then one launch of each
/// kernel does all slices; it takes as long as the blocks of all need, in waves over the SMs.
bool batch_loop(const Context& c, Change& change) {
  if (!loops_over_slices(c) || !gathers_slices(c)) return false;
  std::map<std::tuple<StringId, StringId, uint32_t>, std::vector<const ProgramEvent*>> groups;
  for (const ProgramEvent& event : c.program.events) {
    const uint32_t op = c.op_of(event), config = c.p.device_events.launch_config[event.row];
    if (op != kNone && config != kNone)
      groups[{c.p.device_events.name[event.row], c.p.operators.input_shapes[op], config}].push_back(&event);
  }
  for (const auto& [key, events] : groups) {
    const size_t repeats = events.size() / c.program.steps;
    if (repeats < kLeastSlices) continue;
    const auto& configs = c.p.launch_configs;
    const uint32_t config = std::get<2>(key);
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
  return true;
}

}  // namespace

std::optional<Finding> launch_bound(const Context& c) {
  const Launches seen = count(c);
  const double launches = c.per_step(static_cast<double>(seen.events - seen.graphed));
  if (launches < kLeastLaunches || static_cast<double>(seen.graphed) > kMostGraphed * static_cast<double>(seen.events))
    return std::nullopt;
  const double read_backs = c.per_step(static_cast<double>(seen.read_backs));
  if (read_backs > kMostReadBacks && launches < kLeastLaunches * (read_backs + 1)) return std::nullopt;
  const int64_t span_ns = c.recorded.end_ns - c.recorded.start_ns;  // what is not idle needs no causes
  if (static_cast<double>(span_ns - recorded_busy_ns(c)) < kLeastIdle * static_cast<double>(span_ns))
    return std::nullopt;
  if (static_cast<double>(analysis::length_ns(c.cold_start().time)) > kMostlyStart * static_cast<double>(span_ns))
    return std::nullopt;
  const int64_t idle_ns = c.idle().launching_ns;
  if (c.idle().share(idle_ns) < kLeastIdle) return std::nullopt;
  const bool short_kernels = static_cast<double>(seen.device_ns) <= kShortNs * static_cast<double>(seen.events);
  if (!short_kernels && idle_without_profiler(c, idle_ns) < kMuchIdle) return std::nullopt;
  Change change;
  change.graph = true;
  change.host_removed = launching_time(c);
  change.host_added.emplace_back(c.program.start_ns,
                                 kReplayNs * static_cast<int64_t>(c.program.steps + seen.read_backs));
  const bool loop = batch_loop(c, change);
  Finding f;
  c.set_saving(f, change);
  if (*f.saving_fraction < kLeastSaving) return std::nullopt;
  const int64_t device_ns = seen.device_ns / static_cast<int64_t>(c.program.steps);
  f.title = fmt::format("{} launches {} keep the host busy for longer than the device: {} of device work in {}",
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
  return f;
}

}  // namespace warplens::findings
