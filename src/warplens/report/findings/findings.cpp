#include "warplens/report/findings/findings.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/model/mended.h"
#include "warplens/model/time_model.h"

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
/// its tiles still to come. Each pair decides which finding comes first on a launch of tests/data/launches.
constexpr std::pair<std::string_view, std::string_view> kSteps[] = {
    {"rolled-loop", "register-tiles"},           {"bank-conflict", "excess-synchronization"},
    {"bank-conflict", "unvectorised-access"},    {"redundant-loads", "no-tensor-cores"},
    {"low-occupancy", "excess-synchronization"}, {"low-occupancy", "dependence-chain"},
    {"partial-warps", "unvectorised-access"},
};

constexpr double kWorthAStep = 0.1;

/// Where the first one saves `worth` of the time at least.
template <std::derived_from<Finding> F>
void put_before(std::string_view first, std::string_view second, double worth, std::vector<F>* findings) {
  const auto find = [&](std::string_view id) { return std::ranges::find(*findings, id, &F::id); };
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

template <std::derived_from<Finding> F>
void rank_all(std::vector<F>* findings) {
  constexpr double kMostOfIt = 0.5;
  for (F& finding : *findings) {
    if (!finding.saving_fraction) continue;  // its rule knows how much it matters
    const double share = *finding.saving_fraction;
    finding.level = share >= 0.3 ? Level::kCritical : share >= 0.1 ? Level::kWarn : Level::kInfo;
  }
  std::stable_sort(findings->begin(), findings->end(), [](const Finding& a, const Finding& b) {
    return a.saving_fraction.value_or(0) > b.saving_fraction.value_or(0);
  });
  for (const auto& [first, second] : kSteps) put_before(first, second, kWorthAStep, findings);
  // What changes results comes after what does not and saves about as much.
  if (const auto precise = std::ranges::find(*findings, "precise-functions", &F::id); precise != findings->end()) {
    const double worth = std::max(kWorthAStep, kMostOfIt * precise->saving_fraction.value_or(0));
    for (const F& finding : std::vector(*findings)) put_before(finding.id, "precise-functions", worth, findings);
  }
  // Other tiles change which banks are asked: conflicts come first where they are most of what tiles would save.
  if (const auto tiles = std::ranges::find(*findings, "register-tiles", &F::id); tiles != findings->end())
    put_before("bank-conflict", "register-tiles", kMostOfIt * tiles->saving_fraction.value_or(0), findings);
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

void find_defects(KernelReport* report) {
  constexpr Rule kRules[] = {find_uncoalesced_access,     find_bank_conflicts,      find_divergence,
                             find_low_occupancy,          find_grid_shape,          find_accidental_double,
                             find_unfused_multiply_add,   find_local_memory,        find_atomic_contention,
                             find_redundant_loads,        find_unvectorised_access, find_partial_warps,
                             find_excess_synchronization, find_dependence_chains,   find_integer_division,
                             find_broadcast_loads,        find_global_exchange,     find_small_blocks,
                             find_register_tiles,         find_rolled_loops,        find_scattered_constants,
                             find_precise_functions,      find_repeated_passes,     find_no_tensor_cores};
  std::vector<Defect> found;
  for (const Rule rule : kRules) rule(*report, &found);
  rank_all(&found);
  // The taps of a filter go to constant memory before its input goes to tiles; a matrix does not fit there.
  if (broadcasts_fit_constants(*report) && slides_windows(*report))
    put_before("broadcast-loads", "redundant-loads", kWorthAStep / 2, &found);
  if (few_warps(*report)) put_before("dependence-chain", "unvectorised-access", kWorthAStep, &found);
  report->findings.clear();
  add_up(found, report);
}

}  // namespace warplens::report
