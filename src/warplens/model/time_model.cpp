#include "warplens/model/time_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "warplens/model/chip.h"
#include "warplens/model/constants.h"
#include "warplens/model/work_fields.h"

namespace warplens::model {
namespace {

constexpr double kFewWaves = 6;  // fewer: blocks of a wave end together

struct Share {  // of the work, on the busiest SM
  double blocks = 0, fraction = 0;
};

Share busiest(const Work& w, const gpu::Device& device) {
  const double blocks = std::max(w.blocks, 1.0), most = std::ceil(blocks / device.sms);
  return {most, most / blocks};
}

/// `conflict`: passes of shared memory beyond the first hold up the unit that asks for them.
/// What instructions take of an SM's units, in cycles; rates over those of FP32.
struct UnitCosts {
  double memory, tag, half_rate, register_wait, conflict, barrier, remote, remote_whole, remote_atomic;
};
constexpr UnitCosts kAtPeak{0.5, 0.5, 1, 0, 0, 0, 0, 0, 0};
constexpr UnitCosts kFitted{
    kMemoryIssueCycles,       kTagCycles,         kHalfRate, 1, 1, kBarrierUnitCycles, kRemoteSectorCycles,
    kRemoteWholeSectorCycles, kRemoteAtomicCycles};

struct UnitCycles {
  const char* unit;
  double cycles;
};
/// Cycles of one SM's units.
struct SmCycles {
  std::array<UnitCycles, 5> parted;  // each sub-partition has its own
  std::array<UnitCycles, 4> shared;  // the SM has it once
};

/// Sectors of other blocks' shared memory. If blocks ask one of them at a time, its connection holds up all others.
double remote_cycles(const Work& w, const UnitCosts& costs) {
  if (w.remote_sectors <= 0) return 0;
  const double plain = w.remote_sectors - w.remote_whole_sectors - w.remote_atomic_sectors;
  const double even = plain * costs.remote + w.remote_whole_sectors * costs.remote_whole +
                      w.remote_atomic_sectors * costs.remote_atomic;
  return even * std::max(1.0, w.crowded_sectors / w.remote_sectors);
}

/// For `fraction` of the work.
SmCycles sm_cycles(const Work& w, const gpu::Arch& arch, double fraction, const UnitCosts& costs) {
  const double warp = 32;
  const auto cycles = [&](double instructions, double lanes) {
    return lanes > 0 ? instructions * fraction * warp / lanes : 0;
  };
  const double l1 =
      (w.cache_lines + w.local_sectors / kLocalLines) * fraction * costs.tag + w.shared_wavefronts * fraction;
  const double waits = w.register_waits * costs.register_wait;
  return {{{{"issue slots", (w.instructions + waits) * fraction / arch.subpartitions},
            {"FMA pipe",
             cycles(w.fma + waits + w.half / costs.half_rate, arch.fp32_lanes) + cycles(w.imad, arch.int32_lanes)},
            {"ALU pipe", cycles(w.alu, arch.int32_lanes)},
            {"FP64 pipe", cycles(w.fp64, arch.fp64_lanes)},
            {"special functions", cycles(w.special, arch.mufu_lanes)}}},
          {{{"load and store unit", (w.memory * costs.memory + w.shared_conflicts * costs.conflict) * fraction},
            {"L1 and shared memory", l1},
            {"barriers", w.barriers * costs.barrier * fraction},
            {"cluster network", remote_cycles(w, costs) * fraction}}}};
}

/// What units that work side by side take, by a p-norm: the longest alone where p is large.
template <typename Times>
double together(const Times& times, double p) {
  const double most = *std::max_element(times.begin(), times.end());
  if (most <= 0) return 0;
  double sum = 0;
  for (const double ns : times) sum += std::pow(ns / most, p);
  return most * std::pow(sum, 1 / p);
}
double together(std::initializer_list<double> times, double p) {
  return together<std::initializer_list<double>>(times, p);
}

bool is_hopper(const gpu::Device& device) { return device.architecture().major == 9; }

/// Cycles of SMs, of those at the boost clock, in which the model counts.
double slower_clock(const Work& w, const gpu::Device& device) {
  return is_hopper(device) && w.tensor > w.double_tensor ? 1 / kMatrixClock : 1;
}

/// Times of units at the GPU's clock; of the unit `halved`, half of its time.
class UnitTimes {
 public:
  UnitTimes(const gpu::Device& device, double slower, std::string_view halved = {})
      : ns_per_cycle_(1e9 / device.clock_hz()), slower_(slower), halved_(halved) {}
  /// In nanoseconds, as the last of all.
  double add(const UnitCycles& of_sm) { return add_beyond({of_sm.unit, of_sm.cycles * slower_}); }
  /// Of units that have a clock of their own.
  double add_beyond(const UnitCycles& unit) { return add_ns(unit.unit, unit.cycles * ns_per_cycle_); }
  double add_ns(const char* unit, double ns) {
    all.push_back({unit, ns * share_of(unit)});
    return all.back().ns;
  }
  /// What is left of a unit's time.
  double share_of(std::string_view unit) const { return unit == halved_ ? 0.5 : 1; }
  template <typename Units>
  void add(const Units& units, double factor) {
    for (const UnitCycles& unit : units) add({unit.unit, unit.cycles * factor});
  }
  const Resource& slowest() const {
    return *std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.ns < b.ns; });
  }
  double of_all(double p) const {
    std::vector<double> times;
    for (const Resource& unit : all) times.push_back(unit.ns);
    return together(times, p);
  }
  std::vector<Resource> all;

 private:
  double ns_per_cycle_, slower_;
  std::string_view halved_;
};

double tensor_cycles(double flops, double flops_per_cycle) { return flops_per_cycle > 0 ? flops / flops_per_cycle : 0; }

double sheet_flops_per_cycle(const gpu::Device& device) { return device.half_tflops * 1e12 / device.clock_hz(); }

void set_bound(const Work& w, const gpu::Device& device, TimeEstimate* out) {
  const double sms = std::min(std::max(w.blocks, 1.0), static_cast<double>(device.sms));
  const SmCycles sm = sm_cycles(w, device.architecture(), 1 / sms, kAtPeak);
  UnitTimes units(device, 1);
  units.add(sm.parted, 1);
  units.add(sm.shared, 1);
  units.add({"tensor cores", tensor_cycles(w.tensor_time_flops, sheet_flops_per_cycle(device))});
  const double per_cycle = device.sms * 64.0;  // bytes that L2 can hand to the SMs, 64 a cycle each
  units.add({"L2", 32 * (l2_read_sectors(w) + l2_write_sectors(w)) / per_cycle});
  const double beyond_l2 = std::max(0.0, 32 * w.read_sectors - device.l2_mb * 1048576.0);
  units.all.push_back({"DRAM", beyond_l2 / device.dram_gbs});
  out->bound_ns = units.slowest().ns;
  out->bound_by = units.slowest().name;
  out->cold_bound_ns = std::max(out->bound_ns, 32 * w.read_sectors / device.dram_gbs);
}

/// The share of L1's sectors that come by few of a line: none where requests take whole lines, all where lanes go to
/// lines of their own, of which L1 looks up three at a time.
double alone_in_lines(const Work& w) {
  const double sectors = w.cache_lines > 0 ? (w.load_sectors + w.store_sectors) / w.cache_lines : 4;
  return std::clamp((kWholeLineSectors - sectors) / (kWholeLineSectors - kLoneLineSectors), 0.0, 1.0);
}

/// Times that a warp of the block waits for memory, one after the other.
double memory_waits(const Work& w) { return (w.block_cycles_dram - w.block_cycles_l1) / (kDramCycles - kL1Cycles); }

/// Cycles that a block's warps wait for each other at the busiest of the SM's units, beyond what a warp takes by itself
/// (`alone`). Between barriers a block is in one phase, and so are blocks that start together: nothing else fills the
/// time. In later waves blocks are in different phases.
double queue_cycles(const Work& w, const gpu::Arch& arch, double waves, double alone) {
  const double warps = std::ceil(w.needs.threads / 32.0);
  if (w.blocks <= 0 || w.barriers < kPhaseBarriers * w.blocks * warps) return 0;
  const SmCycles block = sm_cycles(w, arch, 1 / w.blocks, kFitted);
  double most = 0;
  const auto wait = [&](double cycles, double users) {
    if (users <= 1) return;
    const double own = cycles / users, of_others = own * (users - 1);
    // Out of step, a warp meets another as often as that one is at the unit: x = own * of_others / (alone + x).
    const double met = (std::sqrt(alone * alone + 4 * own * of_others) - alone) / 2;
    most = std::max(most, kInStep * of_others + (1 - kInStep) * met);
  };
  for (const UnitCycles& unit : block.parted) wait(unit.cycles, warps / arch.subpartitions);
  for (const UnitCycles& unit : block.shared) wait(unit.cycles, warps);
  return most / std::max(1.0, waves);
}

/// Cycles of an SM's first blocks, which start together and come back together from their first wait for memory:
/// nothing fills that wait, and behind it all of them need the busiest unit. A warp that waits more often is out of
/// step by then. `alone`: a block's time by itself.
double first_blocks_cycles(const Work& w, const gpu::Device& device, double resident, double alone,
                           const UnitTimes& units) {
  const double waits = memory_waits(w);
  if (w.blocks <= 0 || waits <= 0) return 0;
  const double blocks = std::min(resident, std::ceil(w.blocks / device.sms));
  const SmCycles block = sm_cycles(w, device.architecture(), blocks / w.blocks, kFitted);
  double most = 0;
  const auto use = [&](const UnitCycles& unit) { most = std::max(most, unit.cycles * units.share_of(unit.unit)); };
  std::ranges::for_each(block.parted, use);
  std::ranges::for_each(block.shared, use);
  const double own = units.share_of("latency");
  return own * alone + std::max(0.0, most - own * w.block_cycles_l1) / std::max(1.0, waits);
}

/// Cycles that warps wait for L1 to take in what all of an SM's warps asked for, beyond the answer to the first. Warps
/// that each wait for several lines at a time are answered together, and so ask together again; where each waits for
/// one, they get out of step. In later waves blocks are out of step.
double burst_cycles(const Work& w, const gpu::Device& device, double resident, double waves) {
  const double waits = memory_waits(w);
  if (w.blocks <= 0 || waits < 1) return 0;
  const double blocks = std::min(resident, std::ceil(w.blocks / device.sms));
  const double lines = l2_read_sectors(w) / 4 * blocks / w.blocks,
               at_a_time = lines / waits / (blocks * std::ceil(w.needs.threads / 32.0));
  if (at_a_time <= 1) return 0;
  return 128 / kFillBytes * lines * (1 - 1 / at_a_time) / std::max(1.0, waves);
}

/// A block's time by itself, by the share of loads that each level answers.
double block_cycles(const Work& w, const gpu::Device& device) {
  // Local memory hits, and dilutes the rate of the loads that are waited for.
  const double all = w.load_sectors + w.local_sectors - w.local_store_sectors;
  const double misses = w.local_sectors > 0 && w.load_sectors > 0
                            ? std::min(1.0, all * (1 - w.l1_hit_rate) / w.load_sectors)
                            : waiting_share(w);
  const double l2 = l2_read_sectors(w), given = w.read_sectors - w.warm_sectors + w.lost_sectors;
  double from_dram = l2 > 0 ? std::min(1.0, given / l2) : 0;
  // Blocks that come together to the same places wait for what the first of them asked of DRAM.
  const double cold = w.read_sectors > 0 ? 1 - w.warm_sectors / w.read_sectors : 1;
  if (misses > 0) from_dram = std::max(from_dram, kSharedWait * std::min(1.0, cold * w.fresh_rate / misses));
  // What fits a megabyte or two is answered sooner by L2 than what does not.
  const double near = 32 * w.read_sectors < kNearBytes ? (kNearL2Cycles - kL1Cycles) / (kL2Cycles - kL1Cycles) : 1;
  const double sooner = (chip_of(device).dram_cycles - kL1Cycles) / (kDramCycles - kL1Cycles);
  return w.block_cycles_l1 + misses * ((w.block_cycles_l2 - w.block_cycles_l1) * near * (1 - from_dram) +
                                       sooner * (w.block_cycles_dram - w.block_cycles_l1) * from_dram);
}

/// Nanoseconds of what a launch keeps busy.
struct Busy {
  double sm = 0, tensor = 0, l2 = 0, dram = 0, first_answer = 0, atomics = 0, latency = 0, launches = 0,
         first_blocks = 0;
  double waves = 0;
  /// Atomics of the last blocks come when there is nothing left beside them.
  double last_atomics() const { return atomics / std::max(1.0, waves); }
  double all() const {
    const double memory = first_answer + together({l2, dram}, kStreamNorm);
    const double work = std::max(together({sm, tensor, memory, atomics - last_atomics(), latency}, kNorm),
                                 std::max(first_blocks, first_answer + sm));
    return together({work, launches}, kStreamNorm) + last_atomics();
  }
};

/// What the units of the busiest SM take together.
double sm_ns(const Work& w, const gpu::Device& device, double resident, const Share& share, UnitTimes* units) {
  const gpu::Arch& arch = device.architecture();
  // With fewer warps than sub-partitions on an SM, some of its issue slots and lanes stay idle.
  const double warps = std::ceil(w.needs.threads / 32.0) * std::min(resident, share.blocks);
  const double idle = std::max(1.0, arch.subpartitions / std::max(warps, 1.0));
  const SmCycles sm = sm_cycles(w, arch, share.fraction, kFitted);
  units->add(sm.parted, idle);
  units->add(sm.shared, 1);
  const double held = std::min(1.0, warps / gpu::occupancy(arch, w.needs).max_warps);
  return units->of_all(kFewWarpsNorm + held * kMoreWarpsNorm);
}

/// Cycles of L2 for the sectors that it hands out and takes.
double l2_cycles(const Work& w) {
  const double alone = alone_in_lines(w), in_part = l2_partial_sectors(w);
  const double read = 1 + (kL2LoneRead - 1) * alone,
               partial = kL2PartialWrite + (kL2LoneWrite - kL2PartialWrite) * alone;
  const double sectors = read * l2_read_sectors(w) + kL2Write * (l2_write_sectors(w) - in_part) + partial * in_part;
  return kL2Crossing * sectors / kL2SectorsPerCycle;
}

/// Of local memory that reaches L2, what goes on to DRAM and comes from there.
double local_dram_bytes(const Work& w, const gpu::Device& device, double resident) {
  const double threads = std::min(w.blocks, device.sms * resident) * w.needs.threads, at_once = threads * w.local_bytes;
  if (at_once <= kLocalInL2) return 0;
  const double reads = std::max(0.0, l2_read_sectors(w) - w.load_sectors);
  return 32 * (1 - kLocalInL2 / at_once) * (reads + w.local_store_sectors);
}

/// Of what a launch writes, the share that reaches DRAM before its end: of all data that pass through L2, it keeps the
/// last.
double written_through(const Work& w, const gpu::Device& device) {
  const double passed = dram_read_bytes(w) + 32 * w.written_sectors, kept = kKeptInL2 * device.l2_mb * 1048576.0;
  return passed > kept ? 1 - kept / passed : 0;
}

double dram_bytes(const Work& w, double through) {
  const double lost_alone = alone_in_lines(w) * w.lost_sectors / 2;  // 64 bytes each, come and gone by themselves
  const double warm = w.read_sectors > 0 ? w.warm_sectors / w.read_sectors : 0;
  return dram_read_bytes(w) - 32 * warm * (w.read_sectors + w.lone_sectors) +
         32 * kLoneDram * ((1 - warm) * w.apart_sectors + lost_alone) + 32 * through * w.written_sectors;
}

/// What a launch has L2 write back that was written before it.
double written_back_bytes(const Work& w, const gpu::Device& device) {
  const double read = dram_read_bytes(w);
  if (read <= 0) return 0;
  const double most = kMostWrittenBack * device.l2_mb * 1048576.0;
  return std::min(kWrittenBack * read, most * read / (read + 32 * w.written_sectors));
}

double waves_of(const Work& w, const gpu::Device& device, double resident) {
  return w.blocks / (device.sms * resident);
}

/// Blocks that an SM holds at a time, over those that it could hold if all warps of a block stayed to its end: places
/// and registers of a warp that has ended go to the next block, what the block has as a whole stays.
double packing(const Work& w, const gpu::Occupancy& occupancy, double resident) {
  if (w.warps_stay <= 0) return 1;
  const double of_warps = std::min(occupancy.by_warps, occupancy.by_registers) / w.warps_stay,
               of_blocks = std::min({occupancy.by_shared, occupancy.by_blocks, occupancy.by_barriers});
  const double blocks = std::min(of_warps, of_blocks);
  return std::max(1.0, blocks / resident);
}

/// Blocks one after another, in times of one, where the longest of them begins at any time.
double in_turn(const Work& w, double waves) {
  const double longest = std::max(1.0, w.longest_block);
  return waves + std::min(longest - 1, longest > 1 ? longest * longest / (2 * waves) : 0);
}

/// What the launch, or a part of it, keeps busy; `units` gets each. `through`: written_through of the whole launch.
Busy busy_of(const Work& w, const gpu::Device& device, double resident, double through, UnitTimes* units) {
  Busy busy;
  busy.waves = waves_of(w, device, resident);
  const Share share = busiest(w, device);
  busy.sm = sm_ns(w, device, resident, share, units);
  const double tensor_flops = w.tensor_time_flops + w.tensor_lost_flops;
  busy.tensor = units->add(
      {"tensor cores", tensor_cycles(tensor_flops, matrix_flops_per_cycle(device)) * share.fraction * device.sms});
  const double scale = 132.0 / device.sms;  // the constants of L2 are the H200's: slices go with SMs
  busy.l2 = units->add_beyond({"L2", scale * l2_cycles(w)});
  busy.atomics =
      units->add_beyond({"atomics", std::max(w.hottest_atomic_cycles, w.atomic_sectors * scale / kAtomicsPerCycle)});
  const double packed = busy.waves / packing(w, gpu::occupancy(device.architecture(), w.needs), resident);
  const double waves = busy.waves < kFewWaves ? std::ceil(packed) : std::max(1.0, packed);
  const double slower = slower_clock(w, device), block = block_cycles(w, device) + (slower - 1) * w.block_cycles_l1,
               queued = queue_cycles(w, device.architecture(), busy.waves, block);
  const double burst = burst_cycles(w, device, resident, busy.waves);
  busy.latency =
      units->add_beyond({"latency", in_turn(w, waves) * (block + slower * queued + burst + kBlockStartCycles)});
  busy.first_blocks = slower * first_blocks_cycles(w, device, resident, block, *units) * 1e9 / device.clock_hz();
  busy.launches = units->add_beyond({"block launches", w.blocks * kBlockLaunchCycles});
  const double bytes = dram_bytes(w, through) + local_dram_bytes(w, device, resident);
  busy.dram = units->add_ns("DRAM", bytes / (device.dram_gbs * kDramShare));
  if (w.read_sectors > w.warm_sectors) busy.first_answer = chip_of(device).dram_cycles * 1e9 / device.clock_hz();
  return busy;
}

/// The same for so many of its blocks.
Work blocks_of(const Work& w, double blocks) {
  struct {
    double share;
    void operator()(const char*, double& count) const { count *= share; }
    void operator()(const char*, gpu::BlockNeeds&) const {}
  } scale{blocks / w.blocks};
  Work out = w;
  fields(scale, out);
  out.l1_hit_rate = w.l1_hit_rate, out.l1_late_rate = w.l1_late_rate, out.distinct_of_warps = w.distinct_of_warps;
  out.block_cycles_l1 = w.block_cycles_l1, out.block_cycles_l2 = w.block_cycles_l2;
  out.block_cycles_dram = w.block_cycles_dram, out.warps_stay = w.warps_stay, out.fresh_rate = w.fresh_rate;
  out.longest_block = w.longest_block;
  return out;
}

/// Blocks of a last wave that does not fill the GPU have it to themselves: their time comes on top. After many waves
/// blocks end at different times, and nothing waits for the last.
double work_ns(const Work& w, const gpu::Device& device, double resident, std::string_view halved, bool write_back) {
  const double waves = waves_of(w, device, resident), full = std::floor(waves), through = written_through(w, device);
  const bool parts = waves > 1 && waves < kFewWaves && full < waves;
  double ns = 0;
  const auto add = [&](const Work& part) {
    UnitTimes units(device, slower_clock(w, device), halved);
    Busy busy = busy_of(part, device, resident, through, &units);
    if (write_back)
      busy.dram += written_back_bytes(w, device) / (device.dram_gbs * kDramShare) * part.blocks / w.blocks;
    ns += busy.all();
  };
  if (!parts) return add(w), ns;
  const double first = full * device.sms * resident;
  add(blocks_of(w, first));
  Work last = blocks_of(w, w.blocks - first);
  last.longest_block = 0;  // it was among the first
  return add(last), ns;
}

/// What the launch of a few blocks takes less than that of one block an SM, from which the constants are fitted.
double small_launch_ns(const Work& w, const gpu::Device& device) {
  const double sms = std::clamp((w.blocks - 1) / std::max(device.sms - 1, 1), 0.0, 1.0);
  return (1 - sms) * (kLaunchNs - kCounterNs - kShortestNs + kBlockStartCycles * 1e9 / device.clock_hz());
}

/// As Nsight Compute measures it, which empties the caches before each launch.
Work from_cold_caches(Work w) {
  w.warm_sectors = 0;
  return w;
}

TimeEstimate estimate(const Work& work, const gpu::Device& device, std::string_view halved) {
  const Work w = from_cold_caches(work);
  TimeEstimate out;
  out.occupancy = gpu::occupancy(device.architecture(), w.needs);
  set_bound(w, device, &out);
  const double resident = std::max(out.occupancy.blocks, 1), launch = chip_of(device).launch_ns;
  out.waves = waves_of(w, device, resident);
  UnitTimes units(device, slower_clock(w, device), halved);
  busy_of(w, device, resident, written_through(w, device), &units);
  if (units.slowest().ns > 0) {
    const double least = halved.empty() ? out.bound_ns : 0;  // less work has a lower bound
    out.ns = std::max(least, work_ns(w, device, resident, halved, false) + launch);
    out.resources = std::move(units.all);
    std::stable_sort(out.resources.begin(), out.resources.end(),
                     [](const auto& a, const auto& b) { return a.ns > b.ns; });
    out.limited_by = out.resources.front().name;
  } else {
    out.ns = launch;
  }
  out.low_ns = std::max(out.bound_ns, kBandLow * out.ns);
  out.high_ns = kBandHigh * out.ns;
  const double warm_ns = work.warm_sectors > 0 ? work_ns(work, device, resident, halved, false) + launch : out.ns;
  const double before = launch - kLaunchNs + kCounterNs + small_launch_ns(w, device);
  out.recorded_ns = std::max(std::min(warm_ns, out.ns) - before, kShortestNs);
  out.between_events_ns = std::max(out.bound_ns, work_ns(w, device, resident, {}, true) + launch) + kEventsNs;
  return out;
}

}  // namespace

double matrix_flops_per_cycle(const gpu::Device& device) {
  return is_hopper(device) ? kMatrixFlops * device.architecture().subpartitions * device.sms
                           : sheet_flops_per_cycle(device);
}

TimeEstimate estimate_time(const Work& work, const gpu::Device& device) { return estimate(work, device, {}); }

double estimate_with_half(const Work& work, const gpu::Device& device, std::string_view unit) {
  return estimate(work, device, unit).ns;
}

}  // namespace warplens::model
