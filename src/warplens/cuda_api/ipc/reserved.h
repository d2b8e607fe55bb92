// Device addresses that are reserved and empty until something is mapped there.
#pragma once
#include "warplens/simt/memory/memory.h"

namespace warplens::cuda_api {

/// Addresses, 2 MiB aligned, that no other allocation gets. Kernels may not use them until `memory` adopts the mapping.
/// Error: none are left.
Result<simt::Address> reserve(simt::Memory& memory, uint64_t size_bytes);
/// Releases the addresses that `reserve` gave for this size, once nothing is adopted there any more.
void unreserve(simt::Memory& memory, simt::Address begin, uint64_t size_bytes);

}  // namespace warplens::cuda_api
