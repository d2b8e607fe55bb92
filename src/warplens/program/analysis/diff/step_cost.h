// The cost of a program's steps: the form in which two profiles are compared.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "warplens/program/analysis/classify/rules.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis::diff {

/// Device time of one kernel (or copy, or set) as one operator launches it, step by step.
struct KernelCost {
  std::string op;      // innermost operator that launched it; "" when unknown
  std::string shapes;  // that operator's input shapes, with one space after each comma and no others
  std::string kernel;
  std::string class_name;  // gemm, attention, ...
  DeviceEventKind kind = DeviceEventKind::kKernel;
  int64_t count = 0;             // in all steps
  std::vector<int64_t> step_ns;  // device time in each step, summed over devices
};

/// Self time of an operator, range or API call on the host, step by step.
struct HostCost {
  std::string name;
  bool is_range = false;           // named by the program, rather than an operator or a call
  bool is_call = false;            // of the runtime or driver
  int64_t count = 0;               // in all steps
  std::vector<int64_t> step_ns;    // summed over threads, mean over ranks
  std::string parent;              // what the first one is in; "" at the outside of a thread or in a step's own range
  std::vector<std::string> calls;  // names of their direct calls, each once, sorted; for ranges only
};

/// Work launched before the trace began belongs to no step. Steps of several ranks are matched by their order: times
/// are means over ranks. Steps have the lengths of step_times(), as in every other view. How far a host is ahead
/// differs between the first steps and the last, but their pace does not. A step's pace is its device time if the
/// device was busy throughout (from its first device work to that of the next step). Otherwise it is the longer of that
/// and its host time (start to start of its ranges).
struct ProgramCost {
  size_t devices = 1;           // devices with any activity
  bool has_steps = false;       // false: the whole trace counts as one step
  std::string left_out;         // steps that do not count, of the first rank: left_out_text()
  std::vector<double> wall_ns;  // of each step
  std::vector<double> busy_ns;  // of each step: when a device was busy in it, mean over devices
  // The parts of busy_ns, as the timeline defines them.
  std::vector<double> computation_ns, exposed_communication_ns, exposed_copies_ns;
  std::vector<double> pace_ns;      // of each step, for its noise
  std::vector<double> work_ns;      // of each step, for its noise: union of its device work, whenever that ran
  std::vector<KernelCost> kernels;  // in order of first appearance
  std::vector<HostCost> host;       // in order of first appearance
  std::string device_names;         // "NVIDIA H200", each name once
  size_t steps() const { return wall_ns.size(); }
};

ProgramCost program_cost(const Profile& profile, const ClassRules& rules);

}  // namespace warplens::analysis::diff
