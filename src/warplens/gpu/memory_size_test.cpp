#include "warplens/gpu/memory_size.h"

#include <gtest/gtest.h>

namespace warplens::gpu {
namespace {

TEST(MemorySize, IsNotMoreThanTheDataSheetsAndNearIt) {
  for (const Device& device : all_devices()) {
    const uint64_t sheet = static_cast<uint64_t>(device.memory_gib) << 30;
    EXPECT_LE(memory_bytes(device), sheet) << device.key;
    EXPECT_GE(memory_bytes(device), sheet / 100 * 98) << device.key;
  }
}

TEST(MemorySize, OfAUsersOwnDeviceIsWhatTheUserSays) {
  Device own = **find_device("h100");
  own.memory_gib = 40;
  EXPECT_EQ(memory_bytes(own), uint64_t{40} << 30);
  own.key = "mine";
  own.memory_gib = 0;
  EXPECT_EQ(memory_bytes(own), 0u);
}

}  // namespace
}  // namespace warplens::gpu
