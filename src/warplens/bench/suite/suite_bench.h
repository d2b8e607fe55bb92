// `warplens bench SUITE`: the steps of a family at some sizes, on a GPU or emulated.
#pragma once
#include <string>
#include <vector>

#include "warplens/bench/suite/family.h"
#include "warplens/bench/suite/kernel_bench.h"

namespace warplens::bench {

struct SuiteRequest {
  std::vector<std::string> steps;  // by name; empty: all
  std::vector<std::string> sizes;  // values of the family's size axis; empty: its own
  std::vector<Axis> axes;          // other axes that are not to be as the family has them
};

/// Points of the family for `request`: its full ones (or small ones), with the requested values in their place.
Result<std::vector<Point>> suite_points(const Family& family, const SuiteRequest& request, bool small);

/// True if there is a GPU to time on; without one, steps are emulated.
bool gpu_is_here();

/// Checks each step at each point against its float64 reference before it is timed or counted. Without a GPU, unless
/// the user asked for emulation, it leaves out points that would take minutes and reports them.
Result<Results> bench_suite(const Family& family, const SuiteRequest& request, const KernelBenchOptions& options);

}  // namespace warplens::bench
