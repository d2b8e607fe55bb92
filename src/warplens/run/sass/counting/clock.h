// How long one warp would take by itself: the waits that the compiler wrote into every instruction, followed through.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "warplens/base/set_bits.h"
#include "warplens/isa/sass/instructions.h"

namespace warplens::simt::sass_machine {

/// Time is kept three times: with global memory answering from L1, from L2 and from DRAM.
inline constexpr size_t kMemoryLevels = 3;
using Cycles = std::array<uint64_t, kMemoryLevels>;

using Levels = int64_t __attribute__((vector_size(32)));  // the same side by side; the fourth is not used

/// The latency of an instruction's result, if it is not fixed at compile time. Hopper, in cycles: measured by
/// benchmarks/gpu/latencies.cu, of global memory for one line of 128 bytes.
Cycles cycles_of(sass::Latency latency);

struct Schedule {  // of one instruction, from bits 105 and up
  uint8_t stall = 1, write = 7, read = 7, wait = 0;
  Levels latency{};
  int64_t before = 0;  // stalls of all instructions before it in the code
  bool waits() const { return wait != 0 || write < 6 || read < 6; }
};

inline Schedule schedule_of(const sass::Word& word, sass::Latency latency) {
  Schedule out;
  out.stall = static_cast<uint8_t>(std::max(word.bits(105, 4), 1u));
  out.write = static_cast<uint8_t>(word.bits(110, 3));
  out.read = static_cast<uint8_t>(word.bits(113, 3));
  out.wait = static_cast<uint8_t>(word.bits(116, 6));
  const Cycles cycles = cycles_of(latency);
  for (size_t level = 0; level < kMemoryLevels; ++level) out.latency[level] = static_cast<int64_t>(cycles[level]);
  return out;
}

/// The time of a barrier after the last warp has come, in cycles, beyond the instruction's own. A loop of barriers
/// takes an H200 15.3 cycles a turn with one warp and 77.4 with 32 (benchmarks/gpu/latencies.cu).
inline constexpr uint64_t barrier_cycles(uint64_t warps) { return 4 + 2 * warps; }

/// The time of an instruction beyond its latency.
struct Answer {
  uint64_t extra = 0;           // cycles: passes of a bank conflict, say
  uint32_t line_doublings = 0;  // of the requested lines: the last one takes longer
  bool close_by = false;        // L1 answers, in any level
};

/// A loop of four or more dependent multiply-adds takes an H200 four cycles a turn beyond its instructions' times.
inline constexpr uint64_t kTakenBranchCycles = 4;

/// The added latency for each doubling of the requested lines: 32 of them take 64 cycles from L2, 425 from
/// DRAM.
inline constexpr int64_t kLineDoublings[] = {0, 13, 85, 0};  // clang reads no element of a constant vector
inline constexpr Levels kLineDoubling{kLineDoublings[0], kLineDoublings[1], kLineDoublings[2], kLineDoublings[3]};

/// When an instruction has read its sources, after it was issued.
inline constexpr int64_t kReadCycles = 12;

class Clock {
 public:
  /// Consecutive instructions only add their stalls, which Schedule::before sums up: time within a stretch of them is
  /// counted from the code's begin. Call `enter` with the `before` of the first, `leave` with that of the instruction
  /// after the last.
  void enter(int64_t before) { now_ -= before; }
  void leave(int64_t before) { now_ += before; }
  /// An instruction within a stretch that waits, or that others wait for.
  inline __attribute__((always_inline)) void issue(const Schedule& s, const Answer& answer) {
    const auto more = static_cast<int64_t>(answer.extra);
    for (const uint32_t barrier : set_bits(s.wait)) advance(&now_, ready_[barrier] - s.before);
    const Levels here = now_ + (s.before + more);
    const int64_t near = s.latency[0];
    if (s.write < 6) {
      const Levels farther = kLineDoubling * static_cast<int64_t>(answer.line_doublings);
      advance(&ready_[s.write], here + (answer.close_by ? Levels{near, near, near, 0} : s.latency + farther));
    }
    if (s.read < 6) advance(&ready_[s.read], here + kReadCycles);
  }
  /// Within a stretch, were all loads answered by DRAM; `before` is the instruction's.
  int64_t now_within(int64_t before) const { return now_[2] + before; }
  // For translated code, which does the work of `issue` and of the ends of a stretch: where the times are.
  static constexpr size_t now_offset() { return offsetof(Clock, now_); }
  static constexpr size_t ready_offset(uint32_t barrier) { return offsetof(Clock, ready_) + barrier * sizeof(Levels); }
  // Outside of a stretch:
  void meet(const Cycles& other) {
    for (size_t level = 0; level < kMemoryLevels; ++level)
      now_[level] = std::max(now_[level], static_cast<int64_t>(other[level]));
  }
  void wait(uint64_t cycles) { now_ += static_cast<int64_t>(cycles); }
  Cycles now() const {
    return {static_cast<uint64_t>(now_[0]), static_cast<uint64_t>(now_[1]), static_cast<uint64_t>(now_[2])};
  }

 private:
  static inline __attribute__((always_inline)) void advance(Levels* time, const Levels& other) {
    *time = *time > other ? *time : other;
  }
  Levels now_{};
  Levels ready_[6]{};
};

}  // namespace warplens::simt::sass_machine
