// How wide the way to a GPU's memory is.
#pragma once
#include "warplens/gpu/device.h"

namespace warplens::gpu {

/// Bits, from the data sheets; of a device of the user's own, those of the best known one of its architecture.
int memory_bus_bits(const Device& device);

}  // namespace warplens::gpu
