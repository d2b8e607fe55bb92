// Additions of 32-bit integers: what histograms do.
#include "warplens/base/set_bits.h"
#include "warplens/run/ptx/lanes/spaces.h"
#include "warplens/run/ptx/memory/atomic.h"
#include "warplens/simt/requests/multiplicity.h"

namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME {
namespace {

/// Op as in ../memory/atomic.h, with one element.
template <typename A>
void add_shared(Warp& w, const Op& op) {
  Addresses a;
  read_addresses<A>(w, op, a);
  const Span span = span_of(a, w.mask);
  const uint32_t* b = w.lanes<uint32_t>(op.b);
  uint32_t* d = op.d == kNoSlot ? nullptr : w.lanes<uint32_t>(op.d);
  const bool simple = (span.any & 3) == 0 && fits(span.high, 4, w.shared_bytes);
  for (const uint32_t i : set_bits(w.mask)) {
    uint8_t* at = nullptr;
    if (simple) {
      at = w.shared + a.value[i];
    } else {
      if (a.value[i] & 3) return raise_misaligned(w, op, i, a.value[i], 4);
      at = resolve_shared(w, a.value[i], 4);
      if (!at) return raise_address(w, op, i, a.value[i], 4, "shared", true);
    }
    uint32_t old;
    std::memcpy(&old, at, 4);
    const uint32_t sum = old + b[i];
    std::memcpy(at, &sum, 4);
    if (d) d[i] = old;
  }
  if (w.rows) count_shared_lanes(w.rows[op.row], a.value, w.mask, 4);
}

/// Lanes that all add within one allocation; others as run_atomic does.
void add_global(Warp& w, const Op& op) {
  Addresses a;
  read_addresses<uint64_t>(w, op, a);
  const Span span = span_of(a, w.mask);
  if ((span.any & 3) != 0 || span.high >= kSharedWindow || !in_range(w, op, span.low, span.high + 4, true))
    return run_atomic(w, op);
  const uint32_t* b = w.lanes<uint32_t>(op.b);
  uint32_t* d = op.d == kNoSlot ? nullptr : w.lanes<uint32_t>(op.d);
  const bool parallel = w.worker->parallel;
  for (const uint32_t i : set_bits(w.mask)) {
    auto* at = reinterpret_cast<uint32_t*>(a.value[i]);
    const uint32_t old = parallel ? __atomic_fetch_add(at, b[i], __ATOMIC_SEQ_CST) : *at;
    if (!parallel) *at = old + b[i];
    if (d) d[i] = old;
  }
  if (!w.rows) return;
  count_global_lanes(w.rows[op.row], a.value, w.mask, 4);
  count_multiplicity(w.rows[op.row], a.value, w.mask);
}

}  // namespace

void add_atomic_add_handlers(HandlerTable& t) {
  t.add("atom.global.add.32", &add_global);
  t.add("atom.generic.add.32", &add_global);
  t.add("atom.shared32.add.32", &add_shared<uint32_t>);
  t.add("atom.shared64.add.32", &add_shared<uint64_t>);
}

}  // namespace warplens::simt::ptx_machine::inline WARPLENS_ISA_NAME
