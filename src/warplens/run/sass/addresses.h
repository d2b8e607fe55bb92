// Where the lanes of a memory instruction go, and the bytes there.
#pragma once
#include <array>

#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/run/sass/machine.h"
#include "warplens/simt/lanes/values.h"
#include "warplens/simt/memory/fits.h"
#include "warplens/simt/requests/request.h"

namespace warplens::simt::sass_machine {

struct Sectors;

/// Prepares the address of a global or generic access: a register pair, a uniform base where there is one, an offset.
void set_global_address(Decoder& decoder, Op& op);
/// The same for shared and local memory; the uniform register stands at bit `uniform_at`.
void set_shared_address(Decoder& decoder, Op& op, int uniform_at);

/// False after stopping the block: an access of `size` bytes at an address that is no multiple of it.
bool stop_misaligned(Warp& warp, uint64_t address, uint32_t size);
inline __attribute__((always_inline)) bool check_aligned(Warp& warp, const Span& span, uint32_t size) {
  return (span.any & (size - 1)) == 0 || stop_misaligned(warp, span.low, size);
}

/// Tells the footprint, the undo log (before the bytes change) and the cache model of a request to device memory; a run
/// of `bytes` when lanes lie together.
void note_request(Warp& warp, const Addresses& at, uint32_t on, uint32_t size, bool store);
void note_sectors(Warp& warp, const Sectors& sectors, bool store);
/// An atomic reads and writes.
void note_atomic(Warp& warp, const Sectors& sectors);
void note_atomic(Warp& warp, const Addresses& at, uint32_t on, uint32_t size);
void note_run(Warp& warp, uint64_t begin, uint64_t bytes, bool store);
/// The copy engine's, which goes past L1.
void note_copy(Warp& warp, uint64_t begin, uint64_t bytes, bool store);
/// Sectors of local memory, which the cache model sees at addresses of their own.
void note_local(Warp& warp, const uint64_t* sectors, uint32_t count);

/// Host bytes, or nullptr when no allocation holds them all. Block::allocation says which one it was: what an
/// instruction asks for next is likely to lie there too.
uint8_t* find_elsewhere(Warp& warp, uint64_t address, uint32_t size);
inline __attribute__((always_inline)) uint8_t* find(Warp& warp, uint64_t address, uint32_t size) {
  const Run& run = *warp.block->run;
  const size_t hint = warp.block->allocation;
  if (hint < run.allocations.size() && address >= run.allocations[hint].begin &&
      simt::fits(address, size, run.allocations[hint].end))
    return reinterpret_cast<uint8_t*>(address);
  return find_elsewhere(warp, address, size);
}
/// The same, or nullptr after stopping the block because nothing lies there.
uint8_t* locate(Warp& warp, uint64_t address, uint32_t size);
uint8_t* shared_bytes(Warp& warp, uint64_t offset, uint32_t size);
void constant_bytes(const Warp& warp, uint32_t bank, uint32_t offset, uint8_t* to, uint32_t size);

}  // namespace warplens::simt::sass_machine

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {

inline __attribute__((always_inline)) void global_addresses(const Warp& w, const Op& op, Addresses* out) {
  const uint32_t *a = w.in(op.a), *base = w.in(op.c);
  const uint64_t high = op.narrow ? 0xffffffff : ~uint64_t{0}, offset = static_cast<uint64_t>(op.offset);
  for (int i = 0; i < kLanes; ++i)
    out->value[i] = ((a[i] | static_cast<uint64_t>(a[i + kLanes]) << 32) & high) +
                    (base[i] | static_cast<uint64_t>(base[i + kLanes]) << 32) + offset;
}
inline Addresses global_addresses(const Warp& w, const Op& op) {
  Addresses out;
  global_addresses(w, op, &out);
  return out;
}

/// Offsets in shared memory, the reserved kilobyte included.
inline __attribute__((always_inline)) Addresses shared_addresses(const Warp& w, const Op& op) {
  const uint32_t *a = w.in(op.a), *base = w.in(op.c);
  const uint32_t scale = op.scale, offset = static_cast<uint32_t>(op.offset);
  Addresses out;
  // Bits 24 and up name a block of the cluster; the own one is 0 here.
  for (int i = 0; i < kLanes; ++i) out.value[i] = ((a[i] << scale) + base[i] + offset) & 0xffffff;
  return out;
}

/// Byte i * step of lane i, by step / 4.
inline constexpr auto kSteps = [] {
  std::array<Lanes, 5> out{};
  for (uint32_t words = 0; words < 5; ++words)
    for (uint32_t i = 0; i < kLanes; ++i) out[words].value[i] = 4 * words * i;
  return out;
}();

/// Whether the lanes of `row` are those of `steps`, all by as much behind.
inline __attribute__((always_inline)) bool is_series(const uint32_t* row, const Lanes& steps) {
#if defined(__AVX512F__)
  const __m512i first = _mm512_set1_epi32(static_cast<int>(row[0])),
                low = _mm512_add_epi32(first, _mm512_load_si512(steps.value)),
                high = _mm512_add_epi32(first, _mm512_load_si512(steps.value + 16));
  return (_mm512_cmpneq_epi32_mask(low, _mm512_loadu_si512(row)) |
          _mm512_cmpneq_epi32_mask(high, _mm512_loadu_si512(row + 16))) == 0;
#else
  uint32_t apart = 0;
  for (uint32_t i = 0; i < kLanes; ++i) apart |= row[i] ^ (row[0] + steps.value[i]);
  return apart == 0;
#endif
}

/// The simple requests of a full warp, of 4 bytes a lane and more: kRun and kOne; anything else is kScattered.
/// `is_pair`: addresses are of 64 bits.
inline __attribute__((always_inline)) Shape simple_shape(const Warp& w, const Op& op, bool is_pair) {
  const uint32_t *a = w.in(op.a), *base = w.in(op.c);
  const bool is_based = op.c.row != w.zero;
  if (is_pair && a[0] > kAll - kLanes * 16) return Shape::kScattered;  // might carry
  if (is_pair && !is_series(a + kLanes, kSteps[0])) return Shape::kScattered;
  if (is_based && (!is_series(base, kSteps[0]) || (is_pair && !is_series(base + kLanes, kSteps[0]))))
    return Shape::kScattered;
  if (is_series(a, kSteps[op.size_bytes / 4])) return Shape::kRun;
  return is_series(a, kSteps[0]) ? Shape::kOne : Shape::kScattered;
}

/// Offsets in a thread's local memory.
inline Addresses local_addresses(const Warp& w, const Op& op) {
  const uint32_t *a = w.in(op.a), *base = w.in(op.c), offset = static_cast<uint32_t>(op.offset);
  Addresses out;
  for (int i = 0; i < kLanes; ++i) out.value[i] = a[i] + base[i] + offset;
  return out;
}

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
