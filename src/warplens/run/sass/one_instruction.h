// For tests: one machine instruction (or a few) run on 32 lanes between loads of its sources and stores of its results.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "warplens/run/sass/compare_counts.h"
#include "warplens/run/sass/run.h"

namespace warplens::simt::sass_machine::testing {

using Row = std::array<uint32_t, kLanes>;

/// Bits 64 and up of an instruction's word, which hold its modifiers: bit(75).
constexpr uint64_t bit(int at) { return uint64_t{1} << (at - 64); }
constexpr uint64_t field(int at, uint64_t value) { return value << (at - 64); }

/// A word of this opcode without a guard. Predicates that it reads or writes are PT unless `modifiers` clear their
/// bits: see predicates(). `low` is the content of bits 32 to 63, a register or an immediate; `high` the register at
/// bit 64.
inline Word word(Opcode opcode, Form form, uint32_t target, uint32_t a, uint64_t low, uint32_t high = kRegisterZero,
                 uint64_t modifiers = 0, uint64_t predicates = field(81, 0x3ff) & ~bit(90)) {
  const uint64_t head = instruction(opcode).code | uint64_t{static_cast<uint8_t>(form)} << 9 | 7 << 12;
  return {head | uint64_t{target} << 16 | uint64_t{a} << 24 | low << 32, high | predicates | modifiers};
}

/// Registers that hold the sources, and those that are stored.
inline constexpr uint32_t kA = 8, kB = 9, kC = 10, kD = 11, kOut = 12, kOutHigh = 13;

struct Outcome {
  std::array<Row, 4> out{};  // registers from kOut on
  MachineCounts counts;
};

/// Instructions run by other code without counting, and when translated. Whole warps and parts of one must leave the
/// same at `results`, 4 words a thread, and count the same.
inline void expect_same_in_all_ways(const Program& program, MachineLaunch launch, uint32_t* results, uint32_t threads) {
  constexpr uint32_t kPart = 13;
  const size_t words = size_t{4} * threads;
  struct Way {
    bool counted, translated;
  };
  for (const uint32_t some : {threads, kPart}) {
    launch.block = {some, 1, 1};
    std::vector<uint32_t> first_left;
    std::vector<InstructionCounts> first_counted;
    for (const Way way : {Way{true, false}, Way{true, true}, Way{false, true}}) {
      launch.counted = way.counted;
      launch.translated = way.translated;
      std::fill_n(results, words, 0);
      const Result<MachineCounts> ran = run_machine(program, launch);
      ASSERT_TRUE(ran.ok() && ran->stop.kind == Stop::Kind::kNone);
      const std::vector<uint32_t> left(results, results + words);
      if (first_left.empty()) first_left = left, first_counted = ran->instructions;
      EXPECT_EQ(first_left, left) << some << " threads";
      if (way.counted) {
        EXPECT_EQ(first_difference(first_counted, ran->instructions), "") << some << " threads";
      }
    }
  }
}

/// Runs `middle` with `sources` in kA to kD; kOut to kOut + 3 are zeros before. `registers` of a thread.
inline Outcome run(const std::vector<Word>& middle, const std::array<Row, 4>& sources, int architecture = 90,
                   uint32_t registers = 32, uint32_t threads = kLanes) {
  Program program;
  program.architecture = architecture;
  program.registers = registers;
  program.parameter_offset = 0x210;
  program.static_shared_bytes = 4096;
  constexpr uint32_t kThread = 0, kFrom = 2, kTo = 4;
  const uint64_t wide128 = field(72, 0xd) | field(76, 1) | bit(91);
  std::vector<Word> code = {
      {0x0000000000007919, 0x0000000000002100},                // S2R R0, tid.x
      {0x00008400ff007b82 | kFrom << 16, 0x0000000000000a00},  // LDC.64 R2, the first parameter
      {0x00008600ff007b82 | kTo << 16, 0x0000000000000a00},    // LDC.64 R4, the second
      word(Opcode::kImadWide, Form::kImmediateB, kFrom, kThread, 16, kFrom),
      word(Opcode::kImadWide, Form::kImmediateB, kTo, kThread, 16, kTo),
      {0x0000000000000981 | 7 << 12 | kA << 16 | kFrom << 24 | uint64_t{4} << 32, wide128},  // LDG.E.128
  };
  for (uint32_t k = 0; k < 4; ++k) code.push_back(word(Opcode::kMov, Form::kImmediateB, kOut + k, kRegisterZero, 0));
  code.insert(code.end(), middle.begin(), middle.end());
  code.push_back({0x0000000000000986 | 7 << 12 | kTo << 24 | uint64_t{kOut} << 32, wide128});  // STG.E.128
  code.push_back({0x000000000000794d, 0x0000000003800000});                                    // EXIT
  program.code = code;
  program.lines.resize(code.size());
  Memory memory;
  auto* from = reinterpret_cast<uint32_t*>(*memory.allocate(16 * kLanes, "sources"));
  auto* to = reinterpret_cast<uint32_t*>(*memory.allocate(uint64_t{16} * threads, "results"));
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (uint32_t k = 0; k < 4; ++k) from[4 * lane + k] = sources[k][lane];
  }
  MachineLaunch launch;
  launch.block = {threads, 1, 1};
  launch.memory = &memory;
  launch.parameters.resize(16);
  std::memcpy(launch.parameters.data(), &from, 8);
  std::memcpy(launch.parameters.data() + 8, &to, 8);
  expect_same_in_all_ways(program, launch, to, threads);
  Result<MachineCounts> counts = run_machine(program, launch);
  EXPECT_TRUE(counts.ok());
  Outcome out;
  out.counts = std::move(*counts);
  EXPECT_EQ(out.counts.stop.kind, Stop::Kind::kNone) << out.counts.stop.reason;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (uint32_t k = 0; k < 4; ++k) out.out[k][lane] = to[4 * lane + k];
  }
  return out;
}
inline Row run_one(const Word& word, const std::array<Row, 4>& sources) {
  return run(std::vector{word}, sources).out[0];
}

/// Numbers of every kind: small, large, edges, and random ones.
inline std::array<Row, 4> numbers(uint64_t seed = 1) {
  constexpr uint32_t kEdges[] = {0,          1,          2,          31,         32,         33,
                                 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0x8000};
  std::array<Row, 4> out;
  uint64_t state = seed;
  for (Row& row : out) {
    for (uint32_t& value : row) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const auto random = static_cast<uint32_t>(state >> 32);
      value = random % 3 == 0 ? kEdges[(state >> 20 & 0xff) % std::size(kEdges)] : random;
    }
  }
  return out;
}

/// Checks each lane: got[i] == expected(a, b, c).
template <typename F>
void expect_lanes(const Row& got, const std::array<Row, 4>& s, F expected, const char* what) {
  for (size_t i = 0; i < kLanes; ++i) {
    EXPECT_EQ(got[i], static_cast<uint32_t>(expected(s[0][i], s[1][i], s[2][i])))
        << what << " of " << s[0][i] << ", " << s[1][i] << ", " << s[2][i] << " in lane " << i;
  }
}

}  // namespace warplens::simt::sass_machine::testing
