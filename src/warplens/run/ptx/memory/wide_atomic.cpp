#include "warplens/run/ptx/memory/wide_atomic.h"

#include <array>
#include <cstring>
#include <mutex>

#include "warplens/base/set_bits.h"
#include "warplens/run/ptx/memory/resolve.h"
#include "warplens/simt/requests/count.h"

namespace warplens::simt::ptx_machine {
namespace {

constexpr uint32_t kBytes = 16, kHalfSlot = 256;  // a register of 128 bits holds all low halves, then all high ones

using Wide = std::array<uint64_t, 2>;

Wide read(Warp& w, uint32_t slot, uint32_t lane) {
  return {w.lanes<uint64_t>(slot)[lane], w.lanes<uint64_t>(slot + kHalfSlot)[lane]};
}

}  // namespace

void run_wide_atomic(Warp& w, const Op& op) {
  static std::mutex one_at_a_time;  // of all workers: a host's 16 bytes are not atomic everywhere
  const AccessInfo& info = w.program->accesses[op.range];
  const bool shared = is_shared(info.space);
  alignas(64) Address addresses[kLanes] = {};
  bool changed = op.c == kNoSlot;
  for (const uint32_t lane : set_bits(w.mask)) {
    const Address at = info.address_bits == 64
                           ? w.lanes<uint64_t>(op.a)[lane] + static_cast<uint64_t>(op.value)
                           : static_cast<uint32_t>(w.lanes<uint32_t>(op.a)[lane] + static_cast<uint32_t>(op.value));
    addresses[lane] = at;
    if (at % kBytes != 0) return raise_misaligned(w, op, lane, at, kBytes);
    uint8_t* place = shared ? resolve_shared(w, at, kBytes) : resolve_generic(w, op, lane, at, kBytes, true);
    if (place == nullptr) return raise_address(w, op, lane, at, kBytes, shared ? "shared" : "global", true);
    const Wide operand = read(w, op.b, lane);
    Wide old;
    const std::lock_guard lock(one_at_a_time);
    std::memcpy(&old, place, kBytes);
    if (op.c == kNoSlot) std::memcpy(place, &operand, kBytes);
    else if (old == operand) {
      const Wide other = read(w, op.c, lane);
      std::memcpy(place, &other, kBytes);
      changed = true;
    }
    if (op.d == kNoSlot) continue;
    w.lanes<uint64_t>(op.d)[lane] = old[0];
    w.lanes<uint64_t>(op.d + kHalfSlot)[lane] = old[1];
  }
  if (!changed) w.spin += 64;  // a lock that somebody else holds
  if (w.rows && shared) count_shared(w.rows[op.row], addresses, w.mask, kBytes);
  else if (w.rows) count_global(w.rows[op.row], addresses, w.mask, kBytes);
}

}  // namespace warplens::simt::ptx_machine
