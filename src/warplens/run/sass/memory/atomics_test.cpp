#include "warplens/model/constants.h"
#include "warplens/run/sass/one_instruction.h"

namespace warplens::simt::sass_machine {
namespace {

using namespace testing;

constexpr uint32_t kResults = 4;  // R4: 16 bytes of each thread
constexpr uint64_t kWide = field(72, 0xd) | field(76, 1) | bit(91);
const Word kStore{0x0000000000000986 | 7 << 12 | kResults << 24 | uint64_t{kOut} << 32, kWide};
const Word kLoad{0x0000000000000981 | 7 << 12 | kOut << 16 | kResults << 24, kWide};

/// Zeros at the results, the reduction as ptxas writes it for sm_90 with these upper 64 bits, and what is there then.
std::array<Row, 4> reduced(uint64_t upper, const std::array<Row, 4>& sources, int times = 1) {
  std::vector<Word> code{kStore};
  for (int i = 0; i < times; ++i) code.push_back({0x79a6 | kResults << 24 | uint64_t{kA} << 32, upper});
  code.push_back(kLoad);
  return run(code, sources).out;
}

std::array<Row, 4> floats() {
  std::array<Row, 4> out;
  for (uint32_t k = 0; k < 4; ++k)
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      out[k][lane] = std::bit_cast<uint32_t>(1.5F + static_cast<float>(lane + 100 * k));
  return out;
}

/// The first `words` registers, `times` added, and zeros behind.
void expect_sums(const std::array<Row, 4>& got, uint32_t words) {
  const auto values = floats();
  for (uint32_t k = 0; k < 4; ++k)
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      EXPECT_EQ(std::bit_cast<float>(got[k][lane]), k < words ? 2 * std::bit_cast<float>(values[k][lane]) : 0.0F)
          << "word " << k << " of lane " << lane;
}

TEST(Atomics, ReductionsAddTwoAndFourFloats) {
  expect_sums(reduced(0x004fe2000c10f384, floats(), 2), 1);  // red.global.add.f32
  expect_sums(reduced(0x004fe2000c10f584, floats(), 2), 2);  // red.global.add.v2.f32
  expect_sums(reduced(0x004fe2000c10f784, floats(), 2), 4);  // red.global.add.v4.f32
}

TEST(Fences, WaitForStoresBeforeThem) {
  const Word fence{0x0000000000007992, 0x000fec000000a000}, nothing{0x0000000000007918, 0x000fec0000000000};
  const auto cycles = [](const std::vector<Word>& code) { return run(code, floats()).counts.block_cycles[0]; };
  EXPECT_EQ(cycles({fence, nothing}), cycles({nothing, nothing}));
  EXPECT_GE(cycles({kStore, fence}), cycles({kStore, nothing}) + model::kFenceCycles);
  EXPECT_EQ(cycles({kStore, fence, fence}), cycles({kStore, fence, nothing})) << "nothing is stored in between";
}

/// The atomic that answers, as ptxas writes it for sm_90 and for sm_100, and what is there and in R0 then.
TEST(Atomics, FloatsAnswerOnBlackwellToo) {
  struct Written {
    uint64_t lower, upper;
    int architecture;
  };
  for (const Written& atomic :
       {Written{0x00000000000079a3, 0x000ea200081ef3c4, 90}, Written{0x80000000000079a3, 0x002ea2000c1ef304, 100}}) {
    const Word add{atomic.lower | uint64_t{kOut} << 16 | kResults << 24 | uint64_t{kA} << 32, atomic.upper};
    const auto got = run({kStore, add, add}, floats(), atomic.architecture).out;
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      EXPECT_EQ(std::bit_cast<float>(got[0][lane]), 1.5F + static_cast<float>(lane)) << "sm_" << atomic.architecture;
  }
}

TEST(Atomics, ReductionsOfHalvesTakeTheSmallestAndTheLargest) {
  constexpr uint32_t kOneTwo = 0x40003c00, kMinusOneTwo = 0x4000bc00, kNegatives = 0xc000bc00;  // pairs of f16
  std::array<Row, 4> sources{};
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    sources[0][lane] = kMinusOneTwo;
    sources[1][lane] = kNegatives;
    sources[2][lane] = kOneTwo;
  }
  const auto largest = reduced(0x004fe2000e10e384, sources);   // red.global.max.v2.f16x2
  const auto smallest = reduced(0x004fe2000d10e384, sources);  // red.global.min.v2.f16x2
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(largest[0][lane], 0x40000000u);
    EXPECT_EQ(largest[1][lane], 0u);
    EXPECT_EQ(smallest[0][lane], 0x0000bc00u);
    EXPECT_EQ(smallest[1][lane], kNegatives);
    EXPECT_EQ(largest[2][lane] | smallest[2][lane], 0u) << "only two registers are reduced";
  }
}

}  // namespace
}  // namespace warplens::simt::sass_machine
