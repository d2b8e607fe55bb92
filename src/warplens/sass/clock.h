// How long one warp would take by itself: the waits that the compiler wrote into every instruction, followed through.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "warplens/sass/word.h"

namespace warplens::sass {

/// Time is kept three times: with global memory answering from L1, from L2 and from DRAM.
inline constexpr size_t kMemoryLevels = 3;
using Cycles = std::array<uint64_t, kMemoryLevels>;

/// What an instruction's result takes to arrive, where it is not fixed at compile time. Hopper, in cycles.
Cycles latency_of(uint32_t opcode);

struct Schedule {  // of one instruction, from bits 105 and up
  uint8_t stall = 1, write = 7, read = 7, wait = 0;
  Cycles latency{};
};

inline Schedule schedule_of(const Word& word) {
  Schedule out;
  out.stall = static_cast<uint8_t>(std::max(word.bits(105, 4), 1u));
  out.write = static_cast<uint8_t>(word.bits(110, 3));
  out.read = static_cast<uint8_t>(word.bits(113, 3));
  out.wait = static_cast<uint8_t>(word.bits(116, 6));
  out.latency = latency_of(word.opcode());
  return out;
}

/// What a barrier of so many warps takes after the last one has come, in cycles. From kernels of little else on an
/// H200.
inline constexpr uint64_t barrier_cycles(uint64_t warps) { return 15 + 2 * warps; }

class Clock {
 public:
  /// One instruction issued; `extra` cycles more than its latency (passes of a bank conflict, say).
  void issue(const Schedule& s, uint64_t extra) {
    for (uint32_t wait = s.wait, k = 0; wait; wait >>= 1, ++k) {
      if (wait & 1) meet(ready_[k]);
    }
    for (size_t level = 0; level < kMemoryLevels; ++level) {
      if (s.write < 6)
        ready_[s.write][level] = std::max(ready_[s.write][level], now_[level] + s.latency[level] + extra);
      if (s.read < 6) ready_[s.read][level] = std::max(ready_[s.read][level], now_[level] + kReadCycles + extra);
      now_[level] += s.stall;
    }
  }
  void meet(const Cycles& other) {
    for (size_t level = 0; level < kMemoryLevels; ++level) now_[level] = std::max(now_[level], other[level]);
  }
  void wait(uint64_t cycles) {
    for (uint64_t& now : now_) now += cycles;
  }
  const Cycles& now() const { return now_; }

 private:
  static constexpr uint64_t kReadCycles = 12;
  Cycles now_{};
  std::array<Cycles, 6> ready_{};
};

}  // namespace warplens::sass
