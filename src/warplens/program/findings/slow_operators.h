// Operators that take several times as long as their operations and bytes need.
#pragma once
#include <vector>

#include "warplens/program/findings/context.h"

namespace warplens::findings {

/// All calls of one operator with inputs of one shape.
struct SlowOperator {
  uint32_t op = kNone;  // one of them
  std::vector<const ProgramEvent*> events;
  int64_t device_ns = 0;
  size_t calls = 0;
  double bound_ns = 0;  // of one call, at the rates of Hardware
  bool memory = false;
  double call_ns() const { return static_cast<double>(device_ns) / static_cast<double>(calls); }
  double times() const { return call_ns() / bound_ns; }
  double reachable_ns() const;  // the time of a kernel made for the shape
};

/// The costliest first.
std::vector<SlowOperator> slow_operators(const Context& context);

/// Adds to `change` that its kernels take their reachable time.
void reach(const SlowOperator& slow, Change& change);

/// Kernels that only turn tensors between NCHW and NHWC, by name.
bool converts_layout(std::string_view kernel);

/// A batch norm of images in NCHW, between convolutions that convert them: PyTorch's kernel for that layout takes a
/// channel a block. layout-conversion reports it.
bool is_slow_by_layout(const Context& context, const SlowOperator& slow);

}  // namespace warplens::findings
