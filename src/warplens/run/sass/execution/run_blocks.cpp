#include "warplens/run/sass/execution/run_blocks.h"

#include <atomic>
#include <mutex>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/threads.h"
#include "warplens/base/timing.h"
#include "warplens/run/sass/counting/footprint.h"
#include "warplens/run/sass/execution/in_order.h"
#include "warplens/run/sass/execution/run_cluster.h"
#include "warplens/run/sass/memory/atomics.h"
#include "warplens/run/sass/run_warp.h"
#include "warplens/run/sass/worker.h"
#include "warplens/simt/numbering.h"

namespace warplens::simt::sass_machine {
namespace {

constexpr uint64_t kClustersBetweenTelling = 32;
constexpr uint64_t kPatience = 1000;  // turns of a cluster before others get theirs beside it
constexpr int64_t kAloneNs = 50000;   // before other CPU threads are woken, which takes about as long

/// The blocks that SM 0 gets first, when blocks are dealt out one by one.
bool is_sampled(uint64_t block, const MachineLaunch& launch) {
  constexpr uint64_t kTurns = 12;  // sets of resident blocks
  return block % launch.sms == 0 && block / launch.sms < kTurns * launch.blocks_per_sm;
}

/// CPU threads; where results stay, blocks whose order matters go one by one, as all do under checks.
size_t threads_for(const Run& run, const MachineLaunch& launch, uint64_t blocks) {
  if (run.checker || (run.keep && any_op(run, &Op::ordered))) return 1;
  return std::min<uint64_t>(launch.threads ? launch.threads : default_threads(), blocks);
}

/// What Reuse needs of a block that has ended.
struct BlockTouches {
  std::vector<WatchedTouch> watched;
  uint64_t cycles = 0;
};

/// What the CPU threads of a launch share.
struct Dealer {
  Run& run;
  const MachineLaunch& launch;
  MachineCounts* out;
  uint64_t clusters = 0, resident = 0;  // of the grid; as many as a GPU runs at once
  bool log_sums = false;
  std::atomic<uint64_t> next{0}, running{0};
  std::atomic<bool> side_by_side{false}, stopped{false};
  std::atomic<bool> filled{false};        // the GPU was, while others were left
  InOrder<std::vector<PendingSum>> sums;  // floating-point: their last bits depend on the order
  InOrder<BlockTouches> touches;
  std::mutex merge;  // of what follows
  std::map<uint64_t, L1Trace> traces;
  std::map<uint64_t, std::string> outputs;
  AtomicTally atomics;

  bool left() const { return !stopped && next < clusters; }
};

/// One CPU thread.
class Player {
 public:
  explicit Player(Dealer& dealer) : dealer_(dealer), worker_(dealer.run) {}

  /// Launches that end by `until_ns` need no other thread. False where more is left to play.
  bool play_alone(int64_t until_ns) {
    while (start_next()) {
      while (!run_cluster(*running_[0], dealer_.launch.instruction_limit, 1)) {
        if (monotonic_ns() > until_ns) return false;
      }
      end(0);
      if (monotonic_ns() > until_ns) return false;
    }
    return true;
  }

  void play() {
    if (running_.empty()) start_more();
    while (!running_.empty()) {
      for (size_t i = 0; i < running_.size() && !dealer_.stopped;) {
        if (run_cluster(*running_[i], dealer_.launch.instruction_limit, patience())) end(i);
        else ++i;
      }
      start_more();
    }
  }

  void add_counts() {
    sum_tally(dealer_.run.ops, &worker_.counts);
    const std::lock_guard lock(dealer_.merge);
    add_worker(worker_, &dealer_.atomics, dealer_.out);
  }

 private:
  /// Turns that a cluster gets now.
  uint64_t patience() {
    if (running_.size() > 1) return 1;
    if (!dealer_.left()) return 0;
    return dealer_.side_by_side ? 1 : kPatience;
  }

  /// A cluster, or as many more as there are where those have taken long.
  void start_more() {
    if (dealer_.stopped) {
      running_.clear();
      return;
    }
    if (!running_.empty()) dealer_.side_by_side = true;
    const size_t wanted = std::max<size_t>(running_.size(), 1);
    size_t started = 0;
    while (started < wanted && start_next()) ++started;
  }

  bool start_next() {
    if (dealer_.running >= dealer_.resident && !running_.empty()) {
      if (dealer_.left()) dealer_.filled = true;
      return false;
    }
    const uint64_t number = dealer_.left() ? dealer_.next.fetch_add(1) : dealer_.clusters;
    if (number >= dealer_.clusters) return false;
    ++dealer_.running;
    Cluster& cluster = free_cluster();
    place_cluster(cluster, number, dealer_.launch);
    trace(cluster);
    start_cluster(cluster);
    for (Cluster* one : running_) one->gives_way = true;
    if (!running_.empty()) cluster.gives_way = true;
    running_.push_back(&cluster);
    if (dealer_.launch.progress && number % kClustersBetweenTelling == 0) {
      const std::lock_guard lock(dealer_.merge);
      dealer_.launch.progress({number * blocks_of(dealer_.launch.cluster), dealer_.out->blocks, 0});
    }
    return true;
  }

  Cluster& free_cluster() {
    if (!free_.empty()) {
      Cluster* cluster = free_.back();
      free_.pop_back();
      return *cluster;
    }
    Cluster& made = *worker_.clusters.emplace_back(std::make_unique<Cluster>());
    prepare_cluster(made, dealer_.run, &worker_.counts);
    for (Block& block : made.blocks) block.log_sums = dealer_.log_sums;
    return made;
  }

  /// Blocks that the L1 model follows write down what they access.
  void trace(Cluster& cluster) {
    for (Block& block : cluster.blocks) {
      const uint64_t number = number_in(dealer_.launch.grid, block.index);
      block.trace = nullptr;
      if (!dealer_.run.counted || !is_sampled(number, dealer_.launch)) continue;
      L1Trace& seen = seen_[number];
      seen.warps.resize(block.warps.size());
      seen.last.resize(block.warps.size());
      block.trace = &seen;
    }
  }

  void end(size_t i) {
    Cluster& cluster = *running_[i];
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    free_.push_back(&cluster);
    --dealer_.running;
    if (dealer_.log_sums) add_sums(cluster);
    if (dealer_.run.counted) add_touches(cluster);
    for (Block& block : cluster.blocks) {
      add_block_time(block, &worker_);
      if (block.stop.kind != Stop::Kind::kNone) dealer_.stopped = true;
      else ++worker_.ended_blocks;
      if (!block.trace && block.output.empty()) continue;
      const std::lock_guard lock(dealer_.merge);
      if (!block.output.empty()) dealer_.outputs[cluster.number] += std::exchange(block.output, {});
      if (!block.trace) continue;
      const uint64_t number = number_in(dealer_.launch.grid, block.index);
      dealer_.traces[number] = std::move(seen_[number]);
      seen_.erase(number);
    }
  }

  void add_sums(Cluster& cluster) {
    std::vector<PendingSum>& pending = cluster.blocks[0].pending_sums;
    dealer_.sums.add(cluster.number, &pending, [](uint64_t, const std::vector<PendingSum>& sums) {
      for (const PendingSum& sum : sums) apply_sum(sum);
    });
    pending.clear();
  }

  void add_touches(Cluster& cluster) {
    Reuse& reuse = dealer_.run.footprint->reuse();
    for (Block& block : cluster.blocks) {
      BlockTouches left{std::move(block.touches.watched), block_cycles(block)};
      dealer_.touches.add(cluster.number * cluster.blocks.size() + block.rank, &left,
                          [&](uint64_t number, const BlockTouches& touches) {
                            reuse.take(touches.watched, reuse.start_of(number));
                            reuse.end_block(touches.cycles);
                          });
      block.touches.watched = std::move(left.watched);
    }
  }

  Dealer& dealer_;
  Worker worker_;
  std::vector<Cluster*> running_, free_;
  std::map<uint64_t, L1Trace> seen_;  // of blocks that run, by their number
};

/// How often loads hit in L1. What the model did not see goes on as the second half of what it saw: by then the cache
/// is warm.
void add_l1(const std::map<uint64_t, L1Trace>& traces, const MachineLaunch& launch, MachineCounts* out) {
  const uint64_t on_sm = (out->blocks + launch.sms - 1) / launch.sms;
  const L1Cache cache = replay(traces, std::clamp<uint64_t>(launch.blocks_per_sm, 1, on_sm), launch.l1_bytes);
  out->l1_sampled_sectors = cache.counts.hits + cache.counts.misses;
  if (out->l1_sampled_sectors == 0) return;
  const double sampled = static_cast<double>(traces.size()),
               all = std::max(sampled, static_cast<double>(out->blocks) / launch.sms);
  const CacheCounts first = cache.first_half, whole = cache.counts;
  const double more = (all - sampled) / std::max(1.0, sampled / 2);
  auto extended = [&](uint64_t CacheCounts::* part) {
    return static_cast<double>(whole.*part) + more * static_cast<double>(whole.*part - first.*part);
  };
  const double total = extended(&CacheCounts::hits) + extended(&CacheCounts::misses);
  out->l1_hit_rate = extended(&CacheCounts::hits) / total;
  out->l1_late_rate = extended(&CacheCounts::late_hits) / total;
  const DistinctSectors distinct = distinct_sectors(traces);
  if (distinct.all) out->distinct_of_warps = static_cast<double>(distinct.of_warps) / static_cast<double>(distinct.all);
}

}  // namespace

void run_blocks(Run& run, const MachineLaunch& launch, MachineCounts* out) {
  Dealer dealer{run, launch, out};
  dealer.clusters = out->blocks / blocks_of(launch.cluster);
  const uint64_t at_once = uint64_t{launch.sms} * std::max(launch.blocks_per_sm, 1u);
  dealer.resident = std::max<uint64_t>(at_once / blocks_of(launch.cluster), 1);
  const size_t threads = threads_for(run, launch, dealer.clusters);
  run.parallel = threads > 1;
  dealer.log_sums = run.keep && threads > 1 && any_op(run, &Op::sums);
  Player first(dealer);
  if (threads == 1 || !first.play_alone(monotonic_ns() + kAloneNs)) {
    parallel_for(threads, threads, [&](size_t i) {
      if (i == 0) return first.play();
      Player other(dealer);
      other.play();
      other.add_counts();
    });
  }
  first.add_counts();
  if (out->stop.kind == Stop::Kind::kTimeout && dealer.filled) {
    out->stop.reason += fmt::format(
        " ({} of its blocks fit on the GPU at once: if they wait for the other blocks, the kernel does not end on a "
        "GPU either; launch only as many as fit, with cudaLaunchCooperativeKernel, which refuses more)",
        dealer.resident * blocks_of(launch.cluster));
  }
  for (const auto& [cluster, text] : dealer.outputs) out->output += text;
  out->hottest_atomic_cycles = dealer.atomics.busiest_cycles();
  add_l1(dealer.traces, launch, out);
}

}  // namespace warplens::simt::sass_machine
