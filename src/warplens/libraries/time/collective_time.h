// How long GPUs of one computer take for the transfers of a collective.
#pragma once
#include "warplens/libraries/time/product_time.h"

namespace warplens::libraries {

/// `link_bytes`: bytes on each link of a ring of `ranks`, one way. NVLink if the GPU has it, else PCIe. No band: it was
/// never compared with GPUs.
LibraryTime collective_time(double link_bytes, int ranks, const gpu::Device& device);

}  // namespace warplens::libraries
