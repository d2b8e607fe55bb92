// The distinct 32-byte sectors of a request with any pattern of lanes, computed once for all users.
#pragma once
#include <algorithm>
#include <cstring>

#include "warplens/run/sass/memory/addresses.h"
#include "warplens/simt/requests/count_lanes.h"

namespace warplens::simt::sass_machine {

/// Sectors first + at[0 .. count), in the order of the lanes that touch them first.
struct alignas(64) Sectors {
  uint32_t at[kLanes + 16];  // whole vectors are written
  uint64_t first = 0;        // begins a line of four
  uint32_t count = 0;
  uint32_t lines = 0;  // distinct ones of 128 bytes
};

}  // namespace warplens::simt::sass_machine

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {

#if defined(__AVX512CD__)
using simt::Ints;

/// Of eight numbers, those that are not there before.
inline __attribute__((always_inline)) uint32_t distinct_of_eight(__m512i v) {
  const __m512i before = _mm512_maskz_conflict_epi64(0xff, v);
  return _mm512_testn_epi64_mask(before, before);
}

/// Where each four lanes share a sector, as in fragments of matrices; false where they do not.
inline __attribute__((always_inline)) bool find_sectors_of_fours(const Addresses& at, Sectors* out) {
  Eight v[4], apart{};
  for (int k = 0; k < 4; ++k) {
    std::memcpy(&v[k], at.value + 8 * k, sizeof v[k]);
    v[k] >>= 5;
    apart |= v[k] ^ __builtin_shufflevector(v[k], v[k], 0, 0, 0, 0, 4, 4, 4, 4);
  }
  const auto any = reinterpret_cast<__m512i>(apart);
  if (_mm512_test_epi64_mask(any, any)) return false;
  const Eight low = __builtin_shufflevector(v[0], v[1], 0, 4, 8, 12, 0, 4, 8, 12),
              high = __builtin_shufflevector(v[2], v[3], 0, 4, 8, 12, 0, 4, 8, 12);
  const Eight sectors = __builtin_shufflevector(low, high, 0, 1, 2, 3, 8, 9, 10, 11) - out->first;
  const uint32_t firsts = distinct_of_eight(reinterpret_cast<__m512i>(sectors));
  const auto found = _mm512_maskz_compress_epi64(static_cast<__mmask8>(firsts), reinterpret_cast<__m512i>(sectors));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out->at), _mm512_maskz_cvtepi64_epi32(0xff, found));
  out->count = static_cast<uint32_t>(__builtin_popcount(firsts));
  out->lines = static_cast<uint32_t>(__builtin_popcount(distinct_of_eight(reinterpret_cast<__m512i>(sectors >> 2))));
  return true;
}

/// Accesses are aligned to their size, have at most 32 bytes, and are less than 2^31 bytes after `low`, all 32 of them.
inline void find_sectors(const Addresses& at, uint64_t low, Sectors* out) {
  out->first = low / 128 * 4;
  if (find_sectors_of_fours(at, out)) return;
  Ints v[2];
  for (int half = 0; half < 2; ++half) {
    const auto* from = reinterpret_cast<const __m512i*>(at.value + 16 * half);
    const __m512i base = _mm512_set1_epi64(static_cast<int64_t>(out->first));
    const __m512i a = _mm512_maskz_srli_epi64(0xff, from[0], 5) - base,
                  b = _mm512_maskz_srli_epi64(0xff, from[1], 5) - base;
    v[half] = __builtin_shufflevector(reinterpret_cast<Ints>(a), reinterpret_cast<Ints>(b), 0, 2, 4, 6, 8, 10, 12, 14,
                                      16, 18, 20, 22, 24, 26, 28, 30);  // the low words
  }
  const uint32_t lanes = simt::distinct_lanes(v[0], v[1]);
  const auto low_lanes = static_cast<__mmask16>(lanes), high_lanes = static_cast<__mmask16>(lanes >> 16);
  const auto low_count = static_cast<uint32_t>(__builtin_popcount(lanes & 0xffff));
  _mm512_storeu_si512(out->at, _mm512_maskz_compress_epi32(low_lanes, reinterpret_cast<__m512i>(v[0])));
  _mm512_storeu_si512(out->at + low_count, _mm512_maskz_compress_epi32(high_lanes, reinterpret_cast<__m512i>(v[1])));
  out->count = low_count + static_cast<uint32_t>(__builtin_popcount(lanes >> 16));
  const uint32_t lines = simt::distinct_lanes(v[0] >> 2, v[1] >> 2);
  out->lines = static_cast<uint32_t>(__builtin_popcount(lines));
}
#else
inline void find_sectors(const Addresses& at, uint64_t low, Sectors* out) {
  out->first = low / 128 * 4;
  uint32_t lines[kLanes], *end = out->at, *last_line = lines;
  for (const uint64_t address : at.value) {
    const auto sector = static_cast<uint32_t>(address / 32 - out->first);
    if (std::find(out->at, end, sector) != end) continue;
    *end++ = sector;
    if (std::find(lines, last_line, sector / 4) == last_line) *last_line++ = sector / 4;
  }
  out->count = static_cast<uint32_t>(end - out->at);
  out->lines = static_cast<uint32_t>(last_line - lines);
}
#endif

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
