// Operators against the roofline of their GPU: operations, bytes, and the time that the slower of both allows.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/program/analysis/causes.h"
#include "warplens/program/analysis/classify/classify.h"
#include "warplens/trace/profile/name_memo.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// The type of the first tensor of floating-point numbers, or of the first tensor. `types`: of operators.input_types.
std::string element_type(std::string_view types);

/// The peak on the GPU's data sheet for this type on these units, in TFLOP/s; 0 if the GPU is unknown.
double peak_tflops(const Profile& profile, uint32_t device, std::string_view dtype, TensorUse use);

/// All calls of an operator with inputs of one shape and type.
struct RooflineRow {
  std::string op, shapes, dtype;
  uint32_t device = 0;               // row of devices
  int64_t calls = 0, device_ns = 0;  // device_ns: of its kernels, those of operators below it that are not counted too
  double flops = 0, bytes = 0;       // of all calls; flops 0: no matrix work; bytes: least_bytes()
  double peak_tflops = 0, peak_gbs = 0;  // 0 where the GPU is not known

  double compute_ns() const { return peak_tflops > 0 ? flops / peak_tflops / 1e3 : 0; }
  double memory_ns() const { return peak_gbs > 0 ? bytes / peak_gbs : 0; }
  double tflops() const { return device_ns > 0 ? flops / static_cast<double>(device_ns) / 1e3 : 0; }
  double gbs() const { return device_ns > 0 ? bytes / static_cast<double>(device_ns) : 0; }
  bool memory_bound() const { return memory_ns() >= compute_ns(); }
  /// Share of the roofline, 0..1; more if caches or zeros save work. 0 if the GPU is unknown.
  double share() const;
};

/// The operators with countable work, the one with most time over its roofline first.
std::vector<RooflineRow> operator_roofline(const Profile& profile, const Causes& causes, const ClassRules& rules);

/// Finds the innermost of an operator and its parents whose work can be counted.
class CountedOperators {
 public:
  CountedOperators(const Profile& profile, const Forest& operators);
  /// `op`: row of operators or kNone; kNone if there is none.
  uint32_t operator()(uint32_t op) const;

 private:
  const Profile& p_;
  const Forest& operators_;
  mutable NameMemo<bool (*)(std::string_view)> counted_;
};

}  // namespace warplens::analysis
