// Rare matrix instructions against sums written out; words are those that ptxas makes for sm_80.
#include <bit>

#include "warplens/run/sass/matrix/gmma.h"
#include "warplens/run/sass/one_instruction.h"

namespace warplens::simt::sass_machine::testing {
namespace {

/// D's element `e` of `lane`, where `dot(row, column)` is what the matrices give.
template <typename Dot>
void expect_sums(const Outcome& got, int rows, Dot dot, const char* what) {
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int e = 0; e < rows / 4; ++e) {
      const int row = lane / 4 + 8 * (e / 2), column = lane % 4 * 2 + e % 2;
      EXPECT_EQ(got.out[static_cast<size_t>(e)][static_cast<size_t>(lane)], static_cast<uint32_t>(dot(row, column)))
          << what << " row " << row << " column " << column;
    }
  }
}
/// The word of A or B in which its row or column holds piece `q` of four.
uint32_t piece(const std::array<Row, 4>& s, size_t reg, int line, int q) {
  return s[reg][static_cast<size_t>(line % 8 * 4 + q)];
}
int32_t part(uint32_t word, int at, int bits, bool is_signed) {
  const uint32_t value = word >> (at * bits) << (32 - bits);
  return is_signed ? static_cast<int32_t>(value) >> (32 - bits) : static_cast<int32_t>(value >> (32 - bits));
}

TEST(Products, SingleBitsAreCountedByXorAndAnd) {
  const auto s = numbers();
  for (const bool both : {false, true}) {
    const uint64_t shape = bit(74) | bit(75) | bit(80) | (both ? bit(78) : 0);
    const Outcome got = run({word(Opcode::kBmma, Form::kRegisters, kOut, kA, kC, kRegisterZero, shape, 0)}, s, 80);
    const auto dot = [&](int row, int column) {
      int sum = 0;
      for (int q = 0; q < 4; ++q) {
        const uint32_t a = piece(s, static_cast<size_t>(row / 8), row, q), b = piece(s, 2, column, q);
        sum += std::popcount(both ? a & b : a ^ b);
      }
      return sum;
    };
    expect_sums(got, 16, dot, both ? "AND" : "XOR");
  }
}

TEST(Products, IntegersOfFourBits) {
  const auto s = numbers();
  const uint64_t shape = bit(74) | bit(75) | bit(76) | bit(83) | bit(84) | bit(86);  // 16832.S4.U4
  const Outcome got = run({word(Opcode::kImma, Form::kRegisters, kOut, kA, kC, kRegisterZero, shape, 0)}, s, 80);
  const auto dot = [&](int row, int column) {
    int sum = 0;
    for (int k = 0; k < 32; ++k)
      sum += part(piece(s, static_cast<size_t>(row / 8), row, k / 8), k % 8, 4, true) *
             part(piece(s, 2, column, k / 8), k % 8, 4, false);
    return sum;
  };
  expect_sums(got, 16, dot, "S4.U4");
}

TEST(Products, SmallShapesHaveEightRows) {
  const auto s = numbers();
  const uint64_t shape = bit(74) | bit(76);  // 8816.S8.U8
  const Outcome got = run({word(Opcode::kImma, Form::kRegisters, kOut, kA, kC, kRegisterZero, shape, 0)}, s, 80);
  const auto dot = [&](int row, int column) {
    int sum = 0;
    for (int k = 0; k < 16; ++k)
      sum += part(piece(s, 0, row, k / 4), k % 4, 8, true) * part(piece(s, 2, column, k / 4), k % 4, 8, false);
    return sum;
  };
  expect_sums(got, 8, dot, "8816");
}

TEST(Products, SparseRowsMeetWhatTheirMetadataSays) {
  const auto s = numbers();
  constexpr uint32_t kMetadata = 20, kChoice = 0xdddddddd;  // of every four elements the second and the last
  const uint64_t shape = bit(72) | bit(74) | bit(75) | bit(76) | bit(78) | bit(86);  // SP.16832.S8.S8
  const Outcome got =
      run({word(Opcode::kMov, Form::kImmediateB, kMetadata, kRegisterZero, kChoice),
           word(Opcode::kImma, Form::kRegisters, kOut, kA, kC | kMetadata << 8, kRegisterZero, shape, 0)},
          s, 80);
  const auto dot = [&](int row, int column) {
    int sum = 0;
    for (int kept = 0; kept < 16; ++kept) {
      const int k = kept / 2 * 4 + (kept % 2 ? 3 : 1);
      sum += part(piece(s, static_cast<size_t>(row / 8), row, kept / 4), kept % 4, 8, true) *
             part(piece(s, static_cast<size_t>(2 + k / 16), column, k % 16 / 4), k % 4, 8, true);
    }
    return sum;
  };
  expect_sums(got, 16, dot, "SP.16832");
}

TEST(Products, UnknownModifiersStopTheKernel) {
  Program program;
  program.architecture = 80;
  program.registers = 32;
  program.code = {word(Opcode::kBmma, Form::kRegisters, kOut, kA, kC, kRegisterZero, bit(74) | bit(80) | bit(87), 0)};
  program.lines.resize(1);
  Memory memory;
  MachineLaunch launch;
  launch.memory = &memory;
  const Result<MachineCounts> counts = run_machine(program, launch);
  ASSERT_TRUE(counts.ok());
  EXPECT_NE(counts->stop.kind, Stop::Kind::kNone);
}

/// Words that ptxas makes for sm_90a: HGMMA.64x128x8.F32.TF32 and HGMMA.64x256x16.F32.
TEST(Products, WarpGroupProductsOfTf32AndOfHalvesSayTheirShapes) {
  const GroupShape tf32 = group_shape(Opcode::kHgmma, {0x05e00000041879f0, 0x000fe2000c0028ff});
  EXPECT_TRUE(tf32.known);
  EXPECT_EQ(tf32.n, 128u);
  EXPECT_EQ(tf32.k, 8u);
  EXPECT_EQ(tf32.a, ptx::Type::kTf32);
  const GroupShape halves = group_shape(Opcode::kHgmma, {0x03e00000041879f0, 0x000fe2000c0008ff});
  EXPECT_TRUE(halves.known);
  EXPECT_EQ(halves.n, 256u);
  EXPECT_EQ(halves.k, 16u);
  EXPECT_FALSE(group_shape(Opcode::kHgmma, {0x07e00000041879f0, 0x000fe2000c0008ff}).known) << "halves of 8";
}

}  // namespace
}  // namespace warplens::simt::sass_machine::testing
