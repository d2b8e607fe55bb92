#include "warplens/run/ptx/tensor_memory.h"

#include <gtest/gtest.h>

#include <bit>

#include "warplens/base/text.h"
#include "warplens/run/ptx/tensor_memory/instruction.h"
#include "warplens/run/ptx/testing.h"

namespace warplens::simt::ptx_machine {
namespace {

/// A kernel of one warp: `body` between the allocation of `columns` columns, whose address is %t, and their end.
std::string kernel(const std::string& body, int columns = 64, bool frees = true) {
  return fmt::format(
      R"(.visible .entry k(.param .u64 out) {{
  .reg .b32 %r<160>; .reg .b32 %t; .reg .b32 %l; .reg .b64 %rd<8>; .reg .pred %p<4>;
  .shared .align 8 .b32 at; .shared .align 8 .b64 barrier; .shared .align 1024 .b8 tiles[8192];
  mov.u32 %l, %tid.x; ld.param.u64 %rd1, [out]; mov.b32 %r0, at;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0], {0};
  ld.shared.b32 %t, [at];
{1}
{2}
  ret; }})",
      columns, body,
      frees ? fmt::format("  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %t, {};", columns) : std::string());
}

LaunchResult run(Bench& bench, uint32_t* out) {
  bench.argument(out);
  bench.config.block = {32, 1, 1};
  bench.config.architecture = 100;
  return bench.run();
}

std::string fault_of(const std::string& text) {
  Bench bench(text);
  const LaunchResult result = run(bench, bench.buffer<uint32_t>(8192));
  return result.fault ? result.fault->message : std::string();
}

std::string registers(int count) {
  std::string out = "{%r1";
  for (int i = 1; i < count; ++i) out += fmt::format(", %r{}", 1 + i);
  return out + "}";
}

/// Stores lane * 256 + column to 32 lanes by 32 columns, loads `shape` with `count` registers, and writes them out.
std::vector<uint32_t> loaded(const std::string& shape, int count, const std::string& offset = "") {
  std::string body = "  shl.b32 %r100, %l, 8;\n";
  for (int i = 0; i < 32; ++i) body += fmt::format("  add.u32 %r{}, %r100, {};\n", 1 + i, i);
  body += fmt::format("  tcgen05.st.sync.aligned.32x32b.x32.b32 [%t], {};\n  tcgen05.wait::st.sync.aligned;\n",
                      registers(32));
  body += fmt::format("  tcgen05.ld.sync.aligned.{}.b32 {}, [%t]{};\n  tcgen05.wait::ld.sync.aligned;\n", shape,
                      registers(count), offset);
  body += fmt::format("  mul.wide.u32 %rd2, %l, {}; add.u64 %rd1, %rd1, %rd2;\n", count * 4);
  for (int i = 0; i < count; ++i) body += fmt::format("  st.global.b32 [%rd1+{}], %r{};\n", i * 4, 1 + i);
  Bench bench(kernel(body));
  uint32_t* out = bench.buffer<uint32_t>(static_cast<size_t>(count) * 32);
  const LaunchResult result = run(bench, out);
  EXPECT_FALSE(result.fault.has_value()) << result.fault->text();
  return {out, out + count * 32};
}

uint32_t cell(uint32_t lane, uint32_t column) { return lane * 256 + column; }

TEST(TensorMemory, LoadsEveryShape) {
  const auto all = loaded("32x32b.x8", 8), narrow = loaded("16x64b.x4", 4), middle = loaded("16x128b.x2", 4),
             wide = loaded("16x256b.x2", 8), twice = loaded("16x32bx2.x4", 4, ", 16"),
             packed = loaded("32x32b.x4.pack::16b", 4);
  for (uint32_t l = 0; l < 32; ++l) {
    for (uint32_t r = 0; r < 8; ++r) {
      EXPECT_EQ(all[l * 8 + r], cell(l, r));
      EXPECT_EQ(wide[l * 8 + r], cell(l / 4 + 8 * (r / 2 % 2), r % 2 + 2 * (l % 4) + 8 * (r / 4)));
    }
    for (uint32_t r = 0; r < 4; ++r) {
      EXPECT_EQ(narrow[l * 4 + r], cell(l / 4 + 8 * (l % 2), l / 2 % 2 + 2 * r));
      EXPECT_EQ(middle[l * 4 + r], cell(l / 4 + 8 * (r % 2), l % 4 + 4 * (r / 2)));
      EXPECT_EQ(twice[l * 4 + r], cell(l % 16, r + (l >= 16 ? 16 : 0)));
      EXPECT_EQ(packed[l * 4 + r], cell(l, 2 * r) | cell(l, 2 * r + 1) << 16);
    }
  }
}

TEST(TensorMemory, MultipliesATile) {
  // A is 64x16 ones, B is 8x16 with column n all n + 1, both f16 by rows of k in units of 16 bytes; D adds up twice.
  std::string body = R"(
  mov.b32 %r1, tiles; mov.b32 %r2, 0; mov.b32 %r3, 0x3c003c00;
fill: shl.b32 %r4, %r2, 7; mad.lo.u32 %r4, %l, 4, %r4; add.u32 %r4, %r4, %r1; st.shared.b32 [%r4], %r3;
  add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 16; @%p1 bra fill;
  shr.u32 %r5, %l, 2; add.u32 %r5, %r5, 1; cvt.rn.f32.u32 %r6, %r5; cvt.rn.f16x2.f32 %r7, %r6, %r6;
  mad.lo.u32 %r4, %l, 4, %r1; st.shared.b32 [%r4+2048], %r7; st.shared.b32 [%r4+2176], %r7;
  mov.b32 %r8, barrier; setp.eq.u32 %p2, %l, 0; @%p2 mbarrier.init.shared::cta.b64 [%r8], 1;
  fence.proxy.async.shared::cta; bar.warp.sync -1;
  shr.u32 %r9, %r1, 4; cvt.u64.u32 %rd2, %r9;
  or.b64 %rd3, %rd2, 0x400000000000; or.b64 %rd3, %rd3, 0x1000080000;
  add.u64 %rd4, %rd3, 128;
  setp.ne.u32 %p3, %l, %l;
  @%p2 tcgen05.mma.cta_group::1.kind::f16 [%t], %rd3, %rd4, 0x4020010, %p3;
  setp.eq.u32 %p3, %l, %l;
  @%p2 tcgen05.mma.cta_group::1.kind::f16 [%t], %rd3, %rd4, 0x4020010, %p3;
  @%p2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r8];
wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r8], 0; @!%p1 bra wait;
  tcgen05.ld.sync.aligned.16x32bx2.x8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%t], 0;
  mul.wide.u32 %rd2, %l, 32; add.u64 %rd1, %rd1, %rd2;
  st.global.v4.b32 [%rd1], {%r1, %r2, %r3, %r4}; st.global.v4.b32 [%rd1+16], {%r5, %r6, %r7, %r8};
)";
  Bench bench(kernel(body));
  bench.config.checks = 0xf;
  uint32_t* out = bench.buffer<uint32_t>(256);
  const LaunchResult result = run(bench, out);
  ASSERT_FALSE(result.fault.has_value()) << result.fault->text();
  for (const Report& report : result.reports) ADD_FAILURE() << report.id << ": " << report.message;
  for (uint32_t i = 0; i < 256; ++i)
    EXPECT_EQ(std::bit_cast<float>(out[i]), 32.0f * static_cast<float>(i % 8 + 1)) << i;
}

TEST(TensorMemory, SaysWhatIsWrong) {
  const auto says = [](const std::string& text, std::string_view what) {
    const std::string fault = fault_of(text);
    EXPECT_NE(fault.find(what), std::string::npos) << fault;
  };
  says(kernel("  tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r1, %r2}, [%t+63];"),
       "columns 63 to 64 of tensor memory, which are not all allocated: the block holds columns 0 to 63");
  says(kernel("  add.u32 %t, %t, 0x200000; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%t];"),
       "lanes 32 to 63 of tensor memory: warp 0 of the block reaches 0 to 31");
  says(kernel("", 64, false), "the block ends with tensor memory allocated here (columns 0 to 63)");
  says(kernel("", 48), "48 columns of tensor memory: it must be 32, 64, 128, 256 or 512");
  says(kernel("  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %t, 32;"), "where no such allocation begins");
  says(kernel("  tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
              "  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0], 32;"),
       "after tcgen05.relinquish_alloc_permit");
  says(kernel("  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0], 512;"), "would wait for ever");
  says(kernel("  setp.eq.u32 %p1, %l, 0; mov.b64 %rd2, 0x6000000000000000;\n"
              "  @%p1 tcgen05.mma.cta_group::1.kind::f16 [%t], %rd2, %rd2, 0x4020000, %p1;"),
       "matrix descriptor 0x6000000000000000");
  says(kernel("  setp.eq.u32 %p1, %l, 0; mov.b64 %rd2, 0;\n"
              "  @%p1 tcgen05.mma.cta_group::2.kind::f16 [%t], %rd2, %rd2, 0x10040010, %p1;"),
       ".cta_group::2 in a block without a partner in its cluster");
}

TEST(TensorMemory, ReadsInstructionDescriptors) {
  const auto dense = read_instruction(0x8200490, TensorKind::kF16, false);
  ASSERT_TRUE(dense.ok()) << dense.status().message();
  EXPECT_EQ(dense->m, 128);
  EXPECT_EQ(dense->n, 128);
  EXPECT_EQ(dense->k, 16);
  EXPECT_EQ(dense->a, ptx::Type::kBf16);
  EXPECT_EQ(dense->b, ptx::Type::kBf16);
  EXPECT_EQ(dense->d, ptx::Type::kF32);
  const auto scaled = read_instruction(681574416, TensorKind::kMxf8f6f4, false);
  ASSERT_TRUE(scaled.ok()) << scaled.status().message();
  EXPECT_EQ(scaled->m, 128);
  EXPECT_EQ(scaled->a_scale_byte, 1);
  EXPECT_EQ(scaled->b_scale_byte, 1);
  EXPECT_FALSE(read_instruction(0, TensorKind::kF16, false).ok());
  EXPECT_FALSE(read_instruction(0x8200494, TensorKind::kF16, false).ok());  // sparse
}

TEST(TensorMemory, AllocatesTheFirstColumnsThatAreFree) {
  TensorMemory memory;
  EXPECT_EQ(memory.allocate(128, 0), 0);
  EXPECT_EQ(memory.allocate(64, 0), 128);
  EXPECT_EQ(memory.allocate(512, 0), std::nullopt);
  EXPECT_TRUE(memory.holds(100, 92));
  EXPECT_FALSE(memory.holds(100, 93));
  EXPECT_FALSE(memory.release(0, 64));
  EXPECT_TRUE(memory.release(0, 128));
  EXPECT_FALSE(memory.holds(127, 2));
  EXPECT_EQ(memory.allocate(32, 0), 0);
}

}  // namespace
}  // namespace warplens::simt::ptx_machine
