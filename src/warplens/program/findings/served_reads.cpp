#include "warplens/program/findings/served_reads.h"

#include <algorithm>
#include <array>

#include "warplens/base/text.h"
#include "warplens/program/findings/replaced_work.h"
#include "warplens/program/findings/turns.h"

namespace warplens::findings {
namespace {

/// The operator or range before `op` among those that its parent called, or kNone.
uint32_t sibling_before(const Context& c, uint32_t op) {
  const analysis::Forest& forest = c.joined.operators;
  const uint32_t parent = forest.parent[op], at = forest.position[op];
  if (at == forest.thread_begin[c.p.operators.thread[op]]) return kNone;
  uint32_t before = forest.order[at - 1];
  if (before == parent) return kNone;
  while (forest.parent[before] != parent && forest.parent[before] != kNone) before = forest.parent[before];
  return forest.parent[before] == parent && c.p.operators.kind[before] == OperatorKind::kOperator ? before : kNone;
}

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

constexpr auto kPicks =
    std::to_array<std::string_view>({"aten::select", "aten::slice", "aten::detach", "aten::unbind", "aten::squeeze"});
constexpr auto kTruths = std::to_array<std::string_view>(
    {"aten::any", "aten::all", "aten::_is_any_true", "aten::_is_all_true", "aten::count_nonzero"});
constexpr auto kCounts = std::to_array<std::string_view>({"aten::sum", "aten::mean", "aten::to", "aten::logical_not"});
constexpr auto kComparisons = std::to_array<std::string_view>(
    {"aten::eq", "aten::ne", "aten::lt", "aten::le", "aten::gt", "aten::ge", "aten::isnan", "aten::isinf",
     "aten::isfinite", "aten::logical_and", "aten::logical_or", "aten::logical_not", "aten::bitwise_and",
     "aten::bitwise_or", "aten::bitwise_not"});

bool takes_truths(const Context& c, uint32_t op) { return !c.types(op).empty() && c.types(op)[0] == "bool"; }

void remove(const Context& c, uint32_t op, Change& change) {
  change.host_removed.push_back(c.span_with_call(op));
  run_as_one(c, events_within(c, c.span_of(op)), 0, change);
}

/// The event before this one on its stream; kNone where it is the first.
uint32_t before_on_stream(const Context& c, uint32_t event) {
  const uint32_t stream = c.program.events[event].stream;
  while (event-- > 0) {
    if (c.program.events[event].stream == stream) return event;
  }
  return kNone;
}

uint32_t index_of(const Context& c, const ProgramEvent& event) {
  return static_cast<uint32_t>(&event - c.program.events.data());
}

}  // namespace

bool reads_value(std::string_view name) {
  return name == "aten::item" || name == "aten::_local_scalar_dense" || name == "aten::is_nonzero";
}

uint32_t reader_around(const Context& c, uint32_t op) {
  uint32_t reader = c.around(op, reads_value);
  while (reader != kNone && c.joined.operators.parent[reader] != kNone &&
         reads_value(c.op_name(c.joined.operators.parent[reader])))
    reader = c.joined.operators.parent[reader];
  return reader;
}

void remove_served(const Context& c, uint32_t reader, Change& change) {
  bool counted = false;  // from here on, truth values were counted
  for (uint32_t op = sibling_before(c, reader); op != kNone; op = sibling_before(c, op)) {
    const std::string_view name = c.op_name(op);
    const bool picks = !counted && is_one_of(name, kPicks) && !c.program.calls_within(c.span_of(op));
    const bool counts = is_one_of(name, kTruths) || (is_one_of(name, kCounts) && takes_truths(c, op));
    if (!picks && !counts && !(counted && is_one_of(name, kComparisons))) return;
    counted |= counts;
    remove(c, op, change);
  }
}

void remove_kernel_of_value(const Context& c, const ProgramEvent& read, Change& change) {
  const uint32_t kernel = before_on_stream(c, index_of(c, read));
  const uint32_t cleared = kernel == kNone ? kNone : before_on_stream(c, kernel);
  if (cleared == kNone) return;
  const ProgramEvent &computes = c.program.events[kernel], &clears = c.program.events[cleared];
  if (c.p.device_events.kind[computes.row] != DeviceEventKind::kKernel ||
      c.p.device_events.kind[clears.row] != DeviceEventKind::kSet || c.bytes_of(clears) != c.bytes_of(read))
    return;
  for (const ProgramEvent* event : {&computes, &clears}) {
    const analysis::ProgramCall& call = c.program.calls[event->call];
    change.events_removed.push_back(event->row);
    change.host_removed.push_back({call.start_ns, call.end_ns});
  }
}

analysis::Span turn_of_host(const Context& c, const ProgramEvent& read) {
  const analysis::ProgramCall& reads = c.program.calls[read.call];
  analysis::Span turn{reads.start_ns, reads.start_ns};
  for (uint32_t e = index_of(c, read) + 1; e < c.program.events.size(); ++e) {
    const ProgramEvent& event = c.program.events[e];
    if (c.is_copy(event, CopyKind::kDeviceToHost) && turn.end_ns == turn.start_ns) continue;  // reads more
    if (!c.is_copy(event, CopyKind::kHostToDevice) || c.bytes_of(event) > c.bytes_of(read)) break;
    turn.end_ns = c.program.calls[event.call].start_ns;
  }
  return turn;
}

void keep_shape(const Context& c, uint32_t op, uint32_t search, Change& change) {
  // It reads the tensor and the mask, and writes a tensor of that shape.
  const double bytes = static_cast<double>(3 * c.largest_input(op) * c.element_bytes(op));
  std::vector<uint32_t> events = events_within(c, c.span_of(op));
  const std::vector<uint32_t> searching = events_within(c, c.span_of(search));
  std::erase_if(events, [&](uint32_t e) { return std::ranges::find(searching, e) != searching.end(); });
  run_as_one(c, events, moving_ns(c, bytes), change);
  const auto functions = c.backward_functions().find(op);
  if (functions == c.backward_functions().end()) return;
  for (const uint32_t function : functions->second)
    run_as_one(c, events_within(c, c.span_of(function)), moving_ns(c, bytes), change);
}

}  // namespace warplens::findings
