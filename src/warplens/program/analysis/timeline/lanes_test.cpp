#include "warplens/program/analysis/timeline/lanes.h"

#include <gtest/gtest.h>

#include "warplens/output/terminal.h"
#include "warplens/program/analysis/test_profile.h"

namespace warplens::analysis {
namespace {

std::string drawn(const TestProfile& t, std::string_view color) {
  const Causes causes(t.profile);
  set_color(color);
  std::string out = draw_lanes(t.profile, causes, *class_rules(""), 0, 100, 10);
  set_color("never");
  return out;
}

TestProfile two_classes() {
  TestProfile t;
  t.op("main", "aten::mm", 0, 20);
  t.call("main", "cudaDeviceSynchronize", 80, 20, 1);
  t.kernel("sgemm_128x128", 10, 30, 2);
  t.kernel("Memcpy HtoD", 50, 20, 3, 0, 7, DeviceEventKind::kCopy);
  return t;
}

TEST(Lanes, GlyphsWithoutColours) {
  EXPECT_EQ(drawn(two_classes(), "never"),
            "100 ns, one character is 10 ns: o operator, c call, s synchronization, # computation, = communication, ~ "
            "copy\n"
            "thread main     oo......ss\n"
            "GPU 0 stream 7  .###.~~...\n");
}

TEST(Lanes, DeviceSlicesHaveTheColourOfTheirClass) {
  const std::string out = drawn(two_classes(), "always");
  EXPECT_NE(out.find("███\x1b[0m"), std::string::npos) << out;
  EXPECT_NE(out.find("█\x1b[0m gemm"), std::string::npos) << out;
  EXPECT_NE(out.find("█\x1b[0m copy"), std::string::npos) << out;
  EXPECT_EQ(out.find("attention"), std::string::npos) << out;  // only classes that are drawn
}

TEST(Lanes, TheClassThatTakesMostOfASlice) {
  TestProfile t;
  t.kernel("sgemm_128x128", 0, 4, 1);
  t.kernel("void softmax_warp_forward", 4, 6, 2);
  const std::string out = drawn(t, "always");
  EXPECT_EQ(out.find("gemm"), std::string::npos) << out;
}

}  // namespace
}  // namespace warplens::analysis
