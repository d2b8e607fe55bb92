#include "warplens/report/metric_list.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/report/executed_metrics.h"

namespace warplens::report {
namespace {

constexpr int kMeasuredUnits = 90;  // of this architecture it is known which unit runs what
const char* kPrecisions[] = {"f", "d", "h"};
const char* kOperations[] = {"add", "mul", "fma"};

class List {
 public:
  List(Fidelity fidelity, KernelReport* report) : fidelity_(fidelity), report_(report) {}
  void add(std::string name, double value) { report_->metrics.push_back({std::move(name), value, fidelity_}); }

 private:
  Fidelity fidelity_;
  KernelReport* report_;
};

void add_memory(const ClassCounts& c, List& list, List& adjusted) {
  // What an atomic returns depends on who came first, and so may the places that follow from it.
  List& places = c.global_atomic.requests > 0 ? adjusted : list;
  const std::pair<const char*, const simt::InstructionCounts*> spaces[] = {{"global_op_ld", &c.global_load},
                                                                           {"global_op_st", &c.global_store},
                                                                           {"local_op_ld", &c.local_load},
                                                                           {"local_op_st", &c.local_store}};
  for (const auto& [space, counts] : spaces) {
    list.add(fmt::format("l1tex__t_requests_pipe_lsu_mem_{}.sum", space), static_cast<double>(counts->requests));
    places.add(fmt::format("l1tex__t_sectors_pipe_lsu_mem_{}.sum", space), static_cast<double>(counts->sectors));
    if (counts->requests == 0) continue;
    places.add(fmt::format("l1tex__average_t_sectors_per_request_pipe_lsu_mem_{}.ratio", space),
               static_cast<double>(counts->sectors) / static_cast<double>(counts->requests));
  }
  const std::pair<const char*, const simt::InstructionCounts*> atomics[] = {{"global_op_atom", &c.global_atomic},
                                                                            {"global_op_red", &c.global_reduction}};
  for (const auto& [space, counts] : atomics) {
    list.add(fmt::format("l1tex__t_requests_pipe_lsu_mem_{}.sum", space), static_cast<double>(counts->requests));
    list.add(fmt::format("l1tex__t_sectors_pipe_lsu_mem_{}.sum", space),
             static_cast<double>(counts->atomic_sector_serial));
  }
  const std::pair<const char*, const simt::InstructionCounts*> shared[] = {
      {"ld", &c.shared_load}, {"st", &c.shared_store}, {"atom", &c.shared_atomic}};
  for (const auto& [op, counts] : shared) {
    // Atomics that come from other blocks take passes too; how they meet the own is a matter of time.
    const bool disturbed =
        std::string_view(op) == "atom" && c.remote.requests[simt::sass_machine::RemoteCounts::kAtomic] > 0;
    (disturbed ? adjusted : list)
        .add(fmt::format("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum", op),
             static_cast<double>(counts->wavefronts));
    if (std::string_view(op) == "atom") continue;
    list.add(fmt::format("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum", op),
             static_cast<double>(counts->wavefronts - counts->ideal_wavefronts));
  }
}

/// What Hopper's copy engine moves, and requests to shared memory of other blocks; where there are any.
void add_hopper(const ClassCounts& c, List& list) {
  if (c.copy_engine > 0) {
    const auto sum = [](uint64_t a, uint64_t b = 0) { return static_cast<double>(a + b); };
    list.add("sm__inst_executed_pipe_tma.sum", c.copy_engine);
    list.add("smsp__inst_executed_op_tma_ld.sum", sum(c.bulk_load.executions));
    list.add("smsp__inst_executed_op_tma_st.sum", sum(c.bulk_store.executions, c.bulk_reduction.executions));
    list.add("l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum", sum(c.bulk_load.sectors));
    list.add("l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum", sum(c.bulk_store.sectors));
    list.add("l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_red.sum", sum(c.bulk_reduction.sectors));
  }
  const char* kinds[] = {"ld", "st", "atom"};
  for (size_t kind = 0; kind < c.remote.requests.size(); ++kind) {
    if (c.remote.requests[kind] == 0) continue;
    list.add(fmt::format("l1tex__t_requests_pipe_lsu_mem_dshared_op_{}.sum", kinds[kind]),
             static_cast<double>(c.remote.requests[kind]));
    list.add(fmt::format("l1tex__t_sectors_pipe_lsu_mem_dshared_op_{}.sum", kinds[kind]),
             static_cast<double>(c.remote.sectors[kind]));
  }
}

}  // namespace

const char* name(Fidelity fidelity) {
  constexpr const char* kNames[] = {"exact", "adjusted", "estimated", "measured"};
  return kNames[static_cast<size_t>(fidelity)];
}

const Metric* KernelReport::metric(std::string_view wanted) const {
  const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const Metric& m) { return m.name == wanted; });
  return found == metrics.end() ? nullptr : &*found;
}

void add_metrics(const ClassCounts& c, Fidelity exact, KernelReport* report) {
  List list(exact, report);
  List classes(Fidelity::kAdjusted, report);
  add_memory(c, list, classes);
  add_hopper(c, list);
  for (const char* precision : kPrecisions) {
    for (const char* operation : kOperations) {
      const auto found = c.floating_threads.find(std::string(precision) + operation);
      list.add(fmt::format("smsp__sass_thread_inst_executed_op_{}{}_pred_on.sum", precision, operation),
               found == c.floating_threads.end() ? 0 : found->second);
    }
  }
  // Which instructions the hardware puts into these classes is not known in full.
  classes.add("smsp__sass_thread_inst_executed_op_integer_pred_on.sum", c.integer_threads);
  classes.add("smsp__sass_thread_inst_executed_op_conversion_pred_on.sum", c.conversion_threads);
  classes.add("smsp__sass_thread_inst_executed_op_control_pred_on.sum", c.control_threads);
  for (size_t k = 0; k < c.executed.size(); ++k) {
    const ExecutedMetric& metric = executed_metrics()[k];
    (metric.by_unit && c.architecture != kMeasuredUnits ? classes : list).add(metric.name, c.executed[k]);
  }
  list.add("smsp__inst_executed.sum", static_cast<double>(c.all.executions));
  list.add("smsp__thread_inst_executed.sum", static_cast<double>(c.all.active_threads));
  list.add("smsp__thread_inst_executed_pred_on.sum", static_cast<double>(c.all.predicated_on_threads));
  list.add("smsp__sass_branch_targets_threads_divergent.sum", static_cast<double>(c.branch.divergent_branches));
  if (c.all.executions) {
    const auto issued = static_cast<double>(c.all.executions);
    list.add("smsp__thread_inst_executed_per_inst_executed.ratio", static_cast<double>(c.all.active_threads) / issued);
    list.add("smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
             static_cast<double>(c.all.predicated_on_threads) / issued);
  }
}

void add_estimates(KernelReport* report) {
  List list(Fidelity::kEstimated, report);
  const Work& w = report->work;
  list.add("l1tex__t_sector_hit_rate.pct", 100 * w.l1_hit_rate);
  // Of what comes from DRAM, half comes through the other half of the L2.
  const double l2_reads = l2_read_sectors(w);
  list.add("lts__t_sectors_op_read.sum", l2_reads + 0.5 * std::min(l2_reads, w.read_sectors + w.lost_sectors));
  list.add("lts__t_sectors_op_write.sum", 1.5 * l2_write_sectors(w));
  list.add("dram__bytes_read.sum", dram_read_bytes(w));
  list.add("gpu__time_duration.sum", report->time.ns);
  List exact(Fidelity::kExact, report);
  exact.add("launch__waves_per_multiprocessor", report->time.waves);
  constexpr uint32_t kLeastRegisters = 16;  // that the driver gives a thread: no launch on an H200 showed fewer
  exact.add("launch__registers_per_thread", std::max(report->resources.registers, kLeastRegisters));
  exact.add("sm__maximum_warps_per_active_cycle_pct", 100 * report->time.occupancy.fraction());
  std::sort(report->metrics.begin(), report->metrics.end(),
            [](const Metric& a, const Metric& b) { return a.name < b.name; });
}

}  // namespace warplens::report
