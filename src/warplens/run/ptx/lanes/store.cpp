// Stores. Op: a = address register, value = offset, d = source (vector == 1) or e = first of `vector` entries in
// Program::slots; range; row = counts.
#include "warplens/base/set_bits.h"
#include "warplens/run/ptx/lanes/spaces.h"
#include "warplens/simt/lanes/vectors.h"

namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME {
namespace {

template <typename M>
inline __attribute__((always_inline)) void write_at(uint8_t* to, Stored<M> value) {
  const M narrow = static_cast<M>(value);
  std::memcpy(to, &narrow, sizeof narrow);
}

inline uint32_t source(const Warp& w, const Op& op, uint32_t k) {
  return op.vector == 1 ? op.d : w.program->slots[op.elements + k];
}

template <typename M>
inline __attribute__((always_inline)) void write_run(Warp& w, const Op& op, uint8_t* to, uint32_t n) {
  const uint32_t mask = w.mask;
  for (uint32_t k = 0; k < n; ++k) {
    const Stored<M>* __restrict s = w.lanes<Stored<M>>(source(w, op, k));
    uint8_t* at = to + k * sizeof(M);
    if (mask == kFull && n == 1) {
      for (uint32_t i = 0; i < kLanes; ++i) write_at<M>(at + i * sizeof(M), s[i]);
    } else if (mask == kFull) {
      for (uint32_t i = 0; i < kLanes; ++i) write_at<M>(at + i * n * sizeof(M), s[i]);
    } else if (sizeof(M) == 4 && n == 1) {
      store_run(at, reinterpret_cast<const uint32_t*>(s), mask);
    } else {
      for (const uint32_t i : set_bits(mask)) write_at<M>(at + i * n * sizeof(M), s[i]);
    }
  }
}

/// Every lane of the mask writes at to(lane).
template <typename M, typename T>
inline void write_each(Warp& w, const Op& op, uint32_t n, T to) {
  in_store_order(w.mask, n * sizeof(M), [&](uint32_t i) {
    uint8_t* at = to(i);
    for (uint32_t k = 0; k < n; ++k) write_at<M>(at + k * sizeof(M), w.lanes<Stored<M>>(source(w, op, k))[i]);
  });
}

/// The same where an address may be bad: `resolve` gives nullptr for one and raises a fault, the lowest lane's first.
template <typename M, typename R>
void write_checked(Warp& w, const Op& op, uint32_t n, R resolve) {
  uint8_t* places[kLanes];
  for (const uint32_t i : set_bits(w.mask)) {
    places[i] = resolve(i);
    if (!places[i]) return;
  }
  write_each<M>(w, op, n, [&](uint32_t i) { return places[i]; });
}

template <typename M>
void store_global_at(Warp& w, const Op& op, Addresses& a) {
  const uint32_t n = op.vector, step = n * sizeof(M), mask = w.mask;
  Request request;
  look_at(&a, mask, step, request);
  const Span& span = request.span;
  const bool aligned = (span.any & (step - 1)) == 0;
  if (is_run(request) && aligned && in_range(w, op, span.low, span.high + step, true)) {
    write_run<M>(w, op, reinterpret_cast<uint8_t*>(origin_of(request, mask, step)), n);
    if (!w.rows) return;
    if (request.shape == Shape::kRun) count_run(w.rows[op.row], span.low, span.high + step - span.low);
    else count_global_lanes(w.rows[op.row], a.value, mask, step);
    return;
  }
  if (aligned && span.high < kSharedWindow && in_range(w, op, span.low, span.high + step, true)) {
    write_each<M>(w, op, n, [&](uint32_t i) { return reinterpret_cast<uint8_t*>(a.value[i]); });
  } else {
    write_checked<M>(w, op, n, [&](uint32_t i) -> uint8_t* {
      if (a.value[i] & (step - 1)) {
        raise_misaligned(w, op, i, a.value[i], step);
        return nullptr;
      }
      if (!in_range(w, op, a.value[i], a.value[i] + step, true)) {
        raise_address(w, op, i, a.value[i], step, "global", true);
        return nullptr;
      }
      return reinterpret_cast<uint8_t*>(a.value[i]);
    });
  }
  if (w.rows && !w.faulted) count_global_lanes(w.rows[op.row], a.value, mask, step, request.shape == Shape::kHalves);
}

template <typename M>
void store_shared_at(Warp& w, const Op& op, Addresses& a) {
  const uint32_t n = op.vector, step = n * sizeof(M), mask = w.mask;
  Request request;
  look_at(&a, mask, step, request);
  if (all_fit(request, step, w.shared_bytes)) {
    const auto origin = reinterpret_cast<Address>(w.shared);  // the first lanes of a run may be off, and lie before it
    if (is_run(request)) write_run<M>(w, op, reinterpret_cast<uint8_t*>(origin + origin_of(request, mask, step)), n);
    else write_each<M>(w, op, n, [&](uint32_t i) { return w.shared + a.value[i]; });
  } else {
    write_checked<M>(w, op, n, [&](uint32_t i) -> uint8_t* {
      if (a.value[i] & (step - 1)) {
        raise_misaligned(w, op, i, a.value[i], step);
        return nullptr;
      }
      uint8_t* at = resolve_shared(w, a.value[i], step);
      return at ? at : (raise_address(w, op, i, a.value[i], step, "shared", true), nullptr);
    });
  }
  if (!w.rows || w.faulted) return;
  auto& row = w.rows[op.row];
  if (request.shape == Shape::kRun && mask == kFull && step >= 4 && step <= 16) {
    count_passes(row, {step / 4, step / 4}, uint64_t{step} * kLanes);
  } else {
    count_shared_lanes(row, a.value, mask, step, request.shape == Shape::kHalves, Joins::kNever);
  }
}

template <typename M>
void store_local_at(Warp& w, const Op& op, const Addresses& a) {
  const uint32_t n = op.vector, step = n * sizeof(M);
  for (uint32_t lanes = w.mask; lanes; lanes &= lanes - 1) {
    const uint32_t i = static_cast<uint32_t>(__builtin_ctz(lanes));
    if (a.value[i] & (step - 1)) return raise_misaligned(w, op, i, a.value[i], step);
    if (!fits(a.value[i], step, w.local_bytes)) return raise_address(w, op, i, a.value[i], step, "local", true);
    for (uint32_t k = 0; k < n; ++k) {
      const Stored<M> value = w.lanes<Stored<M>>(source(w, op, k))[i];
      const Address at = a.value[i] + k * sizeof(M);
      uint8_t* word = w.local + (at / 4 * kLanes + i) * 4;
      if constexpr (sizeof(M) == 8) {
        write_at<uint32_t>(word, static_cast<uint32_t>(value));
        write_at<uint32_t>(word + 4 * kLanes, static_cast<uint32_t>(value >> 32));
      } else {
        write_at<M>(word + (at & 3), value);
      }
    }
  }
  if (w.rows) count_local_lanes(w.rows[op.row], a.value, w.mask, step);
}

template <typename M>
void store_generic_at(Warp& w, const Op& op, Addresses& a) {
  if (span_of(a, w.mask).high < kSharedWindow) return store_global_at<M>(w, op, a);
  each_space(w, a, [&](Address window, Addresses& part) {
    const auto lane = static_cast<uint32_t>(__builtin_ctz(w.mask));
    if (window == 0) store_global_at<M>(w, op, part);
    else if (window == kSharedWindow) store_shared_at<M>(w, op, part);
    else if (window == kLocalWindow) store_local_at<M>(w, op, part);
    else raise_address(w, op, lane, a.value[lane], sizeof(M), "generic", true);
  });
}

template <typename M>
struct Store {
  static constexpr const char* kName = "st";
  static void global(Warp& w, const Op& op, Addresses& a) { store_global_at<M>(w, op, a); }
  static void shared(Warp& w, const Op& op, Addresses& a) { store_shared_at<M>(w, op, a); }
  static void local(Warp& w, const Op& op, Addresses& a) { store_local_at<M>(w, op, a); }
  static void generic(Warp& w, const Op& op, Addresses& a) { store_generic_at<M>(w, op, a); }
};

}  // namespace

void add_store_handlers(HandlerTable& t) {
  add_spaces<Store<uint8_t>>(t, "8");
  add_spaces<Store<uint16_t>>(t, "16");
  add_spaces<Store<uint32_t>>(t, "32");
  add_spaces<Store<uint64_t>>(t, "64");
}

}  // namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME
