#include "warplens/report/access_picture.h"

#include <gtest/gtest.h>

#include "warplens/run/ptx/memory/access.h"

namespace warplens::counters {
namespace {

kernel::AccessSample shared_sample(uint32_t size, uint64_t stride, uint32_t lanes = 0xffffffff) {
  kernel::AccessSample s;
  s.space = kernel::AccessSample::Space::kShared;
  s.size_bytes = size;
  s.lanes = lanes;
  for (size_t lane = 0; lane < 32; ++lane) s.addresses[lane] = 1024 + lane * stride;
  return s;
}

TEST(SharedPasses, AreAsManyAsAreCounted) {
  uint64_t state = 1;
  for (int trial = 0; trial < 3000; ++trial) {
    kernel::AccessSample s = shared_sample(1u << (trial % 3 + 2), 0);
    for (uint64_t& address : s.addresses) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      address = (state >> 33) % (trial % 7 ? 4096 : 128) / s.size_bytes * s.size_bytes;
    }
    s.lanes = static_cast<uint32_t>(state >> 32) | (trial % 2 ? 0xffffffff : 1);
    s.store = trial % 5 == 0;
    const emulator::Wavefronts counted = emulator::count_wavefronts(s.addresses.data(), s.lanes, s.size_bytes, s.store);
    ASSERT_EQ(kernel::shared_passes(s).size(), counted.actual) << trial;
  }
}

TEST(SharedPasses, NameTheLaneThatEachBankServes) {
  const auto passes = kernel::shared_passes(shared_sample(4, 64));  // two banks, 16 words of each
  ASSERT_EQ(passes.size(), 16u);
  EXPECT_EQ(passes[0][0], 0);
  EXPECT_EQ(passes[0][16], 1);
  EXPECT_EQ(passes[15][16], 31);
  EXPECT_EQ(passes[3][5], -1);
}

TEST(DrawAccess, ShowsSectorsOfGlobalMemory) {
  AccessExample access;
  access.sample.size_bytes = 4;
  access.sample.lanes = 0b111;
  access.sample.addresses = {4096, 4100, 4160};
  access.sample.cost = 2, access.sample.ideal = 1;
  access.text = "LDG.E", access.file = "/a/k.cu", access.line = 7;
  EXPECT_EQ(draw_access(access),
            "LDG.E at k.cu:7, warp 0 of block 0,0,0: 3 of 32 lanes, 4 bytes each; 2 sectors where 1 would do\n"
            "  sector (bytes from the first)  +0  +4  +8 +12 +16 +20 +24 +28\n"
            "                             0   0   1   .   .   .   .   .   .\n"
            "                            64   2   .   .   .   .   .   .   .\n");
}

TEST(AccessSvg, HasACellForEveryLane) {
  AccessExample access;
  access.sample = shared_sample(4, 4);
  access.text = "LDS";
  const std::string svg = access_svg({access});
  size_t cells = 0;
  for (size_t at = 0; (at = svg.find("<title>lane", at)) != std::string::npos; ++at) ++cells;
  EXPECT_EQ(cells, 32u);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(FirstOfEachKind, KeepsTheCostliest) {
  AccessExample one, two;
  one.sample.cost = 9, two.sample.cost = 4;
  EXPECT_EQ(first_of_each_kind({one, two}).size(), 1u);
  EXPECT_EQ(first_of_each_kind({one, two})[0].sample.cost, 9u);
}

}  // namespace
}  // namespace warplens::counters
