// The rule by which the 32 banks of shared memory, of 4 bytes each, serve a request. Measured on an H200.
#pragma once
#include <algorithm>

#include "warplens/base/set_bits.h"
#include "warplens/simt/lanes/values.h"
#include "warplens/simt/memory/memory.h"

namespace warplens::simt {

/// How the halves (quarters) of a wide access are grouped: by the pairs of active lanes. Without such a pair, an H200
/// uses the addresses of inactive lanes; kByActive, if those are unknown. Stores never do.
enum class Joins : uint8_t { kByActive, kByAll, kNever };

/// Passes over the banks; `ideal`: one a group of lanes that are served together.
struct Wavefronts {
  uint32_t actual = 0, ideal = 0;
};
/// A group takes as many passes as its busiest bank gives distinct words.
Wavefronts count_wavefronts(const Address* offsets, uint32_t mask, uint32_t size, Joins joins = Joins::kByActive);

}  // namespace warplens::simt

namespace warplens::simt::inline WARPLENS_ISA_NAME {

/// True if active lanes share the address of their neighbours at distance `step`. `at`: addresses, or units of them.
template <typename T>
inline bool paired_lanes(const T* at, uint32_t mask, uint32_t step, Joins joins) {
  uint32_t pairs = 0;
  for (uint32_t i = 0; i < kLanes; ++i) pairs |= (mask >> i) & (mask >> (i ^ step)) & 1;
  const uint32_t partners = joins == Joins::kByAll && !pairs ? kFull : mask;
  T differ = 0;
  for (uint32_t i = 0; i < kLanes; ++i) {
    const uint32_t other = i ^ step;
    differ |= (at[i] ^ at[other]) & (T{0} - static_cast<T>((mask >> i) & (partners >> other) & 1));
  }
  return differ == 0;
}

/// Calls group(lanes) for those of `mask` that are served together: all for up to 4 bytes a lane, half-warps for 8,
/// quarters for 16. Two of these join if all their lanes pair up.
template <typename T, typename F>
inline __attribute__((always_inline)) void each_bank_group(const T* at, uint32_t mask, uint32_t size, Joins joins,
                                                           F group) {
  const auto halves = [&](uint32_t part, uint32_t low) {
    if (!part) return;
    const auto paired = [&](uint32_t step) { return paired_lanes(at, part, step, joins); };
    const bool joined = !(part & low) || !(part & ~low) || (joins != Joins::kNever && (paired(1) || paired(2)));
    group(joined ? part : part & low);
    if (!joined) group(part & ~low);
  };
  if (size <= 4) {
    group(mask);
  } else if (size <= 8) {
    halves(mask, 0x0000ffff);
  } else {
    halves(mask & 0x0000ffff, 0x000000ff);
    halves(mask & 0xffff0000, 0x00ff0000);
  }
}

/// Calls served(pass, bank, lane) for each word that a bank gives to one group. Lanes that read one word are served
/// with the lowest of them, or, if they are `apart`, a pass each. Accesses have at most 128 bytes.
template <typename F>
inline void each_served_word(const Address* offsets, uint32_t mask, uint32_t size, bool apart, F served) {
  constexpr uint32_t kBanks = 32;
  uint32_t count[kBanks] = {};
  uint32_t words[kBanks][kLanes];  // that each bank gave so far, the largest of them last
  for (const uint32_t lane : set_bits(mask)) {
    const Address at = offsets[lane];
    for (Address word = at / 4; word <= (at + size - 1) / 4; ++word) {
      const uint32_t bank = word % kBanks, w = static_cast<uint32_t>(word);
      uint32_t& n = count[bank];
      uint32_t* known = words[bank];
      const bool larger = n == 0 || w > known[n - 1];  // needs no search
      if (!larger && !apart && std::find(known, known + n, w) != known + n) continue;
      known[n] = w;
      if (!larger) std::swap(known[n], known[n - 1]);
      served(n++, bank, lane);
    }
  }
}

}  // namespace warplens::simt::inline WARPLENS_ISA_NAME
