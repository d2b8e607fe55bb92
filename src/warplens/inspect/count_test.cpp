#include "warplens/inspect/count.h"

#include <gtest/gtest.h>

#include "warplens/isa/ptx/parser.h"

namespace warplens::inspect {
namespace {

constexpr const char* kText = R"(.version 8.0
.target sm_80
.address_size 64
.file 1 "scale.cu"
.visible .entry scale(.param .u64 to, .param .u64 from)
.maxntid 128, 2, 1
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .f32 %f<8>;
  .reg .b64 %rd<4>;
  .shared .align 4 .b8 tile[256];
  .loc 1 3 1
  ld.param.u64 %rd1, [from];
  ld.param.u64 %rd2, [to];
  mov.u32 %r1, 0;
again:
  .loc 1 5 1
  ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];
  fma.rn.f32 %f5, %f1, %f2, %f3;
  mul.f32 %f6, %f5, %f4;
  .loc 1 6 1
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p1, %r1, 8;
  @%p1 bra again;
  .loc 1 7 1
  st.global.f32 [%rd2], %f6;
  atom.global.add.f32 %f7, [%rd2], %f6;
  ret;
}
)";

Report report_of(const char* text) {
  const Result<ptx::Module> module = ptx::parse(text, "scale.ptx");
  EXPECT_TRUE(module.ok()) << module.status().message();
  Report report;
  if (module.ok()) count_ptx(*module, "", report);
  return report;
}

TEST(CountPtx, InstructionsAndMemoryByKindSpaceAndWidth) {
  const Report report = report_of(kText);
  EXPECT_EQ(report.architecture, "sm_80");
  EXPECT_EQ(report.ptx_version, "8.0");
  ASSERT_EQ(report.kernels.size(), 1u);
  const Kernel& kernel = report.kernels[0];
  EXPECT_EQ(kernel.name, "scale");
  EXPECT_TRUE(kernel.is_kernel);
  EXPECT_EQ(kernel.instructions.ptx, 12u);
  EXPECT_EQ(kernel.unknown_ptx, 0u);
  EXPECT_EQ(kernel.parameter_bytes, 16u);
  EXPECT_EQ(kernel.ptx_shared_bytes, 256u);
  EXPECT_EQ(kernel.max_threads, (std::array<uint32_t, 3>{128, 2, 1}));
  EXPECT_EQ(kernel.required_threads, (std::array<uint32_t, 3>{}));
  EXPECT_EQ(kernel.memory.at({"global", "load", 16}).ptx, 1u);
  EXPECT_EQ(kernel.memory.at({"global", "store", 4}).ptx, 1u);
  EXPECT_EQ(kernel.memory.at({"global", "atomic", 4}).ptx, 1u);
}

TEST(CountPtx, LinesKnowFusedArithmeticAndWhatALoopRepeats) {
  const Report report = report_of(kText);
  ASSERT_EQ(report.kernels.size(), 1u);
  const Line& line = report.kernels[0].lines.at({"scale.cu", 5});
  EXPECT_EQ(line.instructions.ptx, 3u);
  EXPECT_EQ(line.fused.ptx, 1u);
  EXPECT_EQ(line.unfused.ptx, 1u);
  EXPECT_EQ(line.ptx_in_loop.at("ld.global.v4.f32"), 1u);
  EXPECT_EQ(line.ptx_in_loop.at("fma.rn.f32"), 1u);
  EXPECT_FALSE(line.ptx_in_loop.contains("mul.f32"));
  EXPECT_TRUE(report.kernels[0].lines.at({"scale.cu", 7}).ptx_in_loop.empty());
}

TEST(CountPtx, DeclarationsAreNoKernels) {
  const Report report = report_of(
      ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func (.param .b32 out) other(.param .b32 in);\n");
  EXPECT_TRUE(report.kernels.empty());
}

}  // namespace
}  // namespace warplens::inspect
