// A kernel launch as the driver receives it, and the driver's facts about the kernel.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "warplens/collect/counters/abi.h"

namespace warplens::cupti {

struct Launch {
  std::string kernel;        // mangled
  void* function = nullptr;  // CUfunction or CUkernel
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, cluster[3] = {1, 1, 1};
  uint32_t dynamic_shared_bytes = 0, static_shared_bytes = 0, registers = 0, local_bytes = 0;
  int carveout_percent = -1;  // -1: the driver's choice
  bool cooperative = false;
  uint32_t device = 0;
  uint64_t stream = 0;
  uint32_t correlation = 0;
};

// Counting would break a capture of a stream into a graph, so it must know of captures.
enum class LaunchCall : uint8_t { kNone, kKernel, kCooperative, kKernelEx, kGraph, kBeginCapture, kEndCapture, kOther };

/// The launch of the driver call `name` ("cuLaunchKernel", without version).
LaunchCall launch_call(std::string_view plain_name);

/// The launch that `data` is a call of `call` for, one of kKernel, kCooperative, kKernelEx and kOther.
Launch read_launch(LaunchCall call, const ApiCallback& data);

/// Why a kernel cannot be run several times; empty where it can.
std::string why_not_replayed(const Launch& launch, LaunchCall call);

}  // namespace warplens::cupti
