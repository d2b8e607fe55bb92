#include "warplens/counters/measured_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"
#include "warplens/base/whole.h"
#include "warplens/counters/metric_sets.h"
#include "warplens/gpu/peaks.h"
#include "warplens/report/findings/findings.h"

namespace warplens::counters {
namespace {

using report::KernelReport;

constexpr double kSector = 32;

/// The value of a metric; `otherwise` where it was not counted.
double value(const KernelReport& report, std::string_view metric, double otherwise = 0) {
  const report::Metric* found = report.metric(metric);
  return found != nullptr ? found->value : otherwise;
}

double l1(const KernelReport& report, const char* what, const char* space) {
  return value(report, fmt::format("l1tex__t_{}_pipe_lsu_mem_{}.sum", what, space));
}

double shared(const KernelReport& report, const char* what, const char* operation) {
  return value(report, fmt::format("l1tex__data_{}_mem_shared_op_{}.sum", what, operation));
}

double threads(const KernelReport& report, const char* operation) {
  return value(report, fmt::format("smsp__sass_thread_inst_executed_op_{}_pred_on.sum", operation));
}

uint64_t whole(double number) { return static_cast<uint64_t>(std::max(nearest_int64(std::round(number)), int64_t{0})); }

void set_flops(const KernelReport& r, report::Work* w) {
  const auto flops = [&](const char* p) {
    return threads(r, fmt::format("{}add", p).c_str()) + threads(r, fmt::format("{}mul", p).c_str()) +
           2 * threads(r, fmt::format("{}fma", p).c_str());
  };
  w->fp32_flops = flops("f");
  w->fp64_flops = flops("d");
  w->half_flops = 2 * flops("h");  // each works on a pair
  w->half = (threads(r, "hadd") + threads(r, "hmul") + threads(r, "hfma")) / 32;
}

/// FLOPs of matrix instructions are not counted as such: the pipe's share of its peak says them.
void set_tensor(const KernelReport& r, const gpu::Device& device, report::Work* w) {
  const double share = value(r, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active") / 100;
  const double active = value(r, "sm__cycles_active.avg") * device.sms;
  // HFMA2.MMA, plain arithmetic of halves, runs on the tensor cores of some chips.
  const double instructions = value(r, "sm__inst_executed_pipe_tensor_op_hmma.sum") -
                              value(r, "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum") +
                              value(r, "sm__inst_executed_pipe_tensor_op_imma.sum");
  if (instructions <= 0 || device.half_tflops <= 0) return;
  w->tensor_time_flops = w->tensor_flops = share * active / device.sms * model::matrix_flops_per_cycle(device);
  w->tensor = instructions;
}

void set_memory(const KernelReport& r, report::Work* w) {
  w->load_sectors = l1(r, "sectors", "global_op_ld");
  w->store_sectors = l1(r, "sectors", "global_op_st");
  w->local_store_sectors = l1(r, "sectors", "local_op_st");
  w->local_sectors = l1(r, "sectors", "local_op_ld") + w->local_store_sectors;
  w->atomic_sectors = l1(r, "sectors", "global_op_atom") + l1(r, "sectors", "global_op_red");
  w->shared_wavefronts = shared(r, "pipe_lsu_wavefronts", "ld") + shared(r, "pipe_lsu_wavefronts", "st") +
                         shared(r, "pipe_lsu_wavefronts", "atom");
  w->read_sectors = value(r, "dram__bytes_read.sum") / kSector;
  w->written_sectors = value(r, "dram__bytes_write.sum") / kSector;
  w->l1_hit_rate = std::clamp(value(r, "l1tex__t_sector_hit_rate.pct") / 100, 0.0, 1.0);
  w->cache_lines = (w->load_sectors + w->store_sectors) / 4;  // at least
}

/// What a block takes by itself, so that the time model gives the time that was measured: what the units' work leaves
/// of it is latency. By halving: the model's time only grows with it.
void set_latency(const gpu::Device& device, double ns, report::Work* w) {
  double low = 0, high = ns * device.clock_hz() / 1e9;
  for (int k = 0; k < 40; ++k) {
    const double block = (low + high) / 2;
    w->block_cycles_l1 = w->block_cycles_l2 = w->block_cycles_dram = block;
    (model::estimate_time(*w, device).ns < ns ? low : high) = block;
  }
}

/// Work as far as counters tell it.
report::Work work_of(const KernelReport& r, const gpu::Device& device) {
  report::Work w;
  w.blocks = double{1} * r.grid[0] * r.grid[1] * r.grid[2];
  w.needs.threads = static_cast<int>(r.block[0] * r.block[1] * r.block[2]);
  w.needs.registers = static_cast<int>(r.resources.registers);
  w.needs.static_shared_bytes = r.resources.static_shared_bytes;
  w.needs.dynamic_shared_bytes = r.resources.dynamic_shared_bytes;
  w.instructions = value(r, "smsp__inst_executed.sum");
  w.alu = value(r, "sm__inst_executed_pipe_alu.sum");
  w.fma = value(r, "sm__inst_executed_pipe_fma.sum");
  w.special = value(r, "sm__inst_executed_pipe_xu.sum");
  w.memory = value(r, "sm__inst_executed_pipe_lsu.sum");
  w.fp64 = value(r, "sm__inst_executed_pipe_fp64.sum");
  w.branches = value(r, "smsp__inst_executed_op_branch.sum");
  set_flops(r, &w);
  set_tensor(r, device, &w);
  set_memory(r, &w);
  return w;
}

/// All of the launch as one line without a place: what rules over lines read.
report::LineCounts total_line(const KernelReport& r) {
  report::LineCounts line;
  const auto space = [&](simt::InstructionCounts* to, const char* name, const char* bytes_of) {
    to->requests = whole(l1(r, "requests", name));
    to->sectors = whole(l1(r, "sectors", name));
    const double bytes =
        value(r, fmt::format("smsp__sass_average_data_bytes_per_sector_mem_{}.ratio", bytes_of), kSector);
    to->ideal_sectors = whole(static_cast<double>(to->sectors) * std::min(1.0, bytes / kSector));
    to->bytes = to->ideal_sectors * static_cast<uint64_t>(kSector);
  };
  space(&line.global_load, "global_op_ld", "global_op_ld");
  space(&line.global_store, "global_op_st", "global_op_st");
  line.local.sectors = whole(r.work.local_sectors);
  const auto shared_memory = [&](simt::InstructionCounts* to, const char* operation) {
    to->wavefronts = whole(shared(r, "pipe_lsu_wavefronts", operation));
    to->ideal_wavefronts =
        to->wavefronts - std::min(to->wavefronts, whole(shared(r, "bank_conflicts_pipe_lsu", operation)));
  };
  shared_memory(&line.shared_load, "ld");
  shared_memory(&line.shared_store, "st");
  line.all.active_threads = whole(value(r, "smsp__thread_inst_executed.sum"));
  if (line.all.active_threads > 0) line.all.executions = whole(r.work.instructions);  // else nothing is known of lanes
  line.all.predicated_on_threads = whole(value(r, "smsp__thread_inst_executed_pred_on.sum"));
  line.all.divergent_branches = whole(value(r, "smsp__sass_branch_targets_threads_divergent.sum"));
  line.fp64 = whole(threads(r, "dadd") + threads(r, "dmul") + threads(r, "dfma"));
  line.conversions64 = whole(threads(r, "conversion"));  // at most: all conversions
  return line;
}

/// A unit, and the metrics of its use: the first that was counted holds. Nsight Compute's basic set counts pipes as
/// shares of the whole launch.
struct UnitMetric {
  std::string_view unit;
  std::array<const char*, 3> metrics;
};

constexpr UnitMetric kUnits[] = {
    {kDram, {"dram__throughput.avg.pct_of_peak_sustained_elapsed"}},
    {kL2, {"lts__t_sectors.avg.pct_of_peak_sustained_elapsed", "lts__throughput.avg.pct_of_peak_sustained_elapsed"}},
    {kL1,
     {"l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
      "l1tex__throughput.avg.pct_of_peak_sustained_active"}},
    {kIssueSlots,
     {"smsp__issue_active.avg.pct_of_peak_sustained_active", "sm__inst_issued.avg.pct_of_peak_sustained_active",
      "sm__issue_active.avg.pct_of_peak_sustained_elapsed"}},
    {"ALU pipe",
     {"sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active",
      "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed",
      "sm__pipe_aluheavy_cycles_active.avg.pct_of_peak_sustained_elapsed"}},
    {"FMA pipe",
     {"sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
      "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed"}},
    {"load and store unit",
     {"sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active",
      "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed"}},
    {"special functions",
     {"sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active",
      "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed"}},
    {"FP64 pipe",
     {"sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active",
      "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed"}},
    {"tensor cores",
     {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
      "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"}},
};

/// The busiest part of a whole, which Nsight Compute gives without its name.
struct Whole {
  std::string_view unit;
  const char* metric;
};
constexpr Whole kWholes[] = {{kSm, "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
                             {"busiest part of L1", "l1tex__throughput.avg.pct_of_peak_sustained_active"},
                             {"busiest part of L2", "lts__throughput.avg.pct_of_peak_sustained_elapsed"}};

std::vector<report::UnitUse> units_of(const KernelReport& r) {
  constexpr double kOfWhole = 0.9;  // of a whole's share: then the named unit is what the whole tells
  std::vector<report::UnitUse> out;
  const auto share_of = [&](const char* metric) -> std::optional<double> {
    const report::Metric* found = metric != nullptr ? r.metric(metric) : nullptr;
    return found != nullptr ? std::optional(found->value / 100) : std::nullopt;
  };
  double busiest = 0;
  bool has_issue_slots = false;
  for (const UnitMetric& unit : kUnits) {
    std::optional<double> share;
    for (const char* metric : unit.metrics) share = share ? share : share_of(metric);
    if (share) out.push_back({std::string(unit.unit), *share});
    has_issue_slots |= share && unit.unit == kIssueSlots;
    busiest = std::max(busiest, share.value_or(0));
  }
  for (const Whole& whole : kWholes) {
    const std::optional<double> share = share_of(whole.metric);
    const bool is_all_of_sm = whole.unit == kSm && !has_issue_slots;  // its pipes are told by this alone
    if (share && (kOfWhole * *share > busiest || is_all_of_sm)) out.push_back({std::string(whole.unit), *share});
  }
  std::ranges::stable_sort(out, std::greater(), &report::UnitUse::share);
  return out;
}

/// Stalls that were not counted, as far as others tell: a warp that is eligible and does not issue was not selected,
/// and what the counted reasons leave of the time between two instructions is some other reason.
void derive_stalls(const KernelReport& r, report::Measured* m) {
  constexpr double kSchedulers = 4, kWorthSaying = 0.05;
  if (m->stalls.empty() || m->issue_active <= 0) return;
  const auto has = [&](const char* reason) {
    return std::ranges::any_of(m->stalls, [&](const report::Stall& stall) { return stall.reason == reason; });
  };
  const double unselected = m->eligible_warps / m->issue_active - 1;
  if (!has("not selected") && unselected > 0) m->stalls.push_back({"not selected", unselected});
  if (has("selected")) return;  // all of them were counted
  const double between = m->achieved_occupancy * r.device->architecture().warps_per_sm / kSchedulers / m->issue_active;
  double known = 1;  // the cycle in which it issues
  for (const report::Stall& stall : m->stalls) known += stall.cycles;
  if (between - known > kWorthSaying * between) m->stalls.push_back({report::kOtherStall, between - known});
}

report::Measured measured_of(const KernelReport& r, const CountedDevice& device) {
  report::Measured m;
  m.chip = device.chip;
  m.passes = static_cast<uint64_t>(device.passes);
  m.ns = value(r, "gpu__time_duration.sum");
  m.cycles = value(r, "gpc__cycles_elapsed.max");
  m.achieved_occupancy = value(r, "sm__warps_active.avg.pct_of_peak_sustained_active") / 100;
  m.issue_active = value(r, "smsp__issue_active.avg.pct_of_peak_sustained_active") / 100;
  m.eligible_warps = value(r, "smsp__warps_eligible.avg.per_cycle_active");
  m.busiest_sm = value(r, "sm__cycles_active.max");
  m.average_sm = value(r, "sm__cycles_active.avg");
  m.l1_hit_rate = value(r, "l1tex__t_sector_hit_rate.pct", -100) / 100;
  m.l2_hit_rate = value(r, "lts__t_sector_hit_rate.pct", -100) / 100;
  m.units = units_of(r);
  for (const report::StallAdvice& stall : report::stall_advice()) {
    if (const report::Metric* metric = r.metric(stall_metric(stall.metric)))
      m.stalls.push_back({stall.reason, metric->value});
  }
  derive_stalls(r, &m);
  std::stable_sort(m.stalls.begin(), m.stalls.end(), [](const auto& a, const auto& b) { return a.cycles > b.cycles; });
  return m;
}

/// Rules that sums over the launch are enough for; the others need to know what each line or instruction did.
constexpr report::Rule kRulesOfSums[] = {report::find_uncoalesced_access, report::find_bank_conflicts,
                                         report::find_divergence,         report::find_low_occupancy,
                                         report::find_grid_shape,         report::find_partial_warps,
                                         report::find_accidental_double};

void add_launch_metrics(KernelReport* r) {
  const auto add = [&](const char* name, double number) {
    if (std::ranges::any_of(r->metrics, [&](const report::Metric& metric) { return metric.name == name; })) return;
    r->metrics.push_back({name, number, report::Fidelity::kExact});
  };
  if (r->resources.registers == 0) return;  // not known, so neither is the occupancy
  add("launch__waves_per_multiprocessor", r->time.waves);
  add("launch__registers_per_thread", r->resources.registers);
  add("sm__maximum_warps_per_active_cycle_pct", 100 * r->time.occupancy.fraction());
}

Result<const gpu::Device*> device_of(const CountedDevice& device) {
  constexpr double kTransfersOfACycle = 2, kBitsOfAByte = 8;
  const auto whole = [](int64_t size) { return static_cast<int>(std::clamp<int64_t>(size, 0, INT32_MAX)); };
  return gpu::device_said({.name = device.name,
                           .sms = whole(device.sms),
                           .compute_major = whole(device.compute / 10),
                           .compute_minor = whole(device.compute % 10),
                           .warp_size = 32,
                           .boost_mhz = static_cast<double>(device.clock_khz) / 1e3,
                           .dram_gbs = kTransfersOfACycle * static_cast<double>(device.memory_khz) / 1e6 *
                                       static_cast<double>(device.memory_bits) / kBitsOfAByte,
                           .l2_bytes = device.l2_bytes});
}

}  // namespace

bool in_catalogue(const CountedDevice& device) { return gpu::find_device(device.name).ok(); }

Result<report::Measured> measured_values(const std::vector<report::Metric>& metrics, const CountedDevice& device) {
  KernelReport r;
  r.metrics = metrics;
  WL_ASSIGN(r.device, device_of(device));
  return measured_of(r, device);
}

Result<KernelReport> measured_report(const CountedLaunch& launch, const CountedDevice& counted,
                                     const PeaksOf& peaks_of) {
  WL_ASSIGN(const gpu::Device* device, device_of(counted));
  KernelReport r;
  r.kernel = short_name(launch.kernel);
  r.grid = launch.grid;
  r.block = launch.block;
  r.device = device;
  r.resources = {.registers = static_cast<uint32_t>(launch.registers),
                 .static_shared_bytes = static_cast<uint32_t>(launch.static_shared_bytes),
                 .dynamic_shared_bytes = static_cast<uint32_t>(launch.dynamic_shared_bytes),
                 .local_bytes = static_cast<uint32_t>(launch.local_bytes)};
  for (size_t k = 0; k < launch.values.size(); ++k) {
    if (launch.values[k]) r.metrics.push_back({counted.metrics[k], *launch.values[k], report::Fidelity::kMeasured});
  }
  std::sort(r.metrics.begin(), r.metrics.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  report::Measured measured = measured_of(r, counted);
  if (launch.ns > 0) measured.ns = static_cast<double>(launch.ns);
  r.work = work_of(r, *device);
  set_latency(*device, measured.ns, &r.work);
  r.time = model::estimate_time(r.work, *device);
  add_launch_metrics(&r);
  r.peaks = peaks_of ? peaks_of(*device) : report::Peaks();
  r.roofline = report::roofline(r.work, *device, measured.ns, r.peaks);
  r.measured = std::move(measured);
  if (!launch.values.empty()) {
    r.lines = {total_line(r)};
    std::vector<report::Defect> found;
    for (const report::Rule rule : kRulesOfSums) rule(r, &found);
    r.findings.assign(found.begin(), found.end());
    find_on_hardware(&r);
    r.lines.clear();
  }
  r.time.ns = r.measured->ns;
  return r;
}

}  // namespace warplens::counters
