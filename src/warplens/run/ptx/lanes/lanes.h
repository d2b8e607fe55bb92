// Loops over the lanes of a warp, compiled once for each instruction set: see simt/lanes/values.h.
#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>

#include "warplens/run/ptx/handlers.h"
#include "warplens/run/ptx/program.h"
#include "warplens/run/ptx/warp.h"
#include "warplens/simt/lanes/values.h"

#ifdef __clang__
#define WARPLENS_INDEPENDENT_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define WARPLENS_INDEPENDENT_LANES _Pragma("GCC ivdep")
#endif

namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME {

/// Builds a handler's key. It is not a std::string. That class's functions would be compiled for this instruction set,
/// and the linker might use them in the rest of the program.
class Key {
 public:
  Key(const char* text) { append(text); }
  friend Key operator+(Key a, const Key& b) {
    a.append(b.text_);
    return a;
  }
  operator std::string_view() const { return {text_, size_}; }

 private:
  void append(const char* text) {
    while (*text && size_ + 1 < sizeof text_) text_[size_++] = *text++;
  }
  char text_[48] = {};
  size_t size_ = 0;
};

/// d[i] = f(i) for the lanes of the mask. `f` must be safe for every lane.
template <typename T, typename F>
inline __attribute__((always_inline)) void for_lanes(Warp& w, uint32_t slot, F f) {
  Stored<T>* __restrict d = w.lanes<Stored<T>>(slot);
  const uint32_t mask = w.mask;
  if (mask == kFull) {
    WARPLENS_INDEPENDENT_LANES
    for (uint32_t i = 0; i < kLanes; ++i) d[i] = put<T>(f(i));
  } else {
    WARPLENS_INDEPENDENT_LANES
    for (uint32_t i = 0; i < kLanes; ++i) {
      const Stored<T> value = put<T>(f(i));
      d[i] = (mask >> i) & 1 ? value : d[i];
    }
  }
}

template <typename D, typename A, typename F>
inline __attribute__((always_inline)) void map1(Warp& w, const Op& op, F f) {
  const Stored<A>* a = w.lanes<Stored<A>>(op.a);
  for_lanes<D>(w, op.d, [=](uint32_t i) { return f(get<A>(a[i])); });
}

template <typename D, typename A, typename B, typename F>
inline __attribute__((always_inline)) void map2(Warp& w, const Op& op, F f) {
  const Stored<A>* a = w.lanes<Stored<A>>(op.a);
  const Stored<B>* b = w.lanes<Stored<B>>(op.b);
  for_lanes<D>(w, op.d, [=](uint32_t i) { return f(get<A>(a[i]), get<B>(b[i])); });
}

template <typename D, typename A, typename B, typename C, typename F>
inline __attribute__((always_inline)) void map3(Warp& w, const Op& op, F f) {
  const Stored<A>* a = w.lanes<Stored<A>>(op.a);
  const Stored<B>* b = w.lanes<Stored<B>>(op.b);
  const Stored<C>* c = w.lanes<Stored<C>>(op.c);
  for_lanes<D>(w, op.d, [=](uint32_t i) { return f(get<A>(a[i]), get<B>(b[i]), get<C>(c[i])); });
}

/// Bits of the lanes where f(i) holds.
template <typename F>
inline __attribute__((always_inline)) uint32_t mask_of(F f) {
  uint32_t result = 0;
  for (uint32_t i = 0; i < kLanes; ++i) result |= static_cast<uint32_t>(f(i) ? 1u : 0u) << i;
  return result;
}

inline void set_predicate(Warp& w, uint32_t slot, uint32_t values) {
  if (slot == kNoSlot) return;
  uint32_t& p = w.predicate(slot);
  p = (p & ~w.mask) | (values & w.mask);
}

}  // namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME
