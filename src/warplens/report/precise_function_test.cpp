#include "warplens/report/precise_function.h"

#include <gtest/gtest.h>

namespace warplens::report {
namespace {

TEST(PreciseFunction, IsToldByItsConstant) {
  const sass::Word reduction{.low = uint64_t{0x3f22f983} << 32 | 0x820};  // FMUL by 2 / pi
  const int sine = precise_function(sass::Opcode::kFmul, reduction);
  ASSERT_GE(sine, 0);
  EXPECT_STREQ(precise_functions()[static_cast<size_t>(sine)].name, "sinf or cosf");
  const sass::Word quick{.low = uint64_t{0x3e22f983} << 32 | 0x820};  // __sinf's 1 / (2 pi)
  EXPECT_EQ(precise_function(sass::Opcode::kFmul, quick), -1);
  const sass::Word none{.low = 0x820};
  EXPECT_EQ(precise_function(sass::Opcode::kFmul, none), -1);
  const int division = precise_function(sass::Opcode::kFchk, sass::Word{});
  ASSERT_GE(division, 0);
  EXPECT_STREQ(precise_functions()[static_cast<size_t>(division)].name, "a division");
}

}  // namespace
}  // namespace warplens::report
