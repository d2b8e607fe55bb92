#include "warplens/build/compile/includes.h"

#include <gtest/gtest.h>

namespace warplens::compile {
namespace {

TEST(Includes, LinesWithoutAnOperandAreNotKnown) {
  for (const char* source : {"#include\n", "#embed", "#import  \n", "%:include\n", "#include /* a\n*/ \"a.h\"\n",
                             "#if __has_include(\n#endif\n", "#if __has_embed( \n#endif\n"})
    EXPECT_TRUE(scan_includes(source, "/nowhere", {}).computed) << source;
  EXPECT_FALSE(scan_includes("#include \"a.h\"\n#embed <b>\n", "/nowhere", {}).computed);
}

TEST(Includes, EmbeddedFilesAreReadLikeHeaders) {
  EXPECT_FALSE(scan_includes("#embed \"/dev/zero\" limit(3)\n", "/nowhere", {}).readable.ok());
  EXPECT_FALSE(scan_includes("#if __has_embed(</dev/zero>)\n#endif\n", "/nowhere", {}).readable.ok());
}

}  // namespace
}  // namespace warplens::compile
