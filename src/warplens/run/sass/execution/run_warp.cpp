#include "warplens/run/sass/run_warp.h"

#include <bit>
#include <utility>

#include "warplens/run/sass/cluster.h"
#include "warplens/run/sass/control/flow.h"
#include "warplens/run/sass/translation/translation.h"
#include "warplens/simt/lane_isa.h"
#include "warplens/simt/requests/count.h"
#include "warplens/simt/requests/request.h"

namespace warplens::simt::sass_machine {
namespace {

/// An instruction that is not plain.
template <bool kCounted>
inline __attribute__((always_inline)) void run_step(Warp& w, const Op& op, const Run& run,
                                                    simt::InstructionCounts* rows) {
  uint32_t on = w.active;
  if (op.guarded) {
    on &= w.value(op.guard);
    if (kCounted) rows[op.index].predicated_on_threads += static_cast<uint32_t>(std::popcount(on));
  }
  begin_step(w, op, rows);
  w.next = op.index + 1;
  op.run(w, op, on);
  if (kCounted) end_step(w, op, run);
}

/// Executions are counted where a stretch begins and taken off behind its end: see sum_tally.
inline __attribute__((always_inline)) void begin_stretch(Warp& w, const Run& run, simt::InstructionCounts* rows,
                                                         uint32_t first, uint32_t lanes) {
  ++rows[first].executions;
  rows[first].active_threads += lanes;
  w.clock->enter(run.schedules[first].before);
}
/// The reverse: nothing was run from `end` on.
inline __attribute__((always_inline)) void cut_stretch(Warp& w, const Run& run, simt::InstructionCounts* rows,
                                                       uint32_t end, uint32_t lanes) {
  --rows[end].executions;
  rows[end].active_threads -= lanes;
  w.clock->leave(run.schedules[end].before);
}
inline __attribute__((always_inline)) void end_stretch(Warp& w, const Run& run, simt::InstructionCounts* rows,
                                                       uint32_t end, uint32_t lanes) {
  cut_stretch(w, run, rows, end, lanes);
  if (w.current < w.splits.size() && w.splits[w.current].pc != end) w.clock->wait(kTakenBranchCycles);
}

/// Runs the instructions from w.pc up to one that sends lanes elsewhere. Where nothing is counted time stands still
/// too. Returns how many there were.
template <bool kCounted>
inline __attribute__((always_inline)) uint32_t stretch(Warp& w, const Run& run, simt::InstructionCounts* rows) {
  const Op* const first = run.ops.data() + w.pc;
  const auto lanes = static_cast<uint32_t>(std::popcount(w.active));
  if (kCounted) begin_stretch(w, run, rows, first->index, lanes);
  const Op* op = first;
  for (;; ++op) {
    if (op->plain) {
      op->run(w, *op, w.active);
      if (op->more) op += op->more;  // a branch, so that what comes next need not wait for the word
      continue;
    }
    run_step<kCounted>(w, *op, run, rows);
    if (op->flow && !std::exchange(w.stays, false)) break;
    if (kCounted && w.block->stop.kind != Stop::Kind::kNone) break;
  }
  const uint32_t end = op->index + 1;
  if (kCounted) end_stretch(w, run, rows, end, lanes);
  return end - first->index;
}

uint32_t run_uncounted(Warp& w, const Run& run, simt::InstructionCounts* rows) { return stretch<false>(w, run, rows); }
uint32_t run_counted(Warp& w, const Run& run, simt::InstructionCounts* rows) { return stretch<true>(w, run, rows); }

#ifdef WARPLENS_X86_LANES
/// The clock's three times in one register.
__attribute__((target("avx2"))) uint32_t run_counted_wide(Warp& w, const Run& run, simt::InstructionCounts* rows) {
  return stretch<true>(w, run, rows);
}
#endif

using RunStretch = uint32_t (*)(Warp& w, const Run& run, simt::InstructionCounts* rows);

RunStretch best_counted() {
#ifdef WARPLENS_X86_LANES
  if (simt::lane_isa() != "baseline") return run_counted_wide;
#endif
  return run_counted;
}

/// The same by a translation; `left`: instructions of the turn.
uint32_t run_translated(Warp& w, const Run& run, Tally& tally, uint64_t left) {
  constexpr uint32_t kStretch = 16;  // how many it has beside loops, roughly
  const auto most = static_cast<int32_t>(left);
  w.count = tally.rows.data();  // of any instruction: nobody asks
  w.patterns = tally.patterns.data();
  const Translation::Arrival at = run.translation->run(w, most);
  const uint32_t done = static_cast<uint32_t>(most - at.left) + kStretch;
  if (at.pc == Translation::kEnded) return done;
  if (at.left < 0) {
    keep_current(w, at.pc, w.active);
    return done;
  }
  w.pc = at.pc;
  return done + run_uncounted(w, run, tally.rows.data());
}

/// The same in a launch that is counted. A warp whose lanes are apart comes back after each branch: another split may
/// be the next.
uint32_t run_translated_counted(Warp& w, const Run& run, Tally& tally, uint64_t left) {
  simt::InstructionCounts* const rows = tally.rows.data();
  const auto lanes = static_cast<uint32_t>(std::popcount(w.active));
  const auto most = w.splits.size() > 1 ? 1 : static_cast<int32_t>(left);
  w.counts = rows;
  w.taken = tally.taken.data();
  w.simple_requests = tally.simple.data();
  w.patterns = tally.patterns.data();
  begin_stretch(w, run, rows, w.pc, lanes);
  const Translation::Arrival at = run.translation->run(w, most + static_cast<int32_t>(w.pc));
  if (at.pc == Translation::kEnded) {
    const uint32_t end = w.pc + 1;
    end_stretch(w, run, rows, end, lanes);
    return static_cast<uint32_t>(most - at.left) + end;
  }
  cut_stretch(w, run, rows, at.pc, lanes);
  keep_current(w, at.pc, w.active);
  return static_cast<uint32_t>(most - at.left);
}

}  // namespace

__attribute__((flatten)) void run_counted_step(Warp& w, const Op& op) {
  run_step<true>(w, op, *w.block->run, w.counts);
}

void place_stop(const Warp& w, Stop& stop) {
  if (stop.placed || w.active == 0) return;
  stop.placed = true;
  stop.block = w.block->index;
  stop.pc = w.pc;
  const uint32_t lanes = w.stopped_lane < kLanes ? 1u << w.stopped_lane : w.active;
  for (size_t axis = 0; axis < 3; ++axis) stop.thread[axis] = w.thread[axis].value[std::countr_zero(lanes)];
}

namespace {

/// Adds the requests of one kind, which translated code has counted.
void add_simple(const Op& op, Shape shape, const SimpleRequests::Kind& kind, Tally* tally) {
  simt::InstructionCounts& row = tally->rows[op.index];
  const uint64_t bytes = kind.lanes * op.size_bytes;
  if (!is_global(op)) {
    const uint32_t passes = passes_together(shape, op.size_bytes);
    return simt::count_passes(row, {passes, passes}, bytes, kind.times);
  }
  const uint64_t sectors = kind.times * (shape == Shape::kRun ? op.size_bytes : 1);
  row.requests += kind.times;
  row.bytes += bytes;
  row.sectors += sectors;
  row.ideal_sectors += sectors;
  tally->cache_lines += kind.times * turns_together(op.size_bytes);
}

}  // namespace

void settle_pattern(const Op& op, LanePattern* pattern, simt::InstructionCounts* row) {
  const simt::Wavefronts passes{static_cast<uint32_t>(pattern->passes), static_cast<uint32_t>(pattern->ideal_passes)};
  simt::count_passes(*row, passes, pattern->times * kLanes * op.size_bytes, pattern->times);
  pattern->times = 0;
}

void sum_tally(std::span<const Op> ops, Tally* tally) {
  std::vector<simt::InstructionCounts>& rows = tally->rows;
  for (size_t k = 0; k < tally->simple.size(); ++k) {
    add_simple(ops[k], Shape::kRun, tally->simple[k].runs, tally);
    add_simple(ops[k], Shape::kOne, tally->simple[k].ones, tally);
    if (ops[k].native >= Native::kLoadGlobal) settle_pattern(ops[k], &tally->patterns[ops[k].access], &rows[k]);
  }
  for (size_t k = 0; k < tally->taken.size(); ++k) {
    const TakenBranch& taken = tally->taken[k];
    if (taken.times == 0) continue;
    rows[k].taken_threads += taken.lanes;
    simt::InstructionCounts &end = rows[k + 1], &target = rows[branch_target(ops[k], ops.size())];
    end.executions -= taken.times;
    end.active_threads -= taken.lanes;
    target.executions += taken.times;
    target.active_threads += taken.lanes;
  }
  uint64_t executions = 0, lanes = 0;
  for (size_t k = 0; k < rows.size(); ++k) {
    simt::InstructionCounts& row = rows[k];
    row.executions = executions += row.executions;
    row.active_threads = lanes += row.active_threads;
    if (k < ops.size() && !ops[k].guarded) row.predicated_on_threads = row.active_threads;
  }
}

bool run_warp(Warp& w, const Run& run, Tally& tally) {
  if (!select_split(w)) return false;
  static const RunStretch run_counted_best = best_counted();
  const RunStretch run_stretch = run.counted ? run_counted_best : run_uncounted;
  w.yields = false;
  for (uint64_t turn = 0; turn < kTurn;) {
    if (!run.translation) turn += run_stretch(w, run, tally.rows.data());
    else if (run.counted) turn += run_translated_counted(w, run, tally, kTurn - turn);
    else turn += run_translated(w, run, tally, kTurn - turn);
    if (w.block->stop.kind != Stop::Kind::kNone) {
      place_stop(w, w.block->stop);
      return true;
    }
    if (!select_split(w)) return true;
    if (w.yields && w.block->cluster->gives_way) return true;
  }
  rotate_split(w);
  return true;
}

}  // namespace warplens::simt::sass_machine
