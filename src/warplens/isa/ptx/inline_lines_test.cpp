#include "warplens/isa/ptx/inline_lines.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace warplens::ptx {
namespace {

TEST(InlineLines, OnlyTheFirstOfAnAssemblyBlockRemains) {
  const std::string before =
      "\t.loc\t1 5 1\n\tret;\n\t// begin inline asm\n\t.loc\t1 6 18\n\tmov.u32 %r1, 0;\n\t.loc\t1 7 18  // k.py:7\n"
      "\t@%p1 ld.global.b32 %r1, [%rd1];\n\t// end inline asm\n\t.loc\t1 8 1\n";
  std::string after = with_true_lines(before);
  EXPECT_EQ(after.size(), before.size());
  EXPECT_EQ(std::count(after.begin(), after.end(), '\n'), std::count(before.begin(), before.end(), '\n'));
  EXPECT_EQ(after.find(".loc\t1 7 18"), std::string::npos);
  for (const char* kept : {".loc\t1 5 1", ".loc\t1 6 18", ".loc\t1 8 1", "@%p1 ld.global.b32"})
    EXPECT_NE(after.find(kept), std::string::npos) << kept;
  EXPECT_EQ(with_true_lines(after), after);
  EXPECT_EQ(with_true_lines("// begin inline asm\n.loc 1 2 3\n.loc 1 3 3"),
            "// begin inline asm\n.loc 1 2 3\n          ");
}

}  // namespace
}  // namespace warplens::ptx
