// Where the lanes of a memory instruction go, and the bytes there.
#pragma once
#include "warplens/sass/decoder.h"
#include "warplens/sass/machine.h"

namespace warplens::sass {

struct alignas(64) Addresses {
  uint64_t value[kLanes];
};

/// Prepares the address of a global or generic access: a register pair, a uniform base where there is one, an offset.
void set_global_address(Decoder& decoder, Op& op);
/// The same for shared memory; the uniform register stands at bit `uniform_at`.
void set_shared_address(Decoder& decoder, Op& op, int uniform_at);

Addresses global_addresses(const Warp& warp, const Op& op);
Addresses shared_addresses(const Warp& warp, const Op& op);  // offsets, the reserved kilobyte included
Addresses local_addresses(const Warp& warp, const Op& op);   // offsets in a thread's local memory

/// Tells the footprint and the cache model of a request to device memory; a run of `bytes` when lanes lie together.
void note_request(Warp& warp, const Addresses& at, uint32_t on, uint32_t size, bool store);
/// An atomic reads and writes.
void note_atomic(Warp& warp, const Addresses& at, uint32_t on, uint32_t size);
void note_run(Warp& warp, uint64_t begin, uint64_t bytes, bool store);
/// Sectors of local memory, which the cache model sees at addresses of their own.
void note_local(Warp& warp, const uint64_t* sectors, uint32_t count);

/// Host bytes, or nullptr after stopping the block because nothing lies there.
uint8_t* locate(Warp& warp, uint64_t address, uint32_t size);
uint8_t* shared_bytes(Warp& warp, uint64_t offset, uint32_t size);
void constant_bytes(const Warp& warp, uint32_t bank, uint32_t offset, uint8_t* to, uint32_t size);

}  // namespace warplens::sass
