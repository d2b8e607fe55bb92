#include "warplens/simt/memory/memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

namespace warplens::simt {
namespace {

uint8_t* bytes_of(Address address) { return reinterpret_cast<uint8_t*>(address); }

TEST(DeviceMemory, WhatIsFreedKeepsNoPages) {
  constexpr uint64_t kBytes = 8 << 20;
  Memory memory;
  const Address address = *memory.allocate(kBytes);
  std::memset(bytes_of(address), 7, kBytes);
  ASSERT_TRUE(memory.free(address).ok());
  unsigned char resident[kBytes / 4096 + 1] = {};
  ASSERT_EQ(mincore(bytes_of((address + 4095) / 4096 * 4096), kBytes - 4096, resident), 0);
  size_t pages = 0;
  for (const unsigned char page : resident) pages += page & 1;
  EXPECT_EQ(pages, 0u);
}

TEST(DeviceMemory, IsZeroAgainWhenItIsGivenOutAgain) {
  constexpr uint64_t kBytes = (2 << 20) + 700;
  Memory memory;
  const Address first = *memory.allocate(kBytes);
  bool again = false;
  for (Address address = first; !again; again = address == first) {
    std::memset(bytes_of(address), 7, kBytes);
    ASSERT_TRUE(memory.free(address).ok());
    address = *memory.allocate(kBytes);
    for (uint64_t i = 0; i < kBytes; i += 350) ASSERT_EQ(bytes_of(address)[i], 0) << i;
    ASSERT_EQ(bytes_of(address)[kBytes - 1], 0);
  }
}

TEST(DeviceMemory, FreedRangesOfOtherSizesServeWhenTheArenaIsFull) {
  Memory memory;
  constexpr uint64_t kGiB = uint64_t{1} << 30;
  for (uint64_t bytes = kGiB; bytes < 40 * kGiB; bytes += kGiB) {  // 780 GiB, one after another
    const auto address = memory.allocate(bytes);
    ASSERT_TRUE(address.ok()) << bytes / kGiB;
    EXPECT_EQ(*bytes_of(*address), 0);
    *bytes_of(*address) = 1;
    ASSERT_TRUE(memory.free(*address).ok());
  }
  EXPECT_FALSE(memory.allocate(1000 * kGiB).ok());
}

}  // namespace
}  // namespace warplens::simt
