// The roofline: the rate that a launch's arithmetic could reach for its bytes, and its expected rate.
#pragma once
#include <string>
#include <vector>

#include "warplens/gpu/device.h"
#include "warplens/model/time_model.h"
#include "warplens/model/work.h"

namespace warplens::report {

using model::Work;

struct Roof {
  std::string level;        // "DRAM", "L2", "L1"
  double bytes = 0;         // the launch moves there
  double bytes_per_ns = 0;  // peak
  double intensity = 0;     // FLOP per byte
};

struct Ceiling {
  std::string precision;    // "FP32", "FP64", "FP16", "tensor"
  double flops = 0;         // of the launch
  double flops_per_ns = 0;  // peak
};

/// Measured ceilings of a GPU; 0 for values from the data sheet.
struct Peaks {
  double dram = 0, l2 = 0, l1 = 0;                  // bytes a ns
  double fp32 = 0, fp64 = 0, fp16 = 0, tensor = 0;  // FLOP a ns
  std::string source;                               // "measured on NVIDIA H200, 2026-11-21"
};

struct Roofline {
  std::string peaks_from;  // "data sheet", or Peaks::source
  std::vector<Roof> roofs;
  std::vector<Ceiling> ceilings;       // those that the launch uses; FP32 if it computes nothing
  double flops = 0, flops_per_ns = 0;  // of the launch; at its estimated (or measured) time
  double attainable_per_ns = 0;        // the lowest of the ceiling and of every roof at the launch's intensity
  bool memory_bound = true;
  std::string bound_by;  // a level, or a precision
};

Roofline roofline(const Work& work, const gpu::Device& device, double time_ns, const Peaks& measured = {});

/// Axes, roofs and the launch's points in `width` x `height` characters.
std::string draw_roofline(const Roofline& roofline, const std::string& title, size_t width, size_t height);
/// The same as an SVG document.
std::string roofline_svg(const Roofline& roofline, const std::string& title);

}  // namespace warplens::report
