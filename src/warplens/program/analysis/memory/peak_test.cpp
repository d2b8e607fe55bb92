#include "warplens/program/analysis/memory/peak.h"

#include <gtest/gtest.h>

#include "warplens/program/analysis/test_profile.h"

namespace warplens::analysis {
namespace {

constexpr int kCuda = 1;

/// Keeps the running total as an allocator that held `total` bytes before.
struct Allocator {
  TestProfile& test;
  int64_t total;
  void change(std::string_view thread, int64_t time_ns, uint64_t address, int64_t bytes, int device_type = kCuda) {
    if (device_type == kCuda) total += bytes;
    append(test.profile.allocations, {time_ns, test.thread(thread), address, bytes, total, 10'000, device_type, 0});
  }
};

MemoryPeak peak_of(const TestProfile& test) {
  return memory_peak(test.profile, 0, operator_forest(test.profile), frame_forest(test.profile)).value();
}

TEST(MemoryPeak, NamesWhoCalledTheAllocatingOperator) {
  TestProfile test;
  test.op("main", "aten::mm", 0, 100);
  test.op("main", "aten::empty", 10, 20);
  test.op("main", "aten::add", 200, 100);
  Allocator memory{test, 500};
  memory.change("main", 20, 0x10, 3000);
  memory.change("main", 210, 0x20, 1000);
  memory.change("main", 250, 0x10, -3000);
  memory.change("main", 260, 0x30, 200);
  const MemoryPeak peak = peak_of(test);
  EXPECT_EQ(peak.time_ns, 210);
  EXPECT_EQ(peak.allocated_bytes, 4500);
  EXPECT_EQ(peak.before_bytes, 500);
  ASSERT_EQ(peak.owners.size(), 2u);
  EXPECT_EQ(peak.owners[0].place(), "aten::mm");
  EXPECT_EQ(peak.owners[0].bytes, 3000);
  EXPECT_EQ(peak.owners[1].name, "aten::add");
}

TEST(MemoryPeak, LeavesOutFreedBlocksAndTheHosts) {
  TestProfile test;
  test.op("main", "aten::mm", 0, 1000);
  Allocator memory{test, 0};
  memory.change("main", 10, 0x10, 700);
  memory.change("main", 20, 0x10, -700);
  memory.change("main", 30, 0x10, 400);
  memory.change("main", 40, 0x20, 400);  // the first address again
  memory.change("main", 50, 0x99, 1 << 20, 0);
  const MemoryPeak peak = peak_of(test);
  EXPECT_EQ(peak.allocated_bytes, 800);
  EXPECT_EQ(peak.before_bytes, 0);
  ASSERT_EQ(peak.owners.size(), 1u);
  EXPECT_EQ(peak.owners[0].blocks, 2);
}

TEST(MemoryPeak, IsNotKnownWhereMemoryWasNotProfiled) {
  TestProfile test;
  EXPECT_FALSE(memory_peak(test.profile, 0, operator_forest(test.profile), frame_forest(test.profile)));
}

}  // namespace
}  // namespace warplens::analysis
