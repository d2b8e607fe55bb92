// The extension of scan_by_extension (morning_programs.py) and extension_checked (afternoon_programs.py): state = gate * state + x over some ticks.
#include <cuda_runtime.h>

__global__ void scan_ticks(const float* x, const float* gate, float* state, float* out, int ticks, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width) return;
  float s = state[i];
  for (int t = 0; t < ticks; ++t) {
    s = gate[t * width + i] * s + x[t * width + i];
    out[t * width + i] = s;
  }
  state[i] = s;
}

extern "C" void scan(const float* x, const float* gate, float* state, float* out, int ticks, int width,
                     cudaStream_t stream) {
  scan_ticks<<<(width + 127) / 128, 128, 0, stream>>>(x, gate, state, out, ticks, width);
}

extern "C" int wait_for_device() { return cudaDeviceSynchronize(); }
