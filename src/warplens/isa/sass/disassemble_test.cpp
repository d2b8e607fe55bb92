#include "warplens/isa/sass/disassemble.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/source_path.h"
#include "warplens/base/files.h"
#include "warplens/base/text.h"

namespace warplens::sass {
namespace {

/// Encodings with the text that nvdisasm gives them, kept by scripts/sass/generate.py.
TEST(Disassemble, NamesWhatNvdisasmNames) {
  const auto samples = read_file(tests::source_path("tests/data/sass/samples.txt"));
  ASSERT_TRUE(samples.ok());
  std::istringstream lines(*samples);
  int architecture = 0, count = 0;
  Word word;
  for (std::string text; lines >> std::dec >> architecture >> std::hex >> word.low >> word.high >> text; ++count) {
    EXPECT_EQ(disassemble(word, 0, architecture).full_name(), text)
        << fmt::format("{:016x} {:016x} sm_{}", word.low, word.high, architecture);
  }
  EXPECT_GT(count, 1000);
}

TEST(Disassemble, ReadsGuards) {
  const Disassembled branch = disassemble({0xfffffffc00e88947, 0x001fea000383ffff}, 0xf0, 90);
  EXPECT_EQ(branch.text(), "@!P0 BRA");
  EXPECT_TRUE(branch.is_branch);
  ASSERT_TRUE(branch.has_target);
  EXPECT_EQ(branch.target, 0xa0);
  EXPECT_EQ(disassemble({0xffffffb000008947, 0x000fea000383ffff}, 0x310, 75).target, 0x2d0);
  EXPECT_EQ(disassemble({0x0000000908607547, 0x000fea000b800000}, 0x610, 120).target, 0xfa0);
}

TEST(Disassemble, AnUnknownCodeIsShownAsANumber) {
  const Disassembled unknown = disassemble({0x1ff, 0}, 0, 90);
  EXPECT_FALSE(unknown.known());
  EXPECT_EQ(unknown.full_name(), "0x1ff");
}

TEST(Disassemble, FusedProductsOfHalvesAreNoSumsOfIntegers) {
  // HFMA2.MMA R5, R2, R2, R2 and, with bit 85, of bfloat16.
  const Word halves{0x0000000202057235, 0x004fca0000000002}, bfloats{halves.low, halves.high | uint64_t{1} << 21};
  EXPECT_EQ(disassemble(halves, 0, 90).full_name(), "HFMA2.MMA");
  EXPECT_EQ(disassemble(halves, 0, 90).category(), Category::kFp16);
  EXPECT_EQ(disassemble(bfloats, 0, 80).full_name(), "HFMA2.MMA.BF16_V2");
  EXPECT_EQ(disassemble(halves, 0, 120).full_name(), "IADD");
  EXPECT_EQ(disassemble(halves, 0, 120).category(), Category::kInteger);
}

TEST(Disassemble, HalvesAreNotTakenForBfloat16) {
  const Word halves{0x0000000202057231, 0x004fca0000000002};
  EXPECT_EQ(disassemble(halves, 0, 90).full_name(), "HFMA2");
  EXPECT_EQ(disassemble({halves.low, halves.high | uint64_t{1} << 21}, 0, 90).full_name(), "HFMA2.BF16_V2");
}

}  // namespace
}  // namespace warplens::sass
