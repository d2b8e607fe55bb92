// What orders warps: barriers of the block and the cluster, fences with strong accesses.
#include <utility>

#include "warplens/base/text.h"
#include "warplens/run/sass/checks/checker.h"
#include "warplens/run/sass/cluster.h"

namespace warplens::simt::sass_machine {
namespace {

/// What a warp knows now, itself included.
ClockPtr published(const WarpKnowledge& who) {
  auto out = who.known ? std::make_shared<simt::Clock>(*who.known) : std::make_shared<simt::Clock>();
  out->raise(actor(Agent::kThread, who.number), who.clock);
  return out;
}

void learn(WarpKnowledge* who, const Gathered& from) {
  who->known = joined(who->known, from.clock);
  join_levels(&who->released, from.released);
}

/// The level that an access or a fence reaches: machine code knows those of the block and those of all.
uint32_t level_of(bool wide) { return wide ? kWideLevel : kBlockLevel; }

}  // namespace

bool Checker::ordered(const WarpKnowledge& mine, const AccessRecord& before) const {
  if (before.warp == mine.number) return true;
  if (asynchronous_ && before.warp / warps_per_block_ == mine.number / warps_per_block_) return true;
  return mine.known && mine.known->at(actor(Agent::kThread, before.number), 0) >= before.clock;
}

void Checker::fence(Warp& w, bool wide) {
  WarpKnowledge& mine = w.block->checks->warps[w.index];
  const ClockPtr now = published(mine);
  for (uint32_t level = 0; level <= level_of(wide); ++level) mine.released[level] = now;
  ++mine.clock;
}

/// A strong access passes on what the warp's last fence saw, and learns what others passed on.
void Checker::synchronise(Warp& w, const Touch& touch) {
  WarpKnowledge& mine = w.block->checks->warps[w.index];
  const BlockNumbers who{mine.number / warps_per_block_, w.block->cluster->number};
  auto& flags = touch.place.block ? touch.place.block->checks->flags : flags_;
  const auto found = flags.find(touch.place.at);
  if (touch.reads && found != flags.end())
    mine.known = joined(mine.known, found->second.seen(who)[level_of(touch.wide)]);
  if (!touch.writes) return;
  for (uint32_t level = 0; level <= level_of(touch.wide); ++level) {
    if (mine.released[level]) flags[touch.place.at].release(who, level, mine.released[level]);
  }
}

void Checker::check_arrival(Warp& w, const Op& op, uint32_t on, uint32_t barrier, uint32_t expected) {
  const BlockChecks& c = *w.block->checks;
  const Block::Barrier& there = w.block->barriers[barrier];
  const auto lane = static_cast<uint32_t>(std::countr_zero(on));
  const auto text = [](uint32_t count) { return count ? fmt::format("{} threads", count) : "all threads"; };
  std::string what;
  if (on != w.active) {
    what = fmt::format("barrier reached by {} threads of the warp and not by {} that are with them", std::popcount(on),
                       std::popcount(w.active & ~on));
  } else if (there.arrived == 0) {
    return;
  } else if (there.expected != expected) {
    what = fmt::format("barrier {} for {}, which others have reached for {}", barrier, text(expected),
                       text(there.expected));
  } else if (expected == 0 && !log_.found.one_line(c.first_at[barrier], op.index)) {
    const Place first = place_of(0, 0, c.first_at[barrier]);
    what = fmt::format("barrier of the whole block that other threads have reached at {}",
                       first.line ? fmt::format("{}:{}", first.file, first.line)
                                  : fmt::format("machine code {:#x}", uint64_t{first.index} * 16));
  }
  if (!what.empty()) report("divergent-barrier", w, op, lane, std::move(what), {}, 0);
}

void Checker::arrive(Warp& w, const Op& op, uint32_t on, uint32_t barrier, uint32_t expected) {
  BlockChecks& c = *w.block->checks;
  WarpKnowledge& mine = c.warps[w.index];
  if (checks(kCheckSync)) check_arrival(w, op, on, barrier, expected);
  if (w.block->barriers[barrier].arrived == 0) {
    c.first_at[barrier] = op.index;
    for (const Warp& one : w.block->warps) c.warps[one.index].at_barrier[barrier] = one.live;
  }
  c.barriers[barrier].join({published(mine), mine.released, {}});
  ++mine.clock;
}

void Checker::complete(Block& block, uint32_t barrier) {
  BlockChecks& c = *block.checks;
  const Gathered gathered = std::exchange(c.barriers[barrier], {});
  for (Warp& w : block.warps) {
    WarpKnowledge& mine = c.warps[w.index];
    uint32_t here = 0;
    for (const Split& s : w.splits) here |= s.state == Split::State::kBarrier && s.barrier == barrier ? s.lanes : 0;
    if (here) learn(&mine, gathered);
    uint32_t missing = 0;  // went past it and ended, while others waited
    for (uint32_t left = mine.at_barrier[barrier] & ~(here | w.live); left; left &= left - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(left));
      missing |= mine.left_at[lane] > c.first_at[barrier] ? 1u << lane : 0;
    }
    if (!missing || block.barriers[barrier].expected != 0 || !checks(kCheckSync)) continue;
    report("divergent-barrier", w, run_.ops[c.first_at[barrier]], static_cast<uint32_t>(std::countr_zero(missing)),
           fmt::format("barrier of the whole block that {} threads of the warp never reached: they went another way "
                       "and have ended",
                       std::popcount(missing)),
           {}, 0);
  }
}

void Checker::arrive_in_cluster(Warp& w) {
  WarpKnowledge& mine = w.block->checks->warps[w.index];
  clusters_[w.block->cluster].join({published(mine), mine.released, {}});
  ++mine.clock;
}

void Checker::complete(Cluster& cluster) {
  const Gathered gathered = std::exchange(clusters_[&cluster], {});
  for (Block& block : cluster.blocks) {
    for (const Warp& w : block.warps) {
      if (w.live) learn(&block.checks->warps[w.index], gathered);
    }
  }
}

void Checker::arrive_in_grid(Warp& w) {
  WarpKnowledge& mine = w.block->checks->warps[w.index];
  grid_.join({published(mine), mine.released, {}});
  ++mine.clock;
}

void Checker::complete_grid(std::span<const std::unique_ptr<Cluster>> clusters) {
  const Gathered gathered = std::exchange(grid_, {});
  for (const auto& cluster : clusters) {
    for (const Block& block : cluster->blocks) {
      for (const Warp& w : block.warps) {
        if (w.live) learn(&block.checks->warps[w.index], gathered);
      }
    }
  }
}

void Checker::check_named(Warp& w, const Op& op, uint32_t on) {
  const uint32_t* masks = w.in(op.a);
  uint32_t unnamed = 0;
  for (uint32_t left = on; left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    unnamed |= masks[lane] >> lane & 1 ? 0 : 1u << lane;
  }
  if (!unnamed) return;
  const auto lane = static_cast<uint32_t>(std::countr_zero(unnamed));
  report("missing-mask-lanes", w, op, lane,
         fmt::format("lanes {:#010x} of the warp run this with the member mask {:#010x}, which does not name them",
                     unnamed, masks[lane]),
         {}, 0);
}

void Checker::leave(Warp& w, const Op& op, uint32_t on) {
  for (; on; on &= on - 1)
    w.block->checks->warps[w.index].left_at[static_cast<size_t>(std::countr_zero(on))] = op.index;
}

}  // namespace warplens::simt::sass_machine
