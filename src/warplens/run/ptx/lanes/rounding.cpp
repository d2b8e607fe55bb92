// f32 and f64 arithmetic with any rounding mode, flushing and saturation, chosen at run time.
#include "warplens/simt/lanes/rounding.h"

#include "warplens/run/ptx/lanes/lanes.h"
#include "warplens/simt/lanes/real.h"

namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME {
namespace {

template <typename T>
struct Lanes {
  alignas(64) T v[kLanes];
};

template <typename T>
void read(Warp& w, uint32_t slot, bool flushing, Lanes<T>& out) {
  const Stored<T>* from = w.lanes<Stored<T>>(slot);
  for (uint32_t i = 0; i < kLanes; ++i) out.v[i] = get<T>(from[i]);
  if constexpr (sizeof(T) == 4) {
    if (flushing) {
      for (uint32_t i = 0; i < kLanes; ++i) out.v[i] = flush(out.v[i]);
    }
  }
}

template <typename T>
void write(Warp& w, const Op& op, const Lanes<T>& r) {
  const uint32_t flags = op.flags;
  for_lanes<T>(w, op.d, [&](uint32_t i) {
    if constexpr (sizeof(T) == 4) return finished(r.v[i], flags & kFtz, flags & kSat);
    else return flags & kSat ? saturated(r.v[i]) : r.v[i];
  });
}

template <typename T, typename F>
__attribute__((noinline)) void compute(uint8_t mode, const Lanes<T>& a, const Lanes<T>& b, const Lanes<T>& c,
                                       Lanes<T>& r, F f) {
  const RoundingScope scope(static_cast<Rounding>(mode));
  for (uint32_t i = 0; i < kLanes; ++i) r.v[i] = f(a.v[i], b.v[i], c.v[i]);
}

template <typename T, int kOperands, typename F>
inline void any(Warp& w, const Op& op, F f) {
  Lanes<T> a, b, c, r;
  const bool flushing = op.flags & kFtz;
  read(w, op.a, flushing, a);
  if (kOperands > 1) read(w, op.b, flushing, b);
  if (kOperands > 2) read(w, op.c, flushing, c);
  compute(op.rounding, a, kOperands > 1 ? b : a, kOperands > 2 ? c : a, r, f);
  write(w, op, r);
}

template <typename T>
void add_any(HandlerTable& t, const Key& type) {
  t.add("add.any." + type, [](Warp& w, const Op& op) { any<T, 2>(w, op, [](T a, T b, T) { return a + b; }); });
  t.add("sub.any." + type, [](Warp& w, const Op& op) { any<T, 2>(w, op, [](T a, T b, T) { return a - b; }); });
  t.add("mul.any." + type, [](Warp& w, const Op& op) { any<T, 2>(w, op, [](T a, T b, T) { return a * b; }); });
  t.add("fma.any." + type,
        [](Warp& w, const Op& op) { any<T, 3>(w, op, [](T a, T b, T c) { return fused(a, b, c); }); });
  t.add("div.any." + type, [](Warp& w, const Op& op) { any<T, 2>(w, op, [](T a, T b, T) { return a / b; }); });
  t.add("rcp.any." + type, [](Warp& w, const Op& op) { any<T, 1>(w, op, [](T a, T, T) { return T{1} / a; }); });
  t.add("sqrt.any." + type, [](Warp& w, const Op& op) {
    any<T, 1>(w, op, [](T a, T, T) {
      if constexpr (sizeof(T) == 4) return __builtin_sqrtf(a);
      else return __builtin_sqrt(a);
    });
  });
}

}  // namespace

void add_rounding_handlers(HandlerTable& t) {
  add_any<float>(t, "f32");
  add_any<double>(t, "f64");
}

}  // namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME
