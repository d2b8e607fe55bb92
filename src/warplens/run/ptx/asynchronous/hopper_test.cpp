#include <gtest/gtest.h>

#include "warplens/run/ptx/testing.h"
#include "warplens/simt/asynchronous/tensor_map.h"
#include "warplens/simt/matrix/math.h"

namespace warplens::simt::ptx_machine {
namespace {

/// Block 0 stores to block 1's shared memory, which waits for the bytes on its mbarrier.
TEST(Cluster, BlocksStoreToEachOthersSharedMemory) {
  Bench bench(R"(
.visible .entry k(.param .u64 out) .reqnctapercluster 2, 1, 1 {
  .reg .b32 %r<12>; .reg .b64 %rd<4>; .reg .pred %p<4>;
  .shared .align 8 .b64 barrier; .shared .align 8 .b32 box[32];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank; mov.b32 %r3, barrier; mov.b32 %r4, box;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared::cta.b64 [%r3], 1;
  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 128;
  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
  setp.eq.u32 %p2, %r2, 1; @%p2 bra wait;
  mapa.shared::cluster.u32 %r5, %r4, 1; mapa.shared::cluster.u32 %r6, %r3, 1;
  mad.lo.u32 %r5, %r1, 4, %r5; add.u32 %r7, %r1, 100;
  st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r5], %r7, [%r6];
  bra done;
wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0; @!%p3 bra wait;
  ld.param.u64 %rd1, [out]; mad.lo.u32 %r8, %r1, 4, %r4; ld.shared.u32 %r9, [%r8];
  mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r9;
done:
  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
  ret;
})");
  uint32_t* out = bench.buffer<uint32_t>(32);
  bench.argument(out);
  bench.config.grid = {2, 1, 1};
  bench.config.block = {32, 1, 1};
  bench.config.cluster = {2, 1, 1};
  const LaunchResult result = bench.run();
  EXPECT_FALSE(result.fault.has_value()) << result.fault->text();
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 100 + i);
}

TEST(Mbarrier, MoreArrivalsThanExpectedAreAFault) {
  Bench bench(R"(
.visible .entry k() { .reg .b32 %r<4>; .shared .align 8 .b64 barrier; mov.b32 %r1, barrier;
  mbarrier.init.shared.b64 [%r1], 2; mbarrier.arrive.shared.b64 _, [%r1], 3; ret; })");
  const LaunchResult result = bench.run();
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_NE(result.fault->message.find("more arrivals at an mbarrier"), std::string::npos);
}

TEST(TensorMap, RefusesWhatHardwareRefuses) {
  TensorMap map;
  map.element_type = 6;
  map.box = {128, 1, 1, 1, 1};
  EXPECT_TRUE(check(map).ok());
  EXPECT_EQ(box_bytes(map), 256);
  map.swizzle = 3;
  EXPECT_FALSE(check(map).ok());
  map.box[0] = 64;
  EXPECT_TRUE(check(map).ok());
  EXPECT_EQ(swizzled(128, map.swizzle), 128 + 16);
}

/// Sums of boxes are in the map's type, and no block's is lost, in whatever order and on however many threads.
TEST(TensorMap, ReductionsOfBoxesAddInTheMapsType) {
  Bench bench(R"(
.visible .entry k(.param .u64 map) {
  .reg .b32 %r<4>; .reg .b64 %rd<2>; .reg .pred %p<2>;
  .shared .align 128 .b8 box[128];
  ld.param.u64 %rd1, [map];
  mov.u32 %r1, %tid.x; mov.u32 %r2, box; mad.lo.u32 %r2, %r1, 4, %r2;
  st.shared.f32 [%r2], 0f3FC00000;
  fence.proxy.async.shared::cta; bar.sync 0;
  setp.ne.u32 %p1, %r1, 0; @%p1 bra done;
  cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd1, {0, 0}], [%r2];
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
done:
  ret; })");
  constexpr uint32_t kBlocks = 2000;
  auto* sums = bench.buffer<float>(32, 1.0f);
  auto* map = bench.buffer<uint64_t>(kTensorMapBytes / 8);
  const auto encoded = encode({reinterpret_cast<uint64_t>(sums), 7, {8, 4}, {32}, {8, 4}, 0, false});
  ASSERT_TRUE(encoded.ok()) << encoded.status().message();
  ASSERT_TRUE(write_map(*encoded, reinterpret_cast<uint8_t*>(map)));
  bench.config.grid = {kBlocks, 1, 1};
  bench.config.block = {32, 1, 1};
  bench.config.threads = 4;
  bench.config.deterministic = false;
  const LaunchResult result = bench.argument(map).run();
  ASSERT_FALSE(result.fault) << result.fault->text();
  for (int i = 0; i < 32; ++i) EXPECT_EQ(sums[i], 1 + 1.5f * kBlocks) << i;
}

TEST(Dot, TermsFarBelowTheLargestAreCut) {
  const uint32_t a[2] = {0x4400, 0x0001}, b[2] = {0x4400, 0x3c00};  // 4 * 4 + 2^-24 * 1
  uint32_t c = 0;
  MatrixProduct product{1, 1, 2, ptx::Type::kF16, ptx::Type::kF16, ptx::Type::kF32, a, b, &c};
  multiply_float(product, dot_model(90, ptx::Type::kF16, false));
  EXPECT_EQ(c, 0x41800000u);
  c = 0x7f800000;
  const uint32_t minus[2] = {0xfc00, 0}, one[2] = {0x3c00, 0};
  product.a = minus;
  product.b = one;
  multiply_float(product, dot_model(90, ptx::Type::kF16, false));
  EXPECT_EQ(c, 0x7fffffffu) << "infinity minus infinity";
}

/// The warps of a warpgroup start their products together, so each sees what the others stored before.
TEST(Hopper, WarpgroupsMeetAtTheirFence) {
  Bench bench(R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<8>; .reg .b64 %rd<4>;
  .shared .align 4 .b8 s[1024];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x; mov.u32 %r2, s; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3;
  st.shared.u32 [%r4], %r1;
  wgmma.fence.sync.aligned;
  xor.b32 %r5, %r3, 384; add.u32 %r6, %r2, %r5;
  ld.shared.u32 %r7, [%r6];
  cvt.u64.u32 %rd2, %r3; add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r7;
  ret;
})");
  constexpr uint32_t kThreads = 256;
  auto* out = bench.buffer<uint32_t>(kThreads);
  bench.config.block = {kThreads, 1, 1};
  const LaunchResult result = bench.argument(out).run();
  ASSERT_FALSE(result.fault) << result.fault->text();
  for (uint32_t i = 0; i < kThreads; ++i) EXPECT_EQ(out[i], i ^ 96u) << i;  // the warp three away in the group
}

}  // namespace
}  // namespace warplens::simt::ptx_machine
