// `warplens bench FILE`: every point of the axes, in every regime, on a GPU or emulated.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "warplens/bench/harness/measure.h"
#include "warplens/bench/results/results.h"
#include "warplens/bench/suite/emulated_case.h"
#include "warplens/bench/suite/kernel_case.h"

namespace warplens::bench {

struct KernelBenchOptions {
  std::vector<Regime> regimes;
  StoppingOptions stopping;
  double limit_seconds = 5, margin = 0.005;
  bool emulate = false, gpu = false;
  EmulatedGpu emulated;
  std::string against, against_kernel;  // race each point against this file or kernel
  int64_t noise_trials = 0;
  std::function<void(const std::string&)> progress;
  std::function<void(const std::string&)> note;  // the cases that were left out
};

struct KernelBench {
  Results results;
  std::vector<std::pair<std::string, Comparison>> against;  // label, and this kernel's time over the other's
  std::vector<std::string> why;                             // of each, where it was emulated: the counters that changed
  std::vector<std::string_view> times;  // of each, where it was emulated: the time that was compared
};

Result<KernelBench> bench_kernels(const KernelRequest& request, const KernelBenchOptions& options);

}  // namespace warplens::bench
