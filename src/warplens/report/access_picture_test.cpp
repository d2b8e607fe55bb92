#include "warplens/report/access_picture.h"

#include <gtest/gtest.h>

namespace warplens::report {
namespace {

TEST(DrawAccess, ShowsSectorsOfGlobalMemory) {
  AccessExample access;
  access.sample.size_bytes = 4;
  access.sample.lanes = 0b111;
  access.sample.addresses = {4096, 4100, 4160};
  access.sample.cost = 2;
  access.sample.ideal = 1;
  access.text = "LDG.E";
  access.file = "/a/k.cu";
  access.line = 7;
  EXPECT_EQ(draw_access(access),
            "LDG.E at k.cu:7, warp 0 of block 0,0,0: 3 of 32 lanes, 4 bytes each; 2 sectors (1 needed)\n"
            "  sector (bytes from the first)  +0  +4  +8 +12 +16 +20 +24 +28\n"
            "                             0   0   1   .   .   .   .   .   .\n"
            "                            64   2   .   .   .   .   .   .   .\n");
}

TEST(AccessSvg, HasACellForEveryLane) {
  AccessExample access;
  access.sample.space = simt::AccessSample::Space::kShared;
  access.sample.size_bytes = 4;
  access.sample.lanes = 0xffffffff;
  for (size_t lane = 0; lane < 32; ++lane) access.sample.addresses[lane] = 1024 + lane * 4;
  access.text = "LDS";
  const std::string svg = access_picture({access}).document();
  size_t cells = 0;
  for (size_t at = 0; (at = svg.find("<title>lane", at)) != std::string::npos; ++at) ++cells;
  EXPECT_EQ(cells, 32u);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(FirstOfEachKind, KeepsTheCostliest) {
  AccessExample one, two;
  one.sample.cost = 9;
  two.sample.cost = 4;
  EXPECT_EQ(first_of_each_kind({one, two}).size(), 1u);
  EXPECT_EQ(first_of_each_kind({one, two})[0].sample.cost, 9u);
}

}  // namespace
}  // namespace warplens::report
