// Bytes between memory and the registers of 32 lanes.
#pragma once
#include <bit>
#include <cstring>

#include "warplens/base/set_bits.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/run/sass/memory/addresses.h"
#include "warplens/simt/lanes/values.h"
#include "warplens/simt/lanes/vectors.h"
#include "warplens/simt/requests/request.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {

/// One lane's narrow value, extended by its sign where the instruction says so.
inline uint32_t narrow_value(const uint8_t* from, const Op& op) {
  uint32_t value = from[0];
  if (op.size_bytes == 2) value |= static_cast<uint32_t>(from[1]) << 8;
  const int up = 32 - 8 * op.size_bytes;
  return op.sign_extend ? static_cast<uint32_t>(static_cast<int32_t>(value << up) >> up) : value;
}

/// Puts `size_bytes` bytes into the registers of one lane.
inline void put_lane(uint32_t* rows, uint32_t lane, const uint8_t* from, const Op& op) {
  if (op.size_bytes < 4) {
    rows[lane] = narrow_value(from, op);
    return;
  }
  if (op.size_bytes == 8) {
    uint64_t whole;  // at once: other threads of this computer may write it meanwhile
    std::memcpy(&whole, from, 8);
    rows[lane] = static_cast<uint32_t>(whole);
    rows[kLanes + lane] = static_cast<uint32_t>(whole >> 32);
    return;
  }
  for (uint32_t word = 0; word < op.size_bytes / 4u; ++word)
    std::memcpy(&rows[word * kLanes + lane], from + 4 * word, 4);
}
inline void get_lane(const uint32_t* rows, uint32_t lane, uint8_t* to, const Op& op) {
  if (op.size_bytes == 8) {
    const uint64_t whole = rows[lane] | static_cast<uint64_t>(rows[kLanes + lane]) << 32;
    std::memcpy(to, &whole, 8);
    return;
  }
  if (op.size_bytes >= 4) {
    for (uint32_t word = 0; word < op.size_bytes / 4u; ++word)
      std::memcpy(to + 4 * word, &rows[word * kLanes + lane], 4);
    return;
  }
  std::memcpy(to, &rows[lane], op.size_bytes);
}

/// Each lane of `on` moves its bytes at origin + at; an origin of 0 means whole addresses. If several lanes store to
/// one address, the winner is that of an H200 (simt/requests/request.h).
template <bool kStore>
inline void move_lanes(const Op& op, uint32_t* rows, uint64_t origin, const Addresses& at, uint32_t on) {
  if constexpr (kStore) {
    if (on == kAll && op.size_bytes >= 4 && op.size_bytes != 8) {  // those of 8 bytes move at once: see get_lane
      const uint32_t width = 4 * kLanes / op.size_bytes;           // lanes at once
      for (uint32_t word = 0; word < op.size_bytes / 4u; ++word) {
        for (uint32_t k = 0; k < kLanes; ++k) {
          const uint32_t i = k ^ (width - 1);
          std::memcpy(reinterpret_cast<uint8_t*>(origin + at.value[i] + 4 * word), &rows[word * kLanes + i], 4);
        }
      }
      return;
    }
    simt::in_store_order(on, op.size_bytes, [&](uint32_t lane) {
      get_lane(rows, lane, reinterpret_cast<uint8_t*>(origin + at.value[lane]), op);
    });
    return;
  }
  for (const uint32_t lane : set_bits(on))
    put_lane(rows, lane, reinterpret_cast<uint8_t*>(origin + at.value[lane]), op);
}

/// True if the words of each four lanes are consecutive, as in fragments of matrices.
inline __attribute__((always_inline)) bool in_fours(const Addresses& at) {
  constexpr Eight kSteps{0, 4, 8, 12, 0, 4, 8, 12};
  Eight apart{};
  for (int k = 0; k < 4; ++k) {
    Eight v;
    std::memcpy(&v, at.value + 8 * k, sizeof v);
    apart |= v ^ (__builtin_shufflevector(v, v, 0, 0, 0, 0, 4, 4, 4, 4) + kSteps);
  }
  uint64_t any = 0;
  for (int k = 0; k < 8; ++k) any |= apart[k];
  return any == 0;
}

/// The lanes of `on` read at least 4 bytes each; the others' addresses must be fit to be read too (see look_at).
inline void read_lanes(const Op& op, uint32_t* rows, uint64_t origin, const Addresses& at, uint32_t on) {
  if (op.size_bytes == 4 && on == kAll && in_fours(at)) {
    for (uint32_t i = 0; i < kLanes; i += 4)
      std::memcpy(rows + i, reinterpret_cast<const uint8_t*>(origin + at.value[i]), 16);
    return;
  }
  if (op.size_bytes == 8) {
    Lanes low, high;
    for (uint32_t i = 0; i < kLanes; ++i) {
      uint64_t whole;
      std::memcpy(&whole, reinterpret_cast<const uint8_t*>(origin + at.value[i]), 8);
      low.value[i] = static_cast<uint32_t>(whole);
      high.value[i] = static_cast<uint32_t>(whole >> 32);
    }
    store(rows, low, on);
    store(rows + kLanes, high, on);
    return;
  }
  for (uint32_t word = 0; word < op.size_bytes / 4u; ++word) {
    if (on == kAll) {
#pragma GCC unroll 8
      for (uint32_t i = 0; i < kLanes; ++i)
        std::memcpy(&rows[word * kLanes + i], reinterpret_cast<const uint8_t*>(origin + at.value[i] + 4 * word), 4);
      continue;
    }
    Lanes lanes;
    for (uint32_t i = 0; i < kLanes; ++i)
      std::memcpy(&lanes.value[i], reinterpret_cast<const uint8_t*>(origin + at.value[i] + 4 * word), 4);
    store(rows + word * kLanes, lanes, on);
  }
}

/// Both halves of a full warp, each consecutive or all at one address, from origin + at.
template <uint32_t kWords>
inline void read_halves(uint32_t* rows, uint64_t origin, const Addresses& at) {
  for (uint32_t half = 0; half < kLanes; half += 16) {
    const auto* from = reinterpret_cast<const uint8_t*>(origin + at.value[half]);
    const bool run = at.value[half] != at.value[half + 1];
    uint32_t words[16 * kWords];
    std::memcpy(words, from, run ? sizeof words : 4 * kWords);
    for (uint32_t word = 0; word < kWords; ++word) {
      uint32_t* row = rows + word * kLanes + half;
      if (run) {
        for (uint32_t i = 0; i < 16; ++i) row[i] = words[i * kWords + word];
      } else {
        for (uint32_t i = 0; i < 16; ++i) row[i] = words[word];
      }
    }
  }
}

/// All 32 lanes, consecutive from `bytes`, at least 4 bytes each.
template <bool kStore, uint32_t kWords>
inline __attribute__((always_inline)) void move_words(uint32_t* rows, uint8_t* bytes) {
  alignas(64) uint32_t lanes[kWords * kLanes];  // as they are in memory
  if constexpr (kStore) {
    for (uint32_t i = 0; i < kLanes; ++i) {
      for (uint32_t word = 0; word < kWords; ++word) lanes[i * kWords + word] = rows[word * kLanes + i];
    }
    std::memcpy(bytes, lanes, sizeof lanes);
  } else {
    std::memcpy(lanes, bytes, sizeof lanes);
    for (uint32_t word = 0; word < kWords; ++word) {
      for (uint32_t i = 0; i < kLanes; ++i) rows[word * kLanes + i] = lanes[i * kWords + word];
    }
  }
}
template <bool kStore>
inline void move_run(const Op& op, uint32_t* rows, uint8_t* bytes) {
  if (op.size_bytes == 4) {
    auto* memory = reinterpret_cast<uint32_t*>(bytes);
    return kStore ? copy_lanes(memory, rows) : copy_lanes(rows, memory);
  }
  if (op.size_bytes == 8) return move_words<kStore, 2>(rows, bytes);
  move_words<kStore, 4>(rows, bytes);
}

/// The lanes of `on`, where lane i has its bytes at origin + i * size.
template <bool kStore>
inline void move_lanes_of_run(const Op& op, uint32_t* rows, uint64_t origin, uint32_t on) {
  if (op.size_bytes == 4) {
    auto* bytes = reinterpret_cast<uint32_t*>(origin);
    return kStore ? simt::store_run(bytes, rows, on) : simt::load_run(rows, bytes, on);
  }
  for (const uint32_t lane : set_bits(on)) {
    auto* bytes = reinterpret_cast<uint8_t*>(origin + uint64_t{lane} * op.size_bytes);
    kStore ? get_lane(rows, lane, bytes, op) : put_lane(rows, lane, bytes, op);
  }
}

/// The lanes of `on` in a row: the first of them has its bytes at `begin`.
template <bool kStore>
inline void move_row(const Op& op, uint32_t* rows, uint8_t* begin, uint32_t on) {
  if (on == kAll && op.size_bytes >= 4) return move_run<kStore>(op, rows, begin);
  const auto first = static_cast<uint64_t>(std::countr_zero(on));
  move_lanes_of_run<kStore>(op, rows, reinterpret_cast<uint64_t>(begin) - first * op.size_bytes, on);
}

/// The lanes of `on` read the same bytes.
inline void read_one(const Op& op, uint32_t* rows, const uint8_t* bytes, uint32_t on) {
  for (uint32_t word = 0; word < (op.size_bytes + 3u) / 4; ++word) {
    uint32_t value;
    if (op.size_bytes < 4) value = narrow_value(bytes, op);
    else std::memcpy(&value, bytes + 4 * word, 4);
    Lanes lanes;
    for (uint32_t& lane : lanes.value) lane = value;
    store(rows + word * kLanes, lanes, on);
  }
}

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
