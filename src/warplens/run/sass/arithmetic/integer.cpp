// Integer arithmetic, on the lanes' registers and on the uniform ones.
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/simt/lanes/bits.h"
#include "warplens/simt/lanes/integers.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {
namespace {

/// What carries into lane i of an .X instruction.
uint64_t carry_in(const Warp& w, const Guard& g, int i) { return w.value(g) >> i & 1; }

/// Sums of 32 bits and what they carry out, 0 to 2.
void iadd3(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c);
  const bool extended = op.mode & kExtended;
  const uint32_t fa = op.mode & kNegateA ? kAll : 0, fb = op.mode & kNegateB ? kAll : 0,
                 fc = op.mode & kNegateC ? kAll : 0;
  const uint32_t ones = extended ? 0 : (fa & 1) + (fb & 1) + (fc & 1);  // of the two's complements
  const uint32_t in_p = extended ? w.value(op.p) : 0, in_q = extended ? w.value(op.q) : 0;
  Lanes out, once, twice;
  for (uint32_t i = 0; i < kLanes; ++i) {
    const uint32_t x = a[i] ^ fa, two = x + (b[i] ^ fb), three = two + (c[i] ^ fc);
    const uint32_t sum = three + ones + (in_p >> i & 1) + (in_q >> i & 1);
    const uint32_t carries =
        static_cast<uint32_t>(two < x) + static_cast<uint32_t>(three < two) + static_cast<uint32_t>(sum < three);
    out.value[i] = sum;
    once.value[i] = carries >= 1;
    twice.value[i] = carries >= 2;
  }
  store(w.row(op.target), out, on);
  w.set(op.set0, mask_of(once), on);
  w.set(op.set1, mask_of(twice), on);
}

void iadd3_plain(Warp& w, const Op& op, uint32_t on) {
  const uint32_t fa = op.mode & kNegateA ? kAll : 0, fb = op.mode & kNegateB ? kAll : 0,
                 fc = op.mode & kNegateC ? kAll : 0;
  map(w, op, on, [=](uint32_t a, uint32_t b, uint32_t c) { return (a ^ fa) - fa + ((b ^ fb) - fb) + ((c ^ fc) - fc); });
}

bool prepare_iadd3(Decoder& d, Op& op) {
  d.operands(op);
  if (op.word.negates_a()) op.mode |= kNegateA;
  if (op.word.negates_b()) op.mode |= kNegateB;
  if (op.word.negates_c()) op.mode |= kNegateC;
  if (op.word.bit(74)) op.mode |= kExtended;
  const bool plain = !op.word.bit(74) && (op.set0 & 7) == 7 && (op.set1 & 7) == 7;
  op.run = plain ? iadd3_plain : iadd3;
  op.native = plain ? Native::kAdd3 : (op.set1 & 7) == 7 ? Native::kAddCarry : Native::kNone;
  return true;
}

/// Of pairs of 16 bits.
void add_pairs(Warp& w, const Op& op, uint32_t on) {
  const uint32_t fa = op.mode & kNegateA ? kAll : 0, fb = op.mode & kNegateB ? kAll : 0;
  map(w, op, on, [=](uint32_t a, uint32_t b, uint32_t) {
    const uint32_t low = ((a ^ fa) - fa + ((b ^ fb) - fb)) & 0xffff;
    return low | (((a >> 16) ^ fa) - fa + (((b >> 16) ^ fb) - fb)) << 16;
  });
}

/// Of signed words: what is too large becomes the largest.
void add_saturated(Warp& w, const Op& op, uint32_t on) {
  const int64_t fa = op.mode & kNegateA ? -1 : 1, fb = op.mode & kNegateB ? -1 : 1;
  map(w, op, on, [=](uint32_t a, uint32_t b, uint32_t) {
    const int64_t sum = fa * static_cast<int32_t>(a) + fb * static_cast<int32_t>(b);
    return static_cast<uint32_t>(saturated_word(sum));
  });
}

bool prepare_viadd(Decoder& d, Op& op) {
  d.operands(op);
  op.c = d.source(kRegisterZero);
  if (op.word.bit(72)) op.mode |= kNegateA;
  if (op.word.form() != 4 && op.word.bit(63)) op.mode |= kNegateB;
  if (op.word.bit(74)) {
    constexpr uint32_t kOfSignedWords = 0b1000000;  // bits 74 to 80, less the one that says so
    op.run = add_saturated;
    return op.word.bits(74, 7) == (kOfSignedWords | 1) && !op.word.bit(73);
  }
  op.run = op.word.bit(73) ? add_pairs : iadd3_plain;
  op.native = op.word.bit(73) ? Native::kNone : Native::kAdd3;
  return true;
}

void imad(Warp& w, const Op& op, uint32_t on) {
  const uint32_t fc = op.mode & kNegateC ? kAll : 0;
  map(w, op, on, [=](uint32_t a, uint32_t b, uint32_t c) { return a * b + ((c ^ fc) - fc); });
}

void imad_x(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c);
  const uint32_t flip = op.mode & kNegateC ? kAll : 0;
  Lanes out;
  for (int i = 0; i < kLanes; ++i) {
    out.value[i] = a[i] * b[i] + (c[i] ^ flip) + static_cast<uint32_t>(carry_in(w, op.p, i));
  }
  store(w.row(op.target), out, on);
}

bool prepare_imad(Decoder& d, Op& op) {
  d.operands(op);
  if (op.word.negates_c()) op.mode |= kNegateC;
  op.run = op.word.bit(74) ? imad_x : imad;
  op.native = op.word.bit(74) ? Native::kMultiplyAddCarry : Native::kMultiplyAdd;
  return true;
}

uint64_t product(uint32_t a, uint32_t b, bool is_signed) {
  if (!is_signed) return uint64_t{a} * b;
  return static_cast<uint64_t>(int64_t{static_cast<int32_t>(a)} * static_cast<int32_t>(b));
}

/// Products with what lanes add to them: c, complemented or less its sign, and a carry.
struct WideSum {
  uint64_t flip = 0, one = 0;
  uint32_t in = 0;
  WideSum(const Warp& w, const Op& op)
      : flip(op.mode & kNegateC ? ~uint64_t{0} : 0),
        one(op.mode & kNegateC && !(op.mode & kExtended) ? 1 : 0),
        in(op.mode & kExtended ? w.value(op.p) : 0) {}
  uint64_t operator()(int i, uint64_t left, uint64_t c, uint32_t* carry) const {
    const uint64_t sum = left + ((c ^ flip) + one), total = sum + (in >> i & 1);
    *carry = static_cast<uint32_t>(sum < left) | static_cast<uint32_t>(total < sum);
    return total;
  }
};

void imad_wide(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c);
  const WideSum sum(w, op);
  Lanes carries;
  map_pair(w, op, on,
           [&](int i) { return sum(i, product(a[i], b[i], op.mode & kSigned), wide(c, i), &carries.value[i]); });
  w.set(op.set0, mask_of(carries), on);
}

template <bool kIsSigned>
void imad_wide_plain(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c);
  map_pair(w, op, on, [=](int i) { return product(a[i], b[i], kIsSigned) + wide(c, i); });
}

void imad_high(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c);
  const WideSum sum(w, op);
  Lanes out, carries;
  for (int i = 0; i < kLanes; ++i) {
    const uint64_t all = sum(i, product(a[i], b[i], op.mode & kSigned), wide(c, i), &carries.value[i]);
    out.value[i] = static_cast<uint32_t>(all >> 32);
  }
  store(w.row(op.target), out, on);
  w.set(op.set0, mask_of(carries), on);
}

bool prepare_product(Decoder& d, Op& op, Handler run) {
  d.operands(op);
  if (op.word.bit(73)) op.mode |= kSigned;
  if (op.word.bit(74)) op.mode |= kExtended;
  if (op.word.negates_c()) op.mode |= kNegateC;
  op.run = run;
  return true;
}
bool prepare_imad_wide(Decoder& d, Op& op) {
  const bool known = prepare_product(d, op, imad_wide);
  const bool plain = !(op.mode & (kExtended | kNegateC)) && (op.set0 & 7) == 7;
  if (!plain) return known;
  op.run = op.mode & kSigned ? imad_wide_plain<true> : imad_wide_plain<false>;
  op.native = op.mode & kSigned ? Native::kMultiplyAddWide : Native::kMultiplyAddUnsigned;
  return known;
}
bool prepare_imad_high(Decoder& d, Op& op) {
  const bool known = prepare_product(d, op, imad_high);
  if ((op.set0 & 7) == 7 && !(op.mode & (kExtended | kNegateC))) op.native = Native::kMultiplyAddHigh;
  return known;
}

void lea(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c);
  const int shift = static_cast<int>(op.offset);
  const bool high = op.mode & kHigh, sign = op.mode & kSignExtendA, extended = op.mode & kExtended;
  const uint32_t flip = op.mode & kNegateA ? kAll : 0, flip_b = op.mode & kNegateB ? kAll : 0;
  const uint32_t add = extended ? 0 : (flip & 1) + (flip_b & 1), in = extended ? w.value(op.p) : 0;
  Lanes out, carries;
  for (uint32_t i = 0; i < kLanes; ++i) {
    const uint32_t upper = sign ? static_cast<uint32_t>(static_cast<int32_t>(a[i]) >> 31) : c[i];
    const uint64_t both = a[i] | static_cast<uint64_t>(upper) << 32;
    const uint32_t shifted = high ? static_cast<uint32_t>(both << shift >> 32) : a[i] << shift;
    const uint64_t sum = uint64_t{shifted ^ flip} + add + (b[i] ^ flip_b) + (in >> i & 1);
    out.value[i] = static_cast<uint32_t>(sum);
    carries.value[i] = static_cast<uint32_t>(sum >> 32);
  }
  store(w.row(op.target), out, on);
  w.set(op.set0, mask_of(carries), on);
}

/// Low words, nothing carried.
void lea_plain(Warp& w, const Op& op, uint32_t on) {
  const auto shift = static_cast<uint32_t>(op.offset);
  map(w, op, on, [=](uint32_t a, uint32_t b, uint32_t) { return (a << shift) + b; });
}
/// Low words, with what is carried: the first half of an address.
void lea_carry(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b);
  const auto shift = static_cast<uint32_t>(op.offset);
  Lanes out, carries;
  for (int i = 0; i < kLanes; ++i) {
    const uint32_t shifted = a[i] << shift;
    out.value[i] = shifted + b[i];
    carries.value[i] = out.value[i] < shifted;
  }
  store(w.row(op.target), out, on);
  w.set(op.set0, mask_of(carries), on);
}
/// High words, mostly with what was carried: the second half.
void lea_high(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c), in = op.mode & kExtended ? w.value(op.p) : 0;
  const auto shift = static_cast<uint32_t>(op.offset), down = 31 - shift;
  const bool sign = op.mode & kSignExtendA;
  Lanes out;
  for (uint32_t i = 0; i < kLanes; ++i) {
    const uint32_t upper = sign ? static_cast<uint32_t>(static_cast<int32_t>(a[i]) >> 31) : c[i];
    out.value[i] = (upper << shift | a[i] >> 1 >> down) + b[i] + (in >> i & 1);
  }
  store(w.row(op.target), out, on);
}
bool prepare_lea(Decoder& d, Op& op) {
  d.operands(op);
  op.offset = op.word.bits(75, 5);
  if (op.word.bit(72)) op.mode |= kNegateA;
  if (op.word.form() != 2 && op.word.form() != 4 && op.word.bit(63)) op.mode |= kNegateB;
  if (op.word.bit(73)) op.mode |= kSignExtendA;
  if (op.word.bit(74)) op.mode |= kExtended;
  if (op.word.bit(80)) op.mode |= kHigh;
  const bool unsigned_low = !(op.mode & (kNegateA | kNegateB | kExtended | kHigh)), carries = (op.set0 & 7) != 7;
  const bool second = (op.mode & kHigh) && !(op.mode & (kNegateA | kNegateB)) && !carries;
  op.run = unsigned_low ? (carries ? lea_carry : lea_plain) : second ? lea_high : lea;
  op.native = unsigned_low ? (carries ? Native::kShiftAddCarry : Native::kShiftAdd)
              : second     ? Native::kShiftAddHigh
                           : Native::kNone;
  return true;
}

void iabs(Warp& w, const Op& op, uint32_t on) {
  map(w, op, on, [](uint32_t, uint32_t b, uint32_t) { return magnitude(static_cast<int32_t>(b)); });
}
bool prepare_iabs(Decoder& d, Op& op) {
  d.operands(op);
  op.native = Native::kMagnitude;
  op.run = iabs;
  return true;
}

void vabsdiff(Warp& w, const Op& op, uint32_t on) {
  const bool is_signed = op.mode & kSigned;
  map(w, op, on, [=](uint32_t a, uint32_t b, uint32_t c) {
    return (is_signed ? absolute_difference(static_cast<int32_t>(a), static_cast<int32_t>(b))
                      : absolute_difference(a, b)) +
           c;
  });
}
bool prepare_vabsdiff(Decoder& d, Op& op) {
  d.operands(op);
  if (op.word.bit(73)) op.mode |= kSigned;
  op.run = vabsdiff;
  return op.word.bits(74, 2) == 0;
}

/// Of each of four bytes, without sign unless `kSigned`: each by itself, c left out, or all added to c.
void absolute_differences(Warp& w, const Op& op, uint32_t on) {
  const bool sums = op.word.bit(75);
  const uint32_t flip = op.mode & kSigned ? 0x80 : 0;  // puts signed bytes in the order of those without
  map(w, op, on, [=](uint32_t a, uint32_t b, uint32_t c) {
    uint32_t apart = 0, sum = c;
    for (int byte = 0; byte < 32; byte += 8) {
      const uint32_t x = (a >> byte & 255) ^ flip, y = (b >> byte & 255) ^ flip, difference = absolute_difference(x, y);
      apart |= difference << byte;
      sum += difference;
    }
    return sums ? sum : apart;
  });
}
bool prepare_vabsdiff4(Decoder& d, Op& op) {
  d.operands(op);
  if (op.word.bit(73)) op.mode |= kSigned;
  op.run = absolute_differences;
  return !op.word.bit(72) && !op.word.bit(74) && !op.word.bit(76) && (op.set0 & 7) == 7;
}

/// Four products of bytes, or two of 16 by 8 bits.
template <typename A, typename B>
void dot_product(Warp& w, const Op& op, uint32_t on) {
  map(w, op, on, [](uint32_t a, uint32_t b, uint32_t c) { return dot_of_bytes<A, B>(a, b) + c; });
}
template <typename A, typename B>
void dot_product_of_two(Warp& w, const Op& op, uint32_t on) {
  const bool upper = op.word.bit(77);
  map(w, op, on, [=](uint32_t a, uint32_t b, uint32_t c) { return dot_of_halves<A, B>(a, b, upper) + c; });
}
/// By which of a and b are signed.
constexpr Handler kDotProducts[] = {dot_product<uint8_t, uint8_t>, dot_product<int8_t, uint8_t>,
                                    dot_product<uint8_t, int8_t>, dot_product<int8_t, int8_t>};
constexpr Handler kDotProductsOfTwo[] = {dot_product_of_two<uint16_t, uint8_t>, dot_product_of_two<int16_t, uint8_t>,
                                         dot_product_of_two<uint16_t, int8_t>, dot_product_of_two<int16_t, int8_t>};
bool prepare_idp(Decoder& d, Op& op) {
  if (op.word.bit(72)) return false;
  d.operands(op);
  op.run = (op.word.bit(76) ? kDotProductsOfTwo : kDotProducts)[op.word.bits(73, 2)];
  return true;
}

}  // namespace

const Row kIntegerRows[] = {
    {Opcode::kIadd3, prepare_iadd3},
    {Opcode::kLea, prepare_lea},
    {Opcode::kIabs, prepare_iabs},
    {Opcode::kVabsdiff, prepare_vabsdiff},
    {Opcode::kVabsdiff4, prepare_vabsdiff4},
    {Opcode::kImad, prepare_imad},
    {Opcode::kImadWide, prepare_imad_wide},
    {Opcode::kIdp, prepare_idp},
    {Opcode::kImadHi, prepare_imad_high},
    {Opcode::kViadd, prepare_viadd},
    {Opcode::kUiadd3, prepare_iadd3},
    {Opcode::kUlea, prepare_lea},
    {Opcode::kUimad, prepare_imad},
    {Opcode::kUimadWide, prepare_imad_wide},
    {Opcode::kUimadHi, prepare_imad_high},
    {Opcode::kUimadHi110, prepare_imad_high},
    {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
