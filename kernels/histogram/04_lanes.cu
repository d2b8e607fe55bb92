// Sixteen values a load, and a set of bins a lane: lanes never meet, neither on a counter nor in a bank. The warps of a block share the
// 32 sets, in 32 KiB. n16 counts sixteen values.
extern "C" __global__ void histogram_clear(unsigned* bins) { bins[threadIdx.x] = 0; }

extern "C" __global__ void __launch_bounds__(1024) histogram_lanes(const uint4* values, unsigned* bins, int n16) {
  __shared__ unsigned part[256 * 32];
  for (int i = threadIdx.x; i < 256 * 32; i += 1024) part[i] = 0;
  __syncthreads();
  unsigned* mine = part + threadIdx.x % 32;
  for (int i = blockIdx.x * 1024 + threadIdx.x; i < n16; i += gridDim.x * 1024) {
    const uint4 v = __ldcs(&values[i]);
    const unsigned words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int w = 0; w < 4; ++w)
#pragma unroll
      for (int shift = 0; shift < 32; shift += 8) atomicAdd(&mine[(words[w] >> shift & 255) * 32], 1);
  }
  __syncthreads();
  if (threadIdx.x >= 256) return;
  unsigned sum = 0;
  for (int set = 0; set < 32; ++set) sum += part[threadIdx.x * 32 + (set + threadIdx.x) % 32];
  if (sum > 0) atomicAdd(&bins[threadIdx.x], sum);
}
