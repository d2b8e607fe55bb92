#include "warplens/gpu/occupancy.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"

namespace warplens::gpu {
namespace {

constexpr int kWarpSize = 32;

int64_t round_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }
int warps_of(int threads) { return (threads + kWarpSize - 1) / kWarpSize; }

/// The smallest carve-out that holds `bytes`; 0 bytes need none.
int64_t carveout(const Arch& arch, int64_t bytes) {
  for (const int kb : arch.carveout_kb) {
    if (bytes <= int64_t{kb} * 1024) return int64_t{kb} * 1024;
  }
  return 0;
}

int blocks_by_warps(const Arch& arch, int threads) {
  return threads > arch.threads_per_block ? 0 : arch.warps_per_sm / warps_of(threads);
}

int blocks_by_registers(const Arch& arch, int registers, int threads) {
  const int64_t a_warp = round_up(int64_t{registers} * kWarpSize, arch.register_unit);
  const int warps = warps_of(threads);
  // The hardware checks a launch as if every sub-partition held as many warps as the fullest.
  if (a_warp * round_up(warps, arch.subpartitions) > arch.registers_per_sm || registers > 256) return 0;
  if (a_warp == 0) return kUnlimited;
  const int64_t a_partition = arch.registers_per_sm / arch.subpartitions / a_warp;
  return static_cast<int>(a_partition * arch.subpartitions / warps);
}

int blocks_by_shared(const Arch& arch, const BlockNeeds& needs, Occupancy* out) {
  const int64_t used = needs.static_shared_bytes + needs.dynamic_shared_bytes + arch.shared_reserved_bytes;
  const int64_t allocated = round_up(used, arch.shared_unit_bytes);
  out->shared_bytes_allocated = allocated;
  const int64_t limit = (used > arch.shared_default_bytes ? arch.shared_optin_bytes : arch.shared_default_bytes) +
                        arch.shared_reserved_bytes;
  if (allocated > limit) return 0;
  if (allocated == 0) return kUnlimited;
  const int64_t wanted = needs.carveout_percent < 0
                             ? arch.shared_bytes_per_sm
                             : carveout(arch, int64_t{needs.carveout_percent} * arch.shared_bytes_per_sm / 100);
  return static_cast<int>((wanted >= allocated ? wanted : carveout(arch, allocated)) / allocated);
}

}  // namespace

Occupancy occupancy(const Arch& arch, const BlockNeeds& needs) {
  Occupancy out;
  out.max_warps = arch.warps_per_sm;
  if (needs.threads <= 0) return out;
  out.by_warps = blocks_by_warps(arch, needs.threads);
  out.by_registers = blocks_by_registers(arch, needs.registers, needs.threads);
  out.by_shared = blocks_by_shared(arch, needs, &out);
  out.by_blocks = arch.blocks_per_sm;
  const bool barriers = arch.major >= 9 && needs.barriers > 0;
  out.by_barriers = barriers ? arch.blocks_per_sm * arch.barriers_per_block_slot / needs.barriers : kUnlimited;
  out.blocks = std::min({out.by_warps, out.by_registers, out.by_shared, out.by_blocks, out.by_barriers});
  out.warps = out.blocks * warps_of(needs.threads);
  out.shared_bytes_configured = carveout(arch, out.blocks * out.shared_bytes_allocated);
  const std::pair<int, Limiter> limits[] = {{out.by_warps, kLimitWarps},
                                            {out.by_registers, kLimitRegisters},
                                            {out.by_shared, kLimitShared},
                                            {out.by_blocks, kLimitBlocks},
                                            {out.by_barriers, kLimitBarriers}};
  for (const auto& [blocks, limiter] : limits) {
    if (blocks == out.blocks) out.limiters |= limiter;
  }
  return out;
}

std::vector<std::string> limiter_names(unsigned limiters) {
  std::vector<std::string> names;
  if (limiters & kLimitRegisters) names.push_back("registers");
  if (limiters & kLimitShared) names.push_back("shared memory");
  if (limiters & kLimitWarps) names.push_back("warps");
  if (limiters & kLimitBlocks) names.push_back("blocks");
  if (limiters & kLimitBarriers) names.push_back("barriers");
  return names;
}

int best_block_size(const Arch& arch, BlockNeeds needs) {
  int best = 0, best_threads = 0;
  for (int threads = arch.threads_per_block; threads > 0; threads -= kWarpSize) {
    needs.threads = threads;
    const int resident = occupancy(arch, needs).blocks * threads;
    if (resident > best_threads) {
      best = threads;
      best_threads = resident;
    }
  }
  return best;
}

std::vector<Step> next_steps(const Arch& arch, const BlockNeeds& needs) {
  std::vector<Step> steps;
  const int now = occupancy(arch, needs).warps;
  auto better = [&](const BlockNeeds& changed, const std::string& change) {
    const Occupancy result = occupancy(arch, changed);
    if (result.warps <= now) return false;
    steps.push_back({change, result.warps, result.blocks});
    return true;
  };
  for (int registers = needs.registers - 1; registers > 0; --registers) {
    BlockNeeds changed = needs;
    changed.registers = registers;
    if (better(changed, fmt::format("registers per thread {} -> {}", needs.registers, registers))) break;
  }
  const int64_t shared = needs.static_shared_bytes + needs.dynamic_shared_bytes;
  for (int64_t bytes = (shared - 1) / 128 * 128; shared > 0 && bytes >= 0; bytes -= 128) {
    BlockNeeds changed = needs;
    changed.static_shared_bytes = 0;
    changed.dynamic_shared_bytes = bytes;
    if (better(changed, fmt::format("shared memory per block {} -> {} bytes", shared, bytes))) break;
  }
  BlockNeeds changed = needs;
  changed.threads = best_block_size(arch, needs);
  if (changed.threads > 0) better(changed, fmt::format("threads per block {} -> {}", needs.threads, changed.threads));
  return steps;
}

}  // namespace warplens::gpu
