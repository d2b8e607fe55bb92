// The first facts that a reader wants about a profile.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warplens/program/analysis/classify/classify.h"
#include "warplens/program/analysis/memory/peak.h"
#include "warplens/program/analysis/serving/phases.h"
#include "warplens/program/analysis/steps/steady_steps.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// Time and number of device events with one name or class.
struct Share {
  std::string name;
  std::string class_name;  // of kernels and operators: the class of most of their time
  int64_t count = 0, device_ns = 0;
  TensorUse tensor_use = TensorUse::kUnknown;  // of kernels
};

struct DeviceSummary {
  uint32_t device = 0;               // row of devices
  int64_t count = 0;                 // kernels, copies and sets
  int64_t work_ns = 0;               // sum of their durations
  int64_t busy_ns = 0;               // length of their union
  int64_t start_ns = 0, end_ns = 0;  // first begin, last end
  std::vector<double> activity;      // busy share of equal parts of the rank's window
};

struct RankSummary {
  uint32_t rank = 0;  // row of ranks
  int64_t span_ns = 0;
  StepSummary steps;
  int64_t operators = 0, calls = 0, threads = 0;
  int64_t peak_allocated_bytes = 0, peak_reserved_bytes = 0;  // on devices; 0 when memory was not profiled
  std::optional<MemoryPeak> peak;                             // the device of that memory
  std::optional<int64_t> peak_step;                           // Step::number of the step in which it is reached
  std::vector<DeviceSummary> devices;                         // those that did something
};

struct Summary {
  std::vector<RankSummary> ranks;
  StepSource step_source = StepSource::kNone;
  int64_t work_ns = 0;  // sum of durations of all device events: classes, kernels and operators each add up to it
  std::vector<Share> classes;                   // largest first
  std::vector<Share> kernels;                   // by name, largest first
  std::vector<Share> operators;                 // that launched them; "" where none did
  int64_t tensor_ns = 0, no_tensor_ns = 0;      // known to use tensor cores, known not to
  int64_t matrix_ns = 0, matrix_tensor_ns = 0;  // gemm, attention and convolution; of it on tensor cores
  std::vector<PhaseSummary> phases;             // of a serving engine's trace
  std::vector<Share> host_operators;  // where no device did anything: operators by their own host time (device_ns)
};

/// `activity_slots`: parts of DeviceSummary::activity.
Summary summarise(const Profile& profile, const RowLinks& operator_of_event, const ClassRules& rules,
                  size_t activity_slots);

}  // namespace warplens::analysis
