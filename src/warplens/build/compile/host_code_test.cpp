#include "warplens/build/compile/host_code.h"

#include <gtest/gtest.h>

namespace warplens::compile {
namespace {

TEST(HostCode, NamesTheFirstReason) {
  EXPECT_EQ(host_code_reason("__global__ void k() {}\nvoid f() { k<<<1, 1>>>(); }"), "a <<<...>>> launch (line 2)");
  EXPECT_EQ(host_code_reason("#include <cmath>\n# include <vector>\n"), "#include <vector> (line 2)");
  EXPECT_EQ(host_code_reason("\nint main(int argc, char** argv) {}"), "main() (line 2)");
}

TEST(HostCode, DeviceCodeHasNone) {
  EXPECT_EQ(
      host_code_reason("#include <cstdint>\n#include <cuda_fp16.h>\n__global__ void k(int n) { int domain = (n); }"),
      "");
}

TEST(HostCode, CommentsAndStringsDoNotCount) {
  EXPECT_EQ(host_code_reason("// k<<<1, 1>>>()\n/* int main() */ const char* s = \"<<<\\\"<<<\"; auto r = R\"(<<<)\";"),
            "");
}

TEST(HostCode, BlankingKeepsPlaces) {
  const std::string text = "a /* b\nc */ \"d\" 'e' 1'000 // f\ng";
  const std::string blanked = blank_literals(text);
  EXPECT_EQ(blanked, "a     \n     \" \" ' ' 1'000     \ng");
}

TEST(HostCode, UnfinishedLiterals) {
  for (const char* text : {"\"", "'", "/*", "R\"(", "R\"x", "\"\\", "//"})
    EXPECT_EQ(host_code_reason(text), "") << text;
}

}  // namespace
}  // namespace warplens::compile
