#include "warplens/report/time_model.h"

#include <gtest/gtest.h>

#include "warplens/report/roofline.h"

namespace warplens::report {
namespace {

const gpu::Device& device(const char* name) { return **gpu::find_device(name); }

/// y = 2x over 16 million floats, 256 threads a block.
Work copy_like() {
  Work w;
  w.blocks = 65536;
  w.needs.threads = 256;
  w.needs.registers = 10;
  const double warps = w.blocks * 8;
  w.instructions = 17 * warps;
  w.alu = 2 * warps;
  w.fma = warps;
  w.imad = 3 * warps;
  w.memory = 8 * warps;
  w.fp32_flops = 32 * warps;
  w.load_sectors = w.store_sectors = w.read_sectors = w.written_sectors = 4 * warps;
  w.cache_lines = 2 * warps;
  w.block_cycles_l1 = 169;
  w.block_cycles_l2 = 406;
  w.block_cycles_dram = 816;
  return w;
}

TEST(EstimateTime, BoundIsBelowTheEstimateAndBelowTheMeasuredTime) {
  const TimeEstimate time = estimate_time(copy_like(), device("h200"));
  EXPECT_LE(time.bound_ns, time.ns);
  EXPECT_LE(time.bound_ns, time.cold_bound_ns);
  EXPECT_LE(time.cold_bound_ns, time.ns);
  EXPECT_LE(time.bound_ns, 51264);       // what an H200 took
  EXPECT_NEAR(time.ns / 55800, 1, 0.3);  // the same, with L2 flushed
}

TEST(EstimateTime, MoreWorkNeverTakesLess) {
  const Work base = copy_like();
  const double before = estimate_time(base, device("h200")).ns;
  for (double Work::* part :
       {&Work::instructions, &Work::alu, &Work::fma, &Work::memory, &Work::load_sectors, &Work::cache_lines,
        &Work::shared_wavefronts, &Work::hottest_atomic_cycles, &Work::read_sectors, &Work::block_cycles_l1}) {
    Work more = base;
    more.*part = more.*part * 4 + 1000;
    EXPECT_GE(estimate_time(more, device("h200")).ns, before);
  }
}

TEST(EstimateTime, EventsShowMoreThanTheDuration) {
  Work nothing;
  nothing.blocks = 132;
  nothing.needs.threads = 32;
  const TimeEstimate empty = estimate_time(nothing, device("h200"));
  EXPECT_NEAR(empty.between_events_ns / 2750, 1, 0.2);  // what an H200 showed
  EXPECT_NEAR(empty.between_events_ns - empty.ns, 1150, 1);
  const TimeEstimate copy = estimate_time(copy_like(), device("h200"));
  EXPECT_GT(copy.between_events_ns - copy.ns, 1150 + 1000);  // L2's lines are written back
}

TEST(EstimateTime, AStreamTakesAsLongAsDram) {
  Work w = copy_like();  // the same in vectors of four: 29.8 us of an H200
  w.blocks /= 4;
  for (double Work::* part : {&Work::instructions, &Work::alu, &Work::fma, &Work::imad, &Work::memory}) w.*part /= 4;
  const double bytes = 32 * (w.read_sectors + w.written_sectors);
  EXPECT_NEAR(estimate_time(w, device("h200")).ns / (bytes / 4800), 1.25, 0.1);
}

TEST(EstimateTime, SlowerMemoryTakesLonger) {
  EXPECT_GT(estimate_time(copy_like(), device("t4")).ns, 5 * estimate_time(copy_like(), device("h200")).ns);
  EXPECT_EQ(estimate_time(copy_like(), device("t4")).limited_by, "DRAM");
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
  const std::string svg = roofline_svg(roofline(copy_like(), device("h200"), 55800), "a < b");
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
