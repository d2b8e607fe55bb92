// Addresses of the device that hold nothing until something is mapped there.
#pragma once
#include "warplens/simt/memory/memory.h"

namespace warplens::cuda_api {

/// Addresses, 2 MiB aligned, that nothing else is given, and that no kernel may use until `memory` adopts what is
/// mapped there. Errors: none are left.
Result<simt::Address> reserve(simt::Memory& memory, uint64_t size_bytes);
/// Gives back what `reserve` gave for this size, once nothing is adopted there any more.
void unreserve(simt::Memory& memory, simt::Address begin, uint64_t size_bytes);

}  // namespace warplens::cuda_api
