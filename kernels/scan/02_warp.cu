// The same three kernels with 16 elements a thread, four loads of 16 bytes, and shuffles in place of the tree.
__device__ float warp_scan(float v) {
  for (int step = 1; step < 32; step *= 2) {
    const float before = __shfl_up_sync(~0u, v, step);
    if (threadIdx.x % 32 >= step) v += before;
  }
  return v;
}

// Inclusive over the block of 8 or 32 warps; part[] ends with the block's sum.
template <int kWarps>
__device__ float block_scan(float v, float* part) {
  const int warp = threadIdx.x / 32;
  v = warp_scan(v);
  if (threadIdx.x % 32 == 31) part[warp] = v;
  __syncthreads();
  if (warp == 0) {
    const float sum = warp_scan(threadIdx.x < kWarps ? part[threadIdx.x] : 0);
    if (threadIdx.x < kWarps) part[threadIdx.x] = sum;
  }
  __syncthreads();
  return warp > 0 ? v + part[warp - 1] : v;
}

// n is a multiple of 4. A thread's 16 elements lie together.
extern "C" __global__ void __launch_bounds__(256) scan_blocks(const float4* x, float4* y, float* sums, int n4) {
  __shared__ float part[8];
  const int first = (blockIdx.x * 256 + threadIdx.x) * 4;
  float4 v[4];
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    v[k] = first + k < n4 ? x[first + k] : float4{0, 0, 0, 0};
    v[k].x += sum, v[k].y += v[k].x, v[k].z += v[k].y, v[k].w += v[k].z;
    sum = v[k].w;
  }
  const float before = block_scan<8>(sum, part) - sum;
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (first + k < n4) y[first + k] = {v[k].x + before, v[k].y + before, v[k].z + before, v[k].w + before};
  if (threadIdx.x == 0) sums[blockIdx.x] = part[7];
}
extern "C" __global__ void scan_sums(float* sums, int n) {
  __shared__ float part[32];
  float carry = 0;
  for (int first = 0; first < n; first += 1024) {
    const float v = block_scan<32>(first + threadIdx.x < n ? sums[first + threadIdx.x] : 0, part);
    if (first + threadIdx.x < n) sums[first + threadIdx.x] = carry + v;
    carry += part[31];
    __syncthreads();
  }
}
extern "C" __global__ void scan_add(float4* y, const float* sums, int n4) {
  const int i = blockIdx.x * 256 + threadIdx.x, tile = i / 1024;
  if (tile == 0 || i >= n4) return;
  const float before = sums[tile - 1];
  const float4 v = y[i];
  y[i] = {v.x + before, v.y + before, v.z + before, v.w + before};
}
