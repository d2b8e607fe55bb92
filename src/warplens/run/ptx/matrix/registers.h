// Elements of matrices in a warp's registers.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/run/ptx/warp.h"

namespace warplens::simt::ptx_machine {

/// Dense matrices, kept by each thread.
struct MatrixScratch {
  std::vector<uint32_t> a, b, c;
};
inline thread_local MatrixScratch matrix_scratch;

/// Elements of `bits` bits in registers: 32-bit ones hold several, f32 and s32 one.
class Registers {
 public:
  Registers(Warp& warp, uint32_t first, int bits) : warp_(warp), slots_(&warp.program->slots[first]), bits_(bits) {}

  /// dense[places[p * 32 + l]] = element p of lane l.
  void gather(const std::vector<uint16_t>& places, uint32_t* dense) const {
    if (bits_ == 32) return gather_as<32>(places, dense);
    if (bits_ == 16) return gather_as<16>(places, dense);
    if (bits_ == 8) return gather_as<8>(places, dense);
    for (size_t p = 0; p * kLanes < places.size(); ++p) {
      for (uint32_t lane = 0; lane < kLanes; ++lane)
        dense[places[p * kLanes + lane]] = word_of(p)[lane] >> shift_of(p) & mask_of();
    }
  }
  void scatter(const std::vector<uint16_t>& places, const uint32_t* dense) {
    for (size_t p = 0; p * kLanes < places.size(); ++p) {
      uint32_t* words = word_of(p);
      const uint16_t* from = places.data() + p * kLanes;
      if (bits_ == 32) {
        for (uint32_t lane = 0; lane < kLanes; ++lane) words[lane] = dense[from[lane]];
        continue;
      }
      const uint32_t mask = mask_of() << shift_of(p);
      for (uint32_t lane = 0; lane < kLanes; ++lane)
        words[lane] = (words[lane] & ~mask) | (dense[from[lane]] << shift_of(p) & mask);
    }
  }
  uint32_t get(int lane, int place) const {
    const auto p = static_cast<size_t>(place);
    return word_of(p)[lane] >> shift_of(p) & mask_of();
  }
  void set(int lane, int place, uint32_t value) {
    const auto p = static_cast<size_t>(place);
    const uint32_t mask = mask_of() << shift_of(p);
    uint32_t& word = word_of(p)[lane];
    word = (word & ~mask) | (value << shift_of(p) & mask);
  }

 private:
  template <uint32_t kBits>
  void gather_as(const std::vector<uint16_t>& places, uint32_t* dense) const {
    constexpr uint32_t kEach = 32 / kBits, kMask = kBits == 32 ? ~0u : (1u << kBits % 32) - 1;
    for (size_t p = 0; p * kLanes < places.size(); p += kEach) {
      const uint32_t* words = word_of(p);
      const uint16_t* to = places.data() + p * kLanes;
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        for (uint32_t i = 0; i < kEach; ++i) dense[to[i * kLanes + lane]] = words[lane] >> (i * kBits % 32) & kMask;
      }
    }
  }

  uint32_t* word_of(size_t place) const {
    return warp_.lanes<uint32_t>(slots_[place * static_cast<size_t>(bits_) / 32]);
  }
  int shift_of(size_t place) const { return static_cast<int>(place * static_cast<size_t>(bits_) % 32); }
  uint32_t mask_of() const { return bits_ == 32 ? ~0u : (1u << bits_) - 1; }

  Warp& warp_;
  const uint32_t* slots_;
  int bits_;
};

}  // namespace warplens::simt::ptx_machine
