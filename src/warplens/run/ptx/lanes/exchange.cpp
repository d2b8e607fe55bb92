// Exchange between the lanes of a warp: shuffles, votes, matches, reductions. They run for the lanes in Warp::mask,
// which the scheduler has brought together.
#include "warplens/base/set_bits.h"
#include "warplens/run/ptx/lanes/lanes.h"
#include "warplens/simt/lanes/real.h"

namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME {
namespace {

enum class Shuffle : uint8_t { kUp, kDown, kButterfly, kIndex };

/// d = a of the source lane, e = predicate "source in range"; a, b (lane or distance), c (clamp and segment).
/// A lane that has exited gives 0; one that is elsewhere gives what its register holds.
template <Shuffle kMode>
void shuffle(Warp& w, const Op& op) {
  const uint32_t *a = w.lanes<uint32_t>(op.a), *b = w.lanes<uint32_t>(op.b), *c = w.lanes<uint32_t>(op.c);
  alignas(64) uint32_t result[kLanes];
  alignas(64) uint32_t values[kLanes];
  uint32_t in_range = 0;
  for (uint32_t i = 0; i < kLanes; ++i) values[i] = (w.live >> i) & 1 ? a[i] : 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const int32_t distance = static_cast<int32_t>(b[lane] & 31), clamp = static_cast<int32_t>(c[lane] & 31);
    const int32_t segment = static_cast<int32_t>((c[lane] >> 8) & 31), self = static_cast<int32_t>(lane);
    const int32_t most = (self & segment) | (clamp & ~segment), least = self & segment;
    const int32_t from = kMode == Shuffle::kUp          ? self - distance
                         : kMode == Shuffle::kDown      ? self + distance
                         : kMode == Shuffle::kButterfly ? self ^ distance
                                                        : least | (distance & ~segment);
    const bool inside = kMode == Shuffle::kUp ? from >= most : from <= most;
    in_range |= static_cast<uint32_t>(inside) << lane;
    result[lane] = values[(inside ? from : self) & 31];
  }
  if (op.d != kNoSlot) for_lanes<uint32_t>(w, op.d, [&](uint32_t i) { return result[i]; });
  set_predicate(w, op.e, in_range);
}

void broadcast(Warp& w, uint32_t slot, uint32_t value) {
  for_lanes<uint32_t>(w, slot, [=](uint32_t) { return value; });
}

/// a is a predicate (flags bit 15: negated); c the member mask register.
uint32_t votes(Warp& w, const Op& op) { return (w.predicate(op.a) ^ (op.flags & 0x8000 ? kFull : 0)) & w.mask; }

template <typename T>
void match_any(Warp& w, const Op& op) {
  const T* a = w.lanes<T>(op.a);
  const uint32_t mask = w.mask;
  alignas(64) uint32_t result[kLanes] = {};
  for (uint32_t left = mask; left;) {
    const T value = a[__builtin_ctz(left)];
    const uint32_t same = mask_of([&](uint32_t i) { return a[i] == value; }) & mask;
    for (uint32_t i = 0; i < kLanes; ++i) result[i] |= (same >> i) & 1 ? same : 0;
    left &= ~same;
  }
  for_lanes<uint32_t>(w, op.d, [&](uint32_t i) { return result[i]; });
}

template <typename T>
void match_all(Warp& w, const Op& op) {
  const T* a = w.lanes<T>(op.a);
  const T value = a[__builtin_ctz(w.mask)];
  const bool all = (mask_of([&](uint32_t i) { return a[i] == value; }) & w.mask) == w.mask;
  if (op.d != kNoSlot) broadcast(w, op.d, all ? w.mask : 0);
  set_predicate(w, op.e, all ? kFull : 0);
}

template <typename T, typename F>
void reduce(Warp& w, const Op& op, F f) {
  const uint32_t* a = w.lanes<uint32_t>(op.a);
  uint32_t left = w.mask;
  T result = static_cast<T>(a[__builtin_ctz(left)]);
  for (left &= left - 1; left; left &= left - 1) result = f(result, static_cast<T>(a[__builtin_ctz(left)]));
  broadcast(w, op.d, static_cast<uint32_t>(result));
}

/// redux.f32: flags as for min and max; NaN loses unless kNanResult.
template <bool kMaximum>
void reduce_float(Warp& w, const Op& op) {
  const uint32_t* a = w.lanes<uint32_t>(op.a);
  bool any = false;
  float best = 0;
  for (const uint32_t lane : set_bits(w.mask)) {
    const uint32_t bits = a[lane] & (op.flags & kAbs ? 0x7fffffffu : ~0u);
    const float x = bits_as<float>(bits);
    if (!(x == x)) {
      if (op.flags & kNanResult) return broadcast(w, op.d, 0x7fffffffu);
      continue;
    }
    const bool better = !any || (kMaximum ? x > best || (x == best && !__builtin_signbit(x))
                                          : x < best || (x == best && __builtin_signbit(x)));
    if (better) best = x;
    any = true;
  }
  broadcast(w, op.d, any ? bits_as<uint32_t>(best) : 0x7fffffffu);
}

}  // namespace

void add_exchange_handlers(HandlerTable& t) {
  t.add("shfl.up", &shuffle<Shuffle::kUp>);
  t.add("shfl.down", &shuffle<Shuffle::kDown>);
  t.add("shfl.bfly", &shuffle<Shuffle::kButterfly>);
  t.add("shfl.idx", &shuffle<Shuffle::kIndex>);
  t.add("vote.all", [](Warp& w, const Op& op) { set_predicate(w, op.d, votes(w, op) == w.mask ? kFull : 0); });
  t.add("vote.any", [](Warp& w, const Op& op) { set_predicate(w, op.d, votes(w, op) ? kFull : 0); });
  t.add("vote.uni", [](Warp& w, const Op& op) {
    const uint32_t v = votes(w, op);
    set_predicate(w, op.d, v == 0 || v == w.mask ? kFull : 0);
  });
  t.add("vote.ballot", [](Warp& w, const Op& op) { broadcast(w, op.d, votes(w, op)); });
  t.add("match.any.32", &match_any<uint32_t>);
  t.add("match.any.64", &match_any<uint64_t>);
  t.add("match.all.32", &match_all<uint32_t>);
  t.add("match.all.64", &match_all<uint64_t>);
  t.add("activemask", [](Warp& w, const Op& op) { broadcast(w, op.d, w.mask); });
  t.add("elect", [](Warp& w, const Op& op) {
    const uint32_t leader = w.mask & (0u - w.mask);
    if (op.d != kNoSlot) broadcast(w, op.d, static_cast<uint32_t>(__builtin_ctz(leader)));
    set_predicate(w, op.e, leader);
  });
  t.add("redux.add.u32",
        [](Warp& w, const Op& op) { reduce<uint32_t>(w, op, [](uint32_t x, uint32_t y) { return x + y; }); });
  t.add("redux.add.s32",
        [](Warp& w, const Op& op) { reduce<uint32_t>(w, op, [](uint32_t x, uint32_t y) { return x + y; }); });
  t.add("redux.min.u32",
        [](Warp& w, const Op& op) { reduce<uint32_t>(w, op, [](uint32_t x, uint32_t y) { return x < y ? x : y; }); });
  t.add("redux.max.u32",
        [](Warp& w, const Op& op) { reduce<uint32_t>(w, op, [](uint32_t x, uint32_t y) { return x > y ? x : y; }); });
  t.add("redux.min.s32",
        [](Warp& w, const Op& op) { reduce<int32_t>(w, op, [](int32_t x, int32_t y) { return x < y ? x : y; }); });
  t.add("redux.max.s32",
        [](Warp& w, const Op& op) { reduce<int32_t>(w, op, [](int32_t x, int32_t y) { return x > y ? x : y; }); });
  t.add("redux.and.b32",
        [](Warp& w, const Op& op) { reduce<uint32_t>(w, op, [](uint32_t x, uint32_t y) { return x & y; }); });
  t.add("redux.or.b32",
        [](Warp& w, const Op& op) { reduce<uint32_t>(w, op, [](uint32_t x, uint32_t y) { return x | y; }); });
  t.add("redux.xor.b32",
        [](Warp& w, const Op& op) { reduce<uint32_t>(w, op, [](uint32_t x, uint32_t y) { return x ^ y; }); });
  t.add("redux.min.f32", &reduce_float<false>);
  t.add("redux.max.f32", &reduce_float<true>);
}

}  // namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME
