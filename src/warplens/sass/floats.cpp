// Single- and double-precision arithmetic.
#include <cmath>
#include <limits>

#include "warplens/sass/compare.h"
#include "warplens/sass/decoder.h"
#include "warplens/sass/lanes.h"
#include "warplens/sass/rounding.h"

namespace warplens::sass::inline WARPLENS_ISA_NAME {
namespace {

constexpr double kTwoPi = 6.283185307179586;

float clamp(float x) { return std::isnan(x) || x < 0 ? 0.0f : x > 1 ? 1.0f : x; }

template <typename F>
void arithmetic(Warp& w, const Op& op, uint32_t on, F f) {
  const uint32_t rounding = op.mode & 3;
  const bool saturate = op.mode & 4;
  if (!rounding && !saturate) {
    return map_signed(w, op, on, [=](uint32_t a, uint32_t b, uint32_t c) {
      return as_bits(f(as_float(a), as_float(b), as_float(c)));
    });
  }
  const Rounding scope(rounding);
  map_signed(w, op, on, [=](uint32_t a, uint32_t b, uint32_t c) {
    volatile float result = f(as_float(a), as_float(b), as_float(c));  // not moved out of the rounding scope
    return as_bits(saturate ? clamp(result) : result);
  });
}

void fmul(Warp& w, const Op& op, uint32_t on) {
  arithmetic(w, op, on, [](float a, float b, float) { return a * b; });
}
void fadd(Warp& w, const Op& op, uint32_t on) {
  arithmetic(w, op, on, [](float a, float b, float) { return a + b; });
}
void fadd_third(Warp& w, const Op& op, uint32_t on) {
  arithmetic(w, op, on, [](float a, float, float c) { return a + c; });
}
void ffma(Warp& w, const Op& op, uint32_t on) {
  arithmetic(w, op, on, [](float a, float b, float c) { return std::fma(a, b, c); });
}

bool prepare_float(Decoder& d, Op& op, Handler run) {
  d.operands(op);
  Decoder::signs(op);
  op.mode = op.word.bits(78, 2) | op.word.bits(77, 1) << 2;
  op.run = run;
  return true;
}
bool prepare_fadd(Decoder& d, Op& op) { return prepare_float(d, op, second_is_third(op.word) ? fadd_third : fadd); }
bool prepare_fmul(Decoder& d, Op& op) { return prepare_float(d, op, fmul); }
bool prepare_ffma(Decoder& d, Op& op) { return prepare_float(d, op, ffma); }

void fmnmx(Warp& w, const Op& op, uint32_t on) {
  const uint32_t smaller = w.value(op.p);
  const uint32_t *a = w.in(op.a), *b = w.in(op.b);
  const SignMask sa(op.a), sb(op.b);
  Lanes out;
  for (int i = 0; i < kLanes; ++i) {
    const float x = as_float(sa(a[i])), y = as_float(sb(b[i]));
    const bool less = (x < y) | (y != y), more = (x > y) | (y != y);  // a number beats NaN
    out.value[i] = as_bits((smaller >> i & 1 ? less : more) ? x : y);
  }
  store(w.row(op.target), out, on);
}
bool prepare_fmnmx(Decoder& d, Op& op) { return prepare_float(d, op, fmnmx); }

void fsel(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), first = w.value(op.p);
  const SignMask sa(op.a), sb(op.b);
  Lanes out;
  for (int i = 0; i < kLanes; ++i) out.value[i] = first >> i & 1 ? sa(a[i]) : sb(b[i]);
  store(w.row(op.target), out, on);
}
bool prepare_fsel(Decoder& d, Op& op) { return prepare_float(d, op, fsel); }

uint32_t compare_floats(const Warp& w, const Op& op) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b);
  const SignMask sa(op.a), sb(op.b);
  return compare_lanes(op.word.bits(76, 4), [=](int i) { return as_float(sa(a[i])); },
                       [=](int i) { return as_float(sb(b[i])); });
}
void fsetp(Warp& w, const Op& op, uint32_t on) { finish_compare(w, op, compare_floats(w, op), on); }
void fset(Warp& w, const Op& op, uint32_t on) {
  const uint32_t lanes = combine(op.word.bits(74, 2), compare_floats(w, op), w.value(op.p));
  Lanes out;
  for (int i = 0; i < kLanes; ++i) out.value[i] = lanes >> i & 1 ? as_bits(1.0f) : 0;
  store(w.row(op.target), out, on);
}
bool prepare_fsetp(Decoder& d, Op& op) { return prepare_compare(d, op, false, fsetp); }
bool prepare_fset(Decoder& d, Op& op) { return prepare_compare(d, op, false, fset); }

uint32_t high_word(double value) { return static_cast<uint32_t>(std::bit_cast<uint64_t>(value) >> 32); }
double from_high(uint32_t bits) { return std::bit_cast<double>(static_cast<uint64_t>(bits) << 32); }

uint32_t special_function(uint32_t what, uint32_t bits) {
  const float x = as_float(bits);
  switch (what) {
    case 0: return as_bits(static_cast<float>(std::cos(kTwoPi * x)));
    case 1: return as_bits(static_cast<float>(std::sin(kTwoPi * x)));
    case 3: return as_bits(std::log2(x));
    case 6: return high_word(1.0 / from_high(bits));
    case 7: return high_word(1.0 / std::sqrt(from_high(bits)));
    default: return as_bits(std::tanh(x));
  }
}
/// 2^x within 2 units in the last place; lanes go side by side.
float power_of_two(float x) {
  const float in = x < -160.0f ? -160.0f : x > 160.0f ? 160.0f : x;
  const float whole = std::nearbyint(in), t = in - whole;
  float p = 1.5403530e-4f;
  p = std::fma(p, t, 1.3333558e-3f);
  p = std::fma(p, t, 9.6181291e-3f);
  p = std::fma(p, t, 5.5504109e-2f);
  p = std::fma(p, t, 2.4022651e-1f);
  p = std::fma(p, t, 6.9314718e-1f);
  p = std::fma(p, t, 1.0f);
  const auto n = static_cast<int32_t>(whole), half = n >> 1;  // in two steps, for results below the normal range
  const float result = p * std::bit_cast<float>((half + 127) << 23) * std::bit_cast<float>((n - half + 127) << 23);
  return x == x ? result : x;
}
template <typename F>
void map_special(Warp& w, const Op& op, uint32_t on, F f) {
  const uint32_t* b = w.in(op.b);
  const SignMask sign(op.b);
  Lanes out;
  for (int i = 0; i < kLanes; ++i) out.value[i] = f(sign(b[i]));
  store(w.row(op.target), out, on);
}
void mufu(Warp& w, const Op& op, uint32_t on) {
  switch (op.mode) {
    case 2: return map_special(w, op, on, [](uint32_t x) { return as_bits(power_of_two(as_float(x))); });
    case 4: return map_special(w, op, on, [](uint32_t x) { return as_bits(1.0f / as_float(x)); });
    case 5: return map_special(w, op, on, [](uint32_t x) { return as_bits(1.0f / __builtin_sqrtf(as_float(x))); });
    case 8: return map_special(w, op, on, [](uint32_t x) { return as_bits(__builtin_sqrtf(as_float(x))); });
    default: return map_special(w, op, on, [&](uint32_t x) { return special_function(op.mode, x); });
  }
}
bool prepare_mufu(Decoder& d, Op& op) {
  d.operands(op);
  if (op.word.form() != 4) op.b.negate = op.word.bit(63), op.b.absolute = op.word.bit(62);
  op.mode = op.word.bits(74, 6);
  op.run = mufu;
  return op.mode <= 9;
}

/// True where a / b needs the slow routine: a result, its reciprocal or a remainder could leave the normal range.
uint32_t needs_slow_division(float a, float b) {
  const int ea = static_cast<int>(as_bits(a) >> 23 & 255), eb = static_cast<int>(as_bits(b) >> 23 & 255),
            apart = ea - eb;
  const uint32_t odd = (eb == 0) | (eb >= 253) | (ea == 255), far = (ea < 25) | (apart >= 126) | (apart <= -126);
  return odd | (far & static_cast<uint32_t>(a != 0));
}
void fchk(Warp& w, const Op& op, uint32_t on) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b);
  const SignMask sa(op.a), sb(op.b);
  Lanes out;
  for (int i = 0; i < kLanes; ++i) out.value[i] = needs_slow_division(as_float(sa(a[i])), as_float(sb(b[i])));
  w.set(op.set0, mask_of(out), on);
}
bool prepare_fchk(Decoder& d, Op& op) {
  d.operands(op);
  op.a.negate = op.word.bit(72), op.a.absolute = op.word.bit(73);
  if (op.word.form() != 4) op.b.negate = op.word.bit(63), op.b.absolute = op.word.bit(62);
  op.run = fchk;
  return true;
}

}  // namespace

const Row kFloatRows[] = {
    {0x008, "FSEL", prepare_fsel},   {0x009, "FMNMX", prepare_fmnmx}, {0x00a, "FSET", prepare_fset},
    {0x00b, "FSETP", prepare_fsetp}, {0x020, "FMUL", prepare_fmul},   {0x021, "FADD", prepare_fadd},
    {0x023, "FFMA", prepare_ffma},   {0x102, "FCHK", prepare_fchk},   {0x108, "MUFU", prepare_mufu},
    {0xffff, nullptr, nullptr},
};

}  // namespace warplens::sass::inline WARPLENS_ISA_NAME
