#include <gtest/gtest.h>

#include <sstream>

#include "warplens/base/files.h"
#include "tests/source_path.h"
#include "warplens/base/text.h"
#include "warplens/isa/cubin/cubin.h"

namespace warplens::cubin {
namespace {

/// Encodings with the text that nvdisasm gives them, kept by scripts/sass/generate.py.
TEST(Sass, NamesWhatTheDisassemblerNames) {
  const auto samples = read_file(tests::source_path("tests/data/sass/samples.txt"));
  ASSERT_TRUE(samples.ok());
  std::istringstream lines(*samples);
  int architecture = 0, count = 0;
  uint64_t low = 0, high = 0;
  for (std::string text; lines >> std::dec >> architecture >> std::hex >> low >> high >> text; ++count) {
    const SassInstruction decoded = decode(low, high, 0, architecture);
    if (text.starts_with("REDG")) text.erase(3, 1);  // one code, named RED before sm_90
    std::string shown = decoded.opcode + decoded.modifiers;
    if (shown.starts_with("REDG")) shown.erase(3, 1);
    EXPECT_EQ(shown, text) << fmt::format("{:016x} {:016x} sm_{}", low, high, architecture);
  }
  EXPECT_GT(count, 1000);
}

TEST(Sass, ReadsGuards) {
  const SassInstruction branch = decode(0xfffffffc00e88947, 0x001fea000383ffff, 0xf0, 90);
  EXPECT_EQ(branch.text(), "@!P0 BRA");
  EXPECT_TRUE(branch.is_branch);
  ASSERT_TRUE(branch.has_target);
  EXPECT_EQ(branch.target, 0xa0);
  EXPECT_EQ(decode(0xffffffb000008947, 0x000fea000383ffff, 0x310, 75).target, 0x2d0);
  EXPECT_EQ(decode(0x0000000908607547, 0x000fea000b800000, 0x610, 120).target, 0xfa0);
}

TEST(Sass, AnUnknownCodeIsShownAsANumber) {
  const SassInstruction unknown = decode(0x1ff, 0, 0, 90);
  EXPECT_FALSE(unknown.known);
  EXPECT_EQ(unknown.opcode, "0x1ff");
}

}  // namespace
}  // namespace warplens::cubin
