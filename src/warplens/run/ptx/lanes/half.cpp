// Arithmetic on f16, bf16 and pairs of them.
#include "warplens/simt/lanes/half.h"

#include "warplens/run/ptx/lanes/lanes.h"

namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME {
namespace {

template <typename H>
inline uint32_t flushed(uint32_t h) {
  return (h & H::kExponent) == 0 ? h & 0x8000u : h;
}

template <typename H>
inline uint32_t flushed_if(uint32_t h, uint32_t flags) {
  return flags & kFtz ? flushed<H>(h & 0xffff) : h & 0xffff;
}

template <typename H>
inline uint32_t finish(float value, uint32_t flags) {
  uint32_t h = H::narrow(value);
  if (flags & kFtz) h = flushed<H>(h);
  if (flags & kSat) h = H::narrow(saturated(H::widen(h)));
  if (flags & kRelu) h = (h & 0x8000) && value == value ? 0 : h;
  return h;
}

template <typename H>
inline uint32_t add(uint32_t a, uint32_t b, uint32_t flags) {
  return finish<H>(H::widen(flushed_if<H>(a, flags)) + H::widen(flushed_if<H>(b, flags)), flags);
}
template <typename H>
inline uint32_t subtract(uint32_t a, uint32_t b, uint32_t flags) {
  return finish<H>(H::widen(flushed_if<H>(a, flags)) - H::widen(flushed_if<H>(b, flags)), flags);
}
template <typename H>
inline uint32_t multiply(uint32_t a, uint32_t b, uint32_t flags) {
  const double product = static_cast<double>(H::widen(flushed_if<H>(a, flags))) * H::widen(flushed_if<H>(b, flags));
  return finish<H>(odd_float(product), flags);
}
template <typename H>
inline uint32_t fuse(uint32_t a, uint32_t b, uint32_t c, uint32_t flags) {
  return finish<H>(odd_float(odd_fma(H::widen(flushed_if<H>(a, flags)), H::widen(flushed_if<H>(b, flags)),
                                     H::widen(flushed_if<H>(c, flags)))),
                   flags);
}

template <typename H, bool kMaximum>
inline uint32_t extreme(uint32_t a, uint32_t b, uint32_t flags) {
  a = flushed_if<H>(a, flags);
  b = flushed_if<H>(b, flags);
  const uint32_t sign = (a ^ b) & 0x8000;
  if (flags & kAbs) {
    a &= 0x7fff;
    b &= 0x7fff;
  }
  const bool nan_a = (a & 0x7fff) > H::kExponent, nan_b = (b & 0x7fff) > H::kExponent;
  if ((nan_a && nan_b) || ((flags & kNanResult) && (nan_a || nan_b))) return 0x7fff;
  if (nan_a || nan_b) return flags & kXorSign ? ((nan_a ? b : a) & 0x7fff) | sign : nan_a ? b : a;
  const float x = H::widen(a), y = H::widen(b);
  const bool first = kMaximum ? x > y || (x == y && (b & 0x8000)) : x < y || (x == y && (a & 0x8000));
  const uint32_t r = first ? a : b;
  return flags & kXorSign ? (r & 0x7fff) | sign : r;
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
  add_four<2>(t, "add", type, [](U a, U b, U, U flags) { return add<H>(a, b, flags); });
  add_four<2>(t, "sub", type, [](U a, U b, U, U flags) { return subtract<H>(a, b, flags); });
  add_four<2>(t, "mul", type, [](U a, U b, U, U flags) { return multiply<H>(a, b, flags); });
  add_four<3>(t, "fma", type, [](U a, U b, U c, U flags) { return fuse<H>(a, b, c, flags); });
  add_four<2>(t, "min", type, [](U a, U b, U, U flags) { return extreme<H, false>(a, b, flags); });
  add_four<2>(t, "max", type, [](U a, U b, U, U flags) { return extreme<H, true>(a, b, flags); });
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
