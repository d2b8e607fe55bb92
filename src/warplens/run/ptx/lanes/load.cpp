// Loads. Op: a = address register, value = offset, d = destination (vector == 1) or e = first of `vector` entries in
// Program::slots; range; row = counts.
#include "warplens/base/set_bits.h"
#include "warplens/run/ptx/lanes/spaces.h"
#include "warplens/simt/lanes/vectors.h"

namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME {
namespace {

/// What lands in a register: narrow values are extended to 32 bits by their sign.
template <typename M>
using Landed = std::conditional_t<(sizeof(M) > 4), uint64_t, uint32_t>;

template <typename M>
inline __attribute__((always_inline)) Landed<M> landed(M value) {
  if constexpr (std::is_signed_v<M> && sizeof(M) < 4) return static_cast<uint32_t>(static_cast<int32_t>(value));
  else return static_cast<Landed<M>>(value);
}

template <typename M>
inline __attribute__((always_inline)) M read_at(const uint8_t* from) {
  M value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

inline uint32_t destination(const Warp& w, const Op& op, uint32_t k) {
  return op.vector == 1 ? op.d : w.program->slots[op.elements + k];
}

/// Lanes i of the mask read element k at from + i * step + k * sizeof(M).
template <typename M>
inline __attribute__((always_inline)) void read_run(Warp& w, const Op& op, const uint8_t* from, uint32_t n) {
  const uint32_t mask = w.mask;
  for (uint32_t k = 0; k < n; ++k) {
    const uint32_t slot = destination(w, op, k);
    if (slot == kNoSlot) continue;
    Landed<M>* __restrict d = w.lanes<Landed<M>>(slot);
    const uint8_t* source = from + k * sizeof(M);
    if (mask == kFull && n == 1) {
      for (uint32_t i = 0; i < kLanes; ++i) d[i] = landed(read_at<M>(source + i * sizeof(M)));
    } else if (mask == kFull) {
      for (uint32_t i = 0; i < kLanes; ++i) d[i] = landed(read_at<M>(source + i * n * sizeof(M)));
    } else if (sizeof(M) == 4 && n == 1) {
      load_run(reinterpret_cast<uint32_t*>(d), source, mask);
    } else {
      for (const uint32_t i : set_bits(mask)) d[i] = landed(read_at<M>(source + i * n * sizeof(M)));
    }
  }
}

template <typename M>
inline void read_uniform(Warp& w, const Op& op, const uint8_t* from, uint32_t n) {
  for (uint32_t k = 0; k < n; ++k) {
    const uint32_t slot = destination(w, op, k);
    if (slot == kNoSlot) continue;
    const Landed<M> value = landed(read_at<M>(from + k * sizeof(M)));
    for_lanes<Landed<M>>(w, slot, [=](uint32_t) { return value; });
  }
}

/// Both halves of a full warp, each a run or one address.
template <typename M>
inline void read_halves(Warp& w, const Op& op, const Addresses& a, Address origin, uint32_t n) {
  for (uint32_t k = 0; k < n; ++k) {
    const uint32_t slot = destination(w, op, k);
    if (slot == kNoSlot) continue;
    for (uint32_t half = 0; half < kLanes; half += 16) {
      Landed<M>* __restrict d = w.lanes<Landed<M>>(slot) + half;
      const auto* source = reinterpret_cast<const uint8_t*>(origin + a.value[half] + k * sizeof(M));
      if (a.value[half] == a.value[half + 1]) {
        const Landed<M> value = landed(read_at<M>(source));
        for (uint32_t i = 0; i < 16; ++i) d[i] = value;
      } else if (n == 1) {
        for (uint32_t i = 0; i < 16; ++i) d[i] = landed(read_at<M>(source + i * sizeof(M)));
      } else {
        for (uint32_t i = 0; i < 16; ++i) d[i] = landed(read_at<M>(source + i * n * sizeof(M)));
      }
    }
  }
}

template <typename M>
inline void read_scattered(Warp& w, const Op& op, const Addresses& a, Address origin, uint32_t n) {
  for (uint32_t k = 0; k < n; ++k) {
    const uint32_t slot = destination(w, op, k);
    if (slot == kNoSlot) continue;
    Landed<M>* __restrict d = w.lanes<Landed<M>>(slot);
    const Address source = origin + k * sizeof(M);  // an integer: where it is 0, `a` holds whole addresses
    if (w.mask == kFull) {
      for (uint32_t i = 0; i < kLanes; ++i)
        d[i] = landed(read_at<M>(reinterpret_cast<const uint8_t*>(source + a.value[i])));
    } else {
      for (const uint32_t i : set_bits(w.mask))
        d[i] = landed(read_at<M>(reinterpret_cast<const uint8_t*>(source + a.value[i])));
    }
  }
}

/// Each lane by itself, wherever its address leads. nullptr from `resolve` has raised a fault.
template <typename M, typename R>
inline void read_each(Warp& w, const Op& op, uint32_t n, R resolve) {
  for (uint32_t lanes = w.mask; lanes; lanes &= lanes - 1) {
    const uint32_t i = static_cast<uint32_t>(__builtin_ctz(lanes));
    const uint8_t* from = resolve(i);
    if (!from) return;
    for (uint32_t k = 0; k < n; ++k) {
      if (const uint32_t slot = destination(w, op, k); slot != kNoSlot)
        w.lanes<Landed<M>>(slot)[i] = landed(read_at<M>(from + k * sizeof(M)));
    }
  }
}

/// A request that is a run or goes to one address: false where it must be looked at lane by lane.
template <typename M>
bool load_together(Warp& w, const Op& op, const Addresses& a, const Request& request) {
  const uint32_t n = op.vector, step = n * sizeof(M), mask = w.mask;
  const Span& span = request.span;
  if ((span.any & (step - 1)) != 0 || !in_range(w, op, span.low, span.high + step, false)) return false;
  if (is_run(request)) read_run<M>(w, op, reinterpret_cast<const uint8_t*>(origin_of(request, mask, step)), n);
  else read_uniform<M>(w, op, reinterpret_cast<const uint8_t*>(request.begin), n);
  if (!w.rows) return true;
  auto& row = w.rows[op.row];
  if (request.shape == Shape::kRun) {
    count_run(row, span.low, span.high + step - span.low);
  } else if (request.shape == Shape::kGapped) {
    count_global_lanes(row, a.value, mask, step);
  } else {
    ++row.requests;
    ++row.sectors;
    ++row.ideal_sectors;
    row.bytes += uint64_t{step} * static_cast<uint32_t>(std::popcount(mask));
  }
  return true;
}

template <typename M>
void load_global_at(Warp& w, const Op& op, Addresses& a) {
  const uint32_t n = op.vector, step = n * sizeof(M), mask = w.mask;
  Request request;
  look_at(&a, mask, step, request);
  const Span& span = request.span;
  const bool halves = request.shape == Shape::kHalves;
  if ((is_run(request) || request.shape == Shape::kOne) && load_together<M>(w, op, a, request)) return;
  if ((span.any & (step - 1)) == 0 && span.high < kSharedWindow && in_range(w, op, span.low, span.high + step, false)) {
    if (halves) read_halves<M>(w, op, a, 0, n);
    else read_scattered<M>(w, op, a, 0, n);
  } else {
    read_each<M>(w, op, n, [&](uint32_t i) -> const uint8_t* {
      if (a.value[i] & (step - 1)) {
        raise_misaligned(w, op, i, a.value[i], step);
        return nullptr;
      }
      if (in_range(w, op, a.value[i], a.value[i] + step, false)) return reinterpret_cast<const uint8_t*>(a.value[i]);
      raise_address(w, op, i, a.value[i], step, "global", false);
      return nullptr;
    });
  }
  if (w.rows && !w.faulted) count_global_lanes(w.rows[op.row], a.value, mask, step, halves);
}

template <typename M>
void load_shared_at(Warp& w, const Op& op, Addresses& a) {
  const uint32_t n = op.vector, step = n * sizeof(M), mask = w.mask;
  Request request;
  look_at(&a, mask, step, request);
  const bool one = request.shape == Shape::kOne, halves = request.shape == Shape::kHalves;
  const auto origin = reinterpret_cast<Address>(w.shared);  // the first lanes of a run may be off, and lie before it
  if (all_fit(request, step, w.shared_bytes)) {
    if (is_run(request))
      read_run<M>(w, op, reinterpret_cast<const uint8_t*>(origin + origin_of(request, mask, step)), n);
    else if (one) read_uniform<M>(w, op, w.shared + request.begin, n);
    else if (halves) read_halves<M>(w, op, a, origin, n);
    else read_scattered<M>(w, op, a, origin, n);
  } else {
    read_each<M>(w, op, n, [&](uint32_t i) -> const uint8_t* {
      if (a.value[i] & (step - 1)) {
        raise_misaligned(w, op, i, a.value[i], step);
        return nullptr;
      }
      const uint8_t* at = resolve_shared(w, a.value[i], step);
      return at ? at : (raise_address(w, op, i, a.value[i], step, "shared", false), nullptr);
    });
  }
  if (!w.rows || w.faulted) return;
  auto& row = w.rows[op.row];
  const bool full_run = request.shape == Shape::kRun && mask == kFull;
  if ((one || full_run) && step >= 4 && step <= 16) {
    const uint32_t passes = full_run ? step / 4 : step <= 8 ? 1 : ((mask & 0xffff) != 0) + ((mask >> 16) != 0);
    count_passes(row, {passes, passes}, uint64_t{step} * static_cast<uint32_t>(std::popcount(mask)));
  } else {
    count_shared_lanes(row, a.value, mask, step, halves);
  }
}

template <typename M>
void load_local_at(Warp& w, const Op& op, const Addresses& a) {
  const uint32_t n = op.vector, step = n * sizeof(M), mask = w.mask;
  const Span span = span_of(a, mask);
  if ((span.any & (step - 1)) || !fits(span.high, step, w.local_bytes)) {
    for (const uint32_t i : set_bits(mask)) {
      if (a.value[i] & (step - 1)) return raise_misaligned(w, op, i, a.value[i], step);
      if (!fits(a.value[i], step, w.local_bytes)) return raise_address(w, op, i, a.value[i], step, "local", false);
    }
  }
  for (uint32_t k = 0; k < n; ++k) {
    const uint32_t slot = destination(w, op, k);
    if (slot == kNoSlot) continue;
    const Address shift = k * sizeof(M);
    for_lanes<Landed<M>>(w, slot, [&](uint32_t i) -> Landed<M> {
      const Address at = (mask >> i) & 1 ? a.value[i] + shift : 0;
      const uint8_t* word = w.local + (at / 4 * kLanes + i) * 4;
      if constexpr (sizeof(M) == 8)
        return read_at<uint32_t>(word) | uint64_t{read_at<uint32_t>(word + 4 * kLanes)} << 32;
      else return landed(read_at<M>(word + (at & 3)));
    });
  }
  if (w.rows) count_local_lanes(w.rows[op.row], a.value, mask, step);
}

/// The read-only window of kernel parameters.
template <typename M>
void load_window_at(Warp& w, const Op& op, const Addresses& a, const uint8_t* window, uint64_t bytes,
                    const char* name) {
  const uint32_t n = op.vector, step = n * sizeof(M);
  const Span span = span_of(a, w.mask);
  if (!fits(span.high, step, bytes) || (span.any & (sizeof(M) - 1))) {
    for (const uint32_t i : set_bits(w.mask)) {
      if (a.value[i] & (sizeof(M) - 1)) return raise_misaligned(w, op, i, a.value[i], step);
      if (!fits(a.value[i], step, bytes)) return raise_address(w, op, i, a.value[i], step, name, false);
    }
  }
  if (span.low == span.high) read_uniform<M>(w, op, window + span.low, n);
  else read_scattered<M>(w, op, a, reinterpret_cast<Address>(window), n);
}

template <typename M>
void load_generic_at(Warp& w, const Op& op, Addresses& a) {
  if (span_of(a, w.mask).high < kSharedWindow) return load_global_at<M>(w, op, a);
  each_space(w, a, [&](Address window, Addresses& part) {
    const std::vector<uint8_t>& parameters = w.cta->cluster->grid->parameters;
    const auto lane = static_cast<uint32_t>(__builtin_ctz(w.mask));
    if (window == 0) load_global_at<M>(w, op, part);
    else if (window == kSharedWindow) load_shared_at<M>(w, op, part);
    else if (window == kLocalWindow) load_local_at<M>(w, op, part);
    else if (window == kParamWindow) load_window_at<M>(w, op, part, parameters.data(), parameters.size(), "param");
    else raise_address(w, op, lane, a.value[lane], sizeof(M), "generic", false);
  });
}

template <typename M>
struct Load {
  static constexpr const char* kName = "ld";
  static void global(Warp& w, const Op& op, Addresses& a) { load_global_at<M>(w, op, a); }
  static void shared(Warp& w, const Op& op, Addresses& a) { load_shared_at<M>(w, op, a); }
  static void local(Warp& w, const Op& op, Addresses& a) { load_local_at<M>(w, op, a); }
  static void generic(Warp& w, const Op& op, Addresses& a) { load_generic_at<M>(w, op, a); }
};

template <typename M>
void add_loads(HandlerTable& t, const Key& type) {
  add_spaces<Load<M>>(t, type);
  t.add("ld.const." + type, [](Warp& w, const Op& op) {
    Addresses a;
    read_addresses<uint64_t>(w, op, a);
    auto* rows = w.rows;  // constants have a cache of their own: no global requests
    w.rows = nullptr;
    load_global_at<M>(w, op, a);
    w.rows = rows;
  });
  t.add("ld.param." + type, [](Warp& w, const Op& op) {
    Addresses a;
    read_addresses<uint64_t>(w, op, a);
    load_window_at<M>(w, op, a, w.cta->cluster->grid->parameters.data(), w.cta->cluster->grid->parameters.size(),
                      "param");
  });
}

/// A kernel parameter at a constant offset: decode has checked that it lies inside.
template <typename M>
void load_parameter(Warp& w, const Op& op) {
  read_uniform<M>(w, op, w.cta->cluster->grid->parameters.data() + op.value, op.vector);
}

}  // namespace

void add_load_handlers(HandlerTable& t) {
  add_loads<uint8_t>(t, "u8");
  add_loads<int8_t>(t, "s8");
  add_loads<uint16_t>(t, "u16");
  add_loads<int16_t>(t, "s16");
  add_loads<uint32_t>(t, "32");
  add_loads<uint64_t>(t, "64");
  t.add("ld.parameter.u8", &load_parameter<uint8_t>);
  t.add("ld.parameter.s8", &load_parameter<int8_t>);
  t.add("ld.parameter.u16", &load_parameter<uint16_t>);
  t.add("ld.parameter.s16", &load_parameter<int16_t>);
  t.add("ld.parameter.32", &load_parameter<uint32_t>);
  t.add("ld.parameter.64", &load_parameter<uint64_t>);
}

}  // namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME
