// A launch: checks of the request, workers, results in block order.
#include <algorithm>
#include <cstring>
#include <deque>

#include "warplens/base/random.h"
#include "warplens/base/text.h"
#include "warplens/base/threads.h"
#include "warplens/base/timing.h"
#include "warplens/run/ptx/checks/checker.h"
#include "warplens/run/ptx/collect.h"
#include "warplens/run/ptx/decode/decode.h"
#include "warplens/run/ptx/limits.h"
#include "warplens/run/ptx/warp.h"
#include "warplens/simt/atomics/operation.h"
#include "warplens/simt/numbering.h"

namespace warplens::simt::ptx_machine {
namespace {

constexpr uint64_t kOrderLimit = 1 << 28;  // clusters whose order is kept in a list
constexpr double kLongestTimeout = 1e9;    // seconds; as nanoseconds they fit 64 bits
constexpr size_t kSuspendedLimit = 4096;   // clusters that spin before no more are started
constexpr uint64_t kShareLimit = 128;      // clusters that a worker takes at once: what they leave is kept

std::string text_of(const Dim3& d) { return fmt::format("{}x{}x{}", d[0], d[1], d[2]); }
uint64_t volume(const Dim3& d) { return uint64_t{d[0]} * d[1] * d[2]; }

Dim3 directive_dim(const ptx::Function& f, std::string_view name) {
  Dim3 d{1, 1, 1};
  if (const ptx::Directive* found = f.directive(name)) {
    for (size_t i = 0; i < 3 && i < found->values.size(); ++i) d[i] = static_cast<uint32_t>(found->values[i]);
  }
  return d;
}

/// What the kernel itself demands, whatever GPU it runs on.
Status check_demands(const ptx::Function& f, const Launch& config) {
  if (f.directive("reqntid") && directive_dim(f, "reqntid") != config.block)
    return usage_error(fmt::format("kernel '{}' requires blocks of {} threads, not {}", f.name,
                                   text_of(directive_dim(f, "reqntid")), text_of(config.block)));
  if (config.parameters.size() != f.parameter_bytes())
    return usage_error(fmt::format("kernel '{}' takes {} bytes of parameters, not {}", f.name, f.parameter_bytes(),
                                   config.parameters.size()));
  return {};
}

void set_threads(Warp& w, const Dim3& block, uint32_t threads) {
  w.threads = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t thread = w.index * kLanes + lane;
    if (thread < threads) w.threads |= 1u << lane;
    const Dim3 place = place_in(block, thread);
    for (uint32_t axis = 0; axis < 3; ++axis) w.tid[axis * kLanes + lane] = place[axis];
  }
}

/// The blocks of a cluster with their warps: what does not change from one cluster to the next.
std::unique_ptr<Cluster> build_cluster(Grid& grid, Worker& worker) {
  auto cluster = std::make_unique<Cluster>();
  cluster->grid = &grid;
  cluster->worker = &worker;
  for (uint32_t rank = 0; rank < volume(grid.cluster); ++rank) {
    auto cta = std::make_unique<Cta>();
    cta->rank = rank;
    cta->cluster = cluster.get();
    cta->threads = grid.threads_per_block;
    cta->shared_storage.resize(grid.shared_bytes + 1024);
    cta->shared =
        reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(cta->shared_storage.data()) + 1023) / 1024 * 1024);
    for (uint32_t i = 0; i < grid.warps_per_block; ++i) {
      auto w = std::make_unique<Warp>();
      w->index = i;
      w->program = grid.program;
      w->cta = cta.get();
      w->worker = &worker;
      w->rows = worker.rows.empty() ? nullptr : worker.rows.data();
      w->ranges = worker.ranges.data();
      w->shared = cta->shared;
      w->shared_bytes = grid.shared_bytes;
      w->splits.reserve(2 * kLanes);
      set_threads(*w, grid.config->block, grid.threads_per_block);
      cta->warps.push_back(std::move(w));
    }
    cluster->ctas.push_back(std::move(cta));
  }
  return cluster;
}

void start_cluster(Cluster& cluster, uint64_t linear) {
  const Grid& grid = *cluster.grid;
  const Dim3& g = grid.config->grid;
  const Dim3& c = grid.cluster;
  const Dim3 clusters{g[0] / c[0], g[1] / c[1], g[2] / c[2]};
  cluster.linear = linear;
  cluster.index = place_in(clusters, linear);
  cluster.barrier_arrived = 0;
  cluster.barrier_phase = 0;
  cluster.passes = 0;
  cluster.idle_passes = 0;
  for (const auto& cta : cluster.ctas) {
    const Dim3 within = place_in(c, cta->rank);
    for (int i = 0; i < 3; ++i) cta->index[i] = cluster.index[i] * c[i] + within[i];
    cta->linear = number_in(g, cta->index);
    cta->exited = cta->left_late = 0;
    cta->barriers = {};
    if (cta->tensor_memory) cta->tensor_memory->relinquished = false;
    if (grid.checker) grid.checker->start_block(*cta);
    if (grid.shared_bytes) std::memset(cta->shared, 0, grid.shared_bytes);
    for (const auto& w : cta->warps) start_warp(*w);
  }
}

/// Applies what a cluster left, once all before it are done.
void finish_cluster(Grid& grid, Cluster& cluster) {
  const bool tells = grid.config->progress && cluster.linear % 64 == 0;
  Worker& worker = *cluster.worker;
  worker.blocks_done += cluster.ctas.size();
  if (!tells && !grid.program->logs_reductions && !grid.program->prints) return;
  const std::lock_guard lock(grid.mutex);
  grid.finished[cluster.linear] = {std::move(cluster.reductions), std::move(cluster.output)};
  cluster.reductions.clear();
  cluster.output.clear();
  for (auto first = grid.finished.begin(); first != grid.finished.end() && first->first == grid.next_leftovers;
       first = grid.finished.begin()) {
    for (const PendingReduction& r : first->second.reductions) {
      const auto type = static_cast<ptx::Type>(r.type);
      atomic_apply(reinterpret_cast<void*>(r.address), static_cast<uint32_t>(ptx::bits(type) / 8),
                   static_cast<AtomicOp>(r.operation), type, r.value, 0, true, false);
    }
    if (grid.config->print && !first->second.output.empty()) grid.config->print(first->second.output);
    else grid.output += first->second.output;
    grid.finished.erase(first);
    ++grid.next_leftovers;
  }
  if (!tells) return;
  grid.blocks_told += worker.blocks_done - worker.blocks_told;
  worker.blocks_told = worker.blocks_done;
  grid.config->progress({grid.blocks_told, volume(grid.config->grid), grid.instructions});
}

/// Takes the next share of the clusters, a quarter of what a worker has to expect: neighbours stay together, and
/// workers end at the same time. False when none are left.
bool take_share(Grid& grid, Worker& worker) {
  uint64_t first = grid.next.load(std::memory_order_relaxed), size;
  do {
    if (first >= grid.clusters) return false;
    size = std::clamp<uint64_t>((grid.clusters - first) / (4 * grid.workers), 1, kShareLimit);
  } while (!grid.next.compare_exchange_weak(first, first + size, std::memory_order_relaxed));
  worker.next = first;
  worker.end = first + size;
  return true;
}

/// Runs clusters as they come; those that spin wait for their next turn while others go on.
void work(Grid& grid, Worker& worker) {
  std::deque<std::unique_ptr<Cluster>> suspended;
  for (;;) {
    std::unique_ptr<Cluster> cluster;
    const bool start = suspended.size() < kSuspendedLimit && (worker.next < worker.end || take_share(grid, worker));
    if (start) {
      const uint64_t linear = grid.order.empty() ? worker.next : grid.order[worker.next];
      ++worker.next;
      if (linear > grid.last_cluster) continue;
      if (!worker.free_clusters.empty()) {
        cluster = std::move(worker.free_clusters.back());
        worker.free_clusters.pop_back();
      } else {
        cluster = build_cluster(grid, worker);
      }
      start_cluster(*cluster, linear);
      if (grid.config->observer) grid.config->observer->block_begin(static_cast<uint32_t>(linear));
    } else if (!suspended.empty()) {
      cluster = std::move(suspended.front());
      suspended.pop_front();
    } else {
      break;
    }
    if (run_cluster(*cluster)) {
      finish_cluster(grid, *cluster);
      if (grid.config->observer) grid.config->observer->block_end(static_cast<uint32_t>(cluster->linear));
      worker.free_clusters.push_back(std::move(cluster));
    } else if (cluster->linear < grid.last_cluster) {
      suspended.push_back(std::move(cluster));
    }
  }
}

/// Called by the thread that is to work, so that no two write to the same lines of the cache.
std::unique_ptr<Worker> build_worker(Grid& grid) {
  auto worker = std::make_unique<Worker>();
  const Program& program = *grid.program;
  worker->grid = &grid;
  worker->parallel = grid.workers > 1;
  if (grid.config->count) worker->rows.resize(program.places.size());
  worker->block_runs.resize(program.blocks.size());
  worker->block_lanes.resize(program.blocks.size());
  worker->ranges.resize(program.range_slots + 1);
  worker->free_frames.resize(program.functions.size());
  return worker;
}

/// A barrier that not all threads reach is a defect that the check of synchronisation knows by name.
void report_deadlock(const Grid& grid, ThreadChecker& checker) {
  if (!grid.fault || grid.fault->kind != Fault::Kind::kDeadlock || !(grid.config->checks & kCheckSync)) return;
  for (const Report& r : checker.log.found.reports) {
    if (r.id == "divergent-barrier" && r.place.index == grid.fault->place.index) return;
  }
  Report report;
  report.id = grid.fault->address ? "mbarrier-misuse" : "divergent-barrier";  // the address is the mbarrier's
  report.message = grid.fault->message;
  report.place = grid.fault->place;
  checker.log.found.reports.push_back(std::move(report));
}

/// The cluster that a launch asks for, or else the kernel.
Dim3 cluster_of(const ptx::Function& kernel, const Launch& config) {
  const bool asks =
      volume(config.cluster) > 1 || (volume(config.cluster) == 1 && !kernel.directive("reqnctapercluster"));
  return asks ? config.cluster : directive_dim(kernel, "reqnctapercluster");
}

void describe(const Launch& config, Dim3 cluster, Grid& grid) {
  grid.config = &config;
  grid.cluster = cluster;
  grid.clusters = volume(config.grid) / volume(cluster);
  grid.threads_per_block = static_cast<uint32_t>(volume(config.block));
  grid.warps_per_block = (grid.threads_per_block + kLanes - 1) / kLanes;
  grid.own_shared_bytes = grid.shared_bytes = grid.program->shared_bytes + config.dynamic_shared_bytes;
  if (grid.program->reads_reserved_shared)
    grid.shared_bytes =
        grid.reserved_shared_begin() + static_cast<uint64_t>(grid.device->architecture().shared_reserved_bytes);
  grid.parameters = config.parameters;
}

Status check_memory(std::string_view kernel, const Grid& grid) {
  if (const uint64_t local = grid.program->functions[0].local_bytes; local > kLocalLimit)
    return usage_error(fmt::format("kernel '{}' would have {} bytes of local memory per thread: at most {}", kernel,
                                   local, kLocalLimit));
  return {};
}

Status order_clusters(const Schedule& schedule, Grid& grid) {
  if (schedule.kind == Schedule::Kind::kInOrder) return {};
  if (grid.clusters > kOrderLimit)
    return usage_error(
        fmt::format("an order of blocks is limited to grids of up to {} blocks, not {}", kOrderLimit, grid.clusters));
  grid.order.resize(grid.clusters);
  for (uint64_t i = 0; i < grid.clusters; ++i)
    grid.order[i] = schedule.kind == Schedule::Kind::kReversed ? grid.clusters - 1 - i : i;
  if (schedule.kind == Schedule::Kind::kRandom) shuffle(grid.order, schedule.seed);
  return {};
}

/// What must see the accesses in one order runs on one thread.
size_t threads_of(const Launch& config, const Grid& grid) {
  if (grid.program->order_dependent || config.observer || config.checks) return 1;
  const size_t threads = config.threads ? config.threads : default_threads();
  return std::max<size_t>(1, std::min<size_t>(threads, grid.clusters));
}

std::vector<std::unique_ptr<Worker>> run_workers(Grid& grid) {
  std::vector<std::unique_ptr<Worker>> workers(grid.workers);
  parallel_for(grid.workers, grid.workers, [&](size_t i) {
    workers[i] = build_worker(grid);
    work(grid, *workers[i]);
    workers[i]->free_clusters.clear();  // here, as it takes a while
    workers[i]->free_frames.clear();
  });
  return workers;
}

}  // namespace

struct Launcher {
  static Result<Program*> program(Module& module, const ptx::Function& kernel, int architecture, const Launch& config) {
    const auto number = static_cast<uint32_t>(&kernel - module.ptx_->functions.data());
    for (const auto& p : module.programs_) {
      if (p->functions[0].ptx == number && p->architecture == architecture && p->checks == config.checks &&
          p->observed == (config.observer != nullptr) && p->deterministic == config.deterministic)
        return p.get();
    }
    WL_ASSIGN(auto program, decode_program(*module.ptx_, number, *module.symbols_, architecture, config.deterministic,
                                           config.checks, config.observer != nullptr));
    program->architecture = architecture;
    program->checks = config.checks;
    program->observed = config.observer != nullptr;
    program->deterministic = config.deterministic;
    module.programs_.push_back(std::move(program));
    return module.programs_.back().get();
  }
};

Result<LaunchResult> launch(Module& module, std::string_view kernel, const Launch& config) {
  const int64_t begin_ns = monotonic_ns();
  WL_ASSIGN(const ptx::Function* function, module.kernel(kernel));
  const Dim3 cluster = cluster_of(*function, config);
  WL_TRY(check_demands(*function, config));
  const int architecture = config.architecture ? config.architecture : module.ptx().architecture();
  WL_ASSIGN(Program * program, Launcher::program(module, *function, architecture, config));

  const gpu::Device& device = device_of(config, architecture);
  const KernelDemands demands{.max_threads = function->directive("maxntid")
                                                 ? static_cast<uint32_t>(volume(directive_dim(*function, "maxntid")))
                                                 : 0,
                              .static_shared_bytes = program->shared_bytes};
  WL_TRY(check_limits(config, cluster, demands, device));

  Grid grid;
  grid.device = &device;
  grid.program = program;
  grid.module = &module;
  grid.memory = &module.memory();
  grid.architecture = architecture;
  describe(config, cluster, grid);
  WL_TRY(check_memory(kernel, grid));
  WL_TRY(order_clusters(config.schedule, grid));
  if (config.timeout_s > 0)
    grid.deadline_ns = begin_ns + static_cast<int64_t>(std::min(config.timeout_s, kLongestTimeout) * 1e9);
  if (config.cooperative) {  // what cooperative groups keep for a grid: zeros at first
    WL_ASSIGN(grid.workspace, module.memory().allocate(4096, "grid workspace"));
  }
  ThreadChecker checker(grid);
  if (config.checks) grid.checker = &checker;
  grid.workers = threads_of(config, grid);
  const std::vector<std::unique_ptr<Worker>> workers = run_workers(grid);

  LaunchResult result;
  if (config.count) {
    collect_counts(grid, workers, result.counts);
  } else {
    for (const auto& worker : workers) result.counts.warp_instructions += worker->instructions;
  }
  if (grid.workspace) WL_TRY(module.memory().free(grid.workspace));
  for (auto& [linear, left] : grid.finished) grid.output += left.output;
  checker.finish();
  if (config.checks) report_deadlock(grid, checker);
  result.serialised = program->order_dependent;
  result.reports = std::move(checker.log.found.reports);
  result.reports_dropped = checker.log.found.dropped;
  result.fault = std::move(grid.fault);
  result.output = std::move(grid.output);
  result.registers_bytes = program->functions[0].frame_bytes;
  result.shared_bytes = grid.own_shared_bytes;
  result.local_bytes = program->functions[0].local_bytes;
  result.seconds = static_cast<double>(monotonic_ns() - begin_ns) * 1e-9;
  return result;
}

}  // namespace warplens::simt::ptx_machine
