// Code that is kept from launch to launch does what code made for each launch does, whatever constants the launches
// change.
#include "warplens/run/sass/code/ready_code.h"

#include "warplens/run/sass/one_instruction.h"

namespace warplens::simt::sass_machine::testing {
namespace {

constexpr uint32_t kParameters = 0x210, kFirstConstant = kParameters + 8, kConstants = 4;

/// The place of a constant of bank 0 in bits 38 and up, for bits 32 and up of a word.
constexpr uint64_t place(uint32_t k) { return uint64_t{kFirstConstant + 4 * k} << 6; }

/// Each with another constant: integers, floats, moves, permutations, and loads of one and of two words.
std::vector<Word> readers() {
  const uint64_t none = field(81, 0x3f);
  std::vector<Word> out;
  for (uint32_t k = 0; k < kConstants; ++k) {
    const uint32_t to = kA + k, from = kA + (k + 1) % 4;
    const Form form = Form::kConstantB;
    out.push_back(word(Opcode::kImad, form, to, from, place(k), to, 0, none | field(87, 7)));
    out.push_back(word(Opcode::kIadd3, form, to, to, place(k), from, 0, none | field(87, 15) | field(77, 15)));
    out.push_back(word(Opcode::kLop3, form, to, to, place(k), from, field(72, 0x96), field(81, 7) | field(87, 15)));
    out.push_back(word(Opcode::kPrmt, form, from, to, place(k), from));
    out.push_back(word(Opcode::kMov, form, kOut + k, kRegisterZero, place(k)));
    out.push_back(word(Opcode::kFfma, form, from, to, place(k), from, 0, 0));
    out.push_back(word(Opcode::kFadd, form, to, from, place(k), kRegisterZero, 0, 0));
  }
  // ULDC.64 UR4, a pair of them, ULDC.U8 UR6, and sums with both.
  out.push_back({0x0000000000047ab9 | place(1) << 32, 0x0000000000000a00});
  out.push_back({0x0000000000067ab9 | place(2) << 32, 0x0000000000000000});
  for (uint32_t k = 0; k < 3; ++k)
    out.push_back(word(Opcode::kIadd3, Form::kUniformB, kOut + k, kA + k, 4 + k, kOut + k, 0,
                       none | field(87, 15) | field(77, 15)));
  return out;
}

struct Bench {
  Memory memory;
  Program program;
  uint32_t* results = nullptr;

  Bench() {
    program.architecture = 90;
    program.registers = 32;
    program.parameter_offset = kParameters;
    constexpr uint32_t kThread = 0, kTo = 4;
    const uint64_t wide128 = field(72, 0xd) | field(76, 1) | bit(91);
    program.code = {
        {0x0000000000007919, 0x0000000000002100},              // S2R R0, tid.x
        {0x00008400ff007b82 | kTo << 16, 0x0000000000000a00},  // LDC.64 R4, the first parameter
        word(Opcode::kImadWide, Form::kImmediateB, kTo, kThread, 16, kTo),
    };
    const auto add = [&](const Word& word) { program.code.push_back(word); };
    for (uint32_t k = 0; k < 4; ++k) add(word(Opcode::kImad, Form::kImmediateB, kA + k, kThread, 77 + k, kThread));
    for (const Word& word : readers()) add(word);
    add({0x0000000000000986 | 7 << 12 | kTo << 24 | uint64_t{kOut} << 32, wide128});  // STG.E.128
    add({0x000000000000794d, 0x0000000003800000});                                    // EXIT
    program.lines.resize(program.code.size());
    results = reinterpret_cast<uint32_t*>(*memory.allocate(16 * kLanes, "results"));
  }

  std::vector<uint32_t> run(const std::array<uint32_t, kConstants>& constants, bool counted, CodeCache* cache) {
    MachineLaunch launch;
    launch.block = {kLanes, 1, 1};
    launch.memory = &memory;
    launch.counted = counted;
    launch.code = cache;
    launch.parameters.resize(8 + 4 * kConstants);
    std::memcpy(launch.parameters.data(), &results, 8);
    std::memcpy(launch.parameters.data() + 8, constants.data(), 4 * kConstants);
    std::fill_n(results, 4 * kLanes, 0);
    const Result<MachineCounts> ran = run_machine(program, launch);
    EXPECT_TRUE(ran.ok());
    EXPECT_EQ(ran->stop.kind, Stop::Kind::kNone) << ran->stop.reason;
    return {results, results + size_t{4} * kLanes};
  }
};

TEST(CodeCache, WhatLaunchesChangeIsFilledIn) {
  Bench bench;
  CodeCache cache;
  const std::array<uint32_t, kConstants> sets[] = {
      {4, 0x7531, 8, 0x3f800000}, {4, 0x7531, 8, 0x3f800000},  // as it was
      {5, 0x7531, 8, 0x3f800000}, {16, 0x0123, 8, 0x3f800000}, {0, 0x0123, 0x80, 0x40490fdb}, {1, 2, 3, 4},
      {4, 0x7531, 8, 0x3f800000}};
  std::vector<std::vector<uint32_t>> seen;
  for (const auto& constants : sets) {
    for (const bool counted : {false, true})
      EXPECT_EQ(bench.run(constants, counted, &cache), bench.run(constants, counted, nullptr));
    seen.push_back(bench.run(constants, false, &cache));
  }
  EXPECT_EQ(seen.front(), seen.back());
  for (size_t k = 2; k < std::size(sets) - 1; ++k) EXPECT_NE(seen[k], seen[k - 1]) << k;
}

}  // namespace
}  // namespace warplens::simt::sass_machine::testing
