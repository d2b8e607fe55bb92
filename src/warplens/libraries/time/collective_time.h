// How long GPUs of one computer take to exchange what a collective moves.
#pragma once
#include "warplens/libraries/time/product_time.h"

namespace warplens::libraries {

/// `link_bytes`: what each link of a ring of `ranks` carries one way. NVLink where the GPU has it, else PCIe. No band:
/// nobody compared it with GPUs.
LibraryTime collective_time(double link_bytes, int ranks, const gpu::Device& device);

}  // namespace warplens::libraries
