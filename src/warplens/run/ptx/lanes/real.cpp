// f32 and f64 arithmetic, rounded to nearest: the forms that nearly every kernel uses.
#include "warplens/simt/lanes/real.h"

#include "warplens/run/ptx/lanes/lanes.h"
#include "warplens/simt/lanes/extremes.h"

namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME {
namespace {

template <bool kFlush>
void add_f32(HandlerTable& t, const Key& suffix) {
  t.add("add.rn" + suffix, [](Warp& w, const Op& op) {
    map2<float, float, float>(w, op, [](float a, float b) {
      return canonical(maybe_flush<kFlush>(maybe_flush<kFlush>(a) + maybe_flush<kFlush>(b)));
    });
  });
  t.add("sub.rn" + suffix, [](Warp& w, const Op& op) {
    map2<float, float, float>(w, op, [](float a, float b) {
      return canonical(maybe_flush<kFlush>(maybe_flush<kFlush>(a) - maybe_flush<kFlush>(b)));
    });
  });
  t.add("mul.rn" + suffix, [](Warp& w, const Op& op) {
    map2<float, float, float>(w, op, [](float a, float b) {
      return canonical(maybe_flush<kFlush>(maybe_flush<kFlush>(a) * maybe_flush<kFlush>(b)));
    });
  });
  t.add("fma.rn" + suffix, [](Warp& w, const Op& op) {
    map3<float, float, float, float>(w, op, [](float a, float b, float c) {
      return canonical(
          maybe_flush<kFlush>(fused(maybe_flush<kFlush>(a), maybe_flush<kFlush>(b), maybe_flush<kFlush>(c))));
    });
  });
  t.add("div.rn" + suffix, [](Warp& w, const Op& op) {
    map2<float, float, float>(w, op, [](float a, float b) {
      return canonical(maybe_flush<kFlush>(maybe_flush<kFlush>(a) / maybe_flush<kFlush>(b)));
    });
  });
  t.add("sqrt.rn" + suffix, [](Warp& w, const Op& op) {
    map1<float, float>(w, op,
                       [](float a) { return canonical(maybe_flush<kFlush>(__builtin_sqrtf(maybe_flush<kFlush>(a)))); });
  });
  t.add("rcp.rn" + suffix, [](Warp& w, const Op& op) {
    map1<float, float>(w, op, [](float a) { return canonical(maybe_flush<kFlush>(1.0f / maybe_flush<kFlush>(a))); });
  });
  t.add("neg" + suffix, [](Warp& w, const Op& op) {
    map1<float, float>(w, op, [](float a) {
      return bits_as<float>(bits_as<uint32_t>(canonical(maybe_flush<kFlush>(a))) ^ (a == a ? 0x80000000u : 0u));
    });
  });
  t.add("abs" + suffix, [](Warp& w, const Op& op) {
    map1<float, float>(w, op, [](float a) {
      return bits_as<float>(bits_as<uint32_t>(canonical(maybe_flush<kFlush>(a))) & 0x7fffffffu);
    });
  });
}

template <bool kMaximum>
float extreme_f32(float a, float b, uint32_t flags) {
  if (flags & kFtz) {
    a = flush(a);
    b = flush(b);
  }
  const uint32_t sign = (bits_as<uint32_t>(a) ^ bits_as<uint32_t>(b)) & 0x80000000u;
  if (flags & kAbs) {
    a = bits_as<float>(bits_as<uint32_t>(a) & 0x7fffffffu);
    b = bits_as<float>(bits_as<uint32_t>(b) & 0x7fffffffu);
  }
  return extreme_by(a, b, kMaximum, sign, flags);
}

template <bool kMaximum>
void add_extremes(HandlerTable& t, const Key& name) {
  t.add(name + ".f32", [](Warp& w, const Op& op) {
    map2<float, float, float>(w, op, [](float a, float b) { return canonical(extreme<kMaximum>(a, b)); });
  });
  t.add(name + ".any.f32", [](Warp& w, const Op& op) {
    const uint32_t flags = op.flags;
    map2<float, float, float>(w, op, [=](float a, float b) { return extreme_f32<kMaximum>(a, b, flags); });
  });
  t.add(name + ".f64", [](Warp& w, const Op& op) {
    map2<double, double, double>(w, op, [](double a, double b) { return extreme<kMaximum>(a, b); });
  });
}

void add_f64(HandlerTable& t) {
  using D = double;
  t.add("add.rn.f64", [](Warp& w, const Op& op) { map2<D, D, D>(w, op, [](D a, D b) { return a + b; }); });
  t.add("sub.rn.f64", [](Warp& w, const Op& op) { map2<D, D, D>(w, op, [](D a, D b) { return a - b; }); });
  t.add("mul.rn.f64", [](Warp& w, const Op& op) { map2<D, D, D>(w, op, [](D a, D b) { return a * b; }); });
  t.add("fma.rn.f64",
        [](Warp& w, const Op& op) { map3<D, D, D, D>(w, op, [](D a, D b, D c) { return fused(a, b, c); }); });
  t.add("div.rn.f64", [](Warp& w, const Op& op) { map2<D, D, D>(w, op, [](D a, D b) { return a / b; }); });
  t.add("sqrt.rn.f64", [](Warp& w, const Op& op) { map1<D, D>(w, op, [](D a) { return __builtin_sqrt(a); }); });
  t.add("rcp.rn.f64", [](Warp& w, const Op& op) { map1<D, D>(w, op, [](D a) { return 1.0 / a; }); });
  t.add("neg.f64", [](Warp& w, const Op& op) {
    map1<uint64_t, uint64_t>(w, op, [](uint64_t a) {
      const bool nan = (a & ~(uint64_t{1} << 63)) > 0x7ff0000000000000u;
      return nan ? a | (uint64_t{1} << 51) : a ^ (uint64_t{1} << 63);
    });
  });
  t.add("abs.f64", [](Warp& w, const Op& op) {
    map1<uint64_t, uint64_t>(w, op, [](uint64_t a) { return a & ~(uint64_t{1} << 63); });
  });
  t.add("copysign.f64", [](Warp& w, const Op& op) {
    map2<uint64_t, uint64_t, uint64_t>(
        w, op, [](uint64_t a, uint64_t b) { return (b & ~(uint64_t{1} << 63)) | (a & (uint64_t{1} << 63)); });
  });
}

}  // namespace

void add_real_handlers(HandlerTable& t) {
  add_f32<false>(t, ".f32");
  add_f32<true>(t, ".ftz.f32");
  add_extremes<false>(t, "min");
  add_extremes<true>(t, "max");
  add_f64(t);
  t.add("copysign.f32", [](Warp& w, const Op& op) {
    map2<uint32_t, uint32_t, uint32_t>(w, op,
                                       [](uint32_t a, uint32_t b) { return (b & 0x7fffffffu) | (a & 0x80000000u); });
  });
}

}  // namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME
