#include "warplens/program/findings/cold_start.h"

#include <algorithm>
#include <map>
#include <set>

#include "warplens/base/middle.h"
#include "warplens/base/text.h"
#include "warplens/program/findings/host_data_work.h"

namespace warplens::findings {
namespace {

using analysis::CallRole;
using analysis::ProgramCall;

constexpr double kFarSlower = 20;  // than the median call of its name
constexpr size_t kFewCalls = 8;    // of a name: too few to have a usual length
constexpr int64_t kWarmStep = 2;   // from this number on a step is like those before it

/// Frames and kernels of code that a compiler made while the program ran.
bool is_compiled(std::string_view name) {
  return name.starts_with("fused_") || name.starts_with("triton_") || name == "fallback_function" ||
         name.starts_with("Torch-Compiled Region") || name.starts_with("TorchDynamo") ||
         contains(name, "CompiledFxGraph") || contains(name, "CudaCodeGen") || contains(name, "nvfuser");
}

/// Launches of code that was loaded as a module, as Triton and NVRTC do.
bool launches_module(std::string_view call) {
  return call.starts_with("cuLaunchKernel") || call.starts_with("hipModuleLaunchKernel");
}

class ColdStartFinder {
 public:
  explicit ColdStartFinder(const Context& context) : c(context), roles_(context.p), compiled_(context.p, is_compiled) {
    std::vector<analysis::Span> spans;
    for (const ProgramEvent& event : c.program.events)
      spans.push_back({c.start_of(event), c.start_of(event) + event.duration_ns});
    busy_ = analysis::unite(std::move(spans));
    data_work_ = named_data_work(c.p, c.joined, c.program);
  }

  ColdStart run() {
    find_usual_lengths();
    std::vector<uint32_t> slow;
    std::map<StringId, size_t> slow_of_name;
    for (uint32_t i = 0; i < c.program.calls.size(); ++i) {
      find_capture(i);
      find_compiling(i);
      if (!is_cold(i)) continue;
      slow.push_back(i);
      if (roles_(c.program.calls[i].row) != CallRole::kLaunch) ++slow_of_name[c.p.calls.name[c.program.calls[i].row]];
    }
    for (const uint32_t i : slow) {
      const ProgramCall& call = c.program.calls[i];
      if (const auto at = slow_of_name.find(c.p.calls.name[call.row]);
          at != slow_of_name.end() && at->second > kFewCalls)
        continue;  // slow again and again: no start, but how the program goes on
      out_.calls.push_back(i);
      out_.loading_ns += call.end_ns - call.start_ns;
      spans_.push_back({call.start_ns, call.end_ns});
    }
    find_cold_operators();
    out_.time = analysis::unite(std::move(spans_));
    return std::move(out_);
  }

 private:
  std::string_view name(uint32_t i) const { return c.p.text(c.p.calls.name[c.program.calls[i].row]); }

  void find_usual_lengths() {
    std::map<StringId, std::vector<int64_t>> lengths;
    for (const ProgramCall& call : c.program.calls)
      lengths[c.p.calls.name[call.row]].push_back(call.end_ns - call.start_ns);
    for (auto& [name, list] : lengths) usual_[name] = list.size() < kFewCalls ? 0 : middle_of(std::move(list));
  }

  bool is_cold(uint32_t i) {
    const ProgramCall& call = c.program.calls[i];
    bool first_launch = false;
    for (uint32_t e = call.events_begin; e < call.events_end; ++e)
      first_launch |= launched_.insert(c.p.device_events.name[c.program.events[e].row]).second;
    const int64_t length = call.end_ns - call.start_ns;
    if (length < kSlowCallNs || 2 * analysis::overlap_ns(busy_, call.start_ns, call.end_ns) > length) return false;
    const CallRole role = roles_(call.row);
    if (role == CallRole::kLaunch) return first_launch && !call.blocks();
    const bool allocates = role == CallRole::kAllocate || role == CallRole::kFree;
    if (!allocates && role != CallRole::kOther) return false;
    if (allocates && is_warm(call.start_ns)) return false;  // how the program goes on: allocator-churn's
    const bool graph = contains(name(i), "Graph");          // counted with its capture
    return !graph && static_cast<double>(length) > kFarSlower * static_cast<double>(usual_[c.p.calls.name[call.row]]);
  }

  bool is_warm(int64_t time_ns) const {
    return std::any_of(c.joined.steps.begin(), c.joined.steps.end(), [&](const analysis::Step& step) {
      return step.rank == c.program.rank && step.number >= kWarmStep && step.start_ns <= time_ns &&
             time_ns < step.end_ns;
    });
  }

  /// Operators around such calls that take far longer than others of their name: the libraries' own start is in them.
  void find_cold_operators() {
    std::set<uint32_t> around;
    for (const uint32_t i : out_.calls) {
      const uint32_t op = c.joined.links.call_operator[c.program.calls[i].row];
      if (op != kNone && c.p.operators.kind[c.root_of(op)] == OperatorKind::kOperator) around.insert(c.root_of(op));
    }
    if (around.empty()) return;
    std::map<StringId, std::vector<int64_t>> lengths;
    for (const uint32_t op : around) lengths[c.p.operators.name[op]];
    for (uint32_t op = 0; op < c.p.operators.size(); ++op) {
      const auto at = lengths.find(c.p.operators.name[op]);
      if (at != lengths.end()) at->second.push_back(c.p.operators.duration_ns[op]);
    }
    for (const uint32_t op : around) {
      std::vector<int64_t>& list = lengths.at(c.p.operators.name[op]);
      const auto middle = list.begin() + static_cast<std::ptrdiff_t>((list.size() - 1) / 2);
      std::nth_element(list.begin(), middle, list.end());
      const analysis::Span span = c.span_of(op);
      if (list.size() < 2 ||
          static_cast<double>(span.end_ns - span.start_ns) <= kFarSlower * static_cast<double>(*middle))
        continue;
      const analysis::TimeSet cold = analysis::subtract(analysis::subtract({span}, busy_), analysis::unite(spans_));
      out_.loading_ns += analysis::length_ns(cold);
      spans_.insert(spans_.end(), cold.begin(), cold.end());
    }
  }

  /// The innermost frame of compiled code around a launch; without one and without any operator the kernel itself.
  StringId compiled_code(uint32_t i) {
    const ProgramCall& call = c.program.calls[i];
    bool in_operator = false;
    for (uint32_t op = c.joined.links.call_operator[call.row]; op != kNone; op = c.joined.operators.parent[op]) {
      in_operator |= c.p.operators.kind[op] == OperatorKind::kOperator;
      if (compiled_(c.p.operators.name[op])) return c.p.operators.name[op];
    }
    if (call.events_begin == call.events_end) return StringId::kEmpty;
    const StringId kernel = c.p.device_events.name[c.program.events[call.events_begin].row];
    return compiled_(kernel) || (!in_operator && launches_module(name(i))) ? kernel : StringId::kEmpty;
  }

  void find_compiling(uint32_t i) {
    const ProgramCall& call = c.program.calls[i];
    if (roles_(call.row) != CallRole::kLaunch) return;
    const StringId code = compiled_code(i);
    if (code == StringId::kEmpty || !compiled_before_.insert(code).second) return;
    const analysis::Span before{call.gap_start_ns, call.start_ns};
    if (before.end_ns - before.start_ns < kCompileNs) return;
    const analysis::TimeSet compiling = analysis::subtract(analysis::subtract({before}, data_work_), busy_);
    const int64_t length = analysis::length_ns(compiling);
    if (length < kCompileNs) return;
    out_.compiling_ns += length;
    spans_.insert(spans_.end(), compiling.begin(), compiling.end());
  }

  void find_capture(uint32_t i) {
    const ProgramCall& call = c.program.calls[i];
    const std::string_view call_name = name(i);
    if (contains(call_name, "StreamBeginCapture")) {
      out_.captures.push_back(i);
      capture_start_ = c.program.calls[prepared_by(i)].start_ns;
    } else if (contains(call_name, "StreamEndCapture") && capture_start_ >= 0) {
      add_capture(capture_start_, call.end_ns);
      capture_start_ = -1;
    } else if (contains(call_name, "GraphInstantiate")) {
      add_capture(call.start_ns, call.end_ns);
    }
  }

  /// torch.cuda.graph() synchronizes and empties the allocator's cache before it captures; random generators launch a
  /// kernel or two behind that: the first of the frees, or of the waits before them.
  uint32_t prepared_by(uint32_t begin) {
    constexpr int kFewLaunches = 4;
    uint32_t first = begin;
    int launches = 0;
    for (uint32_t i = begin; i-- > 0;) {
      const CallRole role = roles_(c.program.calls[i].row);
      if (contains(name(i), "BeginCapture") || contains(name(i), "EndCapture") || role == CallRole::kGraphLaunch) break;
      launches += role == CallRole::kLaunch || role == CallRole::kCopy;
      if (launches > (first == begin ? kFewLaunches : 0)) break;
      if (role == CallRole::kFree || (first != begin && is_sync(role))) {
        first = i;
        launches = 0;
      }
    }
    return first;
  }

  void add_capture(int64_t start_ns, int64_t end_ns) {
    spans_.push_back({start_ns, end_ns});
    out_.capturing_ns += end_ns - start_ns;
  }

  const Context& c;
  analysis::CallRoles roles_;
  std::map<StringId, int64_t> usual_;  // median length of a call by name; 0 where there are few
  std::set<StringId> launched_;        // names of kernels
  std::set<StringId> compiled_before_;
  NameMemo<bool (*)(std::string_view)> compiled_;
  analysis::TimeSet data_work_;  // what loads or makes data, by name
  analysis::TimeSet busy_;       // devices
  std::vector<analysis::Span> spans_;
  int64_t capture_start_ = -1;
  ColdStart out_;
};

}  // namespace

const ColdStart& Context::cold_start() const {
  if (!cold_start_) cold_start_ = std::make_shared<const ColdStart>(ColdStartFinder(*this).run());
  return *cold_start_;
}

}  // namespace warplens::findings
