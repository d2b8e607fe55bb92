// Warps walk over rows that stay in registers, and keep their share of the weight's gradient in registers too: x and dy are read once.
// The warps of a block add their shares up in shared memory, and a second kernel those of the blocks. Rows are multiples of 4 long, at
// most 128 * VECTORS.
__device__ float total(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  return value;
}

__device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__device__ float4 plus(float4 a, float4 b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
__device__ float4 times(float4 a, float4 b) { return {a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w}; }
__device__ float4 times(float4 a, float b) { return {a.x * b, a.y * b, a.z * b, a.w * b}; }

// A warp's share of one gradient to the block's.
__device__ void gather(float4* part, const float4 (&own)[VECTORS], float4* out, int n4) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int turn = 0; turn < 8; ++turn) {
    if (turn == warp)
#pragma unroll
      for (int k = 0; k < VECTORS; ++k)
        if (lane + 32 * k < n4) part[lane + 32 * k] = turn > 0 ? plus(part[lane + 32 * k], own[k]) : own[k];
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n4; i += 256) out[(size_t)blockIdx.x * n4 + i] = part[i];
  __syncthreads();
}

extern "C" __global__ void __launch_bounds__(256)
    rms_norm_rows(const float4* x, const float4* w, const float4* dy, float4* dx, float4* dw_parts, int rows, int n4) {
  __shared__ float4 part[32 * VECTORS];
  const int lane = threadIdx.x % 32;
  float4 dw[VECTORS] = {};
  for (int row = blockIdx.x * 8 + threadIdx.x / 32; row < rows; row += gridDim.x * 8) {
    float4 v[VECTORS], g[VECTORS];
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
      const bool inside = lane + 32 * k < n4;
      v[k] = inside ? x[(size_t)row * n4 + lane + 32 * k] : float4{0, 0, 0, 0};
      g[k] = inside ? dy[(size_t)row * n4 + lane + 32 * k] : float4{0, 0, 0, 0};
    }
    float squares = 0, along = 0;
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
      squares += dot(v[k], v[k]);
    }
    const float scale = rsqrtf(total(squares) / (4 * n4) + 1e-6f);
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
      v[k] = times(v[k], scale);
      dw[k] = plus(dw[k], times(g[k], v[k]));
      if (lane + 32 * k < n4) g[k] = times(g[k], w[lane + 32 * k]);
      along += dot(g[k], v[k]);
    }
    along = total(along) / (4 * n4);
#pragma unroll
    for (int k = 0; k < VECTORS; ++k)
      if (lane + 32 * k < n4)
        dx[(size_t)row * n4 + lane + 32 * k] = times(plus(g[k], times(v[k], -along)), scale);
  }
  gather(part, dw, dw_parts, n4);
}

// A block of 32 x 32 adds up 32 columns of the blocks' shares.
extern "C" __global__ void rms_norm_columns(const float* parts, float* sums, int blocks, int columns) {
  __shared__ float part[32][33];
  const int c = blockIdx.x * 32 + threadIdx.x;
  float own = 0;
  if (c < columns)
    for (int b = threadIdx.y; b < blocks; b += 32) own += parts[(size_t)b * columns + c];
  part[threadIdx.y][threadIdx.x] = own;
  __syncthreads();
  own = total(part[threadIdx.x][threadIdx.y]);
  if (threadIdx.x == 0 && blockIdx.x * 32 + threadIdx.y < columns) sums[blockIdx.x * 32 + threadIdx.y] = own;
}
