#include <gmock/gmock.h>

#include <thread>

#include "warplens/capi/warplens.h"

namespace {

using testing::HasSubstr;

/// y[i] = x[i] + n over one block, and a counter variable.
constexpr const char* kPtx = R"(.version 7.8
.target sm_80
.address_size 64
.visible .global .align 4 .u32 runs;
.visible .entry add(.param .u64 x, .param .u64 y, .param .u32 n) {
  .reg .b32 %r<6>; .reg .b64 %rd<7>;
  ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
  ld.global.u32 %r3, [%rd4]; add.u32 %r4, %r3, %r1; st.global.u32 [%rd5], %r4;
  mov.u64 %rd6, runs; red.global.add.u32 [%rd6], 1;
  ret;
}
)";

warplens_launch_options options_of(void** args, size_t count) {
  warplens_launch_options options = {};
  options.struct_size = sizeof options;
  options.block[0] = 4;
  options.args = args;
  options.arg_count = count;
  return options;
}

class CApi : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(module_, nullptr) << warplens_last_error(); }
  void TearDown() override { warplens_module_free(module_); }
  warplens_module* module_ = warplens_load_ptx(kPtx, "add.ptx");
  uint32_t x_[4] = {1, 2, 3, 4}, y_[4] = {};
};

TEST_F(CApi, RunsOverHostMemory) {
  warplens_add_memory(module_, x_, sizeof x_, "x", 0);
  warplens_add_memory(module_, y_, sizeof y_, "y", 1);
  uint32_t *x = x_, *y = y_, n = 10;
  void* args[] = {&x, &y, &n};
  const warplens_launch_options options = options_of(args, 3);
  warplens_result* result = warplens_launch(module_, &options);
  ASSERT_NE(result, nullptr) << warplens_last_error();
  EXPECT_EQ(warplens_result_fault(result), nullptr);
  EXPECT_THAT(y_, testing::ElementsAre(11, 12, 13, 14));
  double threads = 0;
  EXPECT_EQ(warplens_counter(result, "threads", &threads), 0);
  EXPECT_EQ(threads, 4);
  EXPECT_EQ(warplens_counter(result, "nonsense", &threads), -1);
  for (size_t i = 0; i < warplens_counter_count(result); ++i)
    EXPECT_EQ(warplens_counter(result, warplens_counter_name(result, i), &threads), 0);
  warplens_result_free(result);
  void* data = nullptr;
  size_t size = 0;
  ASSERT_EQ(warplens_symbol(module_, "runs", &data, &size), 0);
  EXPECT_EQ(size, 4u);
  EXPECT_EQ(*static_cast<uint32_t*>(data), 4u);
}

TEST_F(CApi, UnknownMemoryIsAFault) {
  uint32_t *x = x_, *y = y_, n = 10;
  void* args[] = {&x, &y, &n};
  const warplens_launch_options options = options_of(args, 3);
  warplens_result* result = warplens_launch(module_, &options);
  ASSERT_NE(result, nullptr) << warplens_last_error();
  EXPECT_NE(warplens_result_fault(result), nullptr);
  EXPECT_EQ(y_[0], 0u);
  warplens_result_free(result);
}

TEST_F(CApi, ErrorsOfTheRequest) {
  uint32_t* x = x_;
  void* args[] = {&x};
  warplens_launch_options options = options_of(args, 1);
  EXPECT_EQ(warplens_launch(module_, &options), nullptr);
  EXPECT_STREQ(warplens_last_error(), "add takes 3 arguments, not 1");
  options.struct_size = 8;
  EXPECT_EQ(warplens_launch(module_, &options), nullptr);
  EXPECT_THAT(warplens_last_error(), HasSubstr("struct_size is 8"));
  EXPECT_EQ(warplens_load_ptx("nonsense", "bad.ptx"), nullptr);
  EXPECT_THAT(warplens_last_error(), HasSubstr("bad.ptx:1:1: error"));
}

TEST_F(CApi, LastErrorIsOfTheThread) {
  EXPECT_EQ(warplens_load_ptx("nonsense", nullptr), nullptr);
  std::thread([] { EXPECT_STREQ(warplens_last_error(), ""); }).join();
  EXPECT_STRNE(warplens_last_error(), "");
}

TEST(PtxRun, TakesAnyMemory) {
  uint32_t x[4] = {1, 2, 3, 4}, y[4] = {};
  void* args[] = {x, y, reinterpret_cast<void*>(5)};
  for (int round = 0; round < 3; ++round) ptx_run(kPtx, 3, args, 4, 1, 1, 1, 1, 1, 0);
  EXPECT_THAT(y, testing::ElementsAre(6, 7, 8, 9));
}

}  // namespace
