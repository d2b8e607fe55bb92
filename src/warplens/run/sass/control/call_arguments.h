// The calling convention of functions that are called by address. 64-bit arguments in pairs from R4 on, 32-bit ones in
// one register, structures word by word, results in R4.
#pragma once
#include <bit>

#include "warplens/run/sass/lanes.h"
#include "warplens/run/sass/op.h"

namespace warplens::simt::sass_machine {

inline constexpr uint32_t kFirst = 4, kSecond = 6, kThird = 8, kFourth = 10;

inline uint64_t argument(Warp& w, uint32_t at, uint32_t lane) { return wide(w.row(at), static_cast<int>(lane)); }
inline void set_result(Warp& w, uint32_t lane, uint64_t value) {
  w.row(kFirst)[lane] = static_cast<uint32_t>(value);
  w.row(kFirst + 1)[lane] = static_cast<uint32_t>(value >> 32);
}

}  // namespace warplens::simt::sass_machine
