// What every event goes through: its phase, its times, its category.
#include "warplens/trace/readers/kineto/rows.h"

#include <algorithm>

#include "warplens/trace/readers/kineto/categories.h"
#include "warplens/trace/readers/kineto/numbers.h"

namespace warplens::kineto {
namespace {

/// Our own Chrome files put events of thread 751 that partly overlap others on "751 (lane 2)".
std::string_view without_lane(std::string_view thread) {
  const size_t lane = thread.ends_with(')') ? thread.rfind(" (lane ") : std::string_view::npos;
  return thread.substr(0, lane);
}

/// In traces before 2022 ranges have the operators' category: "ProfilerStep#5", "enumerate(DataLoader)#...",
/// "Optimizer.step#SGD.step", "## forward ##". Operators' names hold neither '#' nor spaces.
OperatorKind operator_kind(const Event& event) {
  if (event.category.text.front() != 'O') return OperatorKind::kOperator;
  const bool is_range =
      event.name.text.find_first_of("# ") != std::string_view::npos && !event.name.text.starts_with("autograd::");
  return is_range ? OperatorKind::kRange : OperatorKind::kOperator;
}

/// Arrows from a launch to what it launched, by the names that kineto has given them; correlation ids say the same.
bool is_launch_arrow(std::string_view category) { return same(category, "ac2g") || category.starts_with("async"); }

}  // namespace

bool RowBuilder::add(const Event& event) {
  if (!event.phase || event.phase.text.size() != 1) return event.members.empty() && !event.name;  // {} ends some traces
  const char phase = event.phase.text[0];
  if (phase == 'M') {
    add_name(event);
    return true;
  }
  const bool is_flow = phase == 's' || phase == 'f' || phase == 't';
  if (is_flow && is_launch_arrow(event.category.text)) return true;
  const auto start_ns = parse_time_ns(event.time);
  if (!start_ns) return false;
  Times times{*start_ns};
  switch (phase) {
    case 'X': {
      const auto duration_ns = event.duration ? parse_time_ns(event.duration) : std::optional<int64_t>(0);
      if (!duration_ns || !event.name) return false;
      times.duration_ns = *duration_ns;
      return add_span(event, times);
    }
    case 'B': return event.name ? add_span(event, times) : false;
    case 'E': add_end(event, times.start_ns); return true;
    case 'i':
    case 'I':
    case 'R': add_instant(event, times); return true;
    case 's':
    case 'f': add_flow(event, times.start_ns); return true;
    case 'C': add_counter(event, times.start_ns); return true;
    default: add_other(event, times); return true;
  }
}

bool RowBuilder::add_span(const Event& event, const Times& given) {
  Times times = given;
  if (times.duration_ns < 0) {
    ++chunk_.negative_durations;
    times.duration_ns = 0;
  }
  SpanTable table = SpanTable::kOther;
  size_t row = 0;
  const auto put = [&](SpanTable into, size_t at) {
    table = into;
    row = at;
  };
  switch (category_of(event.category.text)) {
    case Category::kOperator: put(SpanTable::kOperators, add_operator(event, times, operator_kind(event))); break;
    case Category::kRange: put(SpanTable::kOperators, add_operator(event, times, OperatorKind::kRange)); break;
    case Category::kRuntime: put(SpanTable::kCalls, add_call(event, times, CallKind::kRuntime)); break;
    case Category::kDriver: put(SpanTable::kCalls, add_call(event, times, CallKind::kDriver)); break;
    case Category::kKernel:
      put(SpanTable::kDeviceEvents, add_device_event(event, times, DeviceEventKind::kKernel));
      break;
    case Category::kCopy: put(SpanTable::kDeviceEvents, add_device_event(event, times, DeviceEventKind::kCopy)); break;
    case Category::kSet: put(SpanTable::kDeviceEvents, add_device_event(event, times, DeviceEventKind::kSet)); break;
    case Category::kDeviceRange:
      put(SpanTable::kDeviceEvents, add_device_event(event, times, DeviceEventKind::kRange));
      break;
    case Category::kMtia: put(SpanTable::kDeviceEvents, add_mtia_event(event, times)); break;
    case Category::kSynchronization: put(SpanTable::kSynchronizations, add_synchronization(event, times)); break;
    case Category::kPythonFrame: put(SpanTable::kPythonFrames, add_python_frame(event, times)); break;
    case Category::kOverhead: put(SpanTable::kOverheads, add_overhead(event, times)); break;
    case Category::kInstant:
    case Category::kOther: put(SpanTable::kOther, add_other(event, times)); break;
  }
  if (event.phase.text[0] == 'B') chunk_.spans.push_back({times.start_ns, thread_of(event), false, table, row});
  return true;
}

void RowBuilder::add_end(const Event& event, int64_t time_ns) {
  chunk_.spans.push_back({time_ns, thread_of(event), true, SpanTable::kOther, 0});
}

void RowBuilder::add_instant(const Event& event, const Times& times) {
  if (same(event.name.text, "[memory]")) {
    add_allocation(event, times.start_ns);
  } else if (category_of(event.category.text) == Category::kInstant) {
    add_operator(event, times, OperatorKind::kInstant);
  } else {
    add_other(event, times);
  }
}

StringId RowBuilder::text(const Value& value) {
  if (!value.escaped || value.kind != ValueKind::kString) return interner_.intern(value.text);
  return interner_.intern(unescape(value.text));
}

StringId RowBuilder::further_arguments(const Event& event, uint64_t stored) {
  scratch_.clear();
  for (const Member& member : event.members) {
    if (member.argument != Argument::kUnknown && (stored & bit(member.argument)) != 0) continue;
    scratch_ += scratch_.empty() ? "{\"" : ", \"";
    scratch_.append(member.key).append("\": ").append(member.value.raw());
  }
  if (scratch_.empty()) return StringId::kEmpty;
  scratch_ += '}';
  return interner_.intern(scratch_);
}

uint32_t RowBuilder::thread_of(const Event& event) {
  if (same(event.process.text, last_process_) && same(event.thread.text, last_thread_) && !chunk_.threads.empty())
    return last_thread_row_;
  last_process_ = event.process.text;
  last_thread_ = event.thread.text;
  Value thread = event.thread;
  thread.text = without_lane(thread.text);
  const ThreadKey key{text(event.process), text(thread)};
  const auto [found, is_new] = thread_rows_.try_emplace(key, static_cast<uint32_t>(chunk_.threads.size()));
  if (is_new) chunk_.threads.push_back(key);
  return last_thread_row_ = found->second;
}

int64_t RowBuilder::integer(const Event& event, Argument argument, int64_t otherwise) const {
  return parse_integer(event[argument]).value_or(otherwise);
}

}  // namespace warplens::kineto
