// Matrix products, convolutions and attention: which ones ran on tensor cores, and their share of the GPU's peak.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "warplens/program/analysis/causes.h"
#include "warplens/program/analysis/classify/classify.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// All kernels of one name that one operator launched on inputs of one shape and type.
struct MatrixWork {
  std::string op, shapes, dtype;  // "aten::mm", as torch prints them, "c10::BFloat16"; "" where not recorded
  std::string kernel;
  std::string class_name;  // gemm, convolution or attention
  TensorUse tensor_use = TensorUse::kUnknown;
  uint32_t device = 0;  // row of devices
  int64_t count = 0, device_ns = 0;
  double flops = 0;        // of all; 0 where shapes are not recorded
  double peak_tflops = 0;  // of the GPU for this type, on the units it ran on; 0 when not in the catalogue
  double tflops() const { return device_ns > 0 ? flops / static_cast<double>(device_ns) / 1e3 : 0; }
  double peak_share() const { return peak_tflops > 0 ? tflops() / peak_tflops : 0; }
};

/// The costliest first. An operator that runs several such kernels (split-k) shares its operations among them by time.
std::vector<MatrixWork> matrix_work(const Profile& profile, const Causes& causes, const ClassRules& rules);

}  // namespace warplens::analysis
