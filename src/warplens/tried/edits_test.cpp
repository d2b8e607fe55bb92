// Changes of a kernel's text, without running any.
#include <gtest/gtest.h>

#include "warplens/tried/find_edit_test.h"

namespace warplens::tried {
namespace {

constexpr const char* kSource = R"cu(// __global__ void turn(float* x) in a comment
__global__ void turn(const float* x, float* y, int n);
template <typename T, int N>
__global__ void turn(const float *x, float* y,
                     int n) {
  __shared__ float tile[32][32];  // 0.5 a thread
  const char* text = "0.25 __shared__ float no[2][2];";
  for (int k = 0; k < n; ++k) tile[k][threadIdx.x] = x[k] * 0.5 + 1e-3 + 2.f;
  y[blockDim.x * blockIdx.x] = tile[threadIdx.x][0] * 1'000;
}
__global__ void turner(float* x) { x[0] = 0.5; }
)cu";

launch::LaunchSpec launch_of(uint32_t grid, uint32_t block) {
  launch::LaunchSpec out;
  out.grid = {grid, 1, 1};
  out.block = {block, 1, 1};
  return out;
}

TEST(KernelText, FindsTheDefinitionAlone) {
  const auto kernel = find_kernel(kSource, "turn");
  ASSERT_TRUE(kernel.has_value());
  EXPECT_EQ(parameters_of(*kernel).size(), 3u);
  EXPECT_FALSE(find_kernel(kSource, "turned").has_value());
  EXPECT_FALSE(find_kernel(std::string(kSource) + "__global__ void turner(int) {}", "turner").has_value());
  EXPECT_FALSE(find_kernel("__global__ void cut(float* x) { x[0] = 1", "cut").has_value());
}

TEST(KernelText, CommentsAndStringsAreBlankAndLinesStay) {
  EXPECT_EQ(without_comments("a // b\nc /* d\n */ e"), "a     \nc     \n    e");
  EXPECT_EQ(without_comments("x = \"a\\\"b\" + 'c' + 1'000;"), "x =        +     + 1'000;");
  EXPECT_EQ(without_comments("R\"(a\"b)\" c"), "         c");
}

TEST(Edits, ChangeWhatTheySayAndNothingElse) {
  const auto kernel = find_kernel(kSource, "turn");
  const std::vector<Edit> edits = edits_of(kSource, *kernel, launch_of(64, 256));
  const Edit* pad = find(edits, "pad the rows of tile");
  ASSERT_NE(pad, nullptr);
  EXPECT_NE(pad->source.find("tile[32][32 + 1];"), std::string::npos);
  EXPECT_NE(pad->source.find("\"0.25 __shared__ float no[2][2];\""), std::string::npos);
  const Edit* single = find(edits, "an f on constants");
  ASSERT_NE(single, nullptr);
  EXPECT_NE(single->source.find("x[k] * 0.5f + 1e-3f + 2.f;"), std::string::npos);
  EXPECT_NE(single->source.find("turner(float* x) { x[0] = 0.5; }"), std::string::npos);
  const Edit* pointers = find(edits, "__restrict__");
  ASSERT_NE(pointers, nullptr);
  EXPECT_NE(pointers->source.find("turn(const float * __restrict__ x, float* __restrict__ y,"), std::string::npos);
  EXPECT_NE(find(edits, "__launch_bounds__(256, 8)")->source.find("void __launch_bounds__(256, 8) turn(const"),
            std::string::npos);
}

TEST(Edits, TwoPointersToOneArrayAreNotRestricted) {
  const std::string source = "__global__ void k(float* x, float* y) { y[0] = x[1]; }";
  launch::LaunchSpec launch = launch_of(1, 32);
  launch.args.resize(2);
  launch.args[0].buffer = launch.args[1].buffer = "a";
  EXPECT_EQ(find(edits_of(source, *find_kernel(source, "k"), launch), "__restrict__"), nullptr);
}

TEST(Edits, AtomicsWhoseResultIsNotUsedAreGathered) {
  const std::string source =
      "int n;\ntemplate <int N>\n__global__ void k(int* o, int* p) {\n  if (N) atomicAdd(o, 1);\n  p[atomicAdd(p, 1)] "
      "= 0;\n}\n";
  const Edit* gathered = nullptr;
  const std::vector<Edit> edits = edits_of(source, *find_kernel(source, "k"), launch_of(1, 32));
  ASSERT_NE(gathered = find(edits, "a warp's atomics"), nullptr);
  EXPECT_NE(gathered->source.find("if (N) add_of_warp(o, 1);\n  p[atomicAdd(p, 1)] = 0;"), std::string::npos);
  EXPECT_NE(gathered->source.find("}\n}\ntemplate <int N>\n__global__"), std::string::npos);
  EXPECT_TRUE(gathered->source.starts_with("int n;\nextern \"C++\" {"));
  const std::string patch = patch_of("a.cu", source, gathered->source);
  EXPECT_NE(patch.find(" int n;\n+extern"), std::string::npos) << patch;
  EXPECT_NE(patch.find("-  if (N) atomicAdd(o, 1);\n+  if (N) add_of_warp(o, 1);"), std::string::npos) << patch;
}

launch::Argument number(std::string text, std::vector<uint8_t> bytes) {
  return {.bytes = std::move(bytes), .text = std::move(text)};
}

TEST(Edits, SizesThatTheKernelKeepsBecomeConstants) {
  const std::string source =
      "__global__ void k(float* x, int n, unsigned int m, const int left, float f) { while (left--) x[n % m] = f; }";
  launch::LaunchSpec launch = launch_of(1, 32);
  launch.args = {{.buffer = "x"},
                 number("i32", {0xff, 0xff, 0xff, 0xff}),
                 number("u32", {7, 0, 0, 0}),
                 number("i32", {3, 0, 0, 0}),
                 number("f32", {0, 0, 0, 0})};
  const std::vector<Edit> edits = edits_of(source, *find_kernel(source, "k"), launch);
  const Edit* sizes = find(edits, "known to the compiler");
  ASSERT_NE(sizes, nullptr);
  EXPECT_EQ(sizes->what, "n = -1, m = 7u known to the compiler");
  EXPECT_EQ(
      sizes->source,
      "__global__ void k(float* x, int n_given, unsigned int m_given, const int left, float f) { constexpr int n = "
      "-1; constexpr unsigned int m = 7u; while (left--) x[n % m] = f; }");
  launch.args.pop_back();  // what stands where is not known
  EXPECT_EQ(find(edits_of(source, *find_kernel(source, "k"), launch), "known to the compiler"), nullptr);
}

TEST(Patch, HasTheLinesThatDiffer) {
  EXPECT_EQ(patch_of("a.cu", "x\ny\nz\n", "x\nY\nz\n"), "--- a.cu\n+++ a.cu\n@@ -1,3 +1,3 @@\n x\n-y\n+Y\n z\n");
}

TEST(Patch, LinesFarApartAreHunksWithContext) {
  EXPECT_EQ(patch_of("a.cu", "a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n"),
            "--- a.cu\n+++ a.cu\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
  EXPECT_EQ(patch_of("a.cu", "a\nb\n", "a\nnew\nb\n"), "--- a.cu\n+++ a.cu\n@@ -1,2 +1,3 @@\n a\n+new\n b\n");
}

}  // namespace
}  // namespace warplens::tried
