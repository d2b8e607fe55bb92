#include "warplens/gpu/memory_bus.h"

#include <gtest/gtest.h>

namespace warplens::gpu {
namespace {

/// Twice the clock of the memory times the width is the bandwidth: no memory clock of the catalogue is absurd.
TEST(MemoryBus, GivesClocksThatMemoryHas) {
  for (const Device& device : all_devices()) {
    const int bits = memory_bus_bits(device);
    ASSERT_GT(bits, 0) << device.key;
    const double bits_per_second_and_wire = device.dram_gbs * 8e9 / bits;
    EXPECT_GT(bits_per_second_and_wire, 1.5e9) << device.key;
    EXPECT_LT(bits_per_second_and_wire, 30e9) << device.key;
  }
}

TEST(MemoryBus, OfAUsersOwnDeviceIsThatOfItsArchitecture) {
  Device own = **find_device("h200");
  own.key = "mine";
  EXPECT_EQ(memory_bus_bits(own), memory_bus_bits(default_device(own.architecture())));
}

}  // namespace
}  // namespace warplens::gpu
