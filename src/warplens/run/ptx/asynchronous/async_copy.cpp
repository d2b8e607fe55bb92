#include "warplens/run/ptx/asynchronous/async_copy.h"

#include <algorithm>
#include <cstring>

#include "warplens/base/set_bits.h"
#include "warplens/run/ptx/checks/checker.h"
#include "warplens/run/ptx/memory/resolve.h"
#include "warplens/simt/requests/count.h"

namespace warplens::simt::ptx_machine {
namespace {

/// What a lane reads of its source.
uint32_t bytes_read(Warp& w, const Op& op, uint32_t lane) {
  if (op.copied == CopiedBytes::kCounted) return std::min<uint32_t>(op.size, w.lanes<uint32_t>(op.c)[lane]);
  return op.copied == CopiedBytes::kUnlessIgnored && (w.predicate(op.c) >> lane & 1) ? 0 : op.size;
}

uint32_t lanes_that_read(Warp& w, const Op& op) {
  uint32_t reading = 0;
  for (const uint32_t lane : set_bits(w.mask)) {
    if (bytes_read(w, op, lane)) reading |= 1u << lane;
  }
  return reading;
}

/// Shows the copies to the checks, as made by an agent of each lane; gives the lanes whose copies are sound.
uint32_t check_cp_async(Warp& w, const Op& op, const Address* from, const uint32_t* to) {
  ThreadChecker& checker = *w.cta->cluster->grid->checker;
  uint32_t sound = 0;
  for (const uint32_t lane : set_bits(w.mask)) {
    Touch t;
    t.lane = lane;
    t.agent = Agent::kCopy;
    t.number = w.checks->number;
    t.clock = checker.open_count(w, Agent::kCopy, lane);
    t.alignment = op.size;
    t.at = from[lane];
    t.space = ptx::Space::kGlobal;
    t.size_bytes = bytes_read(w, op, lane);
    t.reads = true;
    const bool readable = t.size_bytes == 0 || checker.touch(w, op, t);
    t.at = to[lane];
    t.space = ptx::Space::kShared;
    t.size_bytes = op.size;
    t.reads = false;
    t.writes = true;
    if (checker.touch(w, op, t) && readable) sound |= 1u << lane;
  }
  return sound;
}

}  // namespace

void run_cp_async(Warp& w, const Op& op) {
  const auto* from = w.lanes<uint64_t>(op.a);
  const auto* to = w.lanes<uint32_t>(op.b);
  if (w.cta->cluster->grid->config->observer)
    (void)examine(w, op, w.program->accesses[op.range], from, lanes_that_read(w, op));
  const uint32_t sound = w.checks ? check_cp_async(w, op, from, to) : w.mask;
  uint32_t reading = 0;
  for (const uint32_t lane : set_bits(sound)) {
    const uint32_t bytes = bytes_read(w, op, lane);
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

}  // namespace warplens::simt::ptx_machine
