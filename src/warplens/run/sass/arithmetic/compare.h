// Compares.
#pragma once
#include <utility>

#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/simt/lanes/compare.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {

/// Lanes where a(i) and b(i) lie as one of the bits of `how` says, a simt::Relation.
template <typename A, typename B>
inline uint32_t compare_lanes(uint32_t how, A a, B b) {
  const auto lanes = [&](auto holds) {
    Lanes out;
    for (int i = 0; i < kLanes; ++i) out.value[i] = holds(a(i), b(i));
    return mask_of(out);
  };
  switch (how) {
    case 0: return 0;
    case 1: return lanes([](auto x, auto y) { return simt::holds<1>(x, y); });
    case 2: return lanes([](auto x, auto y) { return simt::holds<2>(x, y); });
    case 3: return lanes([](auto x, auto y) { return simt::holds<3>(x, y); });
    case 4: return lanes([](auto x, auto y) { return simt::holds<4>(x, y); });
    case 5: return lanes([](auto x, auto y) { return simt::holds<5>(x, y); });
    case 6: return lanes([](auto x, auto y) { return simt::holds<6>(x, y); });
    case 7: return lanes([](auto x, auto y) { return simt::holds<7>(x, y); });
    default: return ~compare_lanes(15 - how, a, b);  // with the unordered
  }
}

inline void finish_compare(Warp& w, const Op& op, uint32_t lanes, uint32_t on) {
  const uint32_t mode = op.word.bits(74, 2), with = w.value(op.p);
  w.set(op.set0, combine(mode, lanes, with), on);
  w.set(op.set1, combine(mode, ~lanes, with), on);
}

/// Compares use bits 74 and 75 for how they combine, so a source at bit 64 has no signs.
inline bool prepare_compare(Decoder& d, Op& op, bool is_double, Handler run) {
  d.operands(op, is_double);
  Decoder::signs(op);
  const bool swapped = op.word.holds_c_low();
  Operand& at64 = swapped ? op.b : op.c;
  at64.negate = at64.absolute = false;
  if (swapped) std::swap(op.b, op.c);
  op.run = run;
  return true;
}
}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
