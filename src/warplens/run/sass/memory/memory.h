// The shared part of the families of memory instructions.
#pragma once
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/memory/addresses.h"
#include "warplens/simt/lanes/values.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {

/// The access size from bits 73 to 75; false for one that does not exist.
bool set_size(Op& op);

/// Moves `op`'s bytes at offsets of shared memory, or of a thread's local memory, and counts it.
void access_shared(Warp& warp, const Op& op, Addresses at, uint32_t on, bool store);
void access_local(Warp& warp, const Op& op, const Addresses& at, uint32_t on, bool store);

// Requests to device memory that translated code carries out, with their waits: all lanes in a row, and lanes that load
// from one address.
void count_row(Warp& warp, const Op& op, uint64_t begin);
void count_same(Warp& warp, const Op& op, uint64_t address, uint32_t on);

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
