// Work a thread: vectors, constants, loads under way, registers.
__global__ void saxpy1_bad(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i] + y[i];
}
__global__ void saxpy1_fixed(const float4* x, float4* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 a = x[i];
  float4 b = y[i];
  b.x += 2.0f * a.x, b.y += 2.0f * a.y, b.z += 2.0f * a.z, b.w += 2.0f * a.w;
  y[i] = b;
}
__constant__ float taps[4096];
__global__ void stencil31_bad(const float* x, const float* w, float* y,
                              int n) {  // a filter of 31 taps in global memory
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 31 > n) return;
  float sum = 0;
  for (int k = 0; k < 31; ++k) sum += w[k] * x[i + k];
  y[i] = sum;
}
__global__ void stencil31_fixed(const float* x, float* y, int n) {  // in constant memory
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 31 > n) return;
  float sum = 0;
  for (int k = 0; k < 31; ++k) sum += taps[k] * x[i + k];
  y[i] = sum;
}
__global__ void oneload_bad(const float* x, float* y, int per) {  // one load under way a thread, few threads
  const int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < per; ++k) sum += x[k * threads + t];
  y[t] = sum;
}
__global__ void oneload_fixed(const float* x, float* y, int per) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  float sum = 0;
#pragma unroll 8
  for (int k = 0; k < per; ++k) sum += x[k * threads + t];
  y[t] = sum;
}
__global__ void oneblock_bad(const float* x, float* y, int n) {  // a single block walks through everything
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] * x[i];
}
__global__ void oneblock_fixed(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] * x[i];
}
__global__ void bigtile_bad(const float* x, float* y, int n) {  // shared memory for one block an SM
  extern __shared__ float t[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  t[threadIdx.x] = x[i];
  __syncthreads();
  y[i] = 0.5f * (t[threadIdx.x] + t[threadIdx.x ^ 1]);
}
__global__ void bigtile_fixed(const float* x, float* y, int n) {
  extern __shared__ float t[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  t[threadIdx.x] = x[i];
  __syncthreads();
  y[i] = 0.5f * (t[threadIdx.x] + t[threadIdx.x ^ 1]);
}
__global__ void accumulate_bad(const float* x, float* y, int n, int steps) {  // the sum lives in global memory
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 0;
  for (int k = 0; k < steps; ++k) y[i] += x[k * n + i];
}
__global__ void accumulate_fixed(const float* x, float* y, int n, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < steps; ++k) sum += x[k * n + i];
  y[i] = sum;
}
__global__ void bodies2_bad(const float4* x, float4* y, int n) {  // all pairs, from global memory
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = x[i];
  float4 pull = make_float4(0, 0, 0, 0);
  for (int k = 0; k < n; ++k) {
    const float4 o = x[k];
    const float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z, r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
    const float f = o.w * r * r * r;
    pull.x += f * dx, pull.y += f * dy, pull.z += f * dz;
  }
  y[i] = pull;
}
__global__ void bodies2_fixed(const float4* x, float4* y, int n) {  // tiles of 128 in shared memory
  __shared__ float4 t[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = x[i];
  float4 pull = make_float4(0, 0, 0, 0);
  for (int k0 = 0; k0 < n; k0 += 128) {
    __syncthreads();
    t[threadIdx.x] = x[k0 + threadIdx.x];
    __syncthreads();
#pragma unroll 16
    for (int k = 0; k < 128; ++k) {
      const float4 o = t[k];
      const float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z, r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float f = o.w * r * r * r;
      pull.x += f * dx, pull.y += f * dy, pull.z += f * dz;
    }
  }
  y[i] = pull;
}
__global__ void wrap_bad(const float* x, float* y, int n,
                         int period) {  // a remainder by a number known only at run time
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 0;
  for (int k = 0; k < 16; ++k) v += x[(i + k * 77) % period];
  y[i] = v;
}
__global__ void wrap_fixed(const float* x, float* y, int n, int mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 0;
  for (int k = 0; k < 16; ++k) v += x[(i + k * 77) & mask];
  y[i] = v;
}
