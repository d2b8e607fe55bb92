// One pass (decoupled look-back; Merrill and Garland, 2016): a tile publishes its sum, adds up those of the tiles before it until one
// has published its prefix, and publishes its own. Tiles are taken in order from a counter, so that a tile never waits for one that
// has not begun. A state holds a flag (0 nothing, 1 sum, 2 prefix) in its upper half and the value in its lower one.
constexpr int kThreads = 512, kWarps = kThreads / 32, kTile = kThreads * 16;

extern "C" __global__ void scan_clear(unsigned long long* state, unsigned* counter, int tiles) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < tiles) state[i] = 0;
  if (i == 0) *counter = 0;
}

__device__ unsigned long long packed(unsigned flag, float value) {
  return (unsigned long long)flag << 32 | __float_as_uint(value);
}

__device__ float warp_scan(float v) {
  for (int step = 1; step < 32; step *= 2) {
    const float before = __shfl_up_sync(~0u, v, step);
    if (threadIdx.x % 32 >= step) v += before;
  }
  return v;
}

// The sum of all tiles before `tile`, by one warp: 32 states at a time, backwards.
__device__ float look_back(volatile unsigned long long* state, int tile) {
  const int lane = threadIdx.x % 32;
  float before = 0;
  for (int last = tile - 1; last >= 0; last -= 32) {
    const int mine = last - lane;
    unsigned long long seen = packed(2, 0);
    if (mine >= 0)
      do seen = state[mine];
      while (seen >> 32 == 0);
    __syncwarp();
    const unsigned whole = __ballot_sync(~0u, seen >> 32 == 2);
    const int end = whole ? __ffs(whole) - 1 : 31;
    float sum = lane <= end ? __uint_as_float((unsigned)seen) : 0;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    before += sum;
    if (whole) break;
  }
  return before;
}

// n is a multiple of 4. Elements go through shared memory: lanes read side by side, and a thread adds up 16 that lie together.
extern "C" __global__ void __launch_bounds__(kThreads)
    scan_look_back(const float4* x, float4* y, unsigned long long* state, unsigned* counter, int n4) {
  __shared__ float4 part[kTile / 4 + kTile / 16];
  __shared__ float sums[kWarps], before_tile;
  __shared__ int taken;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) taken = atomicAdd(counter, 1);
  __syncthreads();
  const int tile = taken, first = tile * (kTile / 4);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int i = threadIdx.x + k * kThreads;
    part[i + i / 4] = first + i < n4 ? __ldcs(&x[first + i]) : float4{0, 0, 0, 0};
  }
  __syncthreads();
  float4 v[4];
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    v[k] = part[threadIdx.x * 5 + k];
    v[k].x += sum, v[k].y += v[k].x, v[k].z += v[k].y, v[k].w += v[k].z;
    sum = v[k].w;
  }
  const float up_to = warp_scan(sum);
  if (lane == 31) sums[warp] = up_to;
  __syncthreads();
  float warps_before = 0, total = 0;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) {
    if (w < warp) warps_before += sums[w];
    total += sums[w];
  }
  if (warp == 0) {
    volatile unsigned long long* shown = state;
    if (lane == 0) shown[tile] = packed(tile == 0 ? 2 : 1, total);
    const float found = tile == 0 ? 0 : look_back(state, tile);
    if (lane == 0) {
      before_tile = found;
      if (tile > 0) shown[tile] = packed(2, found + total);
    }
  }
  __syncthreads();
  const float before = before_tile + warps_before + (up_to - sum);
#pragma unroll
  for (int k = 0; k < 4; ++k)
    part[threadIdx.x * 5 + k] = {v[k].x + before, v[k].y + before, v[k].z + before, v[k].w + before};
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int i = threadIdx.x + k * kThreads;
    if (first + i < n4) __stcs(&y[first + i], part[i + i / 4]);
  }
}
