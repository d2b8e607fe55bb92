#include "warplens/run/ptx/guard.h"

namespace warplens::simt::ptx_machine {

void run_guarded(Warp& w, const Op& op) {
  const uint32_t all = w.mask, on = all & (w.predicate(op.guard) ^ (op.guard_flip ? kFull : 0));
  if (w.rows && op.row != kNoRow) w.rows[op.row].predicated_on_threads += static_cast<uint32_t>(__builtin_popcount(on));
  if (!on) return;
  w.mask = on;
  op.body(w, op);
  w.mask = all;
}

void run_unsupported(Warp& w, const Op& op) {
  raise(w, op, Fault::Kind::kUnsupported, static_cast<uint32_t>(__builtin_ctz(w.mask)), 0, w.program->texts[op.text]);
}

void run_trap(Warp& w, const Op& op) {
  raise(w, op, Fault::Kind::kTrap, static_cast<uint32_t>(__builtin_ctz(w.mask)), 0, "the kernel executed a trap");
}

}  // namespace warplens::simt::ptx_machine
