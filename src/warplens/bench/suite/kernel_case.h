// A launch file or flags of a kernel as a benchmark: sweeps, inputs that change, a reference.
#pragma once
#include <string>
#include <vector>

#include "warplens/bench/suite/axes.h"
#include "warplens/bench/suite/reference.h"
#include "warplens/launch/description.h"
#include "warplens/launch/flags.h"
#include "warplens/launch/source.h"

namespace warplens::bench {

/// A request, with ${...} still in its texts.
struct KernelRequest {
  std::string launch_file;  // its text, and its path in flags.source; empty: then `flags`
  std::string folder;       // that its relative paths start from
  launch::Flags flags;
  std::vector<Axis> axes;
  std::string bytes, flops;  // of one call: whole-number expressions; empty: not stated
  std::vector<std::string>
      references;        // "y = 2*x": what a buffer must hold, from the contents of buffers before the call
  double tolerance = 0;  // 0: by dtype
};

/// The request at one point of its axes.
struct KernelCase {
  std::string name;
  Point point;
  launch::Description description;
  std::vector<Reference> references;
  double bytes = 0, flops = 0, tolerance = 0;
  /// Tolerance for an output of `dtype`.
  double tolerance_for(launch::DType dtype) const;
};

/// One case a launch: those of a launch file with several are benchmarks of their own, each from the buffers' first
/// contents. flags.kernel chooses among them.
Result<std::vector<KernelCase>> cases_at(const KernelRequest& request, const Point& point);

}  // namespace warplens::bench
