// Reductions: which threads add, where the sums lie, how much a thread adds.
__global__ void remainder_bad(const float* x, float* y) {  // every second, fourth, ... thread of a block adds
  __shared__ float t[256];
  const int id = threadIdx.x;
  t[id] = x[blockIdx.x * 256 + id];
  __syncthreads();
  for (int s = 1; s < 256; s *= 2) {
    if (id % (2 * s) == 0) t[id] += t[id + s];
    __syncthreads();
  }
  if (id == 0) y[blockIdx.x] = t[0];
}
__global__ void remainder_fixed(const float* x, float* y) {  // the first half, quarter, ...
  __shared__ float t[256];
  const int id = threadIdx.x;
  t[id] = x[blockIdx.x * 256 + id];
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (id < s) t[id] += t[id + s];
    __syncthreads();
  }
  if (id == 0) y[blockIdx.x] = t[0];
}
__global__ void spread_bad(const float* x, float* y) {  // the first threads add, what they add lies ever further apart
  __shared__ float t[1024];
  const int id = threadIdx.x;
  t[id] = x[blockIdx.x * 1024 + id];
  __syncthreads();
  for (int s = 1; s < 1024; s *= 2) {
    const int at = 2 * s * id;
    if (at < 1024) t[at] += t[at + s];
    __syncthreads();
  }
  if (id == 0) y[blockIdx.x] = t[0];
}
__global__ void spread_fixed(const float* x, float* y) {
  __shared__ float t[1024];
  const int id = threadIdx.x;
  t[id] = x[blockIdx.x * 1024 + id];
  __syncthreads();
  for (int s = 512; s > 0; s /= 2) {
    if (id < s) t[id] += t[id + s];
    __syncthreads();
  }
  if (id == 0) y[blockIdx.x] = t[0];
}
__global__ void interleaved_bad(float* x, float* y) {  // in place, in global memory, neighbours first
  float* data = x + blockIdx.x * 2048;
  const int at = 2 * threadIdx.x;
  for (int s = 1; s <= 1024; s *= 2) {
    if (threadIdx.x % s == 0) data[at] += data[at + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = data[0];
}
__global__ void interleaved_fixed(float* x, float* y) {  // in place, in global memory, halves first
  float* data = x + blockIdx.x * 2048;
  const int at = threadIdx.x;
  for (int s = 1024; s > 0; s /= 2) {
    if (threadIdx.x < s) data[at] += data[at + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = data[0];
}
__global__ void inplace_bad(float* x, float* y) {
  float* data = x + blockIdx.x * 2048;
  const int at = threadIdx.x;
  for (int s = 1024; s > 0; s /= 2) {
    if (threadIdx.x < s) data[at] += data[at + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = data[0];
}
__global__ void inplace_fixed(float* x, float* y) {  // the sums in shared memory
  __shared__ float t[1024];
  const int at = threadIdx.x;
  t[at] = x[blockIdx.x * 2048 + at] + x[blockIdx.x * 2048 + 1024 + at];
  for (int s = 512; s > 0; s /= 2) {
    __syncthreads();
    if (at < s) t[at] += t[at + s];
  }
  if (at == 0) y[blockIdx.x] = t[0];
}
__global__ void onestep_bad(const float* x, float* y) {  // a tree of ten barriers for an element a thread
  __shared__ float t[1024];
  const int id = threadIdx.x;
  t[id] = x[blockIdx.x * 1024 + id];
  for (int s = 512; s > 0; s /= 2) {
    __syncthreads();
    if (id < s) t[id] += t[id + s];
  }
  if (id == 0) atomicAdd(y, t[0]);
}
__global__ void onestep_fixed(const float* x, float* y, int n) {  // many elements a thread, shuffles within a warp
  __shared__ float t[32];
  const int id = threadIdx.x;
  float sum = 0;
  for (int k = blockIdx.x * blockDim.x + id; k < n; k += gridDim.x * blockDim.x) sum += x[k];
  for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(~0u, sum, s);
  if (id % 32 == 0) t[id / 32] = sum;
  __syncthreads();
  if (id >= 32) return;
  sum = id < blockDim.x / 32 ? t[id] : 0;
  for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(~0u, sum, s);
  if (id == 0) atomicAdd(y, sum);
}
__global__ void steele_bad(const float* x, float* y) {  // an inclusive scan of every 512, two barriers a step
  __shared__ float t[512];
  const int id = threadIdx.x, at = blockIdx.x * 512 + id;
  t[id] = x[at];
  for (int s = 1; s < 512; s *= 2) {
    __syncthreads();
    const float left = id >= s ? t[id - s] : 0;
    __syncthreads();
    t[id] += left;
  }
  y[at] = t[id];
}
__global__ void steele_fixed(const float* x, float* y) {  // scans of warps, then of their sums
  __shared__ float t[16];
  const int id = threadIdx.x, lane = id % 32, at = blockIdx.x * 512 + id;
  float v = x[at];
  for (int s = 1; s < 32; s *= 2) {
    const float left = __shfl_up_sync(~0u, v, s);
    if (lane >= s) v += left;
  }
  if (lane == 31) t[id / 32] = v;
  __syncthreads();
  float before = lane < 16 ? t[lane] : 0;
  for (int s = 1; s < 16; s *= 2) {
    const float left = __shfl_up_sync(~0u, before, s);
    if (lane >= s) before += left;
  }
  const float all = __shfl_sync(~0u, before, id >= 32 ? id / 32 - 1 : 0);
  y[at] = id >= 32 ? v + all : v;
}
