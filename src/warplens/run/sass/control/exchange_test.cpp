// What lanes tell each other, what they share in memory, and how they meet, against plain C++.
#include <bit>
#include <numeric>

#include "warplens/run/sass/one_instruction.h"

namespace warplens::simt::sass_machine::testing {
namespace {

constexpr uint64_t kToP0 = (field(81, 0x3ff) & ~bit(90)) & ~field(81, 7);
constexpr uint64_t kFromP0 = (field(81, 0x3ff) & ~bit(90)) & ~field(87, 7);
constexpr uint32_t kThread = 0;  // the register that one_instruction.h keeps threadIdx.x in

/// P0 where b's lowest bit is set.
const Word kP0FromB = word(Opcode::kR2p, Form::kImmediateB, 0, kB, 1, kRegisterZero, 0, 0);

uint32_t lowest_bits(const Row& row) {
  uint32_t out = 0;
  for (size_t i = 0; i < kLanes; ++i) out |= (row[i] & 1) << i;
  return out;
}

TEST(Exchange, ShufflesReadTheLaneTheyName) {
  const auto s = numbers();
  struct Shuffle {
    uint32_t mode;  // 0 index, 1 up, 2 down, 3 butterfly
    uint32_t mask;
    size_t (*from)(size_t lane);
  };
  constexpr Shuffle kShuffles[] = {{0, 31, [](size_t) -> size_t { return 5; }},
                                   {1, 0, [](size_t lane) { return lane >= 5 ? lane - 5 : lane; }},
                                   {2, 31, [](size_t lane) { return lane + 5 < 32 ? lane + 5 : lane; }},
                                   {3, 31, [](size_t lane) { return lane ^ 5; }}};
  for (const Shuffle& shuffle : kShuffles) {
    Word shfl = word(Opcode::kShfl, Form::kUniformC, kOut, kA, 0);  // both the lane and the mask are immediates
    shfl.low |= uint64_t{5} << 53 | uint64_t{shuffle.mode} << 58 | uint64_t{shuffle.mask} << 40;
    const Row got = run_one(shfl, s);
    for (size_t i = 0; i < kLanes; ++i) EXPECT_EQ(got[i], s[0][shuffle.from(i)]) << shuffle.mode << " in lane " << i;
  }
}

TEST(Exchange, VotesCountLanes) {
  const auto s = numbers();
  const Word vote = word(Opcode::kVote, Form::kImmediateB, kOut, 0, 0, 0, field(72, 1), kFromP0);
  const Row got = run({kP0FromB, vote}, s).out[0];
  for (const uint32_t lanes : got) EXPECT_EQ(lanes, lowest_bits(s[1]));
}

TEST(Exchange, MatchFindsLanesOfOneValue) {
  auto s = numbers();
  for (uint32_t& value : s[0]) value %= 4;
  const Row got = run_one(word(Opcode::kMatch, Form::kRegisters, kOut, kA, 0, 0, bit(79)), s);
  for (size_t i = 0; i < kLanes; ++i) {
    uint32_t want = 0;
    for (size_t k = 0; k < kLanes; ++k) want |= static_cast<uint32_t>(s[0][k] == s[0][i]) << k;
    EXPECT_EQ(got[i], want) << i;
  }
}

TEST(Exchange, AnInvalidationOfAllMbarriersTouchesNoAddress) {
  const Word all = {0x00000000000079b1, 0};  // R0 is threadIdx.x
  const auto s = numbers();
  EXPECT_EQ(run({all, word(Opcode::kMov, Form::kRegisters, kOut, kRegisterZero, kA)}, s).out[0], s[0]);
}

TEST(Exchange, ReductionsOfAWarpReachAUniformRegister) {
  const auto s = numbers();
  constexpr uint32_t kUniform = 8;
  const Row& a = s[0];
  const auto redux = [&](uint32_t what) {
    const std::vector<Word> code = {word(Opcode::kRedux, Form::kRegisters, kUniform, kA, 0, 0, field(78, what)),
                                    word(Opcode::kMov, Form::kUniformB, kOut, kRegisterZero, kUniform)};
    return run(code, s).out[0][7];
  };
  EXPECT_EQ(redux(0), std::accumulate(a.begin(), a.end(), ~0u, std::bit_and()));
  EXPECT_EQ(redux(1), std::accumulate(a.begin(), a.end(), 0u, std::bit_or()));
  EXPECT_EQ(redux(2), std::accumulate(a.begin(), a.end(), 0u, std::bit_xor()));
  EXPECT_EQ(redux(3), std::accumulate(a.begin(), a.end(), 0u));
  EXPECT_EQ(redux(4), *std::min_element(a.begin(), a.end()));
  EXPECT_EQ(redux(5), *std::max_element(a.begin(), a.end()));
}

// Shared memory begins behind the kilobyte that the system keeps.
constexpr uint64_t kReserved = 1024, kWords32 = field(73, 4);
constexpr uint32_t kAddress = 20;
/// R20 = 4 * lane.
const Word kOwnWord = word(Opcode::kImad, Form::kImmediateB, kAddress, kThread, 4);

Word store_shared(uint32_t value, uint64_t width = kWords32) {
  return word(Opcode::kSts, Form::kConstantC, 0, kAddress, value | kReserved << 8, kRegisterZero, width, 0);
}
Word load_shared(uint32_t target, uint32_t address, uint64_t width = kWords32) {
  return word(Opcode::kLds, Form::kImmediateB, target, address, kRegisterZero | kReserved << 8, 0, width, 0);
}

TEST(Memory, SharedWordsAreReadWhereTheyWereWritten) {
  const auto s = numbers();
  constexpr uint32_t kOther = 21;  // 4 * (lane ^ 3)
  const std::vector<Word> code = {
      kOwnWord, store_shared(kA),
      word(Opcode::kLop3, Form::kImmediateB, kOther, kAddress, 12, kRegisterZero, field(72, 0x3c)),
      load_shared(kOut, kOther)};
  const Outcome outcome = run(code, s);
  for (size_t i = 0; i < kLanes; ++i) EXPECT_EQ(outcome.out[0][i], s[0][i ^ 3]) << i;
}

TEST(Memory, BytesAndHalvesAreExtendedAsAsked) {
  const auto s = numbers();
  struct Width {
    uint32_t code;
    uint32_t (*value)(uint32_t);
  };
  constexpr Width kWidths[] = {{0, [](uint32_t x) { return x & 0xff; }},
                               {1, [](uint32_t x) { return static_cast<uint32_t>(int32_t{static_cast<int8_t>(x)}); }},
                               {2, [](uint32_t x) { return x & 0xffff; }},
                               {3, [](uint32_t x) { return static_cast<uint32_t>(int32_t{static_cast<int16_t>(x)}); }}};
  for (const Width& width : kWidths) {
    const Outcome outcome = run({kOwnWord, store_shared(kA), load_shared(kOut, kAddress, field(73, width.code))}, s);
    for (size_t i = 0; i < kLanes; ++i) EXPECT_EQ(outcome.out[0][i], width.value(s[0][i])) << width.code;
  }
}

TEST(Atomics, SumsOfLanesOnOneWordArriveAllOfThem) {
  const auto s = numbers();
  const Word atom =
      word(Opcode::kAtoms, Form::kImmediateB, kOutHigh, kRegisterZero, kA | kReserved << 8, kRegisterZero, 0, 0);
  const std::vector<Word> code = {word(Opcode::kMov, Form::kImmediateB, kAddress, kRegisterZero, 0), atom,
                                  load_shared(kOut, kAddress)};
  const Outcome outcome = run(code, s);
  const uint32_t sum = std::accumulate(s[0].begin(), s[0].end(), 0u);
  for (size_t i = 0; i < kLanes; ++i) EXPECT_EQ(outcome.out[0][i], sum);
  uint32_t before = 0;
  for (size_t i = 0; i < kLanes; ++i) {  // lanes go one after the other
    EXPECT_EQ(outcome.out[1][i], before) << i;
    before += s[0][i];
  }
}

TEST(Matrix, ProductsOfHalvesAreSummedInSingle) {
  // All of A is 2, all of B is 3 and C is the lane's number: 8 products each (HMMA.1688.F32).
  std::array<Row, 4> s{};
  s[0].fill(0x40004000);
  s[1].fill(0x42004200);
  for (size_t i = 0; i < kLanes; ++i) s[2][i] = std::bit_cast<uint32_t>(static_cast<float>(i));
  std::vector<Word> code;
  for (uint32_t k = 0; k < 2; ++k) code.push_back(word(Opcode::kMov, Form::kRegisters, 24 + k, kRegisterZero, kA));
  for (uint32_t k = 0; k < 4; ++k) code.push_back(word(Opcode::kMov, Form::kRegisters, 16 + k, kRegisterZero, kC));
  code.push_back(word(Opcode::kHmma, Form::kRegisters, kOut, 24, kB, 16, bit(76), 0));
  const Outcome outcome = run(code, s);
  for (const Row& row : outcome.out) {
    for (size_t i = 0; i < kLanes; ++i) EXPECT_EQ(std::bit_cast<float>(row[i]), static_cast<float>(i + 8 * 6)) << i;
  }
}

}  // namespace
}  // namespace warplens::simt::sass_machine::testing
