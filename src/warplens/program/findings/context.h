// The input of all rules: one rank's program, joined, which can be run again with changes.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "warplens/program/analysis/call_role.h"
#include "warplens/program/analysis/classify/classify.h"
#include "warplens/program/analysis/critical_path/simulate.h"
#include "warplens/program/analysis/operators/shapes.h"
#include "warplens/program/analysis/steps/steady_steps.h"
#include "warplens/program/analysis/timeline/activity.h"
#include "warplens/program/analysis/timeline/gaps.h"
#include "warplens/program/findings/counted/counted_kernels.h"
#include "warplens/program/findings/finding.h"
#include "warplens/program/findings/hardware.h"
#include "warplens/trace/profile/job/meetings.h"
#include "warplens/trace/profile/name_memo.h"

namespace warplens::findings {

using analysis::Change;
using analysis::Program;
using analysis::ProgramEvent;

struct BatchLoop;
struct Chain;
struct ColdStart;
struct Gemm;
struct IdleTime;
struct LaunchShape;
struct TensorLoop;

/// Joins that hold for the whole profile.
struct Joined {
  explicit Joined(const Profile& profile);
  analysis::Forest operators, frames;
  analysis::Links links;
  analysis::StepSet step_set;             // all steps
  std::vector<analysis::Step> steps;      // the longest row of steady steps of each rank: the part that is run again
  std::vector<analysis::StepTime> times;  // of those
  std::vector<uint32_t> outermost;        // row of operators -> the outermost operator (not range) around it, or kNone
  std::vector<uint32_t> operator_frame;   // row of operators -> innermost Python frame, or kNone; empty without stacks
  CountedKernels counted;                 // empty where no counters were given
};

inline constexpr int64_t kPythonCallNs = 10'000;  // more than that is other work of the program's own
/// With so few device events, the rest was cut away, or this is a measurement: the host's work is unknown.
inline constexpr size_t kExcerptEvents = 8;

class Context {
 public:
  Context(const Profile& profile, const Joined& joined, uint32_t rank);

  const Profile& p;
  const Joined& joined;
  const Program program;
  const uint32_t device;  // row of devices that did most
  const Hardware hardware;
  const int64_t step_ns;              // a step without the profiler, as simulated; 0 if nothing ran
  const analysis::Span recorded;      // the steps as recorded, on host and device; the run if there are none
  const analysis::StepSummary steps;  // all zero if the rank has none
  const int64_t recorded_step_ns;     // the mean of its steady steps; the run where there are no steps
  const analysis::TimeSet
      host_data_work;  // host time that makes or loads data: no launch depends on how it is launched

  // An event's operator, and the names around it.
  uint32_t op_of(const ProgramEvent& event) const { return joined.links.event_operator[event.row]; }
  std::string_view op_name(uint32_t op) const {
    return op == kNone ? std::string_view{} : p.text(p.operators.name[op]);
  }
  std::string_view event_name(const ProgramEvent& event) const { return p.text(p.device_events.name[event.row]); }
  std::string_view call_name(const ProgramEvent& event) const {
    return p.text(p.calls.name[program.calls[event.call].row]);
  }
  /// The innermost of `op` and its parents for which `fits(name)`, or kNone.
  template <typename Fits>
  uint32_t around(uint32_t op, Fits fits) const {
    while (op != kNone && !fits(op_name(op))) op = joined.operators.parent[op];
    return op;
  }
  uint32_t root_of(uint32_t op) const;  // the outermost operator (not range) around op
  analysis::Span span_of(uint32_t op) const {
    return {p.operators.start_ns[op], p.operators.start_ns[op] + p.operators.duration_ns[op]};
  }

  /// For an outermost operator with the Python that calls it: from the end of the operator before it, at most
  /// kPythonCallNs.
  analysis::Span span_with_call(uint32_t op) const;

  // Inputs of an operator, where shapes were recorded.
  const std::vector<analysis::InputShape>& shapes(uint32_t op) const;
  const std::vector<std::string>& types(uint32_t op) const;
  int64_t largest_input(uint32_t op) const;  // elements; 0 when unknown
  int element_bytes(uint32_t op) const;      // of the first tensor; 4 when unknown

  // Shared results of several rules, computed on first use.
  const std::vector<Chain>& chains() const;
  const std::vector<LaunchShape>& launch_shapes() const;
  const std::vector<Gemm>& gemms() const;
  const std::vector<TensorLoop>& tensor_loops() const;
  const std::vector<BatchLoop>& batch_loops() const;
  const IdleTime& idle() const;
  /// step_ns without the first kernel's wait for work from before the recording.
  int64_t own_step_ns() const;
  const ColdStart& cold_start() const;
  const analysis::TimeSet& communication() const;  // of this rank's devices together
  const analysis::Classes& classes() const;        // of device events
  /// The backward functions that a forward operator created.
  const std::unordered_map<uint32_t, std::vector<uint32_t>>& backward_functions() const;
  /// A backward function with autograd's work around it.
  uint32_t evaluation_of(uint32_t function) const;

  int64_t start_of(const ProgramEvent& e) const { return p.device_events.start_ns[e.row]; }
  int64_t bytes_of(const ProgramEvent& e) const { return p.device_events.bytes[e.row]; }
  /// By its collective's metadata, or by its name if the trace has none.
  bool is_communication(const ProgramEvent& e) const {
    return p.device_events.collective[e.row] != kNone || by_name_(p.device_events.name[e.row]);
  }
  bool is_copy(const ProgramEvent& e, CopyKind kind) const {
    return p.device_events.kind[e.row] == DeviceEventKind::kCopy && p.device_events.copy_kind[e.row] == kind;
  }

  /// Steps, or where the trace marks none how often an optimizer stepped; more where a loader gave more batches. At
  /// least 1.
  size_t iterations() const;
  double per_step(double count) const { return count / static_cast<double>(program.steps); }
  /// "a step", or "in the trace" where there are no steps.
  const char* each_step() const { return program.has_steps ? "a step" : "in the trace"; }
  /// The places of operators in words: source line or module where stacks are known, else the operator's name;
  /// distinct.
  std::vector<std::string> places(const std::vector<uint32_t>& ops, size_t limit = 5) const;

  /// Nanoseconds a step that `change` would save, beyond the saving of a warm start; never negative.
  int64_t saving_ns(const Change& change) const;
  /// Sets both savings and the level that they deserve.
  void set_saving(Finding& finding, const Change& change) const {
    set_saving(finding, saving_ns(change));
    promised = change;
  }
  void set_saving(Finding& finding, int64_t saving_ns) const;
  mutable std::optional<Change> promised;     // the last change that a saving was set by
  mutable std::unordered_set<uint32_t> told;  // rows of device_events that findings before this one make shorter

 private:
  int64_t most_saving_ns(const Change& change) const;

  mutable NameMemo<bool (*)(std::string_view)> by_name_{p, job::names_communication};
  mutable std::unordered_map<uint32_t, std::vector<analysis::InputShape>> shapes_;  // by StringId
  mutable std::unordered_map<uint32_t, std::vector<std::string>> types_;
  mutable std::shared_ptr<const std::vector<Chain>> chains_;
  mutable std::shared_ptr<const std::vector<LaunchShape>> launch_shapes_;
  mutable std::shared_ptr<const std::vector<Gemm>> gemms_;
  mutable std::shared_ptr<const std::vector<TensorLoop>> tensor_loops_;
  mutable std::shared_ptr<const std::vector<BatchLoop>> batch_loops_;
  mutable std::shared_ptr<const IdleTime> idle_;
  mutable std::shared_ptr<const ColdStart> cold_start_;
  mutable int64_t warm_step_ns_ = -1;  // a step without its cold start
  mutable std::shared_ptr<const analysis::TimeSet> communication_;
  mutable std::shared_ptr<const analysis::Classes> classes_;
  mutable std::shared_ptr<const std::unordered_map<uint32_t, std::vector<uint32_t>>> backward_functions_;
};

using analysis::dtype_bytes;
using analysis::is_half;

}  // namespace warplens::findings
