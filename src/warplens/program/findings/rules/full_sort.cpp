// full-sort: a tensor is sorted, and only its first elements are used.
#include <algorithm>
#include <map>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/model/constants.h"
#include "warplens/program/analysis/host_work.h"
#include "warplens/program/findings/kernel_classes.h"
#include "warplens/program/findings/replaced_work.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

constexpr size_t kUsedWithin = 8;  // operators after the sort
constexpr int kDigitBits = 8;      // of the keys: a selection counts one digit after the other

bool sorts(std::string_view name) { return name == "aten::sort" || name == "aten::argsort"; }

std::optional<int64_t> number_at(const std::vector<std::string>& inputs, size_t i) {
  return i < inputs.size() ? parse_int(inputs[i]) : std::nullopt;
}

/// How many elements of a row a view of the sorted tensor keeps.
std::optional<int64_t> kept_by(const Context& c, uint32_t op, int64_t row) {
  const auto inputs = analysis::parse_string_array(c.p.text(c.p.operators.concrete_inputs[op]));
  if (c.op_name(op) == "aten::select") return 1;
  if (c.op_name(op) == "aten::narrow") return number_at(inputs, 3);
  if (c.op_name(op) != "aten::slice") return std::nullopt;
  const auto start = number_at(inputs, 2), end = number_at(inputs, 3);
  if (!end) return std::nullopt;
  const auto within = [row](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + row : at, 0, row); };
  return within(*end) - within(start.value_or(0));
}

std::string_view type_of(const Context& c, uint32_t op) {
  const std::vector<std::string>& types = c.types(op);
  return types.empty() ? std::string_view() : types.front();
}

/// When the step in which `op` runs ends: what is sorted in it is not used in the next.
int64_t end_of_step(const Context& c, uint32_t op) {
  for (const analysis::Step& step : c.joined.steps) {
    const int64_t start_ns = c.p.operators.start_ns[op];
    if (step.rank == c.program.rank && step.start_ns <= start_ns && start_ns < step.end_ns) return step.end_ns;
  }
  return INT64_MAX;
}

/// Whether the first input of `op` can be a result of the sort: places, or values where it gives them.
bool can_be_sorted(const Context& c, uint32_t op, uint32_t sort) {
  const bool values = c.op_name(sort) == "aten::sort" && type_of(c, op) == type_of(c, sort);
  return shape_of(c, op) == shape_of(c, sort) && (values || type_of(c, op) == "long int");
}

/// The most elements of a row that are used of what operators[at] sorts; none where all may be.
std::optional<int64_t> used_of(const Context& c, const std::vector<uint32_t>& operators, size_t at) {
  const analysis::Shape sorted = shape_of(c, operators[at]);
  const int64_t end_ns = end_of_step(c, operators[at]);
  std::optional<int64_t> used;
  for (size_t i = at + 1; i < std::min(operators.size(), at + 1 + kUsedWithin); ++i) {
    const uint32_t op = operators[i];
    if (sorts(c.op_name(op)) || c.p.operators.start_ns[op] >= end_ns) break;
    if (!can_be_sorted(c, op, operators[at])) continue;
    const auto kept = kept_by(c, op, sorted.back());
    if (!kept && !analysis::only_arranges(c.op_name(op))) return std::nullopt;
    if (kept) used = std::max(used.value_or(0), *kept);
  }
  return used;
}

/// The time of a selection from so many elements.
double selection_ns(const Context& c, int64_t elements, int key_bytes) {
  const double each_sm = static_cast<double>(elements) / std::max(c.hardware.sm_count, 1);
  const int digits = 8 * key_bytes / kDigitBits;
  return digits * (each_sm / model::kDigitRate + model::kDigitNs) + each_sm / model::kSelectedRate;
}

std::optional<Finding> sorts_of_operators(const Context& c) {
  ReplacedWork work;
  int64_t used = 0, row = 0;
  for (const std::vector<uint32_t>& operators : operators_of_threads(c)) {
    for (size_t i = 0; i < operators.size(); ++i) {
      const uint32_t op = operators[i];
      if (!sorts(c.op_name(op)) || shape_of(c, op).empty()) continue;
      const auto kept = used_of(c, operators, i);
      if (!kept || 2 * *kept > shape_of(c, op).back()) continue;
      used = std::max(used, *kept);
      row = shape_of(c, op).back();
      work.replace_by_ns(c, op, selection_ns(c, c.largest_input(op), c.element_bytes(op)));
    }
  }
  if (work.operators.empty()) return std::nullopt;
  Finding f;
  c.set_saving(f, work.change);
  if (saves_little(f)) return std::nullopt;
  const std::string times = format_count(c.per_step(work.calls));
  f.title = fmt::format("{} {} whole rows are sorted, of which {} of {} elements are used", times,
                        times == "1" ? "time" : "times", used, row);
  f.detail = fmt::format(
      "Sorting takes {} of device time {}. The saving assumes a selection that counts each byte of all elements, and "
      "then finds the largest ones.",
      format_ns(c.per_step(static_cast<double>(work.device_ns))), c.each_step());
  f.advice = "Use torch.topk (or kthvalue, max, min): it selects without sorting the rest.";
  f.evidence = {{"sorts_per_step", c.per_step(work.calls)},
                {"device_ns", work.device_ns / static_cast<int64_t>(c.program.steps)},
                {"elements_used", used},
                {"elements_sorted", row}};
  f.where = c.places(work.operators);
  return f;
}

/// CUB's and Thrust's sorts. Their first kernel reads all keys once.
bool is_sorting_kernel(std::string_view name) {
  return contains(name, "DeviceRadixSort") || contains(name, "DeviceMergeSort");
}

/// A sort outside of operators, and the copy of a few bytes to the host that follows on its stream.
struct SortedKeys {
  std::vector<uint32_t> events;  // indexes into Program::events: kernels, and what is cleared between them
  int64_t bytes_read = 0;
};

std::vector<SortedKeys> sorts_of_kernels(const Context& c) {
  constexpr int64_t kFewBytes = 4096;
  std::map<uint32_t, SortedKeys> open;  // by stream
  std::vector<SortedKeys> out;
  for (uint32_t e = 0; e < c.program.events.size(); ++e) {
    const ProgramEvent& event = c.program.events[e];
    const DeviceEventKind kind = c.p.device_events.kind[event.row];
    SortedKeys& keys = open[event.stream];
    const bool sorts = kind == DeviceEventKind::kKernel && is_sorting_kernel(c.event_name(event));
    if ((sorts && is_own_kernel(c, event)) || (kind == DeviceEventKind::kSet && !keys.events.empty())) {
      keys.events.push_back(e);
      continue;
    }
    keys.bytes_read = c.is_copy(event, CopyKind::kDeviceToHost) ? c.bytes_of(event) : 0;
    if (!keys.events.empty() && keys.bytes_read > 0 && keys.bytes_read <= kFewBytes) out.push_back(std::move(keys));
    keys = {};
  }
  return out;
}

std::optional<Finding> sorts_for_few_values(const Context& c) {
  const std::vector<SortedKeys> sorts = sorts_of_kernels(c);
  if (sorts.empty()) return std::nullopt;
  Change change;
  int64_t device_ns = 0, bytes = 0;
  for (const SortedKeys& keys : sorts) {
    const int64_t one_pass_ns = c.program.events[keys.events.front()].duration_ns;
    device_ns += run_as_one(c, keys.events, static_cast<double>(one_pass_ns), change);
    bytes = std::max(bytes, keys.bytes_read);
    for (size_t i = 1; i < keys.events.size(); ++i) {
      const analysis::ProgramCall& call = c.program.calls[c.program.events[keys.events[i]].call];
      change.host_removed.push_back({call.gap_start_ns, call.end_ns});
    }
  }
  Finding f;
  c.set_saving(f, change);
  if (saves_little(f)) return std::nullopt;
  const double count = c.per_step(static_cast<double>(sorts.size()));
  f.title = fmt::format("keys are sorted {}, then the host reads {} bytes of them",
                        count == 1 ? std::string("once") : format_count(count) + " times", bytes);
  f.detail = fmt::format(
      "Sorting takes {} of device time {}. The saving assumes one pass over the keys. This holds if nothing else needs "
      "their order.",
      format_ns(c.per_step(static_cast<double>(device_ns))), c.each_step());
  f.advice =
      "For the largest or smallest key, use a reduction (cub::DeviceReduce::Max, thrust::max_element). For the k-th, "
      "use a selection.";
  f.evidence = {{"sorts_per_step", count},
                {"device_ns", device_ns / static_cast<int64_t>(c.program.steps)},
                {"bytes_read", bytes}};
  return f;
}

}  // namespace

std::optional<Finding> full_sort(const Context& c) {
  std::optional<Finding> found = sorts_of_operators(c);
  return found ? found : sorts_for_few_values(c);
}

}  // namespace warplens::findings
