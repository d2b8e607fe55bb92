// host-sync: the host waits inside the step for the device, and the device then waits for the host.
#include <algorithm>
#include <unordered_set>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/anomaly_mode.h"
#include "warplens/program/findings/batch_loops.h"
#include "warplens/program/findings/cold_start.h"
#include "warplens/program/findings/group_loops.h"
#include "warplens/program/findings/replaced_work.h"
#include "warplens/program/findings/rules.h"
#include "warplens/program/findings/served_reads.h"
#include "warplens/program/findings/tensor_loops.h"
#include "warplens/program/findings/turns.h"

namespace warplens::findings {
namespace {

using analysis::CallRole;
using analysis::ProgramCall;

constexpr int64_t kReadBackBytes = 4096;  // a copy to the host this small only fetches a value

struct Syncs {
  Change change;
  std::vector<uint32_t> operators;  // one for each synchronization, kNone where none is known
  int64_t waited_ns = 0;            // recorded
  // Of the waits: in the search for a mask's places; before the host decides what the device does next.
  size_t count = 0, searches = 0, turns = 0;
};

/// The latest end of an operator before `call` on its thread, not earlier than the call before it.
int64_t last_operator_end(const Context& c, const ProgramCall& call) {
  const auto& ops = c.p.operators;
  int64_t end = call.gap_start_ns;
  const uint32_t thread = c.p.calls.thread[call.row];
  const analysis::Forest& forest = c.joined.operators;
  const auto begin = forest.order.begin() + forest.thread_begin[thread],
             stop = forest.order.begin() + forest.thread_begin[thread + 1];
  auto at = std::lower_bound(begin, stop, call.start_ns,
                             [&](uint32_t row, int64_t time) { return ops.start_ns[row] < time; });
  for (int back = 0; at != begin && back < 32; ++back) {
    --at;
    const int64_t op_end = ops.start_ns[*at] + ops.duration_ns[*at];
    if (op_end <= call.start_ns) end = std::max(end, op_end);
  }
  return end;
}

/// The call up to which a wait costs something. Of one step, or one run, the last wait with hardly a launch after it is
/// where its result is read: it ends the program. Steps in a row start later for it.
size_t last_costly_call(const Context& c) {
  constexpr double kHardly = 0.05;  // of all events
  const std::vector<ProgramCall>& calls = c.program.calls;
  if (c.program.steps > 1) return calls.size();
  size_t last = calls.size(), events = 0;
  while (last > 0 && static_cast<double>(events) <= kHardly * static_cast<double>(c.program.events.size())) {
    --last;
    events += calls[last].events_end - calls[last].events_begin;
  }
  return last;
}

/// A copy that only fetches a value.
bool fetches_value(const Context& c, const ProgramEvent& event) {
  return c.is_copy(event, CopyKind::kDeviceToHost) && c.bytes_of(event) <= kReadBackBytes;
}

/// A boolean mask picks elements, and the device searches for their places. Without a mask's size there is nothing to
/// search: an operator that keeps the shape (torch.where) takes the place of the one that picks.
void leave_out_search(const Context& c, uint32_t op, Syncs& out) {
  const uint32_t search = c.around(op, [](std::string_view name) { return name == "aten::nonzero"; });
  uint32_t picks = search;
  for (uint32_t at = search; at != kNone; at = c.joined.operators.parent[at]) {
    if (contains(c.op_name(at), "index")) picks = at;
  }
  if (picks == search) return;
  ++out.searches;
  out.change.host_removed.push_back(c.span_of(search));
  run_as_one(c, events_within(c, c.span_of(search)), 0, out.change);
  keep_shape(c, picks, search, out.change);
}

/// An operator that reads a value vanishes, with what only serves it.
void leave_out_reader(const Context& c, uint32_t reader, const ProgramEvent& waited, Syncs& out) {
  out.change.host_removed.push_back(c.span_of(reader));
  remove_served(c, reader, out.change);
  if (fetches_value(c, waited)) out.change.events_removed.push_back(waited.row);
}

/// Values go to the host outside of operators that read one: it decides with them, or only looks.
void leave_out_fetch(const Context& c, const ProgramEvent& waited, Syncs& out) {
  const analysis::Span turn = turn_of_host(c, waited);
  if (turn.end_ns > turn.start_ns) {
    ++out.turns;
    out.change.host_removed.push_back(turn);
  } else if (c.op_of(waited) == kNone) {
    const analysis::ProgramCall& reads = c.program.calls[waited.call];
    out.change.host_removed.push_back({reads.start_ns, reads.end_ns});
    out.change.events_removed.push_back(waited.row);
    remove_kernel_of_value(c, waited, out.change);
  }
}

/// Reading a value vanishes with its operator, its copy and its wait, a mask's places with the search for them; other
/// synchronizations just no longer wait.
Syncs collect(const Context& c) {
  Syncs out;
  analysis::CallRoles roles(c.p);
  const size_t last = last_costly_call(c);
  for (size_t i = 0; i < last; ++i) {
    const ProgramCall& call = c.program.calls[i];
    if (!call.blocks()) continue;
    // A copy that fetches a value and returns with it waits as a synchronization does.
    if (!is_sync(roles(call.row)) && !fetches_value(c, c.program.events[c.program.waits[call.waits_begin]])) continue;
    const uint32_t op = c.joined.links.call_operator[call.row];
    // A wait for a copy from pageable memory belongs to that copy, a wait in a loader to the input.
    const ProgramEvent& waited = c.program.events[c.program.waits[call.waits_begin]];
    if (contains(c.event_name(waited), "Pageable") && c.is_copy(waited, CopyKind::kHostToDevice)) continue;
    if (analysis::overlap_ns(c.host_data_work, call.start_ns, call.end_ns) > 0) continue;
    if (analysis::overlap_ns(c.cold_start().time, call.start_ns, call.end_ns) > 0) continue;
    out.change.calls_not_waiting.push_back(call.row);
    out.waited_ns += call.end_ns - call.start_ns;
    ++out.count;
    // Outside any operator it is a call of the program's own, with Python around it.
    const bool bare = op == kNone || c.p.operators.kind[op] != OperatorKind::kOperator;
    out.change.host_removed.push_back(
        {bare ? std::max(call.start_ns - kPythonCallNs, last_operator_end(c, call)) : call.start_ns, call.end_ns});
    if (const uint32_t reader = reader_around(c, op); reader != kNone) leave_out_reader(c, reader, waited, out);
    else if (fetches_value(c, waited)) leave_out_fetch(c, waited, out);
    leave_out_search(c, op, out);
    const bool in_step_only = op == kNone || analysis::step_number(c.op_name(op)).has_value();
    out.operators.push_back(in_step_only ? kNone : c.root_of(op));
  }
  return out;
}

/// Device time that a change takes away.
int64_t served_ns(const Context& c, const Change& change) {
  int64_t sum_ns = 0;
  std::unordered_set<uint32_t> gone(change.events_removed.begin(), change.events_removed.end());
  for (const uint32_t row : gone) sum_ns += c.p.device_events.duration_ns[row];
  for (const auto& [row, ns] : change.event_duration)
    sum_ns += gone.insert(row).second ? c.p.device_events.duration_ns[row] - ns : 0;
  return sum_ns;
}

/// The operators that synchronize, the most frequent first.
std::vector<uint32_t> most_frequent(const Context& c, const std::vector<uint32_t>& operators) {
  std::vector<std::pair<size_t, uint32_t>> counted;  // (times, first operator of that name)
  for (const uint32_t op : operators) {
    if (op == kNone) continue;
    const auto at = std::find_if(counted.begin(), counted.end(), [&](const auto& entry) {
      return c.p.operators.name[entry.second] == c.p.operators.name[op];
    });
    if (at == counted.end()) counted.emplace_back(1, op);
    else ++at->first;
  }
  std::stable_sort(counted.begin(), counted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<uint32_t> out;
  for (const auto& [times, op] : counted) out.push_back(op);
  return out;
}

std::string advice(std::string_view operator_name) {
  if (reads_value(operator_name)) {
    return "Keep the value on the device: accumulate it in a tensor, and read it once at the end or every N steps. "
           "If the host must decide, copy it to pinned memory with non_blocking=True and read it one step later.";
  }
  if (contains(operator_name, "nonzero") || contains(operator_name, "index") ||
      contains(operator_name, "masked_select") || contains(operator_name, "unique")) {
    return "Use torch.where or multiply by the mask, which keep the shape, or compute the indices once outside the "
           "step. A boolean mask makes a tensor whose size only the device knows.";
  }
  if (contains(operator_name, "copy_") || contains(operator_name, "::to") || contains(operator_name, "cpu")) {
    return "Copy into pinned memory with non_blocking=True and wait for an event when the values are needed, or copy "
           "once at the end.";
  }
  return "Remove torch.cuda.synchronize(), .item(), .cpu(), .tolist() and prints of device tensors from the step; time "
         "with CUDA events instead.";
}

}  // namespace

std::optional<Finding> host_sync(const Context& c) {
  if (c.program.events.size() < kExcerptEvents) return std::nullopt;
  const Syncs syncs = collect(c);
  if (!syncs.count) return std::nullopt;
  Change change = syncs.change;
  const std::vector<Turns> loops = group_loops(c);
  for (const Turns& loop : loops) merge_turns(c, loop, change);
  const bool anomalies = detects_anomalies(c);
  if (anomalies) note_no_stacks(c, change);
  size_t tensors = 0;
  for (const TensorLoop& loop : c.tensor_loops()) {
    if (!loop.waits) continue;
    run_on_lists(c, loop, change);
    tensors += loop.turns.size();
  }
  size_t slices = 0;
  for (const BatchLoop& loop : c.batch_loops()) {
    if (!loop.waits) continue;
    run_as_batch(c, loop, change);
    slices += loop.turns.size();
  }
  Finding f;
  c.set_saving(f, change);
  const double count = c.per_step(static_cast<double>(syncs.count));
  const std::vector<uint32_t> operators = most_frequent(c, syncs.operators);
  const std::string by =
      operators.empty() ? ", outside any operator" : fmt::format(", most by {}", c.op_name(operators.front()));
  f.title = fmt::format("the host waits for the device {} {}{}", count == 1 ? "once" : format_count(count) + " times",
                        c.each_step(), by);
  const int64_t waited_ns = syncs.waited_ns / static_cast<int64_t>(c.program.steps);
  f.detail = fmt::format(
      "The host waits {} {} in all. It launches nothing in this time, so the device has nothing queued when a wait "
      "ends.",
      format_ns(static_cast<double>(waited_ns)), c.each_step());
  if (!loops.empty()) {
    f.detail += fmt::format(
        " {} loops {} process one group of rows after another, and the host waits for the size of each group. The "
        "saving assumes one pass for all groups.",
        format_count(c.per_step(static_cast<double>(loops.size()))), c.each_step());
  }
  if (syncs.searches) {
    f.detail +=
        " Boolean masks pick elements, and the device must find their places first. The saving assumes operators that "
        "keep the shape.";
  }
  if (syncs.turns) {
    f.detail += fmt::format(
        " After {} of these waits the host uploads a result that it computed. The saving assumes that the device "
        "computes this result.",
        format_count(c.per_step(static_cast<double>(syncs.turns))));
  }
  if (tensors) {
    f.detail += fmt::format(
        " A loop reads a value of each of {} tensors {}. The saving assumes that operators on lists compute them.",
        format_count(c.per_step(static_cast<double>(tensors))), c.each_step());
  }
  if (slices) {
    f.detail += fmt::format(
        " A loop reads values of each of {} slices of a tensor {}. The saving assumes that each operator runs once for "
        "all slices.",
        format_count(c.per_step(static_cast<double>(slices))), c.each_step());
  }
  f.advice = advice(operators.empty() ? std::string_view{} : c.op_name(operators.front()));
  if (!loops.empty())
    f.advice =
        "Treat all groups at once: sort the rows by group, or give each group a fixed number of places (topk, bmm, "
        "index_add, scatter_reduce). " +
        f.advice;
  if (tensors)
    f.advice = "Compute the values of all tensors together (torch._foreach_norm, torch.stack), and read them once. " +
               f.advice;
  if (anomalies) {
    f.detail +=
        " Anomaly detection is on: each backward function looks for NaN, and each forward operator that autograd "
        "follows notes its Python stack. The saving is without both.";
    f.advice = "Turn anomaly detection off: torch.autograd.set_detect_anomaly(False), outside a search for NaN.";
  }
  f.evidence = {{"synchronizations_per_step", count},
                {"group_loops_per_step", c.per_step(static_cast<double>(loops.size()))},
                {"waited_ns", waited_ns},
                {"served_ns", served_ns(c, change) / static_cast<int64_t>(c.program.steps)}};
  f.where = c.places(operators);
  return f;
}

}  // namespace warplens::findings
