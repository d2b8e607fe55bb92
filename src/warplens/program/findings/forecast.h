// The time of a program's step on several GPUs, from a recording of it on each.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "warplens/trace/profile/profile.h"

namespace warplens::findings {

/// Work of one operator, or of one kernel where no operator launched it, in a step.
struct ForecastOperator {
  std::string name;
  double launches = 0;
  int64_t device_ns = 0;
};

/// All launches of one kernel, library call or copy in a step.
struct ForecastKernel {
  std::string name;  // as recorded
  double launches = 0;
  int64_t device_ns = 0, low_ns = 0, high_ns = 0;  // low and high: the ends of its band
};

/// One GPU. Times are those of a step in the steady state; of the whole run where the program marks no steps.
struct DeviceForecast {
  size_t steps = 1;
  bool has_steps = false;
  int64_t step_ns = 0;
  int64_t low_ns = 0, high_ns = 0;          // the step with all kernels and library calls at the ends of their bands
  int64_t host_ns = 0;                      // the step if the GPU took no time
  int64_t device_ns = 0;                    // the work of the fullest stream, one thing after another
  int64_t memory_bytes = 0;                 // most device memory that was allocated at one time
  std::string bound_by;                     // "host", "kernels", "library calls" or "copies": the longest of them alone
  bool own_host = false;                    // it launches other work than the first GPU: its host times are its own
  std::vector<ForecastOperator> operators;  // largest first
  std::vector<ForecastKernel> kernels;      // likewise
};

/// One for each of `recordings`, which are complete and from one program; their bands are constants.def's. The host's
/// times are those of the first recording. Its calls, streams and waits are run again with each GPU's durations, if
/// that GPU got the same work in the same order.
std::vector<DeviceForecast> forecast(const std::vector<Profile>& recordings);

}  // namespace warplens::findings
