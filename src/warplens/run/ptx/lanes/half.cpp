// Arithmetic on f16, bf16 and pairs of them.
#include "warplens/simt/lanes/half.h"

#include "warplens/run/ptx/lanes/lanes.h"
#include "warplens/simt/lanes/extremes.h"

namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME {
namespace {

/// f of one to three numbers.
template <typename H, typename F, typename... Bits>
inline __attribute__((always_inline)) uint32_t compute(F f, uint32_t flags, Bits... bits) {
  return narrowed<H>(f(H::widen(flushed_if<H>(bits, flags))...), flags);
}

template <typename H, bool kMaximum>
inline uint32_t half_extreme(uint32_t a, uint32_t b, uint32_t flags) {
  a = flushed_if<H>(a, flags);
  b = flushed_if<H>(b, flags);
  const uint32_t sign = (a ^ b) & 0x8000, kept = flags & kAbs ? H::kMagnitude : 0xffffu;
  return half_extreme_by<H>(a & kept, b & kept, kMaximum, sign, flags);
}

template <typename F>
inline __attribute__((always_inline)) uint32_t both(uint32_t a, uint32_t b, uint32_t c, F f) {
  return (f(a & 0xffff, b & 0xffff, c & 0xffff) & 0xffff) | f(a >> 16, b >> 16, c >> 16) << 16;
}

/// Adds `name.type`, without modifiers, `name.any.type` with them, and both for pairs. f(a, b, c, flags).
template <int kOperands, typename F>
void add_four(HandlerTable& t, const Key& name, const Key& type, F) {
  using U = uint32_t;
  const auto operand = [](Warp& w, uint32_t slot, bool used) { return w.lanes<U>(used ? slot : 0); };
  using Operand = decltype(operand);
#define WL_HALF(key, flags_of, expression)                                         \
  t.add(key, [](Warp& w, const Op& op) {                                           \
    const U *a = Operand{}(w, op.a, true), *b = Operand{}(w, op.b, kOperands > 1), \
            *c = Operand{}(w, op.c, kOperands > 2);                                \
    const U flags = flags_of;                                                      \
    for_lanes<U>(w, op.d, [=](U i) { return expression; });                        \
  })
  WL_HALF(name + "." + type, 0, F{}(a[i] & 0xffff, b[i] & 0xffff, c[i] & 0xffff, flags));
  WL_HALF(name + ".any." + type, op.flags, F{}(a[i] & 0xffff, b[i] & 0xffff, c[i] & 0xffff, flags));
  WL_HALF(name + "." + type + "x2", 0, both(a[i], b[i], c[i], [=](U x, U y, U z) { return F{}(x, y, z, flags); }));
  WL_HALF(name + ".any." + type + "x2", op.flags,
          both(a[i], b[i], c[i], [=](U x, U y, U z) { return F{}(x, y, z, flags); }));
#undef WL_HALF
}

template <typename H>
void add_type(HandlerTable& t, const Key& type) {
  using U = uint32_t;
  add_four<2>(t, "add", type, [](U a, U b, U, U flags) { return compute<H>(kHalfSum, flags, a, b); });
  add_four<2>(t, "sub", type, [](U a, U b, U, U flags) { return compute<H>(kHalfDifference, flags, a, b); });
  add_four<2>(t, "mul", type, [](U a, U b, U, U flags) { return compute<H>(kHalfProduct, flags, a, b); });
  add_four<3>(t, "fma", type, [](U a, U b, U c, U flags) { return compute<H>(kHalfFused, flags, a, b, c); });
  add_four<2>(t, "min", type, [](U a, U b, U, U flags) { return half_extreme<H, false>(a, b, flags); });
  add_four<2>(t, "max", type, [](U a, U b, U, U flags) { return half_extreme<H, true>(a, b, flags); });
  add_four<1>(t, "neg", type, [](U a, U, U, U flags) {
    return (a & 0x7fff) > H::kExponent ? 0x7fffu : flushed_if<H>(a, flags) ^ 0x8000u;
  });
  add_four<1>(t, "abs", type, [](U a, U, U, U flags) {
    return (a & 0x7fff) > H::kExponent ? 0x7fffu : flushed_if<H>(a, flags) & 0x7fffu;
  });
  t.add("widen." + type, [](Warp& w, const Op& op) {
    map1<float, U>(w, op, [](U a) { return H::kCanonical ? canonical(H::widen(a & 0xffff)) : H::widen(a & 0xffff); });
  });
  t.add("widen.high." + type,
        [](Warp& w, const Op& op) { map1<float, U>(w, op, [](U a) { return H::widen(a >> 16); }); });
  t.add("narrow." + type, [](Warp& w, const Op& op) { map1<U, float>(w, op, [](float a) { return H::narrow(a); }); });
  t.add("pack." + type + "x2", [](Warp& w, const Op& op) {
    map2<U, float, float>(w, op, [](float high, float low) { return H::narrow(high) << 16 | H::narrow(low); });
  });
}

}  // namespace

void add_half_handlers(HandlerTable& t) {
  add_type<F16>(t, "f16");
  add_type<Bf16>(t, "bf16");
}

}  // namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME
