#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "warplens/run/sass/compare_counts.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/run.h"

namespace warplens::simt::sass_machine {
namespace {

/// y[i] = x[i] * x[i] for i < n, as ptxas 13.0 compiles it for sm_90: parameters x, y, n from byte 0x210.
const std::vector<Word> kSquare = {{0x00000a00ff017b82, 0x000fe20000000800}, {0x0000000000007919, 0x000e2e0000002100},
                                   {0x00000000000479c3, 0x000e300000002500}, {0x00000000ff077b82, 0x000e240000000800},
                                   {0x0000000407077c24, 0x001fe2000f8e0200}, {0x0000880000047ab9, 0x000fc80000000800},
                                   {0x0000000407007c0c, 0x000fda000bf06270}, {0x000000000000094d, 0x000fea0003800000},
                                   {0x00008400ff027b82, 0x000e220000000a00}, {0x0000820000047ab9, 0x000fce0000000a00},
                                   {0x00008600ff047b82, 0x000e620000000a00}, {0x0000000407027825, 0x001fcc00078e0202},
                                   {0x0000000402027981, 0x000ea2000c1e1900}, {0x0000000407047825, 0x002fc800078e0204},
                                   {0x0000000202077220, 0x004fca0000400000}, {0x0000000704007986, 0x000fe2000c101904},
                                   {0x000000000000794d, 0x000fea0003800000}, {0xfffffffc00fc7947, 0x000fc0000383ffff}};

Program program(std::vector<Word> code) {
  Program out;
  out.architecture = 90;
  out.code = std::move(code);
  out.lines.resize(out.code.size());
  out.registers = 16;
  out.parameter_offset = 0x210;
  return out;
}

struct Arrays {
  simt::Memory memory;
  float *x, *y;
  explicit Arrays(int n) {
    x = reinterpret_cast<float*>(*memory.allocate(static_cast<uint64_t>(n) * 4, "x"));
    y = reinterpret_cast<float*>(*memory.allocate(static_cast<uint64_t>(n) * 4, "y"));
    for (int i = 0; i < n; ++i) x[i] = static_cast<float>(i);
  }
  std::vector<uint8_t> parameters(int n) const {
    std::vector<uint8_t> out(20);
    std::memcpy(out.data(), &x, 8);
    std::memcpy(out.data() + 8, &y, 8);
    std::memcpy(out.data() + 16, &n, 4);
    return out;
  }
};

MachineCounts run(const Program& program, Arrays& arrays, int n, uint32_t blocks, uint32_t threads,
                  uint32_t shared_bytes = 0) {
  MachineLaunch launch;
  launch.dynamic_shared_bytes = shared_bytes;
  launch.grid = {blocks, 1, 1};
  launch.block = {threads, 1, 1};
  launch.parameters = arrays.parameters(n);
  launch.memory = &arrays.memory;
  Result<MachineCounts> counts = run_machine(program, launch);
  EXPECT_TRUE(counts.ok());
  return std::move(*counts);
}

TEST(RunMachine, SquaresAndCountsWhatItTouches) {
  constexpr int kCount = 1000;
  Arrays arrays(kCount);
  const MachineCounts counts = run(program(kSquare), arrays, kCount, 8, 128);
  EXPECT_EQ(counts.stop.kind, Stop::Kind::kNone) << counts.stop.reason;
  for (int i = 0; i < kCount; ++i) ASSERT_EQ(arrays.y[i], arrays.x[i] * arrays.x[i]) << i;
  const simt::InstructionCounts& load = counts.instructions[12];
  EXPECT_EQ(load.requests, 32u);  // 1000 threads are 31 whole warps and one of 8
  EXPECT_EQ(load.sectors, 31u * 4 + 1);
  EXPECT_EQ(load.predicated_on_threads, 1000u);
  EXPECT_EQ(counts.instructions[14].active_threads, 1000u);  // the multiplication
  EXPECT_EQ(counts.instructions[7].executions, 32u);         // the early exit is issued by every warp
  EXPECT_EQ(counts.read_sectors, 125u);
  EXPECT_EQ(counts.written_sectors, 125u);
}

TEST(RunMachine, StoresThatLieApartArrive) {
  constexpr int kCount = 128;
  std::vector<Word> code = kSquare;
  code[13].low = 0x0000000807047825;  // y[2 * i] in place of y[i]
  Arrays arrays(2 * kCount);
  const MachineCounts counts = run(program(code), arrays, kCount, 1, kCount);
  EXPECT_EQ(counts.stop.kind, Stop::Kind::kNone) << counts.stop.reason;
  for (int i = 0; i < kCount; ++i) ASSERT_EQ(arrays.y[2 * i], arrays.x[i] * arrays.x[i]) << i;
}

TEST(RunMachine, CountsAreTheSameAtAnyThreadCount) {
  Arrays arrays(4096);
  MachineLaunch launch;
  launch.grid = {16, 1, 1};
  launch.block = {256, 1, 1};
  launch.parameters = arrays.parameters(4096);
  launch.memory = &arrays.memory;
  const Program square = program(kSquare);
  launch.threads = 1;
  const auto one = run_machine(square, launch);
  launch.threads = 4;
  const auto four = run_machine(square, launch);
  for (size_t k = 0; k < square.code.size(); ++k) {
    EXPECT_EQ(one->instructions[k].executions, four->instructions[k].executions) << k;
    EXPECT_EQ(one->instructions[k].sectors, four->instructions[k].sectors) << k;
  }
  EXPECT_EQ(one->block_cycles, four->block_cycles);
}

/// Blocks that read what others write and come back to L2 after it has lost lines, in waves of eight, on so many CPU
/// threads.
MachineCounts handed_from_block_to_block(size_t threads) {
  constexpr int kCount = 1 << 18, kOverlap = 9001;  // floats: blocks share sectors
  Arrays arrays(kCount + kOverlap);
  arrays.y = arrays.x + kOverlap;
  MachineLaunch launch;
  launch.grid = {kCount / 256, 1, 1};
  launch.block = {256, 1, 1};
  launch.parameters = arrays.parameters(kCount);
  launch.memory = &arrays.memory;
  launch.sms = 4;
  launch.blocks_per_sm = 2;
  launch.l2_bytes = 4096;
  launch.threads = threads;
  return *run_machine(program(kSquare), launch);
}

TEST(RunMachine, TimesAndCachesAreTheSameAtAnyThreadCount) {
  const MachineCounts one = handed_from_block_to_block(1);
  EXPECT_GT(one.lost_sectors, 0);
  EXPECT_GT(one.fresh_rate, 0);
  for (int again = 0; again < 4; ++again) {
    for (const size_t threads : {2, 5, 16})
      EXPECT_EQ(testing::first_difference(one, handed_from_block_to_block(threads)), "") << threads;
  }
}

/// Each thread copies its x[i] to shared memory (cp.async), waits for all of its copies and stores what came as y[i].
const std::vector<Word> kCopyAndWait = {
    {0x00000a00ff017b82, 0x000fe20000000800}, {0x00000000000b7919, 0x000e6e0000002100},
    {0x00000000000579c3, 0x000ea20000008800}, {0x0000040000047882, 0x000fce0000000000},
    {0x00008400ff027b82, 0x000ef00000000a00}, {0x00008600ff047b82, 0x000f220000000a00},
    {0x0000000405047291, 0x004fcc000f8ec03f}, {0x000000040b077c11, 0x042fe2000f8e10ff},
    {0x000000040b027825, 0x008fe200078e0002}, {0x0000820000047ab9, 0x000fc80000000a00},
    {0x00000000fffff984, 0x000fe20000000800}, {0x00000000fffff984, 0x000fe20000000800},
    {0x00000000fffff984, 0x000fe20000000800}, {0x0000000002077fae, 0x000fe2000b921844},
    {0x000000040b047825, 0x010fc600078e0004}, {0x00000000000079af, 0x000e220000000000},
    {0x000080000000791a, 0x000fc80000000000}, {0x0000000007097984, 0x000e680000000800},
    {0x0000000904007986, 0x002fe2000c101904}, {0x000000000000794d, 0x000fea0003800000}};

TEST(RunMachine, CopiesToSharedMemoryAreWaitedFor) {
  constexpr int kCount = 32;
  Arrays arrays(kCount);
  Program copies = program(kCopyAndWait);
  const MachineCounts waited = run(copies, arrays, kCount, 1, kCount, 4 * kCount);
  EXPECT_EQ(waited.stop.kind, Stop::Kind::kNone) << waited.stop.reason;
  for (int i = 0; i < kCount; ++i) ASSERT_EQ(arrays.y[i], arrays.x[i]) << i;
  const Cycles answers = cycles_of(sass::Latency::kGlobal);
  EXPECT_EQ(waited.block_cycles[2] - waited.block_cycles[0], static_cast<double>(answers[2] - answers[0]));
  copies.code[16].low |= uint64_t{1} << 38;  // DEPBAR.LE SB0, 1: one group may be under way still
  const MachineCounts not_waited = run(copies, arrays, kCount, 1, kCount, 4 * kCount);
  EXPECT_EQ(not_waited.block_cycles[2], not_waited.block_cycles[0]);
}

/// Lanes whose copies are 128 bytes apart in shared memory: one bank takes them one by one.
TEST(RunMachine, CopiesToOneBankTakeTheirPasses) {
  constexpr int kCount = 32;
  Arrays arrays(kCount);
  Program copies = program(kCopyAndWait);
  const MachineCounts apart = run(copies, arrays, kCount, 1, kCount, 4 * kCount);
  copies.code[7].high = 0x042fe2000f8e38ff;  // the thread's number times 128, not 4
  const MachineCounts together = run(copies, arrays, kCount, 1, kCount, 128 * kCount);
  EXPECT_EQ(together.stop.kind, Stop::Kind::kNone) << together.stop.reason;
  for (int i = 0; i < kCount; ++i) ASSERT_EQ(arrays.y[i], arrays.x[i]) << i;
  EXPECT_EQ(together.cache_lines - apart.cache_lines, 31u);
}

TEST(RunMachine, StopsAtMemoryThatIsNotThere) {
  Arrays arrays(64);
  const MachineCounts counts = run(program(kSquare), arrays, 1 << 20, 64, 256);
  EXPECT_EQ(counts.stop.kind, Stop::Kind::kIllegalAddress);
  EXPECT_NE(counts.stop.reason.find("no memory at"), std::string::npos);
}

TEST(RunMachine, NamesAnInstructionItDoesNotKnow) {
  Arrays arrays(64);
  const MachineCounts counts = run(program({{0x00000000000071ff, 0}}), arrays, 64, 1, 32);
  EXPECT_EQ(counts.stop.kind, Stop::Kind::kUnsupported);
}

TEST(RunMachine, NamesAWordOfTheDriversThatItDoesNotKnow) {
  Arrays arrays(64);
  std::vector<Word> code = kSquare;
  code[3] = {0x00007500ff077b82, 0x000e240000000800};  // LDC R7, c[0x0][0x1d4]
  const MachineCounts counts = run(program(code), arrays, 64, 1, 64);
  EXPECT_EQ(counts.stop.kind, Stop::Kind::kUnsupported);
  EXPECT_NE(counts.stop.reason.find("c[0x0][0x1d4]"), std::string::npos) << counts.stop.reason;
}

TEST(RunMachine, AnyWordsEndWithoutACrash) {
  Arrays arrays(64);
  uint64_t state = 1;
  auto random = [&] { return state = state * 6364136223846793005u + 1442695040888963407u; };
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<Word> code = kSquare;
    for (int change = 0; change < 3; ++change) {
      Word& word = code[(random() >> 33) % code.size()];
      const uint64_t bit = uint64_t{1} << (random() >> 58);
      (random() >> 63 ? word.low : word.high) ^= bit;
    }
    MachineLaunch launch;
    launch.block = {64, 1, 1};
    launch.parameters = arrays.parameters(64);
    launch.memory = &arrays.memory;
    launch.instruction_limit = 1000;
    EXPECT_TRUE(run_machine(program(code), launch).ok());
  }
}

TEST(RunMachine, AnyInstructionOfAnyFamilyEndsWithoutACrash) {
  Arrays arrays(64);
  uint64_t state = 7;
  auto random = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 16 ^ state << 40;
  };
  std::vector<uint64_t> codes;
  for (const Instruction& row : instructions()) {
    if (find_row(row.opcode)) codes.push_back(row.code);
  }
  for (int trial = 0; trial < 4000; ++trial) {
    std::vector<Word> code = {kSquare[0], kSquare[1]};
    for (int k = 0; k < 4; ++k) {
      Word word{random(), random()};
      word.low = (word.low & ~uint64_t{0x1ff}) | codes[random() % codes.size()];
      if (random() % 4) word.low |= 0x7000;                  // no guard
      if (random() % 2) word.high &= ~uint64_t{0x0fffff00};  // plain modifiers
      code.push_back(word);
    }
    code.push_back(kSquare[16]);
    MachineLaunch launch;
    launch.block = {32 + 16 * static_cast<uint32_t>(trial % 3), 1, 1};
    launch.parameters = arrays.parameters(64);
    launch.memory = &arrays.memory;
    launch.instruction_limit = 1000;
    launch.cooperative = trial % 8 == 0;
    launch.timeout_s = 1;
    launch.restore = true;
    launch.watch.assign(code.size(), trial % 2);
    const auto translated = run_machine(program(code), launch);
    launch.translated = false;
    const auto interpreted = run_machine(program(code), launch);
    ASSERT_TRUE(translated.ok() && interpreted.ok());
    const bool late = translated->stop.kind == Stop::Kind::kTimeout || interpreted->stop.kind == Stop::Kind::kTimeout;
    if (!late) {
      EXPECT_EQ(testing::first_difference(*interpreted, *translated), "") << "trial " << trial;
    }
  }
}

/// A load and a store of all lanes in a row.
TEST(RunMachine, KeepsExamplesOfRequestsThatAreWatched) {
  Arrays arrays(1024);
  MachineLaunch launch;
  launch.grid = {8, 1, 1};
  launch.block = {128, 1, 1};
  launch.parameters = arrays.parameters(1024);
  launch.memory = &arrays.memory;
  launch.watch.assign(kSquare.size(), true);
  const auto counts = run_machine(program(kSquare), launch);
  ASSERT_TRUE(counts.ok());
  EXPECT_EQ(counts->samples.size(), 2U);
}

/// What checks find in a launch of kSquare over `n` of the arrays' 1000 elements.
std::vector<simt::Report> defects(Arrays& arrays, int n, const std::vector<cubin::SourceLine>* lines = nullptr) {
  MachineLaunch launch;
  launch.grid = {8, 1, 1};
  launch.block = {128, 1, 1};
  launch.parameters = arrays.parameters(n);
  launch.memory = &arrays.memory;
  launch.counted = false;
  launch.checks = simt::kCheckAll;
  launch.lines = lines;
  Result<MachineCounts> counts = run_machine(program(kSquare), launch);
  EXPECT_TRUE(counts.ok() && counts->stop.kind == Stop::Kind::kNone);
  return std::move(counts->reports);
}

TEST(CheckMachineCode, IsSilentWhereNothingIsWrong) {
  Arrays arrays(1000);
  EXPECT_TRUE(defects(arrays, 1000).empty());
  EXPECT_EQ(arrays.y[999], 999.0F * 999.0F);
}

TEST(CheckMachineCode, TellsAccessesPastTheEndAndGoesOn) {
  Arrays arrays(1000);
  std::vector<cubin::SourceLine> lines(kSquare.size());
  lines[12] = {"square.cu", 7};
  const std::vector<simt::Report> found = defects(arrays, 1002, &lines);
  ASSERT_EQ(found.size(), 2U);  // the load and the store
  EXPECT_EQ(found[0].id, "out-of-bounds");
  EXPECT_EQ(found[0].count, 2U);
  EXPECT_EQ(found[0].place.text(), "kernel '' block (7,0,0) thread (104,0,0) at square.cu:7");
  EXPECT_EQ(found[1].place.text(), "kernel '' block (7,0,0) thread (104,0,0) at machine code 0xf0");
  EXPECT_EQ(arrays.y[999], 999.0F * 999.0F);
}

TEST(CheckMachineCode, TellsReadsOfWhatNobodyWrote) {
  Arrays arrays(1000);
  arrays.memory.mark_uninitialised(reinterpret_cast<simt::Address>(arrays.x));
  const std::vector<simt::Report> found = defects(arrays, 1000);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].id, "uninitialised-read");
  EXPECT_EQ(found[0].count, 1000U);
}

TEST(CheckMachineCode, TellsBothSidesOfARaceBetweenBlocks) {
  Arrays arrays(1000);
  std::vector<Word> code = kSquare;
  code[13].low = 0x00000000ff047825;  // y[0], for all threads
  MachineLaunch launch;
  launch.grid = {2, 1, 1};
  launch.block = {1, 1, 1};
  launch.parameters = arrays.parameters(1000);
  launch.memory = &arrays.memory;
  launch.checks = simt::kCheckRace;
  arrays.x[0] = 3;
  // Both blocks read x[blockIdx.x * 1] and write y[0]: 9 and 1.
  const Result<MachineCounts> counts = run_machine(program(code), launch);
  ASSERT_TRUE(counts.ok());
  ASSERT_EQ(counts->reports.size(), 1U);
  EXPECT_EQ(counts->reports[0].id, "race");
  ASSERT_TRUE(counts->reports[0].other);
  EXPECT_EQ(counts->reports[0].place.block[0], 1U);
  EXPECT_EQ(counts->reports[0].other->block[0], 0U);
}

TEST(CheckMachineCode, LanesMayStoreSumsThatRoundedOtherwise) {
  Arrays arrays(1000);
  std::vector<Word> code = kSquare;
  code[13].low = 0x00000000ff047825;  // y[0], for all threads
  MachineLaunch launch;
  launch.grid = {1, 1, 1};
  launch.block = {2, 1, 1};
  launch.parameters = arrays.parameters(1000);
  launch.memory = &arrays.memory;
  launch.checks = simt::kCheckRace;
  const auto races = [&](float first, float second) {
    arrays.x[0] = first, arrays.x[1] = second;
    const Result<MachineCounts> counts = run_machine(program(code), launch);
    EXPECT_TRUE(counts.ok());
    return counts->reports.size();
  };
  EXPECT_EQ(races(3, std::nextafter(3.0F, 4.0F)), 0U);
  EXPECT_EQ(races(3, -std::nextafter(3.0F, 4.0F)), 0U);
  EXPECT_EQ(races(3, 3.00001F), 1U);
  EXPECT_EQ(races(3, 1), 1U);
  EXPECT_EQ(races(1e-22F, 1.1e-22F), 1U);  // too small for a normal number: as likely two small integers
}

}  // namespace
}  // namespace warplens::simt::sass_machine
