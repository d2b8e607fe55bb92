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

/// Points of the family for `request`: its full ones (or small ones) with what is asked for in their place.
Result<std::vector<Point>> suite_points(const Family& family, const SuiteRequest& request, bool small);

/// Whether there is a GPU to time on; where there is none, steps are emulated.
bool gpu_is_here();

/// Each step at each point is checked against its float64 reference before it is timed or counted. Where there
/// is no GPU and emulating was not asked for, points that would take the emulator minutes are left out and told of.
Result<Results> bench_suite(const Family& family, const SuiteRequest& request, const KernelBenchOptions& options);

}  // namespace warplens::bench
