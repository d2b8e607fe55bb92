// Logic, shifts, selections and predicates against plain C++.
#include <bit>

#include "warplens/run/sass/one_instruction.h"

namespace warplens::simt::sass_machine::testing {
namespace {

struct LogicCase {
  const char* name;
  Word word;
  uint32_t (*expected)(uint32_t a, uint32_t b, uint32_t c);
};

constexpr uint64_t kHigh = bit(80), kRight = bit(76), kWrap = bit(75), kS32 = field(73, 2), kU32 = field(73, 3);

const LogicCase kLogicCases[] = {
    {"MOV", word(Opcode::kMov, Form::kRegisters, kOut, kRegisterZero, kB),
     [](uint32_t, uint32_t b, uint32_t) { return b; }},
    {"LOP3 a & b", word(Opcode::kLop3, Form::kRegisters, kOut, kA, kB, kC, field(72, 0xc0)),
     [](uint32_t a, uint32_t b, uint32_t) { return a & b; }},
    {"LOP3 a ^ b ^ c", word(Opcode::kLop3, Form::kRegisters, kOut, kA, kB, kC, field(72, 0x96)),
     [](uint32_t a, uint32_t b, uint32_t c) { return a ^ b ^ c; }},
    {"LOP3 (a & b) | (~a & c)", word(Opcode::kLop3, Form::kRegisters, kOut, kA, kB, kC, field(72, 0xca)),
     [](uint32_t a, uint32_t b, uint32_t c) { return (a & b) | (~a & c); }},
    {"SHF.L.U32", word(Opcode::kShf, Form::kRegisters, kOut, kA, kB, kRegisterZero, kU32),
     [](uint32_t a, uint32_t b, uint32_t) { return b < 32 ? a << b : 0; }},
    {"SHF.R.U32.HI", word(Opcode::kShf, Form::kRegisters, kOut, kRegisterZero, kB, kC, kU32 | kRight | kHigh),
     [](uint32_t, uint32_t b, uint32_t c) { return b < 32 ? c >> b : 0; }},
    {"SHF.R.S32.HI", word(Opcode::kShf, Form::kRegisters, kOut, kRegisterZero, kB, kC, kS32 | kRight | kHigh),
     [](uint32_t, uint32_t b, uint32_t c) {
       return static_cast<uint32_t>(static_cast<int32_t>(c) >> std::min(b, 31u));
     }},
    {"SHF.R.W.U32", word(Opcode::kShf, Form::kRegisters, kOut, kA, kB, kC, kU32 | kRight | kWrap),
     [](uint32_t a, uint32_t b, uint32_t c) { return static_cast<uint32_t>((uint64_t{c} << 32 | a) >> (b & 31)); }},
    {"SHF.L.W.U32.HI", word(Opcode::kShf, Form::kRegisters, kOut, kA, kB, kC, kU32 | kWrap | kHigh),
     [](uint32_t a, uint32_t b, uint32_t c) {
       return static_cast<uint32_t>((uint64_t{c} << 32 | a) << (b & 31) >> 32);
     }},
    {"PRMT 0x0123", word(Opcode::kPrmt, Form::kImmediateB, kOut, kA, 0x0123, kC),
     [](uint32_t a, uint32_t, uint32_t) { return __builtin_bswap32(a); }},
    {"PRMT 0x5410", word(Opcode::kPrmt, Form::kImmediateB, kOut, kA, 0x5410, kC),
     [](uint32_t a, uint32_t, uint32_t c) { return (a & 0xffff) | c << 16; }},
    {"SEL PT", word(Opcode::kSel, Form::kRegisters, kOut, kA, kB), [](uint32_t a, uint32_t, uint32_t) { return a; }},
    {"SEL !PT", word(Opcode::kSel, Form::kRegisters, kOut, kA, kB, kRegisterZero, bit(90)),
     [](uint32_t, uint32_t b, uint32_t) { return b; }},
    {"SGXT 8", word(Opcode::kSgxt, Form::kImmediateB, kOut, kA, 8, kRegisterZero, bit(73)),
     [](uint32_t a, uint32_t, uint32_t) { return static_cast<uint32_t>(int32_t{static_cast<int8_t>(a)}); }},
    {"BMSK 4", word(Opcode::kBmsk, Form::kImmediateB, kOut, kA, 4),
     [](uint32_t a, uint32_t, uint32_t) { return a < 32 ? 15u << a : 0; }},
    {"BREV", word(Opcode::kBrev, Form::kRegisters, kOut, kRegisterZero, kB),
     [](uint32_t, uint32_t b, uint32_t) {
       uint32_t out = 0;
       for (int k = 0; k < 32; ++k) out |= (b >> k & 1) << (31 - k);
       return out;
     }},
    {"POPC", word(Opcode::kPopc, Form::kRegisters, kOut, kRegisterZero, kB),
     [](uint32_t, uint32_t b, uint32_t) { return static_cast<uint32_t>(std::popcount(b)); }},
    {"FLO.U32", word(Opcode::kFlo, Form::kRegisters, kOut, kRegisterZero, kB),
     [](uint32_t, uint32_t b, uint32_t) { return b ? 31 - static_cast<uint32_t>(std::countl_zero(b)) : ~0u; }},
};

TEST(Logic, EachInstructionDoesWhatItsNameSays) {
  for (const uint64_t seed : {1, 2, 3}) {
    const auto sources = numbers(seed);
    for (const LogicCase& c : kLogicCases) expect_lanes(run_one(c.word, sources), sources, c.expected, c.name);
  }
}

/// P0 to P6 as the low bits of kOut.
const Word kShowPredicates = word(Opcode::kP2r, Form::kImmediateB, kOut, kRegisterZero, 0x7f, kRegisterZero, 0, 0);
/// The predicates' fields with the result in P0 and nothing in place of the second one.
constexpr uint64_t kToP0 = (field(81, 0x3ff) & ~bit(90)) & ~field(81, 7);

TEST(Logic, ComparesOfIntegersSetPredicates) {
  struct Compare {
    uint32_t how;
    bool (*holds)(int64_t, int64_t);
  };
  constexpr Compare kCompares[] = {
      {1, [](int64_t x, int64_t y) { return x < y; }},  {2, [](int64_t x, int64_t y) { return x == y; }},
      {3, [](int64_t x, int64_t y) { return x <= y; }}, {4, [](int64_t x, int64_t y) { return x > y; }},
      {5, [](int64_t x, int64_t y) { return x != y; }}, {6, [](int64_t x, int64_t y) { return x >= y; }}};
  const auto s = numbers();
  for (const Compare& compare : kCompares) {
    for (const bool is_signed : {false, true}) {
      const Word isetp = word(Opcode::kIsetp, Form::kRegisters, 0, kA, kB, 0,
                              field(76, compare.how) | (is_signed ? bit(73) : 0), kToP0);
      const Row got = run({isetp, kShowPredicates}, s).out[0];
      for (size_t i = 0; i < kLanes; ++i) {
        const bool want = is_signed ? compare.holds(static_cast<int32_t>(s[0][i]), static_cast<int32_t>(s[1][i]))
                                    : compare.holds(s[0][i], s[1][i]);
        EXPECT_EQ(got[i], want ? 1u : 0u) << compare.how << " of " << s[0][i] << " and " << s[1][i];
      }
    }
  }
}

TEST(Logic, PredicatesComeFromRegistersAndGoBack) {
  const auto s = numbers();
  const Word r2p = word(Opcode::kR2p, Form::kImmediateB, 0, kA, 0x55, kRegisterZero, 0, 0);
  const Row got = run({r2p, kShowPredicates}, s).out[0];
  for (size_t i = 0; i < kLanes; ++i) EXPECT_EQ(got[i], s[0][i] & 0x55u) << i;
}

TEST(Logic, AGuardLeavesTheOtherLanesAsTheyWere) {
  const auto s = numbers();
  const Word r2p = word(Opcode::kR2p, Form::kImmediateB, 0, kA, 1, kRegisterZero, 0, 0);
  Word guarded = word(Opcode::kMov, Form::kRegisters, kOut, kRegisterZero, kB);
  guarded.low &= ~(uint64_t{7} << 12);  // @P0
  const Outcome outcome = run({r2p, guarded}, s);
  for (size_t i = 0; i < kLanes; ++i) EXPECT_EQ(outcome.out[0][i], s[0][i] & 1 ? s[1][i] : 0) << i;
}

TEST(Logic, PredicatesComeFromAnyByte) {
  const auto s = numbers();
  for (uint64_t byte = 0; byte < 4; ++byte) {
    const Word spread{0x0000007f00007804 | uint64_t{kA} << 24, field(76, byte)};  // R2P PR, R8.B1, 0x7f
    const Word show = word(Opcode::kP2r, Form::kImmediateB, kOut, kRegisterZero, 0x7f, kRegisterZero, 0, 0);
    expect_lanes(
        run({spread, show}, s).out[0], s, [&](uint32_t a, uint32_t, uint32_t) { return a >> 8 * byte & 0x7f; }, "R2P");
  }
}

}  // namespace
}  // namespace warplens::simt::sass_machine::testing
