// Registers that wgmma works on: nobody may touch them before wgmma.wait_group has waited for it.
#include <bit>

#include "warplens/base/text.h"
#include "warplens/run/ptx/checks/checker.h"

namespace warplens::simt::ptx_machine {
namespace {

uint64_t key_of(const Warp& w, uint32_t slot) { return uint64_t{w.node->depth} << 32 | slot; }

}  // namespace

void ThreadChecker::matrix_registers(Warp& w, const Op& op, bool of_a, const uint32_t* slots, uint32_t count) {
  if (!checks(kCheckRace)) return;
  WarpChecks& c = *w.checks;
  for (uint32_t i = 0; i < count; ++i) {
    const auto found = c.in_use.find(key_of(w, slots[i]));
    // Products that add to the same registers follow each other, and several may read them.
    if (found != c.in_use.end() && !found->second.copy && found->second.of_a != of_a)
      report_register(w, op, found->second, of_a ? "reads" : "writes");
  }
  const uint32_t clock = open_count(w, Agent::kMatrix, 0);
  for (uint32_t i = 0; i < count; ++i) c.in_use[key_of(w, slots[i])] = {clock, op.row, slots[i], of_a, false};
}

void ThreadChecker::matrix_waited(Warp& w) {
  const uint32_t done = w.checks->waits(Agent::kMatrix, static_cast<uint32_t>(std::countr_zero(w.mask)));
  std::erase_if(w.checks->in_use, [&](const auto& entry) { return entry.second.clock <= done; });
}

void ThreadChecker::report_register(Warp& w, const Op& op, const RegisterInUse& use, std::string_view verb) {
  AccessRecord started;
  started.warp = w.checks->number;
  started.row = use.row;
  started.lanes = kFull;
  report("register-in-use", w, op, static_cast<uint32_t>(std::countr_zero(w.mask)),
         fmt::format("{} a register {} an earlier wgmma.mma_async that has not finished: call wgmma.commit_group and "
                     "wgmma.wait_group first",
                     verb, use.of_a ? "of the matrix A of" : "of the accumulator of"),
         0, 0, &started);
}

/// A copy stands for what it is made of: it may be made early, and is looked at when it is used.
void ThreadChecker::copy_register(Warp& w, const Op& op, uint32_t from, uint32_t to) {
  auto& in_use = w.checks->in_use;
  const auto source = in_use.find(key_of(w, from)), target = in_use.find(key_of(w, to));
  const bool over = target != in_use.end() && !target->second.copy;
  if (source == in_use.end()) {
    if (over) report_register(w, op, target->second, "writes");
    else if (target != in_use.end()) in_use.erase(target);
    return;
  }
  if (over) {
    if (target->second.origin != source->second.origin) report_register(w, op, target->second, "writes");
    return;
  }
  RegisterInUse copy = source->second;
  copy.copy = true;
  in_use[key_of(w, to)] = copy;
}

void ThreadChecker::use_registers(Warp& w, const Op& op) {
  auto& in_use = w.checks->in_use;
  if (in_use.empty()) return;
  const uint32_t* slots = w.program->slots.data() + op.a;
  if (op.copies && op.c == 1) return copy_register(w, op, slots[0], slots[1]);
  for (uint32_t i = 0; i < op.b + op.c; ++i) {
    const auto found = in_use.find(key_of(w, slots[i]));
    if (found == in_use.end()) continue;
    const bool writes = i >= op.b;
    if (writes && found->second.copy) in_use.erase(found);
    else return report_register(w, op, found->second, writes ? "writes" : "reads");
  }
}

void run_register_check(Warp& w, const Op& op) {
  const uint32_t all = w.mask;
  if (op.guard != kNoSlot) w.mask &= w.predicate(op.guard) ^ (op.guard_flip ? kFull : 0);
  if (w.mask != 0) w.cta->cluster->grid->checker->use_registers(w, op);
  w.mask = all;
}

}  // namespace warplens::simt::ptx_machine
