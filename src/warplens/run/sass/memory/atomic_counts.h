// The counts of atomic operations: lanes that meet at an address, in a sector, in a line, in a bank.
#pragma once
#include <algorithm>
#include <bit>

#include "warplens/run/sass/lanes.h"
#include "warplens/run/sass/memory/addresses.h"
#include "warplens/simt/requests/count_lanes.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {

/// Bit i set where lane i of `values` is `value`.
inline __attribute__((always_inline)) uint32_t equal_lanes(const uint32_t* values, uint32_t value) {
#if defined(__AVX512F__)
  const __m512i all = _mm512_set1_epi32(static_cast<int>(value));
  return static_cast<uint32_t>(_mm512_cmpeq_epi32_mask(_mm512_loadu_si512(values), all)) |
         static_cast<uint32_t>(_mm512_cmpeq_epi32_mask(_mm512_loadu_si512(values + 16), all)) << 16;
#else
  uint32_t out = 0;
  for (uint32_t i = 0; i < kLanes; ++i) out |= static_cast<uint32_t>(values[i] == value) << i;
  return out;
#endif
}

/// f(lane, lanes of `on` with its value) for the first lane of each value.
template <typename F>
inline __attribute__((always_inline)) void each_value(const uint32_t* values, uint32_t on, F f) {
  while (on) {
    const auto first = static_cast<uint32_t>(std::countr_zero(on));
    const uint32_t same = equal_lanes(values, values[first]) & on;
    f(first, same);
    on &= ~same;
  }
}

/// For active lanes: distinct addresses, the most lanes on one, and over sectors the most on one, summed.
struct AtomicCounts {
  uint32_t distinct = 0, most = 0, serial = 0;
};
inline void add_counts(Warp& w, const AtomicCounts& counts) {
  w.count->atomic_distinct_addresses += counts.distinct;
  w.count->atomic_max_multiplicity += counts.most;
  w.count->atomic_sector_serial += counts.serial;
}

/// Words of 4 bytes that lanes begin at, from the begin of a 128-byte line on; lanes that are not on are by themselves.
inline __attribute__((always_inline)) void words_of(const Addresses& at, uint32_t on, simt::Padded* out) {
  const uint64_t base = at.value[__builtin_ctz(on)] / 128 * 128;
  for (uint32_t i = 0; i < kLanes; ++i)
    out->at[i] = on >> i & 1 ? static_cast<uint32_t>((at.value[i] - base) / 4) : simt::kNobody + 1 + i;
}

/// Without the sum over sectors.
inline AtomicCounts meetings_of(simt::Padded& words, uint32_t on) {
  const simt::Meetings all = simt::meetings(words);
  return {all.distinct - (kLanes - static_cast<uint32_t>(std::popcount(on))), all.most, 0};
}
/// `sectors`: how many there are.
inline AtomicCounts meetings_in_sectors(simt::Padded& words, uint32_t on, uint32_t sectors) {
  AtomicCounts out = meetings_of(words, on);
  out.serial = sectors;
  if (out.most == 1) return out;
  alignas(64) uint32_t in_sector[kLanes];
  uint32_t most_in[kLanes], shared = 0;  // by the first lane of an address that others have too
  for (uint32_t i = 0; i < kLanes; ++i) in_sector[i] = words.at[i] / 8;
  each_value(words.at, on, [&](uint32_t lane, uint32_t same) {
    most_in[lane] = static_cast<uint32_t>(std::popcount(same));
    shared |= static_cast<uint32_t>(most_in[lane] > 1) << lane;
  });
  each_value(in_sector, shared, [&](uint32_t, uint32_t there) {
    uint32_t most = 1;
    for (; there; there &= there - 1) most = std::max(most, most_in[std::countr_zero(there)]);
    out.serial += most - 1;
  });
  return out;
}

/// The most lanes on one of 32 banks.
inline uint32_t busiest_bank_lanes(const Addresses& at, uint32_t on) {
  simt::Padded banks;
  for (uint32_t i = 0; i < kLanes; ++i)
    banks.at[i] = on >> i & 1 ? static_cast<uint32_t>(at.value[i] / 4 % 32) : simt::kNobody + 1 + i;
  return simt::meetings(banks).most;
}

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
