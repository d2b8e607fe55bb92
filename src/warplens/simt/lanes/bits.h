// Logic, permutations of bytes, bit fields and products of bytes, one lane at a time, written so that loops over lanes
// vectorise.
#pragma once
#include "warplens/simt/lanes/values.h"

namespace warplens::simt::inline WARPLENS_ISA_NAME {

/// Bit 4a + 2b + c of `table` is the result for the inputs' bits a, b and c.
inline __attribute__((always_inline)) uint32_t logic(uint32_t table, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t out = 0;
#pragma GCC unroll 8
  for (uint32_t k = 0; k < 8; ++k)
    out |= (0u - (table >> k & 1)) & (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
  return out;
}

/// The same of two inputs: bit 2a + b.
constexpr uint32_t logic_of_two(uint32_t table, uint32_t a, uint32_t b) {
  switch (table) {
    case 0: return 0;
    case 1: return ~(a | b);
    case 2: return ~a & b;
    case 3: return ~a;
    case 4: return a & ~b;
    case 5: return ~b;
    case 6: return a ^ b;
    case 7: return ~(a & b);
    case 8: return a & b;
    case 9: return ~(a ^ b);
    case 10: return b;
    case 11: return ~a | b;
    case 12: return a;
    case 13: return a | ~b;
    case 14: return a | b;
    default: return ~0u;
  }
}
/// For a table known at compile time: its upper half applies if a is set, else the lower.
template <uint32_t kTable>
inline __attribute__((always_inline)) uint32_t logic(uint32_t a, uint32_t b, uint32_t c) {
  constexpr uint32_t kUpper = kTable >> 4, kLower = kTable & 15;
  if constexpr (kUpper == kLower) return logic_of_two(kUpper, b, c);
  else return (a & logic_of_two(kUpper, b, c)) | (~a & logic_of_two(kLower, b, c));
}

inline uint32_t byte_of(uint32_t low, uint32_t high, uint32_t selector) {
  const uint32_t index = selector & 7;
  const uint32_t byte = (index < 4 ? low >> (8 * index) : high >> (8 * (index - 4))) & 0xff;
  return selector & 8 ? (byte & 0x80 ? 0xffu : 0u) : byte;
}
/// Each of four bytes chosen among eight by four bits, of which the highest takes its sign instead.
inline uint32_t permute(uint32_t low, uint32_t high, uint32_t selectors) {
  return byte_of(low, high, selectors & 15) | byte_of(low, high, selectors >> 4 & 15) << 8 |
         byte_of(low, high, selectors >> 8 & 15) << 16 | byte_of(low, high, selectors >> 12 & 15) << 24;
}
/// The special modes of permutations as selectors: 1 f4e, 2 b4e, 3 rc8, 4 ecl, 5 ecr, 6 rc16.
inline uint32_t permute_selectors(uint32_t mode, uint32_t n) {
  constexpr uint32_t kTable[7][4] = {{0, 0, 0, 0},
                                     {0x3210, 0x4321, 0x5432, 0x6543},
                                     {0x5670, 0x6701, 0x7012, 0x0123},
                                     {0x0000, 0x1111, 0x2222, 0x3333},
                                     {0x3210, 0x3211, 0x3222, 0x3333},
                                     {0x0000, 0x1110, 0x2210, 0x3210},
                                     {0x1010, 0x3232, 0x1010, 0x3232}};
  return kTable[mode][n & 3];
}

inline uint32_t set_bits_of(uint32_t x) {
  x = x - (x >> 1 & 0x55555555);
  x = (x & 0x33333333) + (x >> 2 & 0x33333333);
  return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}
inline uint32_t reversed(uint32_t x) {
  x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
  x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
  x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
  return __builtin_bswap32(x);
}

/// The lowest `bits` bits, the others filled with the sign or with zeros.
inline uint32_t sign_extended(uint32_t a, uint32_t bits) {
  return bits == 0 ? 0 : bits >= 32 ? a : static_cast<uint32_t>(static_cast<int32_t>(a << (32 - bits)) >> (32 - bits));
}
inline uint32_t zero_extended(uint32_t a, uint32_t bits) { return bits >= 32 ? a : a & ((1u << bits) - 1); }
inline uint32_t ones_at(uint32_t place, uint32_t count) {
  const uint32_t ones = count >= 32 ? ~0u : (1u << count) - 1;
  return place >= 32 ? 0 : ones << place;
}

/// Sums of products of four bytes of A and B, and of two halves by two bytes, the lower or the upper ones.
template <typename A, typename B>
inline uint32_t dot_of_bytes(uint32_t a, uint32_t b) {
  int64_t sum = 0;
  for (int i = 0; i < 4; ++i) sum += int64_t{static_cast<A>(a >> (8 * i))} * static_cast<B>(b >> (8 * i));
  return static_cast<uint32_t>(sum);
}
template <typename A, typename B>
inline uint32_t dot_of_halves(uint32_t a, uint32_t b, bool upper) {
  const uint32_t bytes = upper ? b >> 16 : b;
  return static_cast<uint32_t>(int64_t{static_cast<A>(a)} * static_cast<B>(bytes) +
                               int64_t{static_cast<A>(a >> 16)} * static_cast<B>(bytes >> 8));
}

}  // namespace warplens::simt::inline WARPLENS_ISA_NAME
