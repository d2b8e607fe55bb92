// printf: what its format asks for, and nothing else that the host's printf could do. free: what malloc gave alone.
#include <gmock/gmock.h>

#include "warplens/base/text.h"
#include "warplens/run/ptx/testing.h"

namespace warplens::simt::ptx_machine {
namespace {

/// What a thread prints with `format` and arguments that start with the 32-bit words 7 and 42.
std::string printed(const std::string& format) {
  std::string bytes;
  for (const char c : format) bytes += fmt::format("{}, ", static_cast<int>(static_cast<unsigned char>(c)));
  Bench bench(fmt::format(R"(.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[] = {{{}0}};
.visible .entry k() {{
  .reg .b64 %f, %a; .reg .b32 %r; .local .align 8 .b8 values[64];
  mov.u64 %f, text; cvta.global.u64 %f, %f; mov.u64 %a, values; cvta.local.u64 %a, %a;
  st.local.u32 [values], 7; st.local.u32 [values+4], 42;
  {{ .param .b64 p; .param .b64 q; .param .b32 result;
    st.param.b64 [p], %f; st.param.b64 [q], %a;
    call.uni (result), vprintf, (p, q);
    ld.param.b32 %r, [result]; }}
  ret;
}})",
                          bytes));
  bench.config.block = {1, 1, 1};
  return bench.run().output;
}

TEST(Printf, FormatsAsTheHostDoes) {
  EXPECT_EQ(printed("a=%d b=%-4d|"), "a=7 b=42  |");
  EXPECT_EQ(printed("%*d|"), "     42|");
  EXPECT_EQ(printed("%05d %#x%%"), "00007 0x2a%");
  EXPECT_EQ(printed("%lld"), "180388626439");
}

TEST(Printf, PrintsWhatIsNoConversionOfKernelsAsItStands) {
  EXPECT_EQ(printed("%n %d"), "%n 7");
  EXPECT_EQ(printed("%n d"), "%n d");
  EXPECT_EQ(printed("%S d %1$d %m"), "%S d %1$d %m");
  EXPECT_EQ(printed("100%"), "100%");
}

TEST(Printf, CutsWidthsThatNobodyMeans) {
  EXPECT_EQ(printed("%2147483647d").size(), 511u);
  EXPECT_LE(printed("%.2147483647d").size(), 511u);
}

/// What a kernel faults with that calls free(x + offset) `times` times; x is what malloc gave it, or else its argument.
std::string fault_of_free(bool own, int64_t offset, int times) {
  std::string calls;
  for (int i = 0; i < times; ++i) calls += "{ .param .b64 p; st.param.b64 [p], %x; call.uni free, (p); }\n";
  Bench bench(fmt::format(R"(.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.visible .entry k(.param .u64 given) {{
  .reg .b64 %x, %n; mov.u64 %n, 64;
  ld.param.u64 %x, [given];
  {}{{ .param .b64 p; .param .b64 r; st.param.b64 [p], %n; call.uni (r), malloc, (p); ld.param.b64 %x, [r]; }}
  add.s64 %x, %x, {};
  {}
  ret;
}})",
                          own ? "" : "//", offset, calls));
  bench.config.block = {1, 1, 1};
  bench.argument(bench.buffer<int>(16, 0, "weights"));
  const LaunchResult result = bench.run();
  return result.fault ? result.fault->message : "";
}

TEST(Free, TakesWhatMallocGaveOnce) {
  EXPECT_EQ(fault_of_free(true, 0, 1), "");
  EXPECT_THAT(fault_of_free(true, 0, 2), testing::HasSubstr("which was freed before"));
  EXPECT_THAT(fault_of_free(true, 8, 1), testing::HasSubstr("which is not the start of a live allocation"));
}

TEST(Free, RefusesBuffersOfTheHost) {
  EXPECT_THAT(fault_of_free(false, 0, 1),
              testing::HasSubstr("the start of 'weights': a kernel can free only memory from malloc in a kernel"));
}

/// Each of 256 threads gets memory, stores there (or does not), reads it back and gives the memory back: ids of
/// reports.
std::vector<std::string> defects_of_heap(bool stores) {
  Bench bench(fmt::format(R"(.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.visible .entry k(.param .u64 out) {{
  .reg .b64 %x, %n, %o; .reg .b32 %t, %v; mov.u64 %n, 64; mov.u32 %t, %tid.x;
  {{ .param .b64 p; .param .b64 r; st.param.b64 [p], %n; call.uni (r), malloc, (p); ld.param.b64 %x, [r]; }}
  {}st.global.u32 [%x], %t;
  ld.global.u32 %v, [%x];
  {{ .param .b64 p; st.param.b64 [p], %x; call.uni free, (p); }}
  ld.param.u64 %o, [out]; mul.wide.u32 %n, %t, 4; add.s64 %o, %o, %n; st.global.u32 [%o], %v;
  ret;
}})",
                          stores ? "" : "//"));
  bench.config.block = {256, 1, 1};
  bench.config.checks = kCheckAll;
  bench.argument(bench.buffer<uint32_t>(256, 0, "out"));
  std::vector<std::string> ids;
  for (const Report& report : bench.run().reports) ids.push_back(report.id);
  return ids;
}

TEST(Malloc, FreedMemoryStartsAnewForItsNextOwner) { EXPECT_THAT(defects_of_heap(true), testing::IsEmpty()); }
TEST(Malloc, GivesUnwrittenMemory) { EXPECT_THAT(defects_of_heap(false), testing::ElementsAre("uninitialised-read")); }

}  // namespace
}  // namespace warplens::simt::ptx_machine
