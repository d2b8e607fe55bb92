#include "warplens/run/ptx/memory/atomic.h"

#include "warplens/base/set_bits.h"
#include "warplens/run/ptx/memory/resolve.h"
#include "warplens/simt/atomics/operation.h"
#include "warplens/simt/requests/count.h"
#include "warplens/simt/requests/multiplicity.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Type;

uint64_t element(Warp& w, const Op& op, uint32_t slot_or_list, uint32_t k, uint32_t lane) {
  const uint32_t slot = op.vector == 1 ? slot_or_list : w.program->slots[slot_or_list + k];
  return op.size == 8 ? w.lanes<uint64_t>(slot)[lane] : w.lanes<uint32_t>(slot)[lane];
}

void store_old(Warp& w, const Op& op, uint32_t k, uint32_t lane, uint64_t old) {
  const uint32_t slot = op.vector == 1 ? op.d : w.program->slots[op.d + k];
  if (slot == kNoSlot) return;
  if (op.size == 8) w.lanes<uint64_t>(slot)[lane] = old;
  else w.lanes<uint32_t>(slot)[lane] = static_cast<uint32_t>(old);
}

}  // namespace

void run_atomic(Warp& w, const Op& op) {
  const AccessInfo& info = w.program->accesses[op.range];
  const uint32_t mask = w.mask, step = op.size * op.vector;
  const auto operation = op.atomic;
  const auto type = op.type;
  const bool shared_space = is_shared(info.space);
  alignas(64) Address addresses[kLanes] = {};
  bool changed = false, any_shared = false;
  for (const uint32_t lane : set_bits(mask)) {
    Address at = info.address_bits == 64
                     ? w.lanes<uint64_t>(op.a)[lane] + static_cast<uint64_t>(op.value)
                     : static_cast<uint32_t>(w.lanes<uint32_t>(op.a)[lane] + static_cast<uint32_t>(op.value));
    addresses[lane] = at;
    if (at & (op.size - 1)) return raise_misaligned(w, op, lane, at, step);
    const bool in_shared = shared_space || (at >> 56) == (kSharedWindow >> 56);
    any_shared |= in_shared;
    uint8_t* place = shared_space ? resolve_shared(w, at, step) : resolve_generic(w, op, lane, at, step, true);
    if (!place)
      return shared_space ? raise_address(w, op, lane, at, step, "shared", true)
                          : raise_address(w, op, lane, at, step, "global", true);
    for (uint32_t k = 0; k < op.vector; ++k) {
      const uint64_t operand = element(w, op, op.b, k, lane);
      const uint64_t other = op.c == kNoSlot ? 0 : element(w, op, op.c, k, lane);
      uint8_t* target = place + k * op.size;
      if (op.applied_late == 1 && !in_shared) {
        w.cta->cluster->reductions.push_back(
            {reinterpret_cast<Address>(target), operand, static_cast<uint8_t>(type), op.mode});
        continue;
      }
      const uint64_t old =
          atomic_apply(target, op.size, operation, type, operand, other, !in_shared, w.worker->parallel && !in_shared);
      changed |=
          operation != AtomicOp::kCompareSwap || old == (op.size == 4 ? static_cast<uint32_t>(operand) : operand);
      if (op.d != kNoSlot) store_old(w, op, k, lane, old);
    }
  }
  if (!changed && operation == AtomicOp::kCompareSwap) w.spin += 64;  // a lock that somebody else holds
  if (!w.rows) return;
  auto& row = w.rows[op.row];
  if (any_shared) {
    for (uint32_t i = 0; i < kLanes; ++i) addresses[i] &= kInBlock;
    count_shared(row, addresses, mask, step);
  } else {
    count_global(row, addresses, mask, step);
    count_multiplicity(row, addresses, mask);
  }
}

}  // namespace warplens::simt::ptx_machine
