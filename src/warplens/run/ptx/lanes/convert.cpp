// The conversions that kernels use most; the others go lane by lane (see ../convert.cpp).
#include "warplens/run/ptx/lanes/lanes.h"
#include "warplens/simt/lanes/real.h"
#include "warplens/simt/lanes/whole.h"

namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME {
namespace {

/// Types narrower than 32 bits fill a 32-bit lane by their own sign.
template <typename D>
using Filled = std::conditional_t<(sizeof(D) < 4), std::conditional_t<std::is_signed_v<D>, int32_t, uint32_t>, D>;

template <typename D, typename S>
void resize(Warp& w, const Op& op) {
  map1<Filled<D>, S>(w, op, [](S a) { return static_cast<Filled<D>>(static_cast<D>(a)); });
}

template <typename D>
void add_resize(HandlerTable& t, const Key& d) {
  t.add("cvt." + d + ".u8", &resize<D, uint8_t>);
  t.add("cvt." + d + ".s8", &resize<D, int8_t>);
  t.add("cvt." + d + ".u16", &resize<D, uint16_t>);
  t.add("cvt." + d + ".s16", &resize<D, int16_t>);
  t.add("cvt." + d + ".u32", &resize<D, uint32_t>);
  t.add("cvt." + d + ".s32", &resize<D, int32_t>);
  t.add("cvt." + d + ".u64", &resize<D, uint64_t>);
  t.add("cvt." + d + ".s64", &resize<D, int64_t>);
}

template <typename D, typename S>
void to_real(Warp& w, const Op& op) {
  map1<D, S>(w, op, [](S a) { return static_cast<D>(a); });
}

template <typename D>
void add_to_real(HandlerTable& t, const Key& d) {
  t.add("cvt.rn." + d + ".u8", &to_real<D, uint8_t>);
  t.add("cvt.rn." + d + ".s8", &to_real<D, int8_t>);
  t.add("cvt.rn." + d + ".u16", &to_real<D, uint16_t>);
  t.add("cvt.rn." + d + ".s16", &to_real<D, int16_t>);
  t.add("cvt.rn." + d + ".u32", &to_real<D, uint32_t>);
  t.add("cvt.rn." + d + ".s32", &to_real<D, int32_t>);
  t.add("cvt.rn." + d + ".u64", &to_real<D, uint64_t>);
  t.add("cvt.rn." + d + ".s64", &to_real<D, int64_t>);
}

template <typename D, typename S, uint8_t kMode>
void to_whole(Warp& w, const Op& op) {
  if (op.flags & kFtz) {
    map1<D, S>(w, op, [](S a) {
      return to_integer<D, S>(whole(sizeof(S) == 4 ? static_cast<S>(flush(static_cast<float>(a))) : a, kMode));
    });
  } else {
    map1<D, S>(w, op, [](S a) { return to_integer<D, S>(whole(a, kMode)); });
  }
}

template <typename D>
void add_to_whole(HandlerTable& t, const Key& d) {
  t.add("cvt.rni." + d + ".f32", &to_whole<D, float, kNearest>);
  t.add("cvt.rzi." + d + ".f32", &to_whole<D, float, kZero>);
  t.add("cvt.rmi." + d + ".f32", &to_whole<D, float, kDown>);
  t.add("cvt.rpi." + d + ".f32", &to_whole<D, float, kUp>);
  t.add("cvt.rni." + d + ".f64", &to_whole<D, double, kNearest>);
  t.add("cvt.rzi." + d + ".f64", &to_whole<D, double, kZero>);
  t.add("cvt.rmi." + d + ".f64", &to_whole<D, double, kDown>);
  t.add("cvt.rpi." + d + ".f64", &to_whole<D, double, kUp>);
}

template <typename S, uint8_t kMode>
void round_whole(Warp& w, const Op& op) {
  map1<S, S>(w, op, [](S a) {
    if constexpr (sizeof(S) == 4) return canonical(whole(a, kMode));
    else return whole(a, kMode);
  });
}

template <typename S>
void add_round_whole(HandlerTable& t, const Key& type) {
  t.add("cvt.rni." + type + "." + type, &round_whole<S, kNearest>);
  t.add("cvt.rzi." + type + "." + type, &round_whole<S, kZero>);
  t.add("cvt.rmi." + type + "." + type, &round_whole<S, kDown>);
  t.add("cvt.rpi." + type + "." + type, &round_whole<S, kUp>);
}

}  // namespace

void add_convert_handlers(HandlerTable& t) {
  add_resize<uint8_t>(t, "u8");
  add_resize<int8_t>(t, "s8");
  add_resize<uint16_t>(t, "u16");
  add_resize<int16_t>(t, "s16");
  add_resize<uint32_t>(t, "u32");
  add_resize<int32_t>(t, "s32");
  add_resize<uint64_t>(t, "u64");
  add_resize<int64_t>(t, "s64");
  add_to_real<float>(t, "f32");
  add_to_real<double>(t, "f64");
  add_to_whole<int32_t>(t, "s32");
  add_to_whole<uint32_t>(t, "u32");
  add_to_whole<int64_t>(t, "s64");
  add_to_whole<uint64_t>(t, "u64");
  add_round_whole<float>(t, "f32");
  add_round_whole<double>(t, "f64");
  t.add("cvt.f64.f32",
        [](Warp& w, const Op& op) { map1<double, float>(w, op, [](float a) { return static_cast<double>(a); }); });
  t.add("cvt.rn.f32.f64",
        [](Warp& w, const Op& op) { map1<float, double>(w, op, [](double a) { return static_cast<float>(a); }); });
}

}  // namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME
