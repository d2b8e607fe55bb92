#include <gtest/gtest.h>

#include "warplens/report/roofline_picture.h"

namespace warplens::report {
namespace {

const gpu::Device& device(const char* name) { return **gpu::find_device(name); }

/// y = 2x over 16 million floats.
Work copy_like() {
  Work w;
  const double warps = 65536.0 * 8;
  w.fp32_flops = 32 * warps;
  w.load_sectors = w.store_sectors = w.read_sectors = w.written_sectors = 4 * warps;
  return w;
}

TEST(Roofline, ACopyIsBoundByDramBelowTheRidge) {
  const Work w = copy_like();
  const Roofline r = roofline(w, device("h200"), 55800);
  EXPECT_TRUE(r.memory_bound);
  EXPECT_EQ(r.bound_by, "DRAM");
  EXPECT_DOUBLE_EQ(r.roofs[0].intensity, w.fp32_flops / (64 * w.read_sectors));
  EXPECT_NEAR(r.attainable_per_ns, r.roofs[0].intensity * 4800, 1e-6);
  EXPECT_LT(r.flops_per_ns, r.attainable_per_ns);
}

TEST(Roofline, ComputeBoundWhenIntensityIsHigh) {
  Work w = copy_like();
  w.fp32_flops *= 1000;
  EXPECT_EQ(roofline(w, device("h200"), 1e6).bound_by, "FP32");
}

TEST(DrawRoofline, MarksTheLaunchOnEveryRoof) {
  const std::string drawing = draw_roofline(roofline(copy_like(), device("h200"), 55800), "copy", 60, 12);
  EXPECT_NE(drawing.find('D'), std::string::npos);
  EXPECT_NE(drawing.find("intensity"), std::string::npos);
  const std::string svg = roofline_picture(roofline(copy_like(), device("h200"), 55800), "a < b").document();
  EXPECT_TRUE(svg.starts_with("<svg"));
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
}

TEST(Roofline, TakesMeasuredCeilingsWhereThereAre) {
  Peaks measured;
  measured.dram = 4000;
  measured.source = "measured on a GPU";
  const Roofline r = roofline(copy_like(), device("h200"), 55800, measured);
  EXPECT_EQ(r.roofs[0].bytes_per_ns, 4000);
  EXPECT_EQ(r.roofs[1].bytes_per_ns, roofline(copy_like(), device("h200"), 55800).roofs[1].bytes_per_ns);
  EXPECT_EQ(r.peaks_from, "measured on a GPU");
  EXPECT_NE(draw_roofline(r, "copy", 60, 12).find("peaks: measured on a GPU"), std::string::npos);
  EXPECT_EQ(roofline(copy_like(), device("h200"), 55800).peaks_from, "data sheet");
}

}  // namespace
}  // namespace warplens::report
