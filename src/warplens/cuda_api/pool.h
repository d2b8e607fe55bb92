// What memory pools know of allocations.
#pragma once
#include "warplens/cuda_api/runtime.h"

namespace warplens::cuda_api {

/// cudaMallocAsync has given out this memory, of the pool that the current device has.
void take_from_pool(simt::Address address, uint64_t size_bytes);
/// It was freed, by whatever call; memory that is of no pool is none of its business.
void give_to_pool(simt::Address address);

}  // namespace warplens::cuda_api
