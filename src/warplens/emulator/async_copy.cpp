#include "warplens/emulator/async_copy.h"

#include <algorithm>
#include <cstring>

#include "warplens/emulator/access.h"
#include "warplens/emulator/checks/checker.h"
#include "warplens/emulator/resolve.h"

namespace warplens::emulator {
namespace {

uint32_t lanes_that_read(Warp& w, const Op& op) {
  uint32_t reading = w.mask;
  if (op.mode == 2) reading &= ~w.predicate(op.c);
  for (uint32_t i = 0; op.mode == 1 && i < kLanes; ++i)
    if (w.lanes<uint32_t>(op.c)[i] == 0) reading &= ~(1u << i);
  return reading;
}

uint32_t check_cp_async(Warp& w, const Op& op, const Address* from, const uint32_t* to) {
  const uint32_t reading = lanes_that_read(w, op);
  const uint32_t sound = examine(w, op, w.program->accesses[op.aux], from, reading);
  if (Checker* checker = w.cta->cluster->grid->checker) checker->async_copy(w, op, to);
  return sound | (w.mask & ~reading);
}

}  // namespace

void run_cp_async(Warp& w, const Op& op) {
  const auto* from = w.lanes<uint64_t>(op.a);
  const auto* to = w.lanes<uint32_t>(op.b);
  if (w.cta->cluster->grid->checker || w.cta->cluster->grid->config->observer) {
    const uint32_t sound = check_cp_async(w, op, from, to);
    if (sound != w.mask) return;
  }
  uint32_t reading = 0;
  for (uint32_t left = w.mask; left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(__builtin_ctz(left));
    uint32_t bytes = op.size;
    if (op.mode == 1) bytes = std::min<uint32_t>(bytes, w.lanes<uint32_t>(op.c)[lane]);
    if (op.mode == 2 && (w.predicate(op.c) >> lane & 1)) bytes = 0;
    if (to[lane] % op.size) return raise_misaligned(w, op, lane, to[lane], op.size);
    uint8_t* target = resolve_shared(w, to[lane], op.size);
    if (!target) return raise_address(w, op, lane, to[lane], op.size, "shared", true);
    if (bytes) {
      reading |= 1u << lane;
      if (from[lane] % op.size) return raise_misaligned(w, op, lane, from[lane], op.size);
      if (!in_range(w, op, from[lane], from[lane] + bytes, false))
        return raise_address(w, op, lane, from[lane], bytes, "global", false);
      std::memcpy(target, reinterpret_cast<const void*>(from[lane]), bytes);
    }
    std::memset(target + bytes, 0, op.size - bytes);
  }
  if (w.rows) count_global(w.rows[op.row], from, reading, op.size);
}

}  // namespace warplens::emulator
