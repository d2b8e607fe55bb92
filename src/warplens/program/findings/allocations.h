// Calls that allocate from the driver and free to it, as two rules count them.
#pragma once
#include <vector>

#include "warplens/program/findings/context.h"

namespace warplens::findings {

struct DriverAllocations {
  size_t allocations = 0, frees = 0;  // host and device
  size_t device_allocations = 0;      // cudaMalloc, hipMalloc
  bool asks_again = false;            // after it gave something back
  int64_t time_ns = 0;
  Change without;                   // without their time, and without the waits in frees
  std::vector<uint32_t> operators;  // that called them
};

/// Within the window, without those of a cold start.
DriverAllocations driver_allocations(const Context& context);

/// True if nearly every tensor is allocated by the driver: then PyTorch's caching allocator is off.
bool is_uncached(const Context& context, const DriverAllocations& seen);

}  // namespace warplens::findings
