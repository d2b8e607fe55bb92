// The size of a GPU's memory, as programs see it.
#pragma once
#include <cstdint>

#include "warplens/gpu/device.h"

namespace warplens::gpu {

/// The driver's number for a measured device, else the data sheet's. 0: not known.
uint64_t memory_bytes(const Device& device);

}  // namespace warplens::gpu
