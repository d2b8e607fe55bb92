// What orders warps: barriers of the block and the cluster, fences with strong accesses.
#include <utility>

#include "warplens/base/set_bits.h"
#include "warplens/base/text.h"
#include "warplens/run/sass/checks/checker.h"
#include "warplens/run/sass/cluster.h"

namespace warplens::simt::sass_machine {

void WarpChecker::fence(Warp& w, uint32_t on, bool wide) {
  simt::Checker::fence(&w.block->checks->warps[w.index], on, wide ? kWideLevel : kBlockLevel);
}

void WarpChecker::check_arrival(Warp& w, const Op& op, uint32_t on, uint32_t barrier, uint32_t expected) {
  const CheckedWarp& mine = w.block->checks->warps[w.index];
  const Block::Barrier& there = w.block->barriers[barrier];
  std::string what;
  if (on != w.active)
    what = fmt::format("{} threads of the warp reach this barrier, but {} that run with them do not", std::popcount(on),
                       std::popcount(w.active & ~on));
  else if (there.arrived != 0) what = unlike_arrival(mine, barrier, op.index, expected, there.expected, false);
  if (!what.empty())
    report("divergent-barrier", mine, op.index, static_cast<uint32_t>(std::countr_zero(on)), std::move(what));
}

void WarpChecker::arrive(Warp& w, const Op& op, uint32_t on, uint32_t barrier, uint32_t expected) {
  BlockChecks& c = *w.block->checks;
  if (checks(kCheckSync)) check_arrival(w, op, on, barrier, expected);
  if (w.block->barriers[barrier].arrived == 0) {
    c.first_at[barrier] = op.index;
    for (const Warp& one : w.block->warps) c.warps[one.index].at_barrier[barrier] = one.live;
  }
  simt::Checker::arrive(&c.warps[w.index], on, &c.barriers[barrier]);
}

void WarpChecker::complete(Block& block, uint32_t barrier) {
  BlockChecks& c = *block.checks;
  const Gathered gathered = std::exchange(c.barriers[barrier], {});
  for (Warp& w : block.warps) {
    WarpChecks& mine = c.warps[w.index];
    uint32_t here = 0;
    for (const Split& s : w.splits) here |= s.state == Split::State::kBarrier && s.barrier == barrier ? s.lanes : 0;
    if (here) take(&mine, here, gathered);
    uint32_t missing = 0;  // went past it and ended, while others waited
    for (const uint32_t lane : set_bits(mine.at_barrier[barrier] & ~(here | w.live)))
      missing |= mine.left_at[lane] > c.first_at[barrier] ? 1u << lane : 0;
    if (!missing || block.barriers[barrier].expected != 0 || !checks(kCheckSync)) continue;
    report("divergent-barrier", mine, c.first_at[barrier], static_cast<uint32_t>(std::countr_zero(missing)),
           fmt::format("{} threads of the warp never reach this barrier: they took another branch and have ended",
                       std::popcount(missing)));
  }
}

void WarpChecker::arrive_in_cluster(Warp& w) {
  simt::Checker::arrive(&w.block->checks->warps[w.index], w.live, &clusters_[w.block->cluster->number].gathered);
}

/// All live warps of a cluster take part in its barriers.
void WarpChecker::pass(const Meeting& meeting, Cluster& cluster) const {
  for (Block& block : cluster.blocks) {
    for (const Warp& w : block.warps) take(&block.checks->warps[w.index], w.live, meeting.done);
  }
}

void WarpChecker::complete(Cluster& cluster) {
  Meeting& meeting = clusters_[cluster.number];
  meeting.complete();
  pass(meeting, cluster);
}

void WarpChecker::arrive_in_grid(Warp& w) {
  simt::Checker::arrive(&w.block->checks->warps[w.index], w.live, &grid_.gathered);
}

void WarpChecker::complete_grid(std::span<const std::unique_ptr<Cluster>> clusters) {
  grid_.complete();
  for (const auto& cluster : clusters) pass(grid_, *cluster);
}

void WarpChecker::check_named(Warp& w, const Op& op, uint32_t on) {
  const uint32_t* masks = w.in(op.a);
  uint32_t unnamed = 0;
  for (const uint32_t lane : set_bits(on)) unnamed |= masks[lane] >> lane & 1 ? 0 : 1u << lane;
  if (!unnamed) return;
  const auto lane = static_cast<uint32_t>(std::countr_zero(unnamed));
  report("missing-mask-lanes", w.block->checks->warps[w.index], op.index, lane,
         fmt::format("lanes {:#010x} of the warp run this with the member mask {:#010x}, which does not name them",
                     unnamed, masks[lane]));
}

void WarpChecker::leave(Warp& w, const Op& op, uint32_t on) {
  for (const uint32_t lane : set_bits(on)) w.block->checks->warps[w.index].left_at[lane] = op.index;
}

}  // namespace warplens::simt::sass_machine
