// Addresses of a warp's memory instruction, and the handlers that go to them by state space.
#pragma once
#include "warplens/run/ptx/lanes/lanes.h"
#include "warplens/run/ptx/memory/resolve.h"
#include "warplens/simt/memory/fits.h"
#include "warplens/simt/requests/count_lanes.h"
#include "warplens/simt/requests/request.h"

namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME {

/// Register + Op::value for every lane. 32-bit addresses wrap.
template <typename A>
inline __attribute__((always_inline)) void read_addresses(Warp& w, const Op& op, Addresses& out) {
  const A* a = w.lanes<A>(op.a);
  const A offset = static_cast<A>(op.value);
  for (uint32_t i = 0; i < kLanes; ++i) out.value[i] = static_cast<A>(a[i] + offset);
}

/// True if the accesses of a request are aligned to their size and below `limit`.
inline __attribute__((always_inline)) bool all_fit(const Request& request, uint32_t step, uint64_t limit) {
  const Span& span = request.span;
  return (span.any & (step - 1)) == 0 && fits(span.low, step, limit) && fits(span.high, step, limit);
}

inline __attribute__((always_inline)) bool is_run(const Request& request) {
  return request.shape == Shape::kRun || request.shape == Shape::kGapped;
}

/// Where lane 0 of a run goes, or would go if it were on.
inline __attribute__((always_inline)) Address origin_of(const Request& request, uint32_t mask, uint32_t step) {
  return request.begin - uint64_t{static_cast<uint32_t>(std::countr_zero(mask))} * step;
}

/// Calls f(window, offsets in it) for the lanes in each space of generic addresses in turn; window 0 is global memory.
template <typename F>
inline void each_space(Warp& w, const Addresses& a, F f) {
  const uint32_t all = w.mask;
  for (uint32_t left = all; left && !w.faulted;) {
    const Address window = a.value[__builtin_ctz(left)] & ~(kSharedWindow - 1);
    uint32_t group = 0;
    for (uint32_t i = 0; i < kLanes; ++i)
      group |= static_cast<uint32_t>((a.value[i] & ~(kSharedWindow - 1)) == window) << i;
    Addresses part;
    for (uint32_t i = 0; i < kLanes; ++i) part.value[i] = a.value[i] - window;
    w.mask = group & left;
    f(window, part);
    left &= ~group;
  }
  w.mask = all;
}

/// A handler that reads addresses of T and hands them on.
template <typename T, void (*kAccess)(Warp&, const Op&, Addresses&)>
void at_addresses(Warp& w, const Op& op) {
  Addresses a;
  read_addresses<T>(w, op, a);
  kAccess(w, op, a);
}

/// Handlers of one kind of access by state space. `Access` has kName and functions global, shared, local and generic of
/// (warp, op, addresses).
template <typename Access>
void add_spaces(HandlerTable& t, const Key& type) {
  const Key name = Access::kName;
  t.add(name + ".global." + type, at_addresses<uint64_t, Access::global>);
  t.add(name + ".generic." + type, at_addresses<uint64_t, Access::generic>);
  t.add(name + ".shared32." + type, at_addresses<uint32_t, Access::shared>);
  t.add(name + ".shared64." + type, at_addresses<uint64_t, Access::shared>);
  t.add(name + ".local." + type, at_addresses<uint64_t, Access::local>);
}

}  // namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME
