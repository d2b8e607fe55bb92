#include "warplens/program/analysis/operators/torch_stacks.h"

#include <algorithm>
#include <array>
#include <map>

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/program/analysis/links.h"

namespace warplens::analysis {
namespace {

/// Frames that torch leaves out: those whose text holds both parts.
bool is_filtered(std::string_view frame) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kFiltered = {{
      {"autograd/__init__", "_make_grads"},
      {"autograd/__init__", "backward"},
      {"torch/tensor", "backward"},
      {"_internal/common_utils", "prof_callable"},
      {"_internal/common_utils", "prof_func_call"},
      {"_internal/common_utils", "prof_meth_call"},
  }};
  return std::any_of(kFiltered.begin(), kFiltered.end(),
                     [&](const auto& f) { return contains(frame, f.first) && contains(frame, f.second); });
}

}  // namespace

TorchStacks::TorchStacks(const Profile& profile, const TorchEvents& events)
    : p_(profile), operators_(operator_forest(profile)), frames_(frame_forest(profile)) {
  const TimedScope timed("Python stacks");
  frame_node_.resize(p_.python_frames.size());
  for (const uint32_t row : frames_.order) {
    const uint32_t parent = frames_.parent[row];
    frame_node_[row] = intern(p_.text(p_.python_frames.name[row]), parent == kNone ? 0 : frame_node_[parent]);
  }
  find_operator_stacks();
  find_event_stacks(events);
  move_backward(events);
}

uint32_t TorchStacks::intern(std::string_view frame, uint32_t caller) {
  if (is_filtered(frame)) return caller;
  const auto [at, added] = node_of_.try_emplace({frame, caller}, static_cast<uint32_t>(nodes_.size()));
  if (added) nodes_.push_back(at->first);
  return at->second;
}

uint32_t TorchStacks::of_text(StringId call_stack) {
  const auto [at, added] = node_of_text_.try_emplace(call_stack, 0);
  if (!added) return at->second;
  const std::vector<std::string_view> innermost_first = split(p_.text(call_stack), ';');
  uint32_t node = 0;
  for (auto frame = innermost_first.rbegin(); frame != innermost_first.rend(); ++frame) {
    if (!frame->empty()) node = intern(*frame, node);
  }
  return node_of_text_[call_stack] = node;
}

uint32_t TorchStacks::at(uint32_t thread, int64_t time_ns) const {
  const auto& t = p_.python_frames;
  const uint32_t row = innermost_at(frames_, t.start_ns.values(), t.duration_ns.values(), thread, time_ns);
  return row == kNone ? 0 : frame_node_[row];
}

void TorchStacks::find_operator_stacks() {
  const auto& t = p_.operators;
  const auto threads = forward_threads(p_, operators_);
  operator_node_.resize(t.size());
  for (const uint32_t row : operators_.order) {
    uint32_t& node = operator_node_[row];
    if (t.call_stack[row] != StringId::kEmpty) {
      node = of_text(t.call_stack[row]);
      continue;
    }
    node = at(t.thread[row], t.start_ns[row]);
    // A backward function on a thread without Python of its own belongs to what its forward thread is doing.
    const uint32_t parent = operators_.parent[row];
    if (node == 0 && parent != kNone) node = operator_node_[parent];
    const auto forward = threads.find({rank_of_operator(p_, row), t.forward_thread[row]});
    if (node == 0 && parent == kNone && forward != threads.end()) node = at(forward->second, t.start_ns[row]);
  }
}

void TorchStacks::find_event_stacks(const TorchEvents& events) {
  const Links links = link_events(p_, operators_);
  call_node_.resize(p_.calls.size());
  event_node_.assign(events.size(), 0);
  for (size_t i = 0; i < events.size(); ++i) {
    const uint32_t row = events.source_row[i];
    switch (events.source[i]) {
      case TorchSource::kOperator: event_node_[i] = operator_node_[row]; break;
      case TorchSource::kPython:
        event_node_[i] = frames_.parent[row] == kNone ? 0 : frame_node_[frames_.parent[row]];
        break;
      case TorchSource::kCall: {
        const uint32_t op = p_.calls.external_id[row] != 0 ? links.call_operator[row] : kNone;
        event_node_[i] = call_node_[row] = op != kNone ? operator_node_[op] : at(events.thread[i], events.start_ns[i]);
        break;
      }
      case TorchSource::kOverhead: event_node_[i] = at(events.thread[i], events.start_ns[i]); break;
      case TorchSource::kMemory: break;
    }
  }
  device_node_.assign(p_.device_events.size(), 0);
  for (uint32_t row = 0; row < device_node_.size(); ++row) {
    if (links.event_call[row] != kNone) device_node_[row] = call_node_[links.event_call[row]];
    else if (links.event_operator[row] != kNone) device_node_[row] = operator_node_[links.event_operator[row]];
  }
}

void TorchStacks::move_backward(const TorchEvents& events) {
  // A node's own range, inside the engine's range of the same name.
  const auto is_function = [&](size_t i) {
    if (events.source[i] != TorchSource::kOperator) return false;
    const uint32_t parent = operators_.parent[events.source_row[i]];
    constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function: ";
    const std::string_view outer = parent == kNone ? std::string_view() : p_.text(p_.operators.name[parent]);
    return outer.starts_with(kEvaluate) &&
           outer.substr(kEvaluate.size()) == p_.text(p_.operators.name[events.source_row[i]]);
  };
  std::vector<uint32_t> by_start(events.size());
  for (uint32_t i = 0; i < by_start.size(); ++i) by_start[i] = i;
  std::stable_sort(by_start.begin(), by_start.end(), [&](uint32_t a, uint32_t b) {
    if (events.start_ns[a] != events.start_ns[b]) return events.start_ns[a] < events.start_ns[b];
    return events.duration_ns[a] > events.duration_ns[b];
  });
  std::vector<uint32_t> function(events.size(), kNone);      // the backward function around each event
  std::map<std::pair<uint32_t, int64_t>, uint32_t> forward;  // (thread, sequence number) -> stack
  for (const uint32_t i : by_start) {
    if (is_function(i)) function[i] = i;
    else if (events.parent[i] != kNone) function[i] = function[events.parent[i]];
    if (function[i] != kNone) continue;
    const int64_t sequence =
        events.source[i] == TorchSource::kOperator ? p_.operators.sequence_number[events.source_row[i]] : -1;
    forward.try_emplace({events.thread[i], sequence}, event_node_[i]);
  }
  const auto threads = forward_threads(p_, operators_);
  for (size_t i = 0; i < events.size(); ++i) {
    if (function[i] == kNone) continue;
    const uint32_t row = events.source_row[function[i]];
    const auto thread = threads.find({rank_of_operator(p_, row), p_.operators.forward_thread[row]});
    const auto found =
        thread == threads.end() ? forward.end() : forward.find({thread->second, p_.operators.sequence_number[row]});
    event_node_[i] = found == forward.end() ? 0 : found->second;
  }
}

std::vector<std::string_view> TorchStacks::frames(uint32_t node, size_t count) const {
  std::vector<std::string_view> out;
  for (; node != 0 && out.size() < count; node = nodes_[node].caller) out.push_back(nodes_[node].frame);
  return out;
}

}  // namespace warplens::analysis
