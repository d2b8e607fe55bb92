// Barriers in divergent code, member masks, fences and groups under checks.
#include <utility>

#include "warplens/base/text.h"
#include "warplens/run/ptx/checks/checker.h"
#include "warplens/run/ptx/place.h"

namespace warplens::simt::ptx_machine {
namespace {

ThreadChecker& checker_of(const Warp& w) { return *w.cta->cluster->grid->checker; }

bool checks_sync(const Warp& w) {
  return w.cta->cluster->grid->checker && (w.cta->cluster->grid->config->checks & kCheckSync);
}

std::string lanes_text(uint32_t lanes) {
  std::string text;
  for (uint32_t i = 0; i < kLanes; ++i) {
    if (!(lanes >> i & 1)) continue;
    uint32_t last = i;
    while (last + 1 < kLanes && (lanes >> (last + 1) & 1)) ++last;
    text += (text.empty() ? "" : ", ") + (last == i ? std::to_string(i) : fmt::format("{} to {}", i, last));
    i = last;
  }
  return text;
}

}  // namespace

void run_fence(Warp& w, const Op& op) { checker_of(w).fence(w.checks.get(), w.mask, op.scope); }
void run_fence_proxy(Warp& w, const Op&) { checker_of(w).fence_proxy(w); }
void run_commit_group(Warp& w, const Op& op) { checker_of(w).commit(w, op.agent); }
void run_wait_group(Warp& w, const Op& op) {
  checker_of(w).wait(w, op.agent, op.value < 0 ? ~0u : static_cast<uint32_t>(op.value));
  if (op.agent == Agent::kMatrix) checker_of(w).matrix_waited(w);
}

void check_cluster_wait(Warp& w, const Op& op, uint32_t lanes) {
  if (lanes == 0 || !checks_sync(w)) return;
  checker_of(w).report(
      "divergent-barrier", w, op, static_cast<uint32_t>(__builtin_ctz(lanes)),
      fmt::format("lanes {} wait at the cluster's barrier without having arrived there", lanes_text(lanes)), 0, 0);
}

void ThreadChecker::check_barrier(Warp& w, const Op& op, uint32_t barrier, uint32_t expected) {
  const Barrier& b = w.cta->barriers[barrier];
  if (!checks(kCheckSync) || b.arrived == 0) return;
  const bool anywhere = !op.flags;  // barrier.sync without .aligned
  std::string what = unlike_arrival(*w.checks, barrier, op.row, expected, b.expected, anywhere);
  if (!what.empty()) report("divergent-barrier", w, op, static_cast<uint32_t>(__builtin_ctz(w.mask)), std::move(what));
}

void check_completion(Cta& cta, uint32_t barrier) {
  for (const auto& w : cta.warps) {
    const uint32_t expected = std::exchange(w->checks->at_barrier[barrier], 0);
    if (!checks_sync(*w)) continue;
    uint32_t arrived = 0;
    const Op* first = nullptr;
    for (const Split& s : w->splits) {
      if (s.state != SplitState::kBarrier || s.barrier != barrier) continue;
      arrived |= s.mask;
      if (!first) first = &w->program->ops[w->program->blocks[s.block].end_op];
    }
    if (!first) continue;
    const auto lane = static_cast<uint32_t>(__builtin_ctz(arrived));
    if (const uint32_t missing = expected & ~arrived; missing && first->flags)
      checker_of(*w).report(
          "divergent-barrier", *w, *first, lane,
          fmt::format("lanes {} of the warp reach this barrier, but lanes {} do not: move it out of the branch",
                      lanes_text(arrived), lanes_text(missing)),
          0, 0);
    else if (cta.left_late && !cta.barriers[barrier].expected)
      checker_of(*w).report("divergent-barrier", *w, *first, lane,
                            fmt::format("{} threads of the block never reach this barrier: they took another branch "
                                        "and have ended",
                                        cta.left_late),
                            0, 0);
  }
}

void check_members(Warp& w, const Op& op, uint32_t lanes, uint32_t members, uint32_t missing) {
  if (!checks_sync(w)) return;
  const uint32_t unnamed = lanes & ~members;
  if (unnamed)
    checker_of(w).report("missing-mask-lanes", w, op, static_cast<uint32_t>(__builtin_ctz(unnamed)),
                         fmt::format("lanes {} run this with the member mask {:#010x}, which does not name them",
                                     lanes_text(unnamed), members),
                         0, 0);
  if (missing)
    checker_of(w).report("missing-mask-lanes", w, op, static_cast<uint32_t>(__builtin_ctz(lanes)),
                         fmt::format("lanes {} of the member mask {:#010x} never came here; only lanes {} did",
                                     lanes_text(missing), members, lanes_text(lanes)),
                         0, 0);
}

}  // namespace warplens::simt::ptx_machine
