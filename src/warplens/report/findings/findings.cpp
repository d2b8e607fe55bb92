#include "warplens/report/findings/findings.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"

namespace warplens::report {

double saving(const KernelReport& report, const Work& mended) {
  const double now = report.time.ns, then = report::estimate_time(mended, *report.device).ns;
  return now > 0 ? std::max(0.0, 1 - then / now) : 0;
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

void set_block_cycles(double l1, double factor, Work* work) {
  for (double* cycles : {&work->block_cycles_l2, &work->block_cycles_dram})
    *cycles = l1 + factor * (*cycles - work->block_cycles_l1);
  work->block_cycles_l1 = l1;
}

void take_loads(double sectors, Work* work) {
  const double missed = work->load_sectors * (1 - work->l1_hit_rate),
               left = std::max(0.0, work->load_sectors - sectors);
  work->load_sectors = left;
  work->l1_hit_rate = left > 0 ? std::clamp(1 - missed / left, 0.0, 1.0) : 0;
}

double warps_of(const Work& work) { return std::max(1.0, work.blocks * std::ceil(work.needs.threads / 32.0)); }

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

/// What is mended first, and what then has less left to save or can be judged only after: a loop that is unrolled has
/// its tiles still to come; wider loads, in one of few warps that wait for each, are a way to have more under way.
constexpr std::pair<std::string_view, std::string_view> kSteps[] = {
    {"rolled-loop", "register-tiles"},
    {"uncoalesced-access", "redundant-loads"},
    {"divergence", "excess-synchronization"},
    {"bank-conflict", "excess-synchronization"},
    {"small-grid", "dependence-chain"},
    {"small-grid", "unvectorised-access"},
    {"small-grid", "excess-synchronization"},
    {"uncoalesced-access", "small-grid"},
    {"uncoalesced-access", "small-blocks"},
    {"redundant-loads", "no-tensor-cores"},
    {"low-occupancy", "dependence-chain"},
    {"partial-warps", "unvectorised-access"},
    {"low-occupancy", "excess-synchronization"},
    {"excess-synchronization", "small-blocks"},
    {"rolled-loop", "redundant-loads"},
    {"rolled-loop", "dependence-chain"},
    {"bank-conflict", "unvectorised-access"},
    {"bank-conflict", "low-occupancy"},
    {"atomic-contention", "unvectorised-access"},
    {"atomic-contention", "divergence"},
};

constexpr double kWorthAStep = 0.1;

/// Where the first one saves `worth` of the time at least.
void put_before(std::string_view first, std::string_view second, double worth, std::vector<Finding>* findings) {
  const auto find = [&](std::string_view id) { return std::ranges::find(*findings, id, &Finding::id); };
  const auto step = find(first), later = find(second);
  if (step == findings->end() || later == findings->end() || step < later) return;
  if (step->saving_fraction.value_or(0) >= worth) std::rotate(later, step, step + 1);
}

/// Has an SM fewer warps than half of what it could hold?
bool few_warps(const KernelReport& report) {
  const Work& w = report.work;
  const double blocks = std::min<double>(std::ceil(w.blocks / report.device->sms), report.time.occupancy.blocks);
  return 2 * blocks * std::ceil(w.needs.threads / 32.0) < report.time.occupancy.max_warps;
}

/// Do neighbouring threads load windows that overlap, as a filter's do, which begin anywhere? A matrix's rows lie
/// aligned.
bool slides_windows(const KernelReport& report) {
  constexpr double kAnywhere = 1.1;  // sectors over the fewest that hold the data
  double sectors = 0, fewest = 0;
  for (const LineCounts& line : report.lines) {
    sectors += static_cast<double>(line.global_load.sectors - line.broadcast.sectors);
    fewest += static_cast<double>(line.global_load.ideal_sectors - line.broadcast.ideal_sectors);
  }
  return sectors > kAnywhere * fewest;
}

}  // namespace

void rank(std::vector<Finding>* findings) {
  constexpr double kMostOfIt = 0.5;
  for (Finding& finding : *findings) {
    if (!finding.saving_fraction) continue;  // its rule knows how much it matters
    const double share = *finding.saving_fraction;
    finding.level = share >= 0.3 ? Level::kCritical : share >= 0.1 ? Level::kWarn : Level::kInfo;
  }
  std::stable_sort(findings->begin(), findings->end(), [](const Finding& a, const Finding& b) {
    return a.saving_fraction.value_or(0) > b.saving_fraction.value_or(0);
  });
  for (const auto& [first, second] : kSteps) put_before(first, second, kWorthAStep, findings);
  // What changes results comes after what does not and saves about as much.
  if (const auto precise = std::ranges::find(*findings, "precise-functions", &Finding::id);
      precise != findings->end()) {
    const double worth = std::max(kWorthAStep, kMostOfIt * precise->saving_fraction.value_or(0));
    for (const Finding& finding : std::vector(*findings)) put_before(finding.id, "precise-functions", worth, findings);
  }
  // Other tiles change which banks are asked: conflicts come first where they are most of what tiles would save.
  if (const auto tiles = std::ranges::find(*findings, "register-tiles", &Finding::id); tiles != findings->end())
    put_before("bank-conflict", "register-tiles", kMostOfIt * tiles->saving_fraction.value_or(0), findings);
}

std::vector<Finding> find_defects(const KernelReport& report) {
  constexpr Rule kRules[] = {find_uncoalesced_access,     find_bank_conflicts,      find_divergence,
                             find_low_occupancy,          find_grid_shape,          find_accidental_double,
                             find_unfused_multiply_add,   find_local_memory,        find_atomic_contention,
                             find_redundant_loads,        find_unvectorised_access, find_partial_warps,
                             find_excess_synchronization, find_dependence_chains,   find_integer_division,
                             find_broadcast_loads,        find_global_exchange,     find_small_blocks,
                             find_register_tiles,         find_rolled_loops,        find_scattered_constants,
                             find_precise_functions,      find_repeated_passes,     find_no_tensor_cores};
  std::vector<Finding> out;
  for (const Rule rule : kRules) rule(report, &out);
  rank(&out);
  // The taps of a filter go to constant memory before its input goes to tiles; a matrix does not fit there.
  if (broadcasts_fit_constants(report) && slides_windows(report))
    put_before("broadcast-loads", "redundant-loads", kWorthAStep / 2, &out);
  if (few_warps(report)) put_before("dependence-chain", "unvectorised-access", kWorthAStep, &out);
  return out;
}

}  // namespace warplens::report
