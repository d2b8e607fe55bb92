// Instructions.
__global__ void quantise_bad(const float* x, int* out, int n) {  // to bytes, one by one
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) ((signed char*)out)[id] = (signed char)max(-127, min(127, __float2int_rn(x[id] * 127)));
}
__global__ void quantise_fixed(const float* x, int* out, int n) {  // sixteen a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n / 16) return;
  int packed[4];
  for (int k = 0; k < 4; ++k) {
    const float4 v = ((const float4*)x)[4 * id + k];
    const auto byte = [](float f) { return max(-127, min(127, __float2int_rn(f * 127))) & 255; };
    packed[k] = byte(v.x) | byte(v.y) << 8 | byte(v.z) << 16 | byte(v.w) << 24;
  }
  ((int4*)out)[id] = make_int4(packed[0], packed[1], packed[2], packed[3]);
}
__global__ void append_bad(const __half* fresh, __half* cache, int n, int heads, int width, int room) {  // new keys into a cache, places by division
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const int d = id % width, head = id / width % heads, row = id / width / heads;
  cache[((row / 16 * heads + head) * room + row % 16) * width + d] = fresh[id];
}
__global__ void append_fixed(const __half* fresh, __half* cache, int n, int heads, int width, int room) {  // by a grid of three dimensions
  const int d = threadIdx.x, head = blockIdx.y * blockDim.y + threadIdx.y, row = blockIdx.x;
  if (d >= width || head >= heads) return;
  cache[((row / 16 * heads + head) * room + row % 16) * width + d] = fresh[(row * heads + head) * width + d];
}
__device__ unsigned mixed(unsigned v) {
  v ^= v >> 16, v *= 0x7feb352d, v ^= v >> 15, v *= 0x846ca68b;
  return v ^ v >> 16;
}
__global__ void dropout_bad(const float* x, float* y, int n) {  // random numbers from hashes, in double precision
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) y[id] = mixed(id) * (1.0 / 4294967296.0) < 0.9 ? x[id] / 0.9 : 0;
}
__global__ void dropout_fixed(const float* x, float* y, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) y[id] = mixed(id) * (1.0f / 4294967296.0f) < 0.9f ? x[id] / 0.9f : 0;
}
__global__ void largest8_bad(const float* x, float* y, int n) {  // the eight largest of a thread's numbers, sorted in by position
  const int id = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  float best[8] = {};
  for (int k = id; k < n; k += all) {
    const float v = x[k];
    int at = 0;
    while (at < 8 && best[at] < v) ++at;
    for (int m = 1; m < at; ++m) best[m - 1] = best[m];
    if (at > 0) best[at - 1] = v;
  }
  float sum = 0;
  for (int m = 0; m < 8; ++m) sum += best[m] * (m + 1);
  y[id] = sum;
}
__global__ void largest8_fixed(const float* x, float* y, int n) {  // through all eight, without asking where
  const int id = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  float best[8] = {};
  for (int k = id; k < n; k += all) {
    float v = x[k];
#pragma unroll
    for (int m = 7; m >= 0; --m) {
      const float less = fminf(best[m], v);
      best[m] = fmaxf(best[m], v);
      v = less;
    }
  }
  float sum = 0;
  for (int m = 0; m < 8; ++m) sum += best[m] * (m + 1);
  y[id] = sum;
}
__global__ void taps_bad(const float* x, const float* w, float* y, int taps) {  // a filter whose length is known at run time only
  __shared__ float t[256 + 64], c[64];
  const int id = threadIdx.x, first = blockIdx.x * 256;
  t[id] = x[first + id];
  if (id < 64) t[256 + id] = x[min(first + 256 + id, (int)gridDim.x * 256 - 1)], c[id] = w[id];
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < taps; ++k) sum += c[k] * t[id + k];
  y[first + id] = sum;
}
__global__ void taps_fixed(const float* x, const float* w, float* y, int) {
  __shared__ float t[256 + 64], c[64];
  const int id = threadIdx.x, first = blockIdx.x * 256;
  t[id] = x[first + id];
  if (id < 64) t[256 + id] = x[min(first + 256 + id, (int)gridDim.x * 256 - 1)], c[id] = w[id];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 48; ++k) sum += c[k] * t[id + k];
  y[first + id] = sum;
}
__global__ void words_bad(const int* length, const int* text, float* y, int n) {  // hashes of words, each as long as it is
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned hash = 2166136261u;
  for (int k = 0; k < (length[id] & 127); ++k) hash = mixed(hash ^ text[k * 64 + id % 64]);
  y[id] = (float)hash;
}
__global__ void words_fixed(const int* length, const int* text, float* y, int n) {  // sorted by length: 32 alike in a warp
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned hash = 2166136261u;
  for (int k = 0; k < (length[id / 32 * 32] & 127); ++k) hash = mixed(hash ^ text[k * 64 + id % 64]);
  y[id] = (float)hash;
}
