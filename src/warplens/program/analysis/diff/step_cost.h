// What the steps of a program cost: the form in which two profiles are compared.
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
  std::string shapes;  // that operator's input shapes, with one space behind each comma and none elsewhere
  std::string kernel;
  std::string class_name;  // gemm, attention, ...
  DeviceEventKind kind = DeviceEventKind::kKernel;
  int64_t count = 0;             // in all steps
  std::vector<int64_t> step_ns;  // device time in each step, summed over devices
};

/// Host time that an operator, range or API call took itself, without what it called, step by step.
struct HostCost {
  std::string name;
  bool is_range = false;           // named by the program, rather than an operator or a call
  bool is_call = false;            // of the runtime or driver
  int64_t count = 0;               // in all steps
  std::vector<int64_t> step_ns;    // summed over threads, mean over ranks
  std::string parent;              // what the first one lies in; "" at the outside of a thread or in a step's own range
  std::vector<std::string> calls;  // names of what they call themselves, each once, sorted; for ranges only
};

/// What was launched before the trace began, and only ran within it, belongs to no step.
/// Steps of several ranks are matched by their order: times are means over ranks. Steps take what step_times() says, as
/// in every other view. How far a host is ahead differs between the first steps and the last; their pace does not: what
/// a step takes on the device (from the first thing that it put there to the first of the next step) where that was
/// busy all along, else that or its time on the host (start to start of its ranges), whichever is longer.
struct ProgramCost {
  size_t devices = 1;               // devices with any activity
  bool has_steps = false;           // false: the whole trace stands as one step
  std::string left_out;             // steps that do not count, of the first rank: left_out_text()
  std::vector<double> wall_ns;      // of each step
  std::vector<double> busy_ns;      // of each step: when a device was busy in it, mean over devices
  std::vector<double> pace_ns;      // of each step, for its noise
  std::vector<double> work_ns;      // of each step, for its noise: union of what it put on a device, wherever that ran
  std::vector<KernelCost> kernels;  // in order of first appearance
  std::vector<HostCost> host;       // in order of first appearance
  std::string device_names;         // "NVIDIA H200", each name once
  size_t steps() const { return wall_ns.size(); }
};

ProgramCost program_cost(const Profile& profile, const ClassRules& rules);

}  // namespace warplens::analysis::diff
