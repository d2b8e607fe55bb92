#include "warplens/build/compile/compile.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "warplens/base/files.h"
#include "warplens/base/temporary_folder.h"
#include "warplens/build/compile/assemble.h"
#include "warplens/build/compile/kernel_names.h"
#include "warplens/build/compile/toolkit.h"

namespace warplens::compile {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kTemplate = "template <class T, int N> __global__ void scale(T* x) { x[threadIdx.x] *= N; }";

/// Compiles in a cache of its own.
class Compile : public testing::Test {
 protected:
  void SetUp() override {
    if (toolkit().nvrtc.empty()) GTEST_SKIP() << "no CUDA compiler here (scripts/toolkit.sh brings one)";
    ::setenv("WARPLENS_CACHE", (folder_->path() + "/cache").c_str(), 1);
  }
  void TearDown() override { ::unsetenv("WARPLENS_CACHE"); }
  std::string put(const std::string& name, const std::string& text) {
    const std::string path = folder_->path() + "/" + name;
    EXPECT_TRUE(write_file(path, text, true).ok());
    return path;
  }
  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
};

TEST_F(Compile, PtxAndCubinThenFromTheCache) {
  const Request request = {
      .source = "#include <cstdint>\n#include <cmath>\n__global__ void f(float* x) { x[0] = INFINITY; }"};
  const Result<Compiled> first = compile(request), second = compile(request);
  ASSERT_TRUE(first.ok()) << first.status().message();
  EXPECT_THAT(first->ptx, HasSubstr(".target sm_90"));
  EXPECT_THAT(first->cubin, StartsWith("\x7f"
                                       "ELF"));
  EXPECT_FALSE(first->cached);
  EXPECT_TRUE(second->cached);
  EXPECT_EQ(second->ptx, first->ptx);
  EXPECT_EQ(second->cubin, first->cubin);
}

TEST_F(Compile, ACrashOfTheCompilerIsAnError) {
  constexpr size_t kDeep = 3'000'000;
  const std::string nested = std::string(kDeep, '(') + "1" + std::string(kDeep, ')');
  const Result<Compiled> compiled = compile({.source = "__device__ int x = " + nested + ";"});
  ASSERT_FALSE(compiled.ok());
  EXPECT_THAT(compiled.status().message(), HasSubstr("NVRTC crashed on it with signal 11"));
  EXPECT_TRUE(compile({.source = "__global__ void f(int* x) { *x = 1; }"}).ok());
}

TEST_F(Compile, InstancesOfTemplates) {
  const Request request = {.source = kTemplate, .expressions = {"scale<float, 4>"}};
  for (int round = 0; round < 2; ++round) {
    const Result<Compiled> compiled = compile(request);
    ASSERT_TRUE(compiled.ok()) << compiled.status().message();
    EXPECT_THAT(entry_names(compiled->ptx), Contains(compiled->lowered.at("scale<float, 4>")));
  }
}

TEST_F(Compile, ErrorsAreTheCompilers) {
  const std::string message =
      compile({.source = "\n__global__ void f() { wrong; }", .path = "k.cu"}).status().message();
  EXPECT_THAT(message, StartsWith("k.cu: k.cu(2): error: identifier \"wrong\" is undefined"));
}

TEST_F(Compile, ChangedHeaderIsSeen) {
  put("value.h", "#define VALUE 17\n");
  const std::string path = put("k.cu", "#include \"value.h\"\n__global__ void f(int* x) { *x = VALUE; }");
  const Request request = {.source = *read_file(path), .path = path};
  EXPECT_THAT(compile(request)->ptx, HasSubstr(", 17;"));
  put("value.h", "#define VALUE 99\n");
  const Result<Compiled> changed = compile(request);
  EXPECT_FALSE(changed->cached);
  EXPECT_THAT(changed->ptx, HasSubstr(", 99;"));
}

/// All the ways to write an include: a result that was kept before the header changed would be wrong.
TEST_F(Compile, ChangedHeaderIsSeenHoweverItIsIncluded) {
  for (const char* line : {"%:include \"value.h\"", "#inc\\\nlude \"value.h\"", "/* */ #/* */include/* */\"value.h\"",
                           "\v#\finclude \"val\\\nue.h\"", "#/*\n*/include \"value.h\"",
                           "#if __has_include(\"value.h\")\n#include \"value.h\"\n#endif",
                           "#define A() \"value.h\"\n#define B A()\n#include B",
                           "#define HAS(x) __has_include(x)\n#if HAS(\"value.h\")\n#include \"value.h\"\n#endif"}) {
    const std::string path = put("k.cu", std::string(line) + "\n__global__ void f(int* x) { *x = VALUE; }");
    const Request request = {.source = *read_file(path), .path = path};
    put("value.h", "#define VALUE 17\n");
    const Result<Compiled> first = compile(request);
    ASSERT_TRUE(first.ok()) << line << first.status().message();
    EXPECT_THAT(first->ptx, HasSubstr(", 17;")) << line;
    put("value.h", "#define VALUE 99\n");
    EXPECT_THAT(compile(request)->ptx, HasSubstr(", 99;")) << line;
  }
}

TEST_F(Compile, ComputedIncludesAreNotCached) {
  put("value.h", "#define VALUE 17\n");
  const std::string path = put("k.cu", "#define H \"value.h\"\n#include H\n__global__ void f(int* x) { *x = VALUE; }");
  const Request request = {.source = *read_file(path), .path = path};
  for (int round = 0; round < 2; ++round) EXPECT_FALSE(compile(request)->cached);
}

TEST_F(Compile, HostCodeGoesToNvcc) {
  const std::string source = std::string("#include <vector>\n#include <cstdio>\n") + kTemplate +
                             "\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); std::puts(\"\"); }\n";
  const Result<Compiled> compiled =
      compile({.source = source, .path = put("k.cu", source), .expressions = {"scale<double, 2>"}});
  if (toolkit().nvcc.empty()) {
    EXPECT_THAT(compiled.status().message(),
                HasSubstr("it has host code, a <<<...>>> launch (line 5), which needs nvcc"));
    return;
  }
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  EXPECT_EQ(compiled->compiler, "nvcc");
  EXPECT_TRUE(choose_kernel(entry_names(compiled->ptx), "scale<double, 2>").ok());
  EXPECT_TRUE(choose_kernel(entry_names(compiled->ptx), "k").ok());
}

TEST_F(Compile, Assembles) {
  const Result<Compiled> compiled = compile({.source = "__global__ void f(int* x) { *x = 1; }", .arch = "compute_90"});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  EXPECT_EQ(compiled->cubin, "");
  const Result<Assembled> made = assemble(compiled->ptx, "sm_90");
  if (toolkit().ptxas.empty() && toolkit().nvjitlink.empty()) GTEST_SKIP() << "no assembler here";
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_THAT(made->cubin, StartsWith("\x7f"
                                      "ELF"));
  EXPECT_THAT(assemble("nonsense", "sm_90").status().message(), HasSubstr("error"));
}

TEST(CheckArch, SaysHowToWriteOne) {
  for (const char* good : {"sm_80", "sm_90a", "compute_100", "sm_120f"}) EXPECT_TRUE(check_arch(good).ok()) << good;
  for (const char* bad : {"", "90", "sm_", "sm_9", "sm_90b", "sm_9000", "hopper"})
    EXPECT_FALSE(check_arch(bad).ok()) << bad;
}

}  // namespace
}  // namespace warplens::compile
