#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>

#include "warplens/base/process.h"
#include "warplens/build/compile/toolkit.h"
#include "warplens/build/inline/host.h"
#include "warplens/build/inline/kernels.h"

namespace warplens::cuda {
namespace {

using ::testing::HasSubstr;

TEST(Annotated, ShowsTheLineAtFault) {
  EXPECT_EQ(annotated("k.cu(2): error: identifier \"z\" is undefined\n1 error detected", "int a;\nint b = z;\n"),
            "k.cu(2): error: identifier \"z\" is undefined\n     2 | int b = z;\n1 error detected");
  EXPECT_EQ(annotated("nothing (here)", "x"), "nothing (here)");
}

TEST(InlineHost, CompilesLoadsAndCaches) {
  if (compile::toolkit().nvcc.empty() || find_program("ninja").empty()) GTEST_SKIP() << "no nvcc or ninja here";
  const std::string cache = ::testing::TempDir() + "warplens_inline_cache_" + std::to_string(::getpid());
  ::setenv("WARPLENS_CACHE", cache.c_str(), 1);
  const std::vector<HostSource> sources = {{"add.cpp", "extern \"C\" int add(int a, int b) { return a + b; }\n"}};
  HostOptions options;
  options.arch = "sm_90";
  for (const bool again : {false, true}) {
    const Result<InlineHost> host = InlineHost::load(sources, options);
    ASSERT_TRUE(host.ok()) << host.status().message();
    EXPECT_EQ(host->cached(), again);
    const Result<int (*)(int, int)> add = host->function<int(int, int)>("add");
    ASSERT_TRUE(add.ok());
    EXPECT_EQ((*add)(2, 3), 5);
    EXPECT_FALSE(host->function<void()>("subtract").ok());
  }
  const Result<InlineHost> wrong =
      InlineHost::load({{"wrong.cpp", "extern \"C\" int f() { return nothing; }\n"}}, options);
  EXPECT_THAT(wrong.status().message(), HasSubstr("nothing"));
  ::unsetenv("WARPLENS_CACHE");
}

}  // namespace
}  // namespace warplens::cuda
