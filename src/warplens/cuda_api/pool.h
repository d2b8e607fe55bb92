// Facts about allocations that memory pools keep.
#pragma once
#include "warplens/cuda_api/runtime.h"

namespace warplens::cuda_api {

/// cudaMallocAsync has given out this memory, of the pool that the current device has.
void take_from_pool(simt::Address address, uint64_t size_bytes);
/// It was freed, by any call; memory outside pools is ignored.
void give_to_pool(simt::Address address);

/// The host waits: what pools hold unused beyond their release thresholds goes back.
void release_unused();

/// The handle of the pool that an allocation is of, by its first byte; nullptr: of none.
void* pool_holding(simt::Address first);

}  // namespace warplens::cuda_api
