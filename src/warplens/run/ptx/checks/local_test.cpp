// Uninitialised reads of local memory, and what only looks like one.
#include "warplens/run/ptx/testing.h"

namespace warplens::simt::ptx_machine {
namespace {

size_t reports(const std::string& body, const std::string& before = "") {
  Bench bench(
      before +
      ".visible .entry k(.param .u64 out) {\n.local .align 16 .b8 stack[32]; .reg .b32 %r<9>; .reg .b64 %rd<9>; "
      ".reg .pred %p<2>;\nld.param.u64 %rd1, [out]; mov.u64 %rd2, stack; cvta.local.u64 %rd3, %rd2; "
      "mov.u32 %r1, %tid.x;\n" +
      body + "\nst.global.u32 [%rd1], %r2; ret; }");
  bench.argument(bench.buffer<uint32_t>(32));
  bench.config.block = {32, 1, 1};
  bench.config.checks = kCheckInit;
  const LaunchResult result = bench.run();
  EXPECT_FALSE(result.fault.has_value()) << result.fault->text();
  for (const Report& r : result.reports) EXPECT_EQ(r.id, "uninitialised-read");
  return result.reports.size();
}

TEST(LocalMemory, ReadsOfBytesNeverWrittenAreFound) {
  EXPECT_EQ(reports("ld.local.u32 %r2, [%rd2];"), 1u);
  EXPECT_EQ(reports("st.local.u32 [%rd2+4], %r1; ld.local.u32 %r2, [%rd2];"), 1u) << "another word";
  EXPECT_EQ(reports("st.local.u16 [%rd2], 1; ld.local.u32 %r2, [%rd2];"), 1u) << "half of it";
  EXPECT_EQ(reports("setp.lt.u32 %p1, %r1, 16; @%p1 st.local.u32 [%rd2], %r1; ld.local.u32 %r2, [%rd2];"), 1u)
      << "by some";
  EXPECT_EQ(reports("ld.u32 %r2, [%rd3+8];"), 1u) << "by a generic address";
}

TEST(LocalMemory, WhatWasWrittenMayBeRead) {
  EXPECT_EQ(reports("st.local.u32 [%rd2], %r1; ld.local.u32 %r2, [%rd2];"), 0u);
  EXPECT_EQ(reports("st.u32 [%rd3+8], %r1; ld.local.u32 %r2, [%rd2+8];"), 0u);
  EXPECT_EQ(reports("st.local.u32 [%rd2], %r1; ld.local.v2.u32 {%r2, %r3}, [%rd2];"), 0u) << "nothing reads %r3";
}

TEST(LocalMemory, ParametersOfCallsAreNoMemory) {
  EXPECT_EQ(
      reports("{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; call (y), f, (x); ld.param.b32 %r2, [y]; }",
              ".func (.param .b32 r) f(.param .b32 a) { .reg .b32 %r<3>; ld.param.b32 %r1, [a]; add.u32 %r2, %r1, 1; "
              "st.param.b32 [r], %r2; ret; }\n"),
      0u);
}

}  // namespace
}  // namespace warplens::simt::ptx_machine
