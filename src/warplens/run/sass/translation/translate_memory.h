// The shared part of translated memory accesses: see translate_memory.cpp.
#pragma once
#include <bit>
#include <cstddef>

#include "warplens/run/sass/translation/translator.h"

namespace warplens::simt::sass_machine {

inline bool is_store(const Op& op) { return op.native == Native::kStoreGlobal || op.native == Native::kStoreShared; }
inline bool has_high_words(const Op& op) { return is_global(op) && !op.narrow; }
inline uint8_t doublings(const Op& op) { return static_cast<uint8_t>(std::countr_zero(uint32_t{op.size_bytes})); }

inline constexpr uint8_t kEqual = 0, kLessOrEqual = 2, kNotLess = 5;  // how integers compare

// General registers, from the first lane's address on: it, and the begin of a row in front of it.
inline constexpr Gpr kAddress = kRax, kLane = kRcx, kUpperWord = kRdx, kAhead = kRdi, kBase = kR11, kScratch = kR10;
// And vectors: the first lane's words, everywhere.
inline constexpr int kFirst = 0, kFirstHigh = 2, kFirstBase = 3, kFirstBaseHigh = 4, kTried = 1;
inline constexpr int kPlaces = 8;  // and the next: where lanes that lie anywhere go, from a register on

/// The target of an instruction in device memory.
inline Place of_reach(const Op& op, size_t offset) {
  return {kReach, static_cast<int32_t>(op.index * sizeof(Reach) + offset)};
}

}  // namespace warplens::simt::sass_machine
