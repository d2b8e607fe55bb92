#include "warplens/cuda_api/sample/kept_results.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace warplens::cuda_api {
namespace {

/// Device memory of 256 bytes.
struct KeptMemory {
  simt::Memory memory;
  PendingResults pending{memory};
  simt::Address begin = *memory.allocate(256);

  uint8_t& byte(size_t at) { return reinterpret_cast<uint8_t*>(begin)[at]; }
  void clear() { std::fill_n(&byte(0), 256, uint8_t{0}); }
  SharedResults written(size_t first, size_t end, uint8_t value) {
    std::fill_n(&byte(first), end - first, value);
    return pending.keep(std::vector<WrittenRun>{{begin + first, end - first}}, nullptr);
  }
};

TEST(PendingResults, ReachMemoryInTheirOrderWhereSomethingNeedsThem) {
  KeptMemory m;
  const SharedResults early = m.written(0, 64, 1), late = m.written(32, 96, 2), apart = m.written(128, 160, 3);
  m.clear();
  m.pending.add(early);
  m.pending.add(late);
  m.pending.add(apart);
  m.pending.settle(m.begin + 200, 8);
  EXPECT_EQ(m.byte(0), 0);  // nobody wants it
  m.pending.settle(m.begin + 0, 4);
  EXPECT_EQ(m.byte(40), 1);
  m.pending.settle(m.begin + 64, 4);
  EXPECT_EQ(m.byte(40), 2);
  EXPECT_EQ(m.byte(128), 0);
  m.byte(0) = 9;  // what settled does not come again
  m.pending.settle_all();
  EXPECT_EQ(m.byte(128), 3);
  EXPECT_EQ(m.byte(0), 9);
}

TEST(PendingResults, LeaveMemoryAloneThatWasGivenBack) {
  KeptMemory m;
  const SharedResults results = m.written(0, 64, 1);
  m.clear();
  m.pending.add(results);
  EXPECT_TRUE(m.memory.free(m.begin).ok());
  m.pending.settle_all();
  EXPECT_EQ(m.byte(0), 0);
}

}  // namespace
}  // namespace warplens::cuda_api
