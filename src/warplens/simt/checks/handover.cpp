#include "warplens/simt/checks/handover.h"

namespace warplens::simt {

LevelClocks SyncObject::seen(BlockNumbers who) const {
  const auto find = [](const std::map<uint64_t, ClockPtr>& clocks, uint64_t key) {
    const auto found = clocks.find(key);
    return found == clocks.end() ? nullptr : found->second;
  };
  LevelClocks out;
  out[kBlockLevel] = find(blocks_, who.block);
  out[kClusterLevel] = joined(out[kBlockLevel], find(clusters_, who.cluster));
  out[kWideLevel] = joined(out[kClusterLevel], wide_);
  return out;
}

void SyncObject::release(BlockNumbers who, uint32_t level, const ClockPtr& clock) {
  const auto add = [&](ClockPtr& to) { to = joined(to, clock); };
  add(blocks_[who.block]);
  if (level >= kClusterLevel) add(clusters_[who.cluster]);
  if (level >= kWideLevel) add(wide_);
}

void Gathered::join(const Gathered& other) {
  clock = joined(clock, other.clock);
  join_levels(&released, other.released);
  join_levels(&pending, other.pending);
}

void join_levels(LevelClocks* all, const LevelClocks& more) {
  for (uint32_t level = 0; level < kLevels; ++level) (*all)[level] = joined((*all)[level], more[level]);
}

}  // namespace warplens::simt
