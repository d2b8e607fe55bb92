#include <algorithm>
#include <cmath>
#include <numeric>

#include "warplens/base/text.h"
#include "warplens/counters/measured_report.h"
#include "warplens/report/findings/findings.h"

namespace warplens::counters {
namespace {

using report::KernelReport;
using report::Measured;

bool has(const KernelReport& r, std::string_view id) {
  return std::any_of(r.findings.begin(), r.findings.end(), [&](const Finding& f) { return f.id == id; });
}

/// A unit near its peak is what the launch waits for: more warps or fewer stalls would not help.
bool has_busy_unit(const Measured& m) {
  constexpr double kBusy = 0.8;
  return !m.units.empty() && m.units.front().share >= kBusy;
}

const report::StallAdvice* advice_for(const std::string& reason) {
  for (const report::StallAdvice& known : report::stall_advice()) {
    if (known.reason == reason) return &known;
  }
  return nullptr;
}

/// What the report's metrics do not tell apart.
void find_other_stall(const report::Stall& other, double all, KernelReport* r) {
  Finding finding{.id = "stall-bound", .level = Level::kWarn};
  finding.title = "warps stall for a rare reason";
  finding.detail = fmt::format(
      "for {:.0f} % of the {:.1f} cycles between two of its instructions, a warp waits for an unusual reason",
      100 * other.cycles / all, all);
  finding.advice = "count every reason with --set stalls, or find the line with --lines";
  finding.evidence = {{"reason", std::string(report::kOtherStall)},
                      {"stall_cycles_per_instruction", other.cycles},
                      {"issue_active", r->measured->issue_active}};
  r->findings.push_back(std::move(finding));
}

/// Schedulers find nothing to issue, for one reason above all. What mending it saves nobody can tell from counters.
void find_stall(KernelReport* r) {
  constexpr double kAllIssue = 0.8, kDominates = 0.3;
  const Measured& m = *r->measured;
  double all = 0;
  const report::Stall* worst = nullptr;
  for (const report::Stall& stall : m.stalls) {
    all += stall.cycles;
    const bool is_work = stall.reason == "selected" || stall.reason == "not selected";
    if (!is_work && (worst == nullptr || stall.cycles > worst->cycles)) worst = &stall;
  }
  if (worst == nullptr || m.issue_active <= 0 || m.issue_active >= kAllIssue || worst->cycles < kDominates * all)
    return;
  if (has_busy_unit(m)) return;  // which is told
  if (worst->reason == report::kOtherStall) return find_other_stall(*worst, all, r);
  const report::StallAdvice* known = advice_for(worst->reason);
  if (known == nullptr) return;
  const double share = worst->cycles / all;
  Finding finding{.id = "stall-bound"};
  finding.title = fmt::format("warps stall, mostly for: {}", worst->reason);
  finding.detail = fmt::format(
      "for {:.0f} % of the {:.1f} cycles between two of its instructions, a warp {}; the schedulers issue in "
      "{:.0f} % of their cycles",
      100 * share, all, known->meaning, 100 * m.issue_active);
  finding.advice = known->advice;
  finding.level = Level::kWarn;
  finding.evidence = {{"reason", std::string(known->metric)},
                      {"stall_cycles_per_instruction", worst->cycles},
                      {"issue_active", m.issue_active}};
  r->findings.push_back(std::move(finding));
}

/// Warps that an SM can hold of this launch: no more than its share of the grid, of which no block is split.
double possible_occupancy(const KernelReport& r) {
  const double most = r.time.occupancy.fraction(), fitting = r.time.occupancy.blocks;
  return fitting <= 0 ? most : most * std::min(1.0, std::ceil(r.work.blocks / r.device->sms) / fitting);
}

void find_unachieved_occupancy(KernelReport* r) {
  constexpr double kGap = 0.1;
  const Measured& m = *r->measured;
  const double possible = possible_occupancy(*r);
  if (m.achieved_occupancy <= 0 || possible - m.achieved_occupancy <= kGap || has(*r, "small-grid")) return;
  if (has_busy_unit(m)) return;
  Finding finding{.id = "unachieved-occupancy"};
  finding.title = "fewer warps are resident than the launch allows";
  finding.detail = fmt::format(
      "on average, {:.0f} % of an SM's warp slots are in use; the launch allows {:.0f} %; {:.2f} "
      "waves of blocks",
      100 * m.achieved_occupancy, 100 * possible, r->time.waves);
  finding.advice =
      "give all blocks equal work, and enough of it: use more, smaller blocks, or a grid-stride loop with a fixed "
      "grid; blocks that end early or late leave slots empty";
  finding.level = m.achieved_occupancy < possible / 2 ? Level::kWarn : Level::kInfo;
  finding.evidence = {{"achieved_occupancy", m.achieved_occupancy}, {"possible_occupancy", possible}};
  r->findings.push_back(std::move(finding));
}

void find_uneven_sms(KernelReport* r) {
  constexpr double kWorthSaying = 0.05;
  const Measured& m = *r->measured;
  if (m.busiest_sm <= 0 || m.cycles <= 0 || has(*r, "small-grid") || has(*r, "tail-effect")) return;
  // SMs without a block count in the average: a small grid is another defect than uneven blocks.
  const double sms = r->device->sms, average = m.average_sm * sms / std::clamp(r->work.blocks, 1.0, sms);
  const double idle = (m.busiest_sm - average) / m.cycles;
  if (idle < kWorthSaying) return;
  Finding finding{.id = "uneven-sms"};
  finding.title = "some SMs work longer than others";
  finding.detail = fmt::format(
      "the busiest SM is active for {:.0f} cycles, the average SM with a block for {:.0f}; the launch takes {:.0f}",
      m.busiest_sm, average, m.cycles);
  finding.advice =
      "give blocks equal work, or use more, smaller blocks, so that new blocks replace those that end early";
  finding.saving_fraction = idle;
  finding.evidence = {{"busiest_sm_cycles", m.busiest_sm}, {"average_sm_cycles", average}};
  r->findings.push_back(std::move(finding));
}

/// Addresses that lie a large power of two apart meet in a few slices of L2, or a few channels of memory.
void find_uneven_slices(KernelReport* r) {
  constexpr double kWorthSaying = 0.3, kEnoughSectors = 1000, kBusy = 0.1;
  const auto value = [&](const char* name) {
    const report::Metric* metric = r->metric(name);
    return metric != nullptr ? metric->value : 0;
  };
  const double average = value("lts__t_sectors.avg"), most = value("lts__t_sectors.max");
  if (average < kEnoughSectors || most <= 0 || 1 - average / most < kWorthSaying) return;
  if (value("lts__t_sectors.avg.pct_of_peak_sustained_elapsed") < 100 * kBusy) return;
  Finding finding{.id = "uneven-slices"};
  finding.title = "some slices of L2 work more than others";
  finding.detail = fmt::format("the busiest slice moves {:.0f} sectors, the average slice {:.0f}", most, average);
  finding.advice =
      "pad rows whose pitch is a large power of two by 128 bytes or more, because they share slices; if many warps "
      "use one address (counters, locks), give each block a copy";
  finding.saving_fraction = (1 - average / most) * value("lts__t_sectors.avg.pct_of_peak_sustained_elapsed") / 100;
  finding.evidence = {{"busiest_slice_sectors", most}, {"average_slice_sectors", average}};
  r->findings.push_back(std::move(finding));
}

/// Power, heat or an idle GPU hold the clock down; short launches say nothing of it.
void find_low_clock(KernelReport* r) {
  constexpr double kLongEnoughNs = 50e3, kLow = 0.9;
  const Measured& m = *r->measured;
  const double full_hz = r->device->clock_hz(), hz = m.ns > 0 ? m.cycles / m.ns * 1e9 : 0;
  if (m.ns < kLongEnoughNs || hz <= 0 || hz >= kLow * full_hz) return;
  Finding finding{.id = "low-clock", .level = Level::kWarn};
  finding.title = fmt::format("the GPU ran at {:.0f} of its {:.0f} MHz", hz / 1e6, full_hz / 1e6);
  finding.detail =
      "the power limit, the temperature, a locked clock or an idle state kept the clock low during this run";
  finding.advice =
      "run `nvidia-smi -q -d PERFORMANCE,CLOCK` to see which; compare different runs by cycles, and warm the GPU up "
      "first";
  finding.evidence = {{"clock_hz", hz}, {"full_clock_hz", full_hz}};
  r->findings.push_back(std::move(finding));
}

/// Spilled registers or arrays that are indexed at run time: counters do not tell them apart.
void find_local_traffic(KernelReport* r) {
  constexpr double kWorthSaying = 0.05;
  const report::Work& w = r->work;
  const double all = w.local_sectors + w.load_sectors + w.store_sectors;
  if (w.local_sectors <= 0 || w.local_sectors < kWorthSaying * all || has(*r, "spills") || has(*r, "local-array"))
    return;
  Finding finding{.id = "local-memory", .level = Level::kWarn};
  finding.title = "threads keep data in local memory";
  finding.detail = fmt::format("{:.0f} of {:.0f} sectors in L1 are local memory, {} bytes per thread", w.local_sectors,
                               all, r->resources.local_bytes);
  finding.advice =
      "reduce the registers of a thread (smaller tiles, less unrolling), or index arrays by constants; `warplens "
      "inspect` distinguishes spills from arrays with run-time indices";
  finding.evidence = {{"local_sectors", w.local_sectors},
                      {"local_bytes_per_thread", static_cast<double>(r->resources.local_bytes)}};
  r->findings.push_back(std::move(finding));
}

void find_idle_tensor_cores(KernelReport* r) {
  constexpr double kIdle = 0.3, kOfFlops = 0.5;
  const report::Work& w = r->work;
  if (w.tensor_flops <= kOfFlops * w.flops() || has(*r, "small-grid")) return;
  const double share = w.tensor_flops / (r->device->half_tflops * 1000 * r->measured->ns);
  if (share >= kIdle) return;
  Finding finding{.id = "idle-tensor-cores", .level = Level::kWarn};
  finding.title = fmt::format("tensor cores work at {:.0f} % of their peak", 100 * share);
  finding.detail = "matrix instructions do most of the arithmetic, and mostly wait for operands";
  finding.advice =
      "use larger tiles, prefetch operands into shared memory (cp.async, TMA) with several stages in flight, and "
      "choose dimensions that are multiples of 64";
  finding.evidence = {{"share_of_peak", share}};
  r->findings.push_back(std::move(finding));
}

void find_busy_unit(KernelReport* r) {
  const Measured& m = *r->measured;
  if (!has_busy_unit(m)) return;
  const std::string& unit = m.units.front().name;
  Finding finding{.id = "busy-unit"};
  finding.title = fmt::format("{} at {:.0f} % of its peak", unit, 100 * m.units.front().share);
  finding.detail = "the launch cannot get much faster unless it uses this unit less";
  finding.advice = unit == kDram ? "move fewer bytes: fuse kernels, use smaller types, and reuse data in caches "
                                   "and shared memory"
                   : unit == kL2 ? "reuse data in shared memory and registers; load whole sectors"
                   : unit == "tensor cores" ? "use a smaller type to do more; a matrix kernel near this peak is good"
                                            : "move work to other units, or do less of it";
  finding.evidence = {{"unit", unit}, {"share", m.units.front().share}};
  r->findings.push_back(std::move(finding));
}

}  // namespace

void find_on_hardware(KernelReport* r) {
  if (!r->measured) return;
  find_stall(r);
  find_unachieved_occupancy(r);
  find_uneven_sms(r);
  find_uneven_slices(r);
  find_low_clock(r);
  find_local_traffic(r);
  find_idle_tensor_cores(r);
  find_busy_unit(r);
  for (Finding& finding : r->findings) finding.beside_fraction.reset();  // what stands above may be another one
  report::rank(&r->findings);
}

}  // namespace warplens::counters
