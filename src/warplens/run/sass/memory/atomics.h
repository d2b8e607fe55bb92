// Read-modify-write of memory by the lanes of a warp.
#pragma once
#include "warplens/run/sass/op.h"
#include "warplens/simt/atomics/operation.h"
#include "warplens/simt/lanes/values.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {

enum class AtomicType : uint8_t { kU32, kS32, kU64, kS64, kF32, kF64, kF16x2, kBf16x2, kB128 };

inline bool is_floating(AtomicType type) { return type >= AtomicType::kF32 && type <= AtomicType::kBf16x2; }

/// Op::mode of an atomic.
inline uint32_t atomic_mode(AtomicType type, AtomicOp what) {
  return static_cast<uint32_t>(what) | static_cast<uint32_t>(type) << 8;
}
inline AtomicType atomic_type(const Op& op) { return static_cast<AtomicType>(op.mode >> 8); }
inline AtomicOp atomic_what(const Op& op) { return static_cast<AtomicOp>(op.mode & 255); }

/// ATOMS.POPC.INC: the instruction itself counts lanes on one address.
inline bool counts_lanes(const Word& word) { return word.form() == 7; }

/// Lane i of `on` changes the bytes at origin + at[i]. Values are rows of 32 lanes, a row for each 4 bytes; `old` is
/// nullptr if the old values are not needed.
struct AtomicLanes {
  uint64_t origin = 0;
  const uint64_t* at = nullptr;
  const uint32_t* value = nullptr;
  const uint32_t* expected = nullptr;  // of a compare-and-swap
  uint32_t* old = nullptr;
  uint32_t on = 0;
  bool run = false;  // all 32 lanes, one after another
  bool own = false;  // no other CPU thread is at this memory
  bool global = false;
};
/// Lane after lane.
void apply_lanes(const Op& op, const AtomicLanes& lanes);

/// A floating-point reduction that waited for those of earlier blocks.
void apply_sum(const PendingSum& sum);

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
