// Shared memory, atomics, the shape of the launch.
__global__ void rowstat_bad(const float* x, float* y) {  // sums of a tile's rows, a thread each
  __shared__ float t[64][64];
  for (int k = threadIdx.x; k < 4096; k += 64) t[k / 64][k % 64] = x[blockIdx.x * 4096 + k];
  __syncthreads();
  float sum = 0, squares = 0;
  for (int k = 0; k < 64; ++k) sum += t[threadIdx.x][k], squares += t[threadIdx.x][k] * t[threadIdx.x][k];
  y[blockIdx.x * 64 + threadIdx.x] = squares - sum * sum / 64;
}
__global__ void rowstat_fixed(const float* x, float* y) {
  __shared__ float t[64][65];
  for (int k = threadIdx.x; k < 4096; k += 64) t[k / 64][k % 64] = x[blockIdx.x * 4096 + k];
  __syncthreads();
  float sum = 0, squares = 0;
  for (int k = 0; k < 64; ++k) sum += t[threadIdx.x][k], squares += t[threadIdx.x][k] * t[threadIdx.x][k];
  y[blockIdx.x * 64 + threadIdx.x] = squares - sum * sum / 64;
}
__global__ void bitonic_bad(const float* x, float* y) {  // sorts 1,024 numbers, a barrier a step
  __shared__ float t[1024];
  const int id = threadIdx.x;
  t[id] = x[blockIdx.x * 1024 + id];
  for (int size = 2; size <= 1024; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const int other = id ^ stride;
      if (other > id) {
        const float a = t[id], b = t[other];
        if ((a > b) == ((id & size) == 0)) t[id] = b, t[other] = a;
      }
    }
  __syncthreads();
  y[blockIdx.x * 1024 + id] = t[id];
}
__global__ void bitonic_fixed(const float* x, float* y) {  // within a warp by shuffles
  __shared__ float t[1024];
  const int id = threadIdx.x;
  float v = x[blockIdx.x * 1024 + id];
  for (int size = 2; size <= 1024; size *= 2) {
    int stride = size / 2;
    for (; stride >= 32; stride /= 2) {
      __syncthreads();
      t[id] = v;
      __syncthreads();
      const float o = t[id ^ stride];
      v = ((id & stride) == 0) == ((id & size) == 0) ? fminf(v, o) : fmaxf(v, o);
    }
    for (; stride > 0; stride /= 2) {
      const float o = __shfl_xor_sync(~0u, v, stride);
      v = ((id & stride) == 0) == ((id & size) == 0) ? fminf(v, o) : fmaxf(v, o);
    }
  }
  y[blockIdx.x * 1024 + id] = v;
}
__global__ void digits_bad(const int* keys, unsigned* h, int n) {  // a radix sort's first step: sixteen counters a block
  __shared__ unsigned own[16];
  if (threadIdx.x < 16) own[threadIdx.x] = 0;
  __syncthreads();
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) atomicAdd(&own[keys[id] & 15], 1u);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&h[threadIdx.x], own[threadIdx.x]);
}
__global__ void digits_fixed(const int* keys, unsigned* h, int n) {  // sixteen counters a lane
  __shared__ unsigned own[16 * 32];
  for (int k = threadIdx.x; k < 512; k += blockDim.x) own[k] = 0;
  __syncthreads();
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) atomicAdd(&own[(keys[id] & 15) * 32 + threadIdx.x % 32], 1u);
  __syncthreads();
  if (threadIdx.x < 16) {
    unsigned sum = 0;
    for (int k = 0; k < 32; ++k) sum += own[threadIdx.x * 32 + (k + threadIdx.x) % 32];
    atomicAdd(&h[threadIdx.x], sum);
  }
}
__global__ void batch8_bad(const float* a, const float* b, float* c) {  // products of 8 x 8 matrices, a block each
  const int row = threadIdx.x / 8, column = threadIdx.x % 8, first = blockIdx.x * 64;
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += a[first + row * 8 + k] * b[first + k * 8 + column];
  c[first + threadIdx.x] = sum;
}
__global__ void batch8_fixed(const float* a, const float* b, float* c) {  // four a block
  const int id = threadIdx.x % 64, row = id / 8, column = id % 8, first = (blockIdx.x * 4 + threadIdx.x / 64) * 64;
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += a[first + row * 8 + k] * b[first + k * 8 + column];
  c[first + id] = sum;
}
__global__ void argmax_bad(const float* x, float* y, int n) {  // one block looks at all
  __shared__ float most[1024];
  __shared__ int where[1024];
  float best = -1;
  int at = 0;
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x)
    if (x[k] > best) best = x[k], at = k;
  most[threadIdx.x] = best, where[threadIdx.x] = at;
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s && most[threadIdx.x + s] > most[threadIdx.x]) most[threadIdx.x] = most[threadIdx.x + s], where[threadIdx.x] = where[threadIdx.x + s];
  }
  if (threadIdx.x == 0) y[2 * blockIdx.x] = most[0], y[2 * blockIdx.x + 1] = (float)where[0];
}
__global__ void argmax_fixed(const float* x, float* y, int n) {  // as many as the GPU holds, and their results later
  __shared__ float most[1024];
  __shared__ int where[1024];
  float best = -1;
  int at = 0;
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x)
    if (x[k] > best) best = x[k], at = k;
  most[threadIdx.x] = best, where[threadIdx.x] = at;
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s && most[threadIdx.x + s] > most[threadIdx.x]) most[threadIdx.x] = most[threadIdx.x + s], where[threadIdx.x] = where[threadIdx.x + s];
  }
  if (threadIdx.x == 0) y[2 * blockIdx.x] = most[0], y[2 * blockIdx.x + 1] = (float)where[0];
}
__device__ float walk(const float* x, const int* next, int id, int n) {  // lists of six, threads by places of random neighbours
  float sum = 0;
  int at = id;
  for (int k = 0; k < 6; ++k) at = next[at] & (n - 1), sum += x[at];
  return sum;
}
__global__ void lists_bad(const float* x, const int* next, float* y, int n) {  // shared memory for 8 times as much as is used
  extern __shared__ float t[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  t[threadIdx.x] = walk(x, next, id, n);
  __syncthreads();
  y[id] = t[threadIdx.x ^ 1];
}
__global__ void lists_fixed(const float* x, const int* next, float* y, int n) {
  extern __shared__ float t[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  t[threadIdx.x] = walk(x, next, id, n);
  __syncthreads();
  y[id] = t[threadIdx.x ^ 1];
}
__global__ void circle_bad(const float* x, float* y, int steps) {  // pi by random points, each from the one before
  unsigned state = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int inside = 0;
  for (int k = 0; k < steps; ++k) {
    state = state * 1664525u + 1013904223u;
    const float u = (state >> 8) * 5.9604645e-8f;
    state = state * 1664525u + 1013904223u;
    const float v = (state >> 8) * 5.9604645e-8f;
    inside += u * u + v * v < 1;
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = 4.0f * inside / steps + x[0] * 0;
}
__global__ void circle_fixed(const float* x, float* y, int steps) {  // four sequences side by side
  unsigned state[4];
  for (int m = 0; m < 4; ++m) state[m] = 4 * (blockIdx.x * blockDim.x + threadIdx.x) + m + 1;
  int inside = 0;
  for (int k = 0; k < steps / 4; ++k) {
#pragma unroll
    for (int m = 0; m < 4; ++m) {
      state[m] = state[m] * 1664525u + 1013904223u;
      const float u = (state[m] >> 8) * 5.9604645e-8f;
      state[m] = state[m] * 1664525u + 1013904223u;
      const float v = (state[m] >> 8) * 5.9604645e-8f;
      inside += u * u + v * v < 1;
    }
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = 4.0f * inside / steps + x[0] * 0;
}
