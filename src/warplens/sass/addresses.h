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

/// Lanes that are not on go where the lowest that is on goes.
inline void fill_idle(Addresses* at, uint32_t on) {
  const uint64_t first = at->value[__builtin_ctz(on)];
  for (uint32_t i = 0; i < kLanes; ++i) at->value[i] = on >> i & 1 ? at->value[i] : first;
}

struct Span {
  uint64_t low, high, any;  // any: bits that are set in one of them
};
inline Span span_of(const Addresses& at) {
  auto low = static_cast<int64_t>(at.value[0]), high = low;  // device addresses stay below 2^63
  uint64_t any = 0;
  for (uint32_t i = 0; i < kLanes; ++i) {
    const auto here = static_cast<int64_t>(at.value[i]);
    low = here < low ? here : low;
    high = here > high ? here : high;
    any |= at.value[i];
  }
  return {static_cast<uint64_t>(low), static_cast<uint64_t>(high), any};
}
/// False after stopping the block: an access of `size` bytes at an address that is no multiple of it.
bool check_aligned(Warp& warp, const Span& span, uint32_t size);

Addresses global_addresses(const Warp& warp, const Op& op);
Addresses shared_addresses(const Warp& warp, const Op& op);  // offsets, the reserved kilobyte included
Addresses local_addresses(const Warp& warp, const Op& op);   // offsets in a thread's local memory

/// Tells the footprint, the undo log (before the bytes change) and the cache model of a request to device memory; a run
/// of `bytes` when lanes lie together.
void note_request(Warp& warp, const Addresses& at, uint32_t on, uint32_t size, bool store);
/// An atomic reads and writes.
void note_atomic(Warp& warp, const Addresses& at, uint32_t on, uint32_t size);
void note_run(Warp& warp, uint64_t begin, uint64_t bytes, bool store);
/// The copy engine's, which goes past L1.
void note_copy(Warp& warp, uint64_t begin, uint64_t bytes, bool store);
/// Sectors of local memory, which the cache model sees at addresses of their own.
void note_local(Warp& warp, const uint64_t* sectors, uint32_t count);

/// Host bytes, or nullptr when no allocation holds them all.
uint8_t* find(Warp& warp, uint64_t address, uint32_t size);
/// The same, or nullptr after stopping the block because nothing lies there.
uint8_t* locate(Warp& warp, uint64_t address, uint32_t size);
uint8_t* shared_bytes(Warp& warp, uint64_t offset, uint32_t size);
void constant_bytes(const Warp& warp, uint32_t bank, uint32_t offset, uint8_t* to, uint32_t size);

}  // namespace warplens::sass
