// Barriers in divergent code, member masks, fences and groups under checks.
#include "warplens/base/text.h"
#include "warplens/emulator/checks/checker.h"

namespace warplens::emulator {
namespace {

bool checks_sync(const Warp& w) {
  return w.cta->cluster->grid->checker && (w.cta->cluster->grid->config->checks & kCheckSync);
}

bool guarded_off(Warp& w, const Op& op) {
  return op.guard != kNoSlot && !(w.mask & (w.predicate(op.guard) ^ (op.guard_flip ? kFull : 0)));
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

void run_fence(Warp& w, const Op& op) { w.cta->cluster->grid->checker->fence(w, op.mode != 0); }

void run_commit_group(Warp& w, const Op& op) {
  if (!guarded_off(w, op)) w.cta->cluster->grid->checker->commit_group(w);
}

void run_wait_group(Warp& w, const Op& op) {
  if (!guarded_off(w, op))
    w.cta->cluster->grid->checker->wait_groups(w, op.value < 0 ? ~0u : static_cast<uint32_t>(op.value));
}

void note_bytes(Warp& w, const uint8_t* bytes, uint64_t size_bytes) {
  w.cta->cluster->grid->checker->note_write(w, bytes, size_bytes);
}

void mbarrier_arrive(Warp& w, const void* mbarrier, bool copies) {
  Checker& checker = *w.cta->cluster->grid->checker;
  if (copies) checker.wait_groups(w, ~0u);
  checker.mbarrier_arrive(w, mbarrier);
}

void mbarrier_pass(Warp& w, const void* mbarrier, uint32_t lanes) {
  w.cta->cluster->grid->checker->mbarrier_pass(w, mbarrier, lanes);
}

void check_convergence(Warp& w, const Op& op) {
  if (!checks_sync(w)) return;
  const uint32_t elsewhere = w.live & ~w.mask;
  if (!elsewhere) return;
  w.cta->cluster->grid->checker->report(
      "divergent-barrier", w, op, static_cast<uint32_t>(__builtin_ctz(w.mask)),
      fmt::format("barrier reached by lanes {} of the warp while lanes {} are elsewhere", lanes_text(w.mask),
                  lanes_text(elsewhere)),
      0, 0);
}

void check_members(Warp& w, const Op& op, uint32_t lanes, uint32_t members, uint32_t missing) {
  if (!checks_sync(w)) return;
  Checker& checker = *w.cta->cluster->grid->checker;
  const uint32_t unnamed = lanes & ~members;
  if (unnamed)
    checker.report("missing-mask-lanes", w, op, static_cast<uint32_t>(__builtin_ctz(unnamed)),
                   fmt::format("lanes {} run this with the member mask {:#010x}, which does not name them",
                               lanes_text(unnamed), members),
                   0, 0);
  if (missing)
    checker.report("missing-mask-lanes", w, op, static_cast<uint32_t>(__builtin_ctz(lanes)),
                   fmt::format("lanes {} of the member mask {:#010x} never came here; only lanes {} did",
                               lanes_text(missing), members, lanes_text(lanes)),
                   0, 0);
}

}  // namespace warplens::emulator
