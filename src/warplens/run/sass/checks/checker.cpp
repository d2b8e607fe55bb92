#include "warplens/run/sass/checks/checker.h"

#include <algorithm>
#include <cstring>

#include "warplens/base/text.h"
#include "warplens/run/sass/cluster.h"
#include "warplens/simt/numbering.h"

namespace warplens::simt::sass_machine {
namespace {

WarpChecker& checker_of(const Warp& w) { return *w.block->run->checker; }

void run_access(Warp& w, const Op& op, uint32_t on) {
  WarpChecker& checker = checker_of(w);
  checker.body(op)(w, op, on ? checker.access(w, op, on) : on);
}

void run_fence(Warp& w, const Op& op, uint32_t on) {
  WarpChecker& checker = checker_of(w);
  checker.fence(w, on, op.word.bit(77));  // MEMBAR.GPU, .SYS; else .CTA
  checker.body(op)(w, op, on);
}

void run_warpsync(Warp& w, const Op& op, uint32_t on) {
  WarpChecker& checker = checker_of(w);
  checker.check_named(w, op, on);
  checker.body(op)(w, op, on);
}

void run_exit(Warp& w, const Op& op, uint32_t on) {
  WarpChecker& checker = checker_of(w);
  checker.leave(w, op, on);
  checker.body(op)(w, op, on);
}

/// Writes device memory in a way that is not watched.
bool writes_unseen(const Op& op) {
  switch (instruction(op.opcode).access) {
    case Access::kBulkStore:
    case Access::kBulkReduction:
    case Access::kBulkCopy: return true;
    default: return op.opcode == Opcode::kSust || op.opcode == Opcode::kSustBound;
  }
}

/// Instructions that other threads' copies and arrivals hide behind.
bool is_asynchronous(const Op& op) {
  switch (instruction(op.opcode).access) {
    case Access::kGlobalMulticast:
    case Access::kBulkLoad:
    case Access::kBulkStore:
    case Access::kBulkReduction:
    case Access::kBulkCopy:
    case Access::kBulkOther:
    case Access::kRemoteStore:
    case Access::kRemoteAtomic: return true;
    case Access::kSharedAtomic: return op.size_bytes == 0;  // ATOMS.ARRIVE
    default: return op.opcode == Opcode::kSyncs;
  }
}

/// Where the system's part of `shared_bytes` of a block's shared memory begins and ends; nothing where the program does
/// not reach it.
std::pair<uint32_t, uint32_t> reserved_shared(const Program& program, const MachineLaunch& launch,
                                              uint32_t shared_bytes) {
  if (program.reserved_shared_bytes() > 0) return {0, std::min(program.reserved_shared_bytes(), shared_bytes)};
  if (!program.uses_reserved_shared) return {0, 0};
  const gpu::Arch& arch = device_of(launch, program.architecture).architecture();
  return {shared_bytes - static_cast<uint32_t>(arch.shared_reserved_bytes), shared_bytes};
}

uint64_t warps_of_block(const MachineLaunch& launch) {
  return (uint64_t{launch.block[0]} * launch.block[1] * launch.block[2] + kLanes - 1) / kLanes;
}

}  // namespace

WarpChecker::WarpChecker(const Run& run, const MachineLaunch& launch)
    : simt::Checker(Precision::kWarp, launch.checks, *launch.memory,
                    {launch.max_reports, warps_of_block(launch),
                     [lines = launch.lines](uint32_t row, uint32_t other) {
                       if (row == other) return true;
                       return lines && std::max(row, other) < lines->size() && (*lines)[row].line > 0 &&
                              (*lines)[row] == (*lines)[other];
                     },
                     [this](uint64_t warp, uint32_t lane, uint32_t row) {
                       return place_of(warp / warps_per_block_,
                                       static_cast<uint32_t>(warp % warps_per_block_) * kLanes + lane, row);
                     }}),
      run_(run),
      launch_(launch),
      warps_per_block_(warps_of_block(launch)) {
  shared_origin = run.program->reserved_shared_bytes();
  for (const simt::Allocation& a : run.allocations) written_.push_back(launch.memory->shadow(a.begin));
}

std::span<const Op> WarpChecker::watch(std::span<const Op> ops) {
  ops_.assign(ops.begin(), ops.end());
  bodies_.resize(ops.size());
  facts_.resize(ops.size());
  for (Op& op : ops_) {
    bodies_[op.index] = op.run;
    asynchronous_ |= is_asynchronous(op);
    Facts& facts = facts_[op.index] = facts_of(op);
    if (facts.watched) op.run = run_access;
    else if (op.opcode == Opcode::kMembar) op.run = run_fence;
    else if (op.opcode == Opcode::kExit) op.run = run_exit;
    else if (op.opcode == Opcode::kWarpsync && checks(kCheckSync)) op.run = run_warpsync;
    else continue;
    op.plain = false;
  }
  if (std::ranges::none_of(ops_, writes_unseen)) return ops_;
  for (size_t i = 0; i < written_.size(); ++i) {
    if (written_[i]) std::memset(written_[i], 1, run_.allocations[i].end - run_.allocations[i].begin);
  }
  return ops_;
}

void WarpChecker::start(Block& block) {
  BlockChecks& c = blocks_[&block];
  block.checks = &c;
  c = {};
  const uint64_t number = number_in(launch_.grid, block.index);
  c.numbers = {number, block.cluster->number};
  c.index = block.index;
  c.threads = launch_.block[0] * launch_.block[1] * launch_.block[2];
  c.shared = block.shared.data();
  c.shared_bytes = block.shared.size();
  simt::Checker::start(&c, asynchronous_);
  const auto [first, end] = reserved_shared(*run_.program, launch_, run_.shared_bytes);
  std::fill(c.written.begin() + first, c.written.begin() + end, uint8_t{1});  // the system has cleared its part
  c.warps.resize(warps_per_block_);
  for (size_t i = 0; i < c.warps.size(); ++i) {
    c.warps[i].number = static_cast<uint32_t>(number * warps_per_block_ + i);
    c.warps[i].block = &c;
  }
}

Place WarpChecker::place_of(uint64_t block, uint32_t thread, uint32_t row) const {
  Place place;
  place.index = row;
  place.block = place_in(launch_.grid, block);
  place.thread = place_in(launch_.block, thread);
  place.is_machine_code = true;
  if (!launch_.lines || row >= launch_.lines->size() || (*launch_.lines)[row].line == 0) return place;
  place.file = (*launch_.lines)[row].file;
  place.line = (*launch_.lines)[row].line;
  return place;
}

void WarpChecker::add_stop(std::string_view id, const Stop& stop) {
  Report& r = log.found.reports.emplace_back();
  r.id = id;
  r.message = stop.reason;
  r.place = place_of(0, 0, stop.pc);
  r.place.block = stop.block;
  r.place.thread = stop.thread;
}

void WarpChecker::finish(MachineCounts* out) {
  const auto swaps = [&](uint32_t row) {
    const Opcode opcode = ops_[row].opcode;
    return opcode == Opcode::kAtomCas || opcode == Opcode::kAtomgCas || opcode == Opcode::kAtomsCas;
  };
  log.finish([&](size_t report) { return log.is_of_swaps(report, swaps); });
  if (checks(kCheckSync) && out->let_pass.kind == Stop::Kind::kDeadlock) {
    add_stop("missing-mask-lanes", out->let_pass);
    out->let_pass = {};
  }
  const auto is_barrier = [](const Report& r) { return r.id == "divergent-barrier"; };
  if (checks(kCheckSync) && out->stop.kind == Stop::Kind::kDeadlock &&
      std::ranges::none_of(log.found.reports, is_barrier))
    add_stop("divergent-barrier", out->stop);
  out->reports = std::move(log.found.reports);
  out->reports_dropped = log.found.dropped;
}

}  // namespace warplens::simt::sass_machine
