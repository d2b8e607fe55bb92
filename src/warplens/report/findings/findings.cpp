#include "warplens/report/findings/findings.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <iterator>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/model/mended.h"
#include "warplens/model/time_model.h"
#include "warplens/report/findings/advice.h"
#include "warplens/run/sass/counting/clock.h"

namespace warplens::report {

double saving(const KernelReport& report, const Work& mended) {
  const double now = report.time.ns, then = model::estimate_time(mended, *report.device).ns;
  return now > 0 ? std::max(0.0, 1 - then / now) : 0;
}

void Defect::promise(const KernelReport& report, const Work& without) {
  mended = without;
  saving_fraction = saving(report, without);
}

void Defect::promise_beyond(const KernelReport& report, const Work& first, const Work& without) {
  mended = without;
  saving_fraction = saving_beyond(report, first, without);
}

bool say(Defect finding, std::vector<Defect>* findings) {
  constexpr double kWorthSaying = 0.05;  // of the launch's time: clocks and caches move it by as much
  if (finding.saving_fraction.value_or(0) < kWorthSaying) return false;
  findings->push_back(std::move(finding));
  return true;
}

double saving_beyond(const KernelReport& report, const Work& first, const Work& mended) {
  return std::max(0.0, saving(report, mended) - saving(report, first));
}

void scale_instructions(double factor, Work* work) {
  for (double* part : {&work->instructions, &work->alu, &work->fma, &work->imad, &work->fp64, &work->half,
                       &work->special, &work->memory, &work->branches, &work->register_waits})
    *part *= factor;
}

void scale_block_cycles(double factor, Work* work) {
  for (double* cycles : {&work->block_cycles_l1, &work->block_cycles_l2, &work->block_cycles_dram}) *cycles *= factor;
}

void scale_instruction_cycles(double factor, Work* work) { set_block_cycles(factor * work->block_cycles_l1, 1, work); }

void spare_block_cycles(double cycles, Work* work) {
  const double least = work->instructions / warps_of(*work);
  for (double* each : {&work->block_cycles_l1, &work->block_cycles_l2, &work->block_cycles_dram})
    *each -= std::min(cycles, std::max(0.0, *each - least));
}

void set_block_cycles(double l1, double factor, Work* work) {
  for (double* cycles : {&work->block_cycles_l2, &work->block_cycles_dram})
    *cycles = l1 + factor * (*cycles - work->block_cycles_l1);
  work->block_cycles_l1 = l1;
}

namespace {

/// What a load of 2^doublings lines waits for, beyond L1's answer, by the clock that counts a block's cycles.
Waits waits_of(uint32_t doublings) {
  const simt::sass_machine::Cycles cycles = simt::sass_machine::cycles_of(sass::Latency::kGlobal);
  simt::sass_machine::Schedule load{.write = 0}, use{.wait = 1};
  for (size_t level = 0; level < cycles.size(); ++level) load.latency[level] = static_cast<int64_t>(cycles[level]);
  simt::sass_machine::Clock clock;
  clock.issue(load, {.line_doublings = doublings});
  clock.issue(use, {});
  const simt::sass_machine::Cycles now = clock.now();
  return {static_cast<double>(now[1] - now[0]), static_cast<double>(now[2] - now[0])};
}

}  // namespace

Waits waits_for(double lines) {
  const double doublings = std::log2(std::max<double>(1, lines));
  Waits out = waits_of(0);
  const Waits twice = waits_of(1);
  out.l2 += doublings * (twice.l2 - out.l2), out.dram += doublings * (twice.dram - out.dram);
  return out;
}

void set_block_cycles(double l1, const Waits& after, const Waits& before, Work* work) {
  const double now = work->block_cycles_l1;
  work->block_cycles_l2 = l1 + (before.l2 > 0 ? after.l2 / before.l2 : 1) * (work->block_cycles_l2 - now);
  work->block_cycles_dram = l1 + (before.dram > 0 ? after.dram / before.dram : 1) * (work->block_cycles_dram - now);
  work->block_cycles_l1 = l1;
}

void take_loads(double sectors, Work* work) {
  const double missed = work->load_sectors * (1 - work->l1_hit_rate),
               left = std::max(0.0, work->load_sectors - sectors);
  work->load_sectors = left;
  work->l1_hit_rate = left > 0 ? std::clamp(1 - missed / left, 0.0, 1.0) : 0;
}

double warps_of(const Work& work) { return std::max(1.0, work.blocks * std::ceil(work.needs.threads / 32.0)); }

double turns_of(const LineCounts& line, const Work& work) {
  const double instructions = static_cast<double>(std::max<uint64_t>(line.instructions, 1));
  return static_cast<double>(line.all.executions) / instructions / warps_of(work);
}

std::string place(const LineCounts& line) {
  if (line.line == 0) return "";
  const size_t slash = line.file.find_last_of('/');
  return fmt::format("{}:{}", slash == std::string::npos ? line.file : line.file.substr(slash + 1), line.line);
}

const LineCounts* line_at(const KernelReport& report, std::string_view at) {
  for (const LineCounts& line : report.lines) {
    if (place(line) == at) return &line;
  }
  return nullptr;
}

namespace {

template <std::derived_from<Finding> F>
void rank_all(std::vector<F>* findings) {
  for (F& finding : *findings) {
    if (!finding.saving_fraction) continue;  // its rule knows how much it matters
    const double share = *finding.saving_fraction;
    finding.level = share >= 0.3 ? Level::kCritical : share >= 0.1 ? Level::kWarn : Level::kInfo;
  }
  std::stable_sort(findings->begin(), findings->end(), [](const Finding& a, const Finding& b) {
    return a.saving_fraction.value_or(0) > b.saving_fraction.value_or(0);
  });
}

}  // namespace

void rank(std::vector<Finding>* findings) { rank_all(findings); }

namespace {

/// What the findings bring one after another: each beside those before it, and the bound of the launch without any.
void add_up(const std::vector<Defect>& defects, KernelReport* report) {
  double left = 1;  // of the time
  Work mended = report->work;
  report->mended_bound_ns = report->time.bound_ns;
  for (const Defect& defect : defects) {
    mended = model::with_both(report->work, mended, defect.mended);
    // Never more than each saves by itself, and never less than the best of them.
    const double alone = defect.saving_fraction.value_or(0), before = left;
    left = std::min({left, 1 - alone, std::max(1 - saving(*report, mended), left - alone)});
    report->findings.push_back(defect);
    report->findings.back().beside_fraction = before - left;
    for (const Work& each : {defect.mended, mended})
      report->mended_bound_ns = std::min(report->mended_bound_ns, model::estimate_time(each, *report->device).bound_ns);
  }
}

}  // namespace

std::vector<Defect> defects_of(const KernelReport& report) {
  constexpr Rule kRules[] = {find_uncoalesced_access,     find_bank_conflicts,      find_divergence,
                             find_low_occupancy,          find_grid_shape,          find_accidental_double,
                             find_unfused_multiply_add,   find_local_memory,        find_atomic_contention,
                             find_redundant_loads,        find_unvectorised_access, find_partial_warps,
                             find_excess_synchronization, find_dependence_chains,   find_integer_division,
                             find_broadcast_loads,        find_global_exchange,     find_small_blocks,
                             find_register_tiles,         find_rolled_loops,        find_scattered_constants,
                             find_precise_functions,      find_repeated_passes,     find_no_tensor_cores};
  std::vector<Defect> found;
  for (const Rule rule : kRules) rule(report, &found);
  rank_all(&found);
  return found;
}

void find_defects(KernelReport* report, std::vector<Defect> more) {
  report->findings.clear();
  std::vector<Defect> found = defects_of(*report);
  std::ranges::move(more, std::back_inserter(found));
  rank_all(&found);
  add_up(found, report);
  if (report->is_of_triton) advise_in_triton(&report->findings);
}

}  // namespace warplens::report
