// Lanes of a warp that store to one address: the one whose value an H200 keeps.
#include "warplens/run/ptx/testing.h"

namespace warplens::simt::ptx_machine {
namespace {

/// Lane l stores 100 + l (again in every word) at place l & mask.
std::string kernel(const std::string& space, const std::string& store, const std::string& values, int step) {
  return R"(
.visible .entry k(.param .u64 out, .param .u32 mask) {
  .reg .b16 %h; .reg .b32 %r<8>; .reg .b64 %rd<8>;
  .shared .align 16 .b8 s[512];
  ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [mask];
  mov.u32 %r2, %tid.x; and.b32 %r3, %r2, %r1; add.u32 %r4, %r2, 100;
  mul.lo.u32 %r3, %r3, )" +
         std::to_string(step) + R"(;
  cvt.u64.u32 %rd2, %r3; mov.u64 %rd3, s; add.u64 %rd4, %rd3, %rd2; add.u64 %rd5, %rd1, %rd2;
  )" + store +
         " " + (space == "shared" ? "[%rd4], " : "[%rd5], ") + values + ";\n" +
         (space == "shared" ? "ld.shared.u32 %r6, [%rd4]; st.global.u32 [%rd5], %r6;\n" : "") + "ret; }";
}

std::vector<int> kept(const std::string& space, const std::string& store, const std::string& values, int step,
                      uint32_t mask) {
  Bench bench(kernel(space, store, values, step).c_str());
  auto* out = bench.buffer<uint8_t>(512);
  bench.config.block = {32, 1, 1};
  const LaunchResult result = bench.argument(out).argument(mask).run();
  EXPECT_FALSE(result.fault) << result.fault->text();
  std::vector<int> lanes;
  for (uint32_t place = 0; place <= mask; ++place) lanes.push_back(out[place * static_cast<uint32_t>(step)] - 100);
  return lanes;
}

using Lanes = std::vector<int>;

TEST(Store, TheLowestLaneWinsUpToFourBytes) {
  for (const std::string space : {"global", "shared"}) {
    EXPECT_EQ(kept(space, "st." + space + ".u32", "%r4", 4, 0), Lanes({0})) << space;
    EXPECT_EQ(kept(space, "st." + space + ".u32", "%r4", 4, 3), Lanes({0, 1, 2, 3})) << space;
    EXPECT_EQ(kept(space, "st." + space + ".u8", "%r4", 4, 3), Lanes({0, 1, 2, 3})) << space;
  }
}

TEST(Store, WiderOnesGoInHalvesAndQuarters) {
  for (const std::string space : {"global", "shared"}) {
    EXPECT_EQ(kept(space, "st." + space + ".v2.u32", "{%r4, %r4}", 8, 3), Lanes({16, 17, 18, 19})) << space;
    EXPECT_EQ(kept(space, "st." + space + ".v4.u32", "{%r4, %r4, %r4, %r4}", 16, 3), Lanes({24, 25, 26, 27})) << space;
  }
}

}  // namespace
}  // namespace warplens::simt::ptx_machine
