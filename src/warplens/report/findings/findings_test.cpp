// Rules on reports made by hand: when they speak, and what they promise.
#include "warplens/report/findings/findings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/report/precise_function.h"

namespace warplens::report {
namespace {

/// A launch that streams: every warp loads and stores a float a lane, with eight instructions around.
KernelReport streaming(double blocks, int threads) {
  KernelReport r;
  r.device = gpu::find_device("h200").value();
  Work& w = r.work;
  w.blocks = blocks;
  w.needs.threads = threads;
  w.needs.registers = 16;
  const double warps = warps_of(w), lanes = blocks * threads;
  w.instructions = 10 * warps;
  w.alu = 6 * warps;
  w.fma = 2 * warps;
  w.memory = 2 * warps;
  w.load_sectors = w.store_sectors = w.read_sectors = w.written_sectors = lanes / 8;
  w.cache_lines = lanes / 16;
  w.block_cycles_l1 = 300;
  w.block_cycles_l2 = 500;
  w.block_cycles_dram = 900;
  LineCounts line;
  line.file = "a.cu";
  line.line = 3;
  line.instructions = 10;
  line.all.executions = static_cast<uint64_t>(w.instructions);
  line.all.active_threads = line.all.executions * 32;
  for (auto* access : {&line.global_load, &line.global_store}) {
    access->requests = static_cast<uint64_t>(warps);
    access->sectors = access->ideal_sectors = static_cast<uint64_t>(lanes / 8);
    access->bytes = static_cast<uint64_t>(4 * lanes);
    access->predicated_on_threads = static_cast<uint64_t>(lanes);
  }
  r.lines.push_back(line);
  return r;
}

/// The saving of one rule's finding; -1 when it says nothing.
double saving_of(KernelReport report, Rule rule) {
  report.time = model::estimate_time(report.work, *report.device);
  std::vector<Defect> findings;
  rule(report, &findings);
  return findings.empty() ? -1 : findings[0].saving_fraction.value_or(0);
}

TEST(Findings, SmallOddBlocksCostTheirLanesAndTheirLaunches) {
  EXPECT_EQ(saving_of(streaming(65536, 256), find_partial_warps), -1);
  const double large = saving_of(streaming(40000, 400), find_partial_warps),
               small = saving_of(streaming(400000, 40), find_partial_warps);
  EXPECT_EQ(large, -1);   // 12.5 of 13 warps, bound by DRAM: not worth saying
  EXPECT_GT(small, 0.5);  // launching the blocks takes longest
}

TEST(Findings, RowsNarrowerThanAWarpCostTheirLines) {
  KernelReport tiles = streaming(100000, 288);
  tiles.work.cache_lines *= 12;  // nine warps go over rows of twelve: four or five of them a request
  for (auto* access : {&tiles.lines[0].global_load, &tiles.lines[0].global_store}) access->sectors *= 2;
  tiles.work.load_sectors *= 2, tiles.work.store_sectors *= 2;
  tiles.work.needs.threads = 276;
  tiles.block = {276, 1, 1};
  const double of_one_row = saving_of(tiles, find_partial_warps);
  tiles.block = {12, 23, 1};
  EXPECT_GT(saving_of(tiles, find_partial_warps), of_one_row + 0.3);
}

TEST(Findings, OneElementAThreadCostsBlocks) {
  EXPECT_GT(saving_of(streaming(65536, 256), find_unvectorised_access), 0.2);
  KernelReport wide = streaming(65536, 256);
  for (auto* access : {&wide.lines[0].global_load, &wide.lines[0].global_store}) access->bytes *= 4;
  EXPECT_EQ(saving_of(wide, find_unvectorised_access), -1);
}

TEST(Findings, BytesOfAWindowComeInWords) {
  KernelReport window = streaming(65536, 256);  // each thread loads four neighbours, of which three are others' too
  simt::InstructionCounts& load = window.lines[0].global_load;
  for (uint64_t* count : {&load.requests, &load.predicated_on_threads, &load.bytes}) *count *= 4;
  window.work.memory *= 2.5;
  window.work.load_sectors = window.work.read_sectors *= 0.25;
  load.sectors = load.ideal_sectors = load.requests;
  const double of_words = saving_of(window, find_unvectorised_access);
  load.bytes /= 4;
  EXPECT_GT(saving_of(window, find_unvectorised_access), std::max(of_words, 0.3));
}

TEST(Findings, LoopsOverNarrowElementsTakeFewerTurns) {
  KernelReport loop = streaming(65536, 256);
  loop.work.blocks = 1056;  // the same work, in turns
  loop.lines[0].all.executions = loop.lines[0].instructions * 62 * 8 * 1056;
  loop.work.block_cycles_l1 = 30e3;
  loop.work.block_cycles_l2 = 60e3;
  loop.work.block_cycles_dram = 100e3;
  EXPECT_GT(saving_of(loop, find_unvectorised_access), 0.2);
}

TEST(Findings, SumsOfProductsAreCountedInEveryPrecision) {
  for (const int precision : {0, 1, 2}) {
    KernelReport r = streaming(4096, 256);
    const double many = 400 * warps_of(r.work);
    r.work.instructions += many;
    LineCounts& line = r.lines[0];
    (precision == 0 ? r.work.fma : precision == 1 ? r.work.fp64 : r.work.half) += many;
    EXPECT_EQ(saving_of(r, find_unfused_multiply_add), -1)
        << "products and sums that have nothing to do with each other";
    (precision == 0   ? line.fp32_sum_of_product
     : precision == 1 ? line.fp64_sum_of_product
                      : line.half_sum_of_product) = static_cast<uint64_t>(many / 2 * 32);
    EXPECT_NEAR(saving_of(r, find_unfused_multiply_add), 0.45, 0.1) << precision;
  }
}

TEST(Findings, AGridIsAsLargeAsTheSmsHold) {
  KernelReport r = streaming(65536, 256);
  r.work.blocks = 16;  // sixteen blocks walk through all of it
  r.lines[0].all.executions = r.lines[0].instructions * 4096 * 8 * 16;
  r.work.block_cycles_l1 = 1e5;
  r.work.block_cycles_l2 = 1e6;
  r.work.block_cycles_dram = 2e6;
  EXPECT_GT(saving_of(r, find_grid_shape), 0.9);
  std::vector<Defect> found;
  r.time = model::estimate_time(r.work, *r.device);
  find_grid_shape(r, &found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(contains(found[0].detail, "88 % of the SMs are idle, and the others hold one block each, where 8 fit"))
      << found[0].detail;
  EXPECT_EQ(saving_of(streaming(1320, 256), find_grid_shape), -1);
}

TEST(Findings, ValuesThatGoBackAndForthBelongInARegister) {
  KernelReport r = streaming(1024, 256);
  EXPECT_EQ(saving_of(r, find_redundant_loads), -1);
  Work& w = r.work;
  scale_instructions(64, &w);
  w.load_sectors *= 64;  // written_sectors stays
  w.store_sectors *= 64;
  w.cache_lines *= 64;
  w.block_cycles_l1 *= 10;
  w.block_cycles_l2 *= 20;
  w.block_cycles_dram *= 40;
  for (auto* access : {&r.lines[0].global_load, &r.lines[0].global_store}) {
    access->requests *= 64;
    access->sectors *= 64;
    access->bytes *= 64;
  }
  EXPECT_GT(saving_of(r, find_redundant_loads), 0.4);
}

TEST(Findings, ChainsThatPartCannotBeInterleaved) {
  KernelReport r = streaming(132, 64);
  r.work.instructions = 12000 * warps_of(r.work);
  r.work.alu = r.work.instructions;
  r.work.block_cycles_l1 = r.work.block_cycles_l2 = r.work.block_cycles_dram = 60000;
  r.work.memory = 0;
  EXPECT_GT(saving_of(r, find_dependence_chains), 0.4);
  r.work.branches = 0.2 * r.work.instructions;
  EXPECT_GT(saving_of(r, find_dependence_chains), 0.4) << "a short loop's own";
  r.lines[0].precise_calls = static_cast<uint64_t>(0.19 * r.work.instructions);
  EXPECT_EQ(saving_of(r, find_dependence_chains), -1) << "around slow ways";
}

TEST(Findings, BarriersCountWhenTheyComeAgainAndAgain) {
  KernelReport r = streaming(2048, 1024);
  LineCounts& line = r.lines[0];
  line.barriers = static_cast<uint64_t>(warps_of(r.work));
  EXPECT_EQ(saving_of(r, find_excess_synchronization), -1) << "one of ten instructions, once";
  scale_instructions(100, &r.work);
  scale_block_cycles(60, &r.work);
  line.barriers *= 200;
  line.shared_load.requests = line.shared_store.requests = line.barriers / 2;
  EXPECT_GT(saving_of(r, find_excess_synchronization), 0.2);
}

TEST(Findings, RandomReadsBeyondL2ComeFromDramAgain) {
  KernelReport r = streaming(65536, 256);
  r.work.load_sectors *= 8;
  r.work.cache_lines *= 8;
  r.lines[0].global_load.sectors *= 8;
  const double within = saving_of(r, find_uncoalesced_access);
  r.work.lost_sectors = 0.5 * r.work.load_sectors;
  EXPECT_GT(saving_of(r, find_uncoalesced_access), within + 0.03);
}

TEST(Findings, OtherThreadsBringNoLoadsAtLoadedIndicesTogether) {
  KernelReport r = streaming(65536, 256);
  r.work.load_sectors *= 8;
  r.work.cache_lines *= 8;
  LineCounts& line = r.lines[0];
  line.global_load.sectors *= 8;
  r.time = model::estimate_time(r.work, *r.device);
  const auto first_of = [&] {
    std::vector<Defect> findings;
    find_uncoalesced_access(r, &findings);
    return findings.at(0);
  };
  const Defect by_threads = first_of();
  line.gathered = line.global_load;
  const Defect by_indices = first_of();
  EXPECT_NE(by_threads.advice, by_indices.advice);
  EXPECT_NE(by_indices.advice.find("sort the indices"), std::string::npos);
  EXPECT_EQ(by_threads.saving_fraction, by_indices.saving_fraction);
  // Beside stores that other threads would bring together, the loads stay.
  line.global_store.sectors *= 8;
  r.work.store_sectors *= 8;
  r.time = model::estimate_time(r.work, *r.device);
  const Defect both = first_of();
  EXPECT_EQ(both.advice, by_threads.advice);
  EXPECT_EQ(both.mended.load_sectors, r.work.load_sectors);
}

TEST(Findings, LanesThatEndEarlyDivergeToo) {
  KernelReport r = streaming(65536, 256);
  EXPECT_EQ(saving_of(r, find_divergence), -1);
  LineCounts alone = r.lines[0];  // one lane of each warp continues for as long again ten times
  alone.line = 4;
  alone.all.executions = 10 * r.lines[0].all.executions;
  alone.all.active_threads = alone.all.executions;
  r.lines.push_back(alone);
  r.work.instructions *= 11;
  r.work.alu *= 11;
  EXPECT_GT(saving_of(r, find_divergence), 0.3);
}

TEST(Findings, AnAtomicAWarpIsStillMany) {
  KernelReport r = streaming(65536, 256);
  r.work.atomic_lanes = warps_of(r.work);
  r.work.atomic_sectors = r.work.atomic_lanes;
  r.work.hottest_atomic_cycles = 1.5 * r.work.atomic_lanes;
  EXPECT_GT(saving_of(r, find_atomic_contention), 0.5);
  r.work.atomic_lanes = r.work.atomic_sectors = r.work.blocks;  // a block adds once
  r.work.hottest_atomic_cycles = 1.5 * r.work.blocks;
  EXPECT_EQ(saving_of(r, find_atomic_contention), -1);
}

TEST(Findings, ConstantsThatLanesIndexDifferently) {
  KernelReport r = streaming(65536, 256);
  LineCounts& line = r.lines[0];
  line.constant_load.ideal_wavefronts = static_cast<uint64_t>(warps_of(r.work));
  line.constant_load.wavefronts = line.constant_load.ideal_wavefronts;  // one word for all lanes
  EXPECT_EQ(saving_of(r, find_scattered_constants), -1);
  line.constant_load.wavefronts *= 30;
  r.work.memory += 1.75 * 30 * warps_of(r.work);
  EXPECT_GT(saving_of(r, find_scattered_constants), 0.5);
}

TEST(Findings, LoadsThatWaitForEachOther) {
  KernelReport r = streaming(132, 256);
  r.lines[0].global_load.requests = static_cast<uint64_t>(256 * warps_of(r.work));  // 256 turns
  r.work.block_cycles_l1 = 12e3;
  r.work.block_cycles_l2 = 70e3;
  r.work.block_cycles_dram = 180e3;
  EXPECT_GT(saving_of(r, find_dependence_chains), 0.5);
  r.work.block_cycles_l2 = 27e3;  // four at a time
  r.work.block_cycles_dram = 54e3;
  EXPECT_EQ(saving_of(r, find_dependence_chains), -1);
}

TEST(Findings, BroadcastsBesideOtherLoadsOfALine) {
  KernelReport r = streaming(65536, 256);
  EXPECT_EQ(saving_of(r, find_broadcast_loads), -1);
  LineCounts& line = r.lines[0];
  line.broadcast.requests = line.broadcast.sectors = static_cast<uint64_t>(40 * warps_of(r.work));
  line.global_load.requests += line.broadcast.requests;
  r.work.instructions *= 8;
  r.work.memory += 40 * warps_of(r.work);
  r.work.cache_lines += 40 * warps_of(r.work);
  EXPECT_GT(saving_of(r, find_broadcast_loads), 0.2);
}

TEST(Findings, IntegersInDoublePrecisionUnlessDoublesAreStored) {
  KernelReport r = streaming(65536, 256);
  LineCounts& line = r.lines[0];
  r.work.fp64 = 3 * warps_of(r.work);
  line.fp64 = static_cast<uint64_t>(32 * r.work.fp64);
  EXPECT_EQ(saving_of(r, find_accidental_double), -1);
  line.integer_conversions64 = line.fp64;
  EXPECT_GE(saving_of(r, find_accidental_double), 0);
  line.store_bytes = 8;
  EXPECT_EQ(saving_of(r, find_accidental_double), -1);
}

TEST(Findings, TreesInGlobalMemoryWaitForItNotForTheirBarriers) {
  KernelReport r = streaming(1024, 1024);
  scale_instructions(4, &r.work);
  LineCounts& line = r.lines[0];
  line.barriers = static_cast<uint64_t>(8 * warps_of(r.work));
  for (double* sectors : {&r.work.load_sectors, &r.work.store_sectors}) *sectors *= 64;
  line.global_load.requests = line.global_store.requests = line.barriers;
  r.work.block_cycles_l2 = 4000;
  r.work.block_cycles_dram = 9000;
  EXPECT_EQ(saving_of(r, find_global_exchange), -1) << "what is stored is not loaded";
  const double barriers = saving_of(r, find_excess_synchronization);
  r.work.exchanged_sectors = 0.5 * r.work.load_sectors;
  EXPECT_GT(saving_of(r, find_global_exchange), 0.1);
  EXPECT_LT(saving_of(r, find_excess_synchronization), barriers / 2);
}

TEST(Findings, SmallBlocksComeBeforeVectors) {
  KernelReport small = streaming(4 * 65536, 64);
  EXPECT_GT(saving_of(small, find_small_blocks), 0.4);
  EXPECT_LT(saving_of(small, find_unvectorised_access), saving_of(small, find_small_blocks));
  EXPECT_EQ(saving_of(streaming(65536, 256), find_small_blocks), -1);
  KernelReport idle = streaming(131072, 256);  // of eight warps per block one has something to do
  for (auto* access : {&idle.lines[0].global_load, &idle.lines[0].global_store}) {
    access->requests /= 8;
    access->predicated_on_threads /= 8;
  }
  EXPECT_GT(saving_of(idle, find_small_blocks), 0.2);
}

TEST(Findings, FloatsThatMeetInSharedMemoryTryAgain) {
  KernelReport r = streaming(16384, 256);
  const double tries = 128 * warps_of(r.work);
  r.work.instructions += 6 * tries;
  r.work.shared_wavefronts = 18 * tries;
  scale_block_cycles(80, &r.work);
  LineCounts& line = r.lines.emplace_back(r.lines[0]);
  line.global_load = line.global_store = {};
  line.all.executions = static_cast<uint64_t>(6 * tries);
  line.shared_atomics.requests = static_cast<uint64_t>(tries);
  line.shared_atomics.wavefronts = static_cast<uint64_t>(17 * tries);
  EXPECT_EQ(saving_of(r, find_atomic_contention), -1) << "integers need one try";
  line.all.divergent_branches = static_cast<uint64_t>(tries);
  EXPECT_GT(saving_of(r, find_atomic_contention), 0.7);
}

/// A product from tiles of shared memory: `loads` numbers for each multiplication.
KernelReport product(double loads) {
  KernelReport r = streaming(4096, 256);
  LineCounts& line = r.lines[0];
  Work& w = r.work;
  w.fma = 1000 * warps_of(w);
  line.floating = static_cast<uint64_t>(w.fma);
  w.shared_wavefronts = w.memory = loads * w.fma;
  w.instructions = (1.1 + loads) * w.fma;
  w.needs.registers = 32;
  scale_block_cycles(30, &w);
  auto& shared = line.shared_load;
  shared.requests = shared.wavefronts = shared.ideal_wavefronts = static_cast<uint64_t>(w.memory);
  shared.bytes = 128 * shared.requests;
  shared.predicated_on_threads = 32 * shared.requests;
  line.shared_store.requests = shared.requests / 16;
  line.shared_store.bytes = shared.bytes / 16;
  return r;
}

TEST(Findings, SeveralResultsAThreadSpareSharedMemory) {
  EXPECT_GT(saving_of(product(2), find_register_tiles), 0.4);
  EXPECT_GT(saving_of(product(1.125), find_register_tiles), 0.2);
  EXPECT_EQ(saving_of(product(0.25), find_register_tiles), -1) << "8 x 8 results per thread";
  KernelReport table = product(2);  // every lane looks elsewhere
  table.lines[0].shared_load.wavefronts *= 3;
  EXPECT_EQ(saving_of(table, find_register_tiles), -1);
}

TEST(Findings, LoopsSpendInstructionsOnThemselves) {
  KernelReport r = product(2);
  LineCounts& line = r.lines[0];
  const uint64_t counted = 40 * line.floating;
  r.work.alu += static_cast<double>(counted);
  r.work.instructions += static_cast<double>(counted);
  EXPECT_EQ(saving_of(r, find_rolled_loops), -1) << "the work itself";
  line.loop_overhead = line.loop_alu = counted;
  const double saved = saving_of(r, find_rolled_loops);
  EXPECT_GT(saved, 0.15);
  line.loop_words = line.shared_load.requests;
  EXPECT_GE(saving_of(r, find_rolled_loops), saved) << "loads of neighbours join";
  r.waits_for_others = true;
  EXPECT_EQ(saving_of(r, find_rolled_loops), -1) << "turns that wait";
}

TEST(Findings, TreesOfEverySecondThreadKeepAllWarpsBusy) {
  KernelReport r = streaming(65536, 256);
  LineCounts& line = r.lines[0];
  line.barriers = static_cast<uint64_t>(8 * warps_of(r.work));
  line.shared_load.requests = static_cast<uint64_t>(12 * warps_of(r.work));
  line.shared_load.predicated_on_threads = 5 * line.shared_load.requests;
  r.work.shared_wavefronts = 100 * warps_of(r.work);  // other passes beside
  r.work.instructions *= 3;
  EXPECT_GT(saving_of(r, find_divergence), 0.05);
  line.shared_load.predicated_on_threads = 20 * line.shared_load.requests;
  EXPECT_EQ(saving_of(r, find_divergence), -1);
}

TEST(Findings, NoMoreBlocksThanThereAreData) {
  KernelReport r = streaming(1, 64);
  EXPECT_EQ(saving_of(r, find_grid_shape), -1) << "a small block of as many threads as elements";
  r.work.read_sectors *= 1000;  // which it walks through
  r.lines[0].global_load.requests *= 1000;
  scale_block_cycles(1000, &r.work);
  EXPECT_GT(saving_of(r, find_grid_shape), 0.5);
}

}  // namespace
TEST(Findings, PreciseFunctionsAreToldWhereTheyCostMuch) {
  KernelReport r = streaming(65536, 256);
  const double warps = warps_of(r.work);
  r.work.instructions += 400 * warps;
  r.work.fma += 200 * warps;
  r.work.alu += 150 * warps;
  EXPECT_EQ(saving_of(r, find_precise_functions), -1);
  r.lines[0].precise_calls = static_cast<uint64_t>(12 * warps);
  r.lines[0].precise_spared = static_cast<uint64_t>(300 * warps);
  EXPECT_GT(saving_of(r, find_precise_functions), 0.4);
}

/// A division by a root: both are one special function then.
TEST(Findings, AReciprocalOfARootIsOneFunction) {
  KernelReport r = streaming(65536, 256);
  const double warps = warps_of(r.work);
  r.work.special = 36 * warps;
  r.work.instructions += 100 * warps;
  r.lines[0].precise_calls = static_cast<uint64_t>(24 * warps);
  r.lines[0].precise_spared = static_cast<uint64_t>(50 * warps);
  const auto kind = [](std::string_view name) {
    const auto all = precise_functions();
    return 1u << (std::ranges::find(all, name, &PreciseFunction::name) - all.begin());
  };
  r.lines[0].precise_kinds = kind("a division") | kind("sqrtf");
  const double both = saving_of(r, find_precise_functions);
  r.lines[0].precise_kinds = kind("a division") | kind("expf");
  EXPECT_GT(both, saving_of(r, find_precise_functions) + 0.1);
}

TEST(Findings, RowsThatAreGoneThroughAgainAreToldWhereBarriersPartThePasses) {
  KernelReport r = streaming(1024, 256);
  const double warps = warps_of(r.work);
  r.lines[0].global_load.bytes *= 32;
  r.lines[0].global_load.sectors = r.lines[0].global_load.ideal_sectors = r.lines[0].global_load.bytes / 32;
  r.work.read_sectors = r.work.load_sectors = static_cast<double>(r.lines[0].global_load.sectors);
  r.work.barriers = 2 * warps;
  EXPECT_EQ(saving_of(r, find_repeated_passes), -1) << "one pass";
  r.lines.push_back(r.lines[0]);
  r.lines[1].line = 9;
  r.work.load_sectors *= 2;
  r.work.lost_sectors = r.work.read_sectors;
  r.work.block_cycles_l2 = 20e3;
  r.work.block_cycles_dram = 60e3;
  EXPECT_GT(saving_of(r, find_repeated_passes), 0.3);
  r.work.read_sectors /= 16;
  EXPECT_EQ(saving_of(r, find_repeated_passes), -1) << "16 blocks read the same";
  r.work.read_sectors *= 16;
  r.work.barriers = 0;
  EXPECT_EQ(saving_of(r, find_repeated_passes), -1) << "two loads of one loop";
  r.work.distinct_of_warps = 0.5;
  EXPECT_GT(saving_of(r, find_repeated_passes), 0.3) << "a warp that comes back to its own row";
}

TEST(Findings, ProductsOfHalvesWantTensorCores) {
  KernelReport r = streaming(1024, 256);
  const double products = 2000 * warps_of(r.work);
  r.work.instructions += 4 * products;
  r.work.fma += products;
  r.work.half += products;
  r.work.memory += 2 * products;  // both of its numbers, from shared memory
  for (double* cycles : {&r.work.block_cycles_l1, &r.work.block_cycles_l2, &r.work.block_cycles_dram})
    *cycles += 2000 * 30;
  r.lines[0].fp32_fma = static_cast<uint64_t>(32 * products);
  r.lines[0].shared_load.bytes = static_cast<uint64_t>(4 * 32 * products);
  EXPECT_GT(saving_of(r, find_no_tensor_cores), 0.4);
  const double promised = saving_of(r, find_no_tensor_cores);
  r.work.instructions += 5 * products;
  r.work.alu += 5 * products;
  EXPECT_GT(saving_of(r, find_no_tensor_cores), promised) << "all that goes with the sums goes with them";
  r.work.half = 0;
  EXPECT_EQ(saving_of(r, find_no_tensor_cores), -1) << "products of floats";
}

TEST(Findings, LanesWithoutWorkAreFoldedTogether) {
  KernelReport r = streaming(131072, 256);
  r.lines[0].all.active_threads = r.lines[0].all.executions * 12;
  r.lines[0].global_load.predicated_on_threads = 4 * r.lines[0].global_load.requests;
  EXPECT_GT(saving_of(r, find_divergence), 0.3);
}

TEST(Findings, ALoopOfOneThreadIsSharedAmongAllThreads) {
  KernelReport r = streaming(1024, 256);
  LineCounts& line = r.lines[0];
  line.global_load.requests = line.global_load.predicated_on_threads = 1024 * 500;  // thread 0 of each block
  line.all.executions = line.all.active_threads = 1024 * 4000;
  r.work.instructions = r.work.alu = static_cast<double>(line.all.executions);
  r.work.memory = r.work.cache_lines = static_cast<double>(line.global_load.requests);
  r.work.block_cycles_l1 = r.work.block_cycles_l2 = r.work.block_cycles_dram = 40000;
  r.time = model::estimate_time(r.work, *r.device);
  std::vector<Defect> found;
  find_divergence(r, &found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].title, "one thread works while the others wait");
  EXPECT_GT(saving_of(r, find_divergence), 0.5);
  r.waits_for_others = true;  // it polls what other blocks write
  found.clear();
  find_divergence(r, &found);
  EXPECT_TRUE(found.empty() || found[0].title != "one thread works while the others wait");
}

TEST(Findings, SumsOfHardwareSayNoMoreOfDivergenceThanTheyTell) {
  KernelReport r = streaming(131072, 256);
  r.lines[0].all.executions *= 11;
  r.lines[0].all.active_threads = r.lines[0].all.executions * 8;
  r.lines[0].global_load.predicated_on_threads = 0;  // counters do not tell which lanes load
  r.work.instructions *= 11;
  r.work.alu *= 11;
  r.time = model::estimate_time(r.work, *r.device);
  r.measured.emplace();
  const auto title = [&] {
    std::vector<Defect> found;
    find_divergence(r, &found);
    return found.empty() ? std::string() : found[0].title;
  };
  EXPECT_EQ(title(), "few threads of each warp are active") << "branches were not counted";
  r.metrics = {{"smsp__sass_branch_targets_threads_divergent.sum", 0.01 * warps_of(r.work), Fidelity::kMeasured}};
  EXPECT_EQ(title(), "few threads of each warp are active") << "few warps branched apart";
  r.metrics[0].value = 2 * warps_of(r.work);
  EXPECT_EQ(title(), "threads of a warp take different branches");
}

}  // namespace warplens::report
