#include "warplens/run/sass/counting/footprint.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace warplens::simt::sass_machine {
namespace {

constexpr uint64_t kBytes = 3 << 20;  // of each allocation: some lines are never touched

/// What a footprint says, sector by sector.
struct Expected {
  std::set<uint64_t> read, written, written_by[2];  // by each block
  uint64_t exchanged = 0;

  bool touch(size_t block, uint64_t begin, uint64_t bytes, bool store) {
    bool known = !store;
    for (uint64_t sector = begin / 32; sector <= (begin + bytes - 1) / 32; ++sector) {
      const bool has = written_by[block].contains(sector);
      known = known && has;
      exchanged += !store && has;
      (store ? written : read).insert(sector);
      if (store) written_by[block].insert(sector);
    }
    return known;
  }
  uint64_t lone() const {
    uint64_t out = 0;
    for (const uint64_t sector : read) out += !read.contains(sector ^ 1);
    return out;
  }
  uint64_t apart() const {
    uint64_t out = 0;
    for (const uint64_t sector : read)
      out += !read.contains(sector ^ 1) && !read.contains(sector ^ 2) && !read.contains(sector ^ 3);
    return out;
  }
};

TEST(Footprint, CountsEachSectorOnceAndWhatIsReadAfterAWrite) {
  simt::Memory memory;
  for (const char* name : {"a", "b"}) ASSERT_TRUE(memory.allocate(kBytes, name).ok());
  const auto live = memory.live();
  const std::vector<simt::Allocation> allocations(live.begin(), live.end());
  Footprint footprint(allocations, 1);
  Touches by[2];  // blocks, side by side
  Expected expected;
  std::mt19937 random(3);
  for (int round = 0; round < 20000; ++round) {
    const size_t which = random() % 2;
    const uint64_t bytes = 4u << random() % 8, at = random() % (kBytes / 8 / bytes) * bytes * (1 + random() % 7),
                   begin = allocations[which].begin + at;
    const bool store = random() % 4 == 0;
    const size_t block = random() % 2;
    const bool known =
        footprint.touch_run(which, &by[block], begin, bytes, store ? MemoryAccess::kStore : MemoryAccess::kLoad);
    EXPECT_EQ(known, expected.touch(block, begin, bytes, store));
    const uint64_t line = begin / kLineBytes * kLineBytes;
    if (footprint.lines_of(which).states[(begin - allocations[which].begin) / kLineBytes] != kOnlyRead) continue;
    for (uint64_t sector = line / 32; sector < line / 32 + 4; ++sector)
      EXPECT_TRUE(expected.read.contains(sector) && !expected.written.contains(sector));
  }
  EXPECT_EQ(footprint.read_sectors(), expected.read.size());
  EXPECT_EQ(footprint.written_sectors(), expected.written.size());
  EXPECT_EQ(by[0].exchanged + by[1].exchanged, expected.exchanged);
  EXPECT_EQ(footprint.lone_sectors(), expected.lone());
  EXPECT_EQ(footprint.apart_sectors(), expected.apart());
}

TEST(Footprint, AnAtomicReadsAndWritesAndLeavesNothingInL1) {
  simt::Memory memory;
  const uint64_t at = *memory.allocate(4096, "a");
  const auto live = memory.live();
  const std::vector<simt::Allocation> allocations(live.begin(), live.end());
  Footprint footprint(allocations, 1);
  Touches by;
  footprint.touch(0, &by, &at, 1, 4, MemoryAccess::kAtomic);
  EXPECT_EQ(footprint.read_sectors(), 1u);
  EXPECT_EQ(footprint.written_sectors(), 1u);
  EXPECT_FALSE(footprint.touch_run(0, &by, at, 4, MemoryAccess::kLoad));
  EXPECT_EQ(by.exchanged, 0u);
}

TEST(Footprint, KeepsWhatStoresChangeOfSectorsThatWereRead) {
  simt::Memory memory;
  const uint64_t at = *memory.allocate(4096, "a");
  auto* bytes = reinterpret_cast<uint8_t*>(at);
  for (uint32_t i = 0; i < 4096; ++i) bytes[i] = static_cast<uint8_t>(i * 7);
  const std::vector<uint8_t> before(bytes, bytes + 4096);
  const auto live = memory.live();
  const std::vector<simt::Allocation> allocations(live.begin(), live.end());
  Undo undo;
  Footprint footprint(allocations, 1, &undo);
  Touches by;
  footprint.touch_run(0, &by, at, 96, MemoryAccess::kLoad);
  footprint.touch_run(0, &by, at, 128, MemoryAccess::kStore);
  std::fill_n(bytes, 128, uint8_t{0});
  undo.restore();
  EXPECT_TRUE(std::equal(bytes, bytes + 96, before.begin()));
  EXPECT_EQ(bytes[96], 0);  // nobody had read it
}

}  // namespace
}  // namespace warplens::simt::sass_machine
