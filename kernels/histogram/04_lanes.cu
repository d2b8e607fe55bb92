// Sixteen values a load, and eight sets of bins a block, one for every fourth lane of each warp: lanes of equal values meet less often,
// and the sets lie such that one value's counters are in eight banks. n16 counts sixteen values.
extern "C" __global__ void histogram_clear(unsigned* bins) { bins[threadIdx.x] = 0; }

extern "C" __global__ void __launch_bounds__(512) histogram_lanes(const uint4* values, unsigned* bins, int n16) {
  __shared__ unsigned part[256 * 8];
  for (int i = threadIdx.x; i < 256 * 8; i += 512) part[i] = 0;
  __syncthreads();
  unsigned* mine = part + threadIdx.x % 8;
  for (int i = blockIdx.x * 512 + threadIdx.x; i < n16; i += gridDim.x * 512) {
    const uint4 v = __ldcs(&values[i]);
    const unsigned words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int w = 0; w < 4; ++w)
#pragma unroll
      for (int shift = 0; shift < 32; shift += 8) atomicAdd(&mine[(words[w] >> shift & 255) * 8], 1);
  }
  __syncthreads();
  if (threadIdx.x >= 256) return;
  unsigned sum = 0;
  for (int set = 0; set < 8; ++set) sum += part[threadIdx.x * 8 + (set + threadIdx.x) % 8];
  if (sum > 0) atomicAdd(&bins[threadIdx.x], sum);
}
