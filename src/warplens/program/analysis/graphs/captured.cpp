#include "warplens/program/analysis/graphs/captured.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "warplens/base/text.h"
#include "warplens/program/analysis/call_role.h"
#include "warplens/program/analysis/causes.h"
#include "warplens/program/analysis/operators/roofline.h"

namespace warplens::analysis {
namespace {

/// Operators (rows, or kNone) of the launches of one capture, in their order.
using Nodes = std::vector<uint32_t>;

std::vector<Nodes> captures_of(const Profile& p) {
  const Forest operators = operator_forest(p);
  const Links links = link_events(p, operators);
  const CountedOperators counted(p, operators);
  CallRoles roles(p);
  std::vector<uint32_t> order(p.calls.size());
  for (uint32_t row = 0; row < order.size(); ++row) order[row] = row;
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return p.calls.start_ns[a] < p.calls.start_ns[b]; });
  std::vector<Nodes> out;
  bool capturing = false;
  for (const uint32_t row : order) {
    const std::string_view name = p.text(p.calls.name[row]);
    if (contains(name, "StreamBeginCapture")) {
      out.emplace_back();
      capturing = true;
    } else if (contains(name, "StreamEndCapture")) {
      capturing = false;
    } else if (const CallRole role = roles(row); capturing && (role == CallRole::kLaunch || role == CallRole::kCopy)) {
      const uint32_t launcher = links.call_operator[row], known = counted(launcher);
      out.back().push_back(known == kNone ? launcher : known);
    }
  }
  std::erase_if(out, [](const Nodes& nodes) { return nodes.empty(); });
  return out;
}

/// What each graph launch ran, in order of its start; by row of calls, in order of their start.
std::vector<std::pair<uint32_t, std::vector<uint32_t>>> replays_of(const Profile& p) {
  const RowLinks event_call = link_device_calls(p);
  CallRoles roles(p);
  std::map<uint32_t, std::vector<uint32_t>> by_call;
  for (uint32_t row = 0; row < p.device_events.size(); ++row) {
    if (event_call[row] != kNone && roles(event_call[row]) == CallRole::kGraphLaunch &&
        is_device_work(p.device_events.kind[row]))
      by_call[event_call[row]].push_back(row);
  }
  std::vector<std::pair<uint32_t, std::vector<uint32_t>>> out(by_call.begin(), by_call.end());
  for (auto& [call, events] : out)
    std::stable_sort(events.begin(), events.end(),
                     [&](uint32_t a, uint32_t b) { return p.device_events.start_ns[a] < p.device_events.start_ns[b]; });
  std::stable_sort(out.begin(), out.end(),
                   [&](const auto& a, const auto& b) { return p.calls.start_ns[a.first] < p.calls.start_ns[b.first]; });
  return out;
}

/// Whether an operator is named as the kernel that it launches: Triton's are.
bool named_alike(const Profile& replay, uint32_t event, const Profile& capture, uint32_t op) {
  return op != kNone && replay.text(replay.device_events.name[event]) == capture.text(capture.operators.name[op]);
}

/// A capture with one launch more than the replay ran (an empty grid, a stream that was not captured): without the one
/// whose absence makes most names agree; nothing where names cannot tell.
Nodes without_one(const Profile& replay, const std::vector<uint32_t>& events, const Profile& capture,
                  const Nodes& nodes) {
  constexpr int kEnoughNames = 8;
  const size_t count = events.size();
  const auto alike = [&](size_t event, size_t node) {
    return named_alike(replay, events[event], capture, nodes[node]) ? 1 : 0;
  };
  int agree = 0, most = 0;  // with the first, the second, ... launch left out
  for (size_t i = 0; i < count; ++i) agree += alike(i, i + 1);
  size_t best = 0;
  most = agree;
  for (size_t out = 1; out <= count; ++out) {
    agree += alike(out - 1, out - 1) - alike(out - 1, out);
    if (agree > most) {
      most = agree;
      best = out;
    }
  }
  if (most < kEnoughNames) return {};
  Nodes kept = nodes;
  kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(best));
  return kept;
}

const Nodes* capture_for(const std::vector<Nodes>& captures, size_t launch, size_t nodes) {
  if (launch < captures.size() && captures[launch].size() == nodes) return &captures[launch];
  const auto found =
      std::find_if(captures.begin(), captures.end(), [&](const Nodes& capture) { return capture.size() == nodes; });
  return found == captures.end() ? nullptr : &*found;
}

/// Copies an operator of the capture, without length, to `call`'s place. Its external id is new.
int64_t add_operator(Profile& replay, const Profile& capture, uint32_t op, uint32_t call, int64_t id) {
  auto& to = replay.operators;
  const auto& from = capture.operators;
  const auto text = [&](StringId of) { return replay.strings.intern(capture.text(of)); };
  to.start_ns.push_back(replay.calls.start_ns[call]);
  to.duration_ns.push_back(0);
  to.name.push_back(text(from.name[op]));
  to.thread.push_back(replay.calls.thread[call]);
  to.kind.push_back(from.kind[op]);
  to.external_id.push_back(id);
  to.sequence_number.push_back(-1);
  to.forward_thread.push_back(0);
  to.input_shapes.push_back(text(from.input_shapes[op]));
  to.input_types.push_back(text(from.input_types[op]));
  to.input_strides.push_back(text(from.input_strides[op]));
  to.concrete_inputs.push_back(text(from.concrete_inputs[op]));
  to.call_stack.push_back(text(from.call_stack[op]));
  to.module.push_back(text(from.module[op]));
  to.args.push_back(text(from.args[op]));
  return id;
}

/// "4, 15 and 993": distinct counts, for who gave the wrong trace.
std::string counts(const std::set<size_t>& sizes) {
  std::vector<std::string> out;
  for (const size_t size : sizes) {
    if (out.size() < 8) out.push_back(std::to_string(size));
  }
  return join(out, ", ");
}

}  // namespace

Result<CapturedCharge> charge_captured(Profile& replay, const Profile& capture) {
  const std::vector<Nodes> captures = captures_of(capture);
  if (captures.empty())
    return not_found(
        "the capture's trace contains no capture: it has no launches between cudaStreamBeginCapture and "
        "cudaStreamEndCapture (hip... on AMD)");
  const auto replays = replays_of(replay);
  if (replays.empty()) return not_found("this trace has no launch of a CUDA graph with recorded kernels");
  int64_t next_id = 1;
  for (const auto* ids :
       {&replay.operators.external_id, &replay.calls.external_id, &replay.device_events.external_id}) {
    for (const int64_t id : *ids) next_id = std::max(next_id, id + 1);
  }
  CapturedCharge out;
  std::set<size_t> wanted, has;
  for (const Nodes& nodes : captures) has.insert(nodes.size());
  for (size_t launch = 0; launch < replays.size(); ++launch) {
    const auto& [call, events] = replays[launch];
    ++out.replays;
    out.kernels += events.size();
    Nodes nodes;
    if (const Nodes* same = capture_for(captures, launch, events.size())) nodes = *same;
    else if (const Nodes* more = capture_for(captures, launch, events.size() + 1))
      nodes = without_one(replay, events, capture, *more);
    if (nodes.empty()) {
      wanted.insert(events.size());
      continue;
    }
    ++out.charged;
    for (size_t i = 0; i < events.size(); ++i) {
      if (nodes[i] == kNone) continue;
      replay.device_events.external_id.at(events[i]) = add_operator(replay, capture, nodes[i], call, next_id++);
      ++out.kernels_charged;
    }
  }
  if (out.charged == 0)
    return not_found(
        fmt::format("the capture's trace has none of this trace's graphs: these run {} kernels and copies, its "
                    "captures launched {}",
                    counts(wanted), counts(has)));
  return out;
}

}  // namespace warplens::analysis
