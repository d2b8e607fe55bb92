// Work of the stand-ins for cuBLAS, cuFFT and similar libraries: the host computes it in stream
// order.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/gpu/device.h"

namespace warplens::cuda_api {

/// Rows of device memory that the work reads or writes.
struct TouchedMemory {
  const void* first = nullptr;
  uint64_t width_bytes = 0, pitch_bytes = 0, rows = 1;
  bool written = false;
};

struct LibraryWork {
  std::string name;                // as reports show it: "gemm bf16 4096x768x3072 (stand-in)"
  double ns = 0;                   // the GPU's expected time, if DRAM has the operands
  double warm_ns = 0;              // the same if L2 has them; 0: not known
  double low_ns = 0, high_ns = 0;  // bounds of the expected time; zeros if it was never compared
  std::string limited_by;          // "compute", "DRAM"
  double sm_share = 1;             // of all SMs, 0..1
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::function<std::vector<TouchedMemory>()> touches;  // read when the work begins: pointers may be in device memory
  std::function<Status()> run;
};

}  // namespace warplens::cuda_api

extern "C" {
/// Does the work at once, or adds it to the graph that the stream is captured into. Returns a cudaError_t: no such
/// stream, no GPU. A failure of the work is reported on standard error and becomes the runtime's sticky error.
int __cudaWarplensLibraryWork(void* stream, const warplens::cuda_api::LibraryWork& work);
/// True if all of it is within an allocation of device memory.
bool __cudaWarplensHolds(const warplens::cuda_api::TouchedMemory& touched);
/// The emulated GPU; nullptr if there is none.
const warplens::gpu::Device* __cudaWarplensDevice();
/// Says it on standard error, each text once.
void __cudaWarplensTell(const std::string& text);
}
