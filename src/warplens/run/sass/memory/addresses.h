// Where the lanes of a memory instruction go, and the bytes there.
#pragma once
#include <array>
#include <bit>

#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/run/sass/run.h"
#include "warplens/simt/lanes/values.h"
#include "warplens/simt/memory/fits.h"
#include "warplens/simt/requests/request.h"

namespace warplens::simt::sass_machine {

struct Sectors;

/// Prepares the address of a global or generic access: a register pair, a uniform base where there is one, an offset.
void set_global_address(Decoder& decoder, Op& op);
/// The same for shared and local memory; the uniform register is at bit `uniform_at`.
void set_shared_address(Decoder& decoder, Op& op, int uniform_at);
/// Shared-memory address registers may count in units of 4, 8 or 16 bytes: bits 78 and 79.
void set_scale(Op& op);

/// False after stopping the block: an access of `size` bytes at an address that is not a multiple of it.
bool stop_misaligned(Warp& warp, uint64_t address, uint32_t size);
inline __attribute__((always_inline)) bool check_aligned(Warp& warp, const Span& span, uint32_t size) {
  return (span.any & (size - 1)) == 0 || stop_misaligned(warp, span.low, size);
}

/// The turns of L1 for the answers alone, at most 128 bytes each, and none for lanes that are off. A load of 16 bytes
/// takes four, even if all lanes share one place (benchmarks/gpu/access_rates.cu).
inline __attribute__((always_inline)) uint64_t answers_of(uint32_t on, uint32_t size) {
  if (size < 8) return 1;
  const uint32_t lanes = 128 / size, group = static_cast<uint32_t>((uint64_t{1} << lanes) - 1);
  uint64_t turns = 0;
  for (; on; on = static_cast<uint32_t>(uint64_t{on} >> lanes)) turns += (on & group) != 0;
  return turns;
}

/// Reports a request to device memory to the footprint, the undo log (before the bytes change) and the cache model; a
/// run of `bytes` if lanes are adjacent.
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

/// Host bytes, or nullptr if no allocation holds them all. Block::allocation remembers the allocation, because an
/// instruction's next request is likely in the same one.
uint8_t* find_elsewhere(Warp& warp, uint64_t address, uint32_t size);
inline __attribute__((always_inline)) uint8_t* find(Warp& warp, uint64_t address, uint32_t size) {
  const Run& run = *warp.block->run;
  const size_t hint = warp.block->allocation;
  if (hint < run.allocations.size() && address >= run.allocations[hint].begin &&
      simt::fits(address, size, run.allocations[hint].end))
    return reinterpret_cast<uint8_t*>(address);
  return find_elsewhere(warp, address, size);
}
/// The same, or nullptr after stopping the block because the address is invalid.
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

/// The offset in the block's own shared memory. Bits 24 and up of an address are the block's rank in its cluster: any
/// other number leads outside, as on an H200.
inline uint32_t own_offset(const Warp& w, uint32_t address) { return address ^ w.rank_bits; }

/// Offsets in shared memory, the reserved kilobyte included.
inline __attribute__((always_inline)) Addresses shared_addresses(const Warp& w, const Op& op) {
  const uint32_t *a = w.in(op.a), *base = w.in(op.c);
  const uint32_t scale = op.scale, offset = static_cast<uint32_t>(op.offset);
  const uint32_t rank = w.rank_bits;
  Addresses out;
  for (int i = 0; i < kLanes; ++i) out.value[i] = ((a[i] << scale) + base[i] + offset) ^ rank;
  return out;
}

/// Byte i * step of lane i, for the steps 0, 1, 2, 4, 8 and 16.
inline constexpr auto kSteps = [] {
  std::array<Lanes, 6> out{};
  for (uint32_t k = 1; k < 6; ++k)
    for (uint32_t i = 0; i < kLanes; ++i) out[k].value[i] = i << (k - 1);
  return out;
}();
inline const Lanes& steps_of(uint32_t size_bytes) {
  return kSteps[static_cast<size_t>(std::countr_zero(size_bytes)) + 1];
}

/// Lanes of `row` whose distance from lane `from` differs from `steps`.
inline __attribute__((always_inline)) uint32_t lanes_off(const uint32_t* row, const Lanes& steps, uint32_t from) {
  const uint32_t first = row[from] - steps.value[from];
#if defined(__AVX512F__)
  const __m512i all = _mm512_set1_epi32(static_cast<int>(first)),
                low = _mm512_add_epi32(all, _mm512_load_si512(steps.value)),
                high = _mm512_add_epi32(all, _mm512_load_si512(steps.value + 16));
  return static_cast<uint32_t>(_mm512_cmpneq_epi32_mask(low, _mm512_loadu_si512(row))) |
         static_cast<uint32_t>(_mm512_cmpneq_epi32_mask(high, _mm512_loadu_si512(row + 16))) << 16;
#else
  Lanes apart;
  for (uint32_t i = 0; i < kLanes; ++i) apart.value[i] = row[i] ^ (first + steps.value[i]);
  return mask_of(apart);
#endif
}

/// The pattern of the lanes of `on`, as far as a quick test shows: kRun (which may have gaps), kOne, kHalves of a full
/// warp; kScattered means anything else. `is_pair`: addresses are of 64 bits.
inline __attribute__((always_inline)) Shape simple_shape(const Warp& w, const Op& op, uint32_t on, bool is_pair) {
  constexpr uint32_t kMost = 16 * kLanes, kLow = 0xffff;  // bytes of a run; the lanes of a half
  const uint32_t *a = w.in(op.a), *base = w.in(op.c), size = op.size_bytes;
  const auto from = static_cast<uint32_t>(std::countr_zero(on));
  if (is_pair && !op.narrow && (lanes_off(a + kLanes, kSteps[0], from) & on)) return Shape::kScattered;
  if (op.c.row != w.zero &&
      ((lanes_off(base, kSteps[0], from) & on) || (is_pair && (lanes_off(base + kLanes, kSteps[0], from) & on))))
    return Shape::kScattered;
  const uint32_t no_run = lanes_off(a, steps_of(size), from) & on;
  if (!no_run) return a[from] > kAll - kMost ? Shape::kScattered : Shape::kRun;  // the low words might carry
  const uint32_t not_one = lanes_off(a, kSteps[0], from) & on;
  if (!not_one) return Shape::kOne;
  if (on != kAll || ((no_run & kLow) && (not_one & kLow))) return Shape::kScattered;
  const bool high = lanes_off(a, steps_of(size), kLanes / 2) >> 16 == 0 || lanes_off(a, kSteps[0], 16) >> 16 == 0;
  return high ? Shape::kHalves : Shape::kScattered;
}

/// Offsets in a thread's local memory.
inline Addresses local_addresses(const Warp& w, const Op& op) {
  const uint32_t *a = w.in(op.a), *base = w.in(op.c), offset = static_cast<uint32_t>(op.offset);
  Addresses out;
  for (int i = 0; i < kLanes; ++i) out.value[i] = a[i] + base[i] + offset;
  return out;
}

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
