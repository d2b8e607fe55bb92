// A few more first versions, as pairs: NAME_bad has one defect and NAME_fixed does not.
extern "C" {
__global__ void spectrum_bad(const float* x, float* y, int bands) {  // sums of products whose length is told when launched
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id];
  float real = 0, other = 0, a = 1, b = 0;
#pragma unroll 1
  for (int j = 0; j < bands; ++j) {
    const float t = a * 0.9f - b * v;
    b = a * v + b * 0.9f;
    a = t;
    real += a, other += b;
  }
  y[id] = real * other;
}
__global__ void spectrum_fixed(const float* x, float* y, int bands) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id];
  float real = 0, other = 0, a = 1, b = 0;
#pragma unroll
  for (int j = 0; j < 48; ++j) {
    const float t = a * 0.9f - b * v;
    b = a * v + b * 0.9f;
    a = t;
    real += a, other += b;
  }
  y[id] = real * other;
}
__global__ void luhn_bad(const unsigned* k, unsigned* i) {  // check digits, the loop over nibbles left rolled
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned v = k[id] * 2654435761u;
  unsigned sum = 0, odd = 0;
#pragma unroll 1
  for (int j = 0; j < 32; j += 4) {
    const unsigned d = v >> j & 15;
    sum += odd ? (d << 1) ^ (d >> 2) : d;
    odd ^= 1;
  }
  i[id] = sum;
}
__global__ void luhn_fixed(const unsigned* k, unsigned* i) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned v = k[id] * 2654435761u;
  unsigned sum = 0, odd = 0;
#pragma unroll
  for (int j = 0; j < 32; j += 4) {
    const unsigned d = v >> j & 15;
    sum += odd ? (d << 1) ^ (d >> 2) : d;
    odd ^= 1;
  }
  i[id] = sum;
}
__global__ void automaton_bad(const unsigned* k, unsigned* i, int steps) {  // rule 110 on 512 words, a barrier a step
  __shared__ unsigned v[2][514];
  const int t = threadIdx.x;
  v[0][t + 1] = k[blockIdx.x * 512 + t];
  if (t == 0) v[0][0] = v[1][0] = v[0][513] = v[1][513] = 0;
  __syncthreads();
  for (int s = 0; s < steps; ++s) {
    const unsigned left = v[s & 1][t], here = v[s & 1][t + 1], right = v[s & 1][t + 2];
    const unsigned a = here >> 1 | left << 31, b = here << 1 | right >> 31;
    v[1 - (s & 1)][t + 1] = (here | b) & ~(a & here & b);
    __syncthreads();
  }
  i[blockIdx.x * 512 + t] = v[steps & 1][t + 1];
}
__global__ void automaton_fixed(const unsigned* k, unsigned* i, int steps) {  // a warp's 512 words in registers, edges by shuffles
  const int lane = threadIdx.x & 31, row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  unsigned v[16];
  for (int j = 0; j < 4; ++j) *(uint4*)&v[4 * j] = ((const uint4*)k)[row * 128 + lane * 4 + j];
  for (int s = 0; s < steps; ++s) {
    unsigned left = __shfl_up_sync(~0u, v[15], 1), right = __shfl_down_sync(~0u, v[0], 1);
    if (lane == 0) left = 0;
    if (lane == 31) right = 0;
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      const unsigned here = v[j], next = j < 15 ? v[j + 1] : right;
      const unsigned a = here >> 1 | left << 31, b = here << 1 | next >> 31;
      left = here;
      v[j] = (here | b) & ~(a & here & b);
    }
  }
  for (int j = 0; j < 4; ++j) ((uint4*)i)[row * 128 + lane * 4 + j] = *(uint4*)&v[4 * j];
}
__global__ void vertices_bad(const float* x, float* y) {  // places of points in a row of eight numbers, two of which are used
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = x[id * 8] * x[id * 8] + x[id * 8 + 3] * x[id * 8 + 3];
}
__global__ void vertices_fixed(const float* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  y[id] = x[id] * x[id] + x[id + 3 * n] * x[id + 3 * n];
}
__global__ void votes_bad(const int* k, int* h) {  // every thread adds to its candidate
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < 1 << 22; id += gridDim.x * blockDim.x) atomicAdd(&h[k[id] & 15], 1);
}
__global__ void votes_fixed(const int* k, int* h) {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < 1 << 22; id += gridDim.x * blockDim.x) atomicAdd(&bins[k[id] & 15], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&h[threadIdx.x], bins[threadIdx.x]);
}
__global__ void turnrows_bad(const float* x, float* y, int side) {  // a tile turned in shared memory, rows of 32
  __shared__ float tile[32][32];
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = x[(r + j) * side + c];
  __syncthreads();
  const int to = blockIdx.y * 32 + threadIdx.x, of = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) y[(of + j) * side + to] = tile[threadIdx.x][threadIdx.y + j] * 2;
}
__global__ void turnrows_fixed(const float* x, float* y, int side) {  // rows of 33
  __shared__ float tile[32][33];
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = x[(r + j) * side + c];
  __syncthreads();
  const int to = blockIdx.y * 32 + threadIdx.x, of = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) y[(of + j) * side + to] = tile[threadIdx.x][threadIdx.y + j] * 2;
}
__global__ void chaos_bad(const float* x, float* y, int steps) {  // 150 large blocks on 132 SMs
  __shared__ float keep[28000 / 4];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id] * 0.9f + 0.05f;
  for (int j = 0; j < steps; ++j) v = 3.7f * v * (1 - v);
  keep[threadIdx.x] = v;
  y[id] = keep[threadIdx.x];
}
__global__ void chaos_fixed(const float* x, float* y, int steps) {  // blocks of a quarter
  __shared__ float keep[7000 / 4];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id] * 0.9f + 0.05f;
  for (int j = 0; j < steps; ++j) v = 3.7f * v * (1 - v);
  keep[threadIdx.x] = v;
  y[id] = keep[threadIdx.x];
}
__global__ void profile_bad(const float* x, float* y, int n) {  // a table of 24 numbers of each thread, the place chosen by the data
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float sums[24];
  for (int j = 0; j < 24; ++j) sums[j] = 0;
  for (int j = 0; j < 24; ++j) {
    const float v = x[id + j * n];
    sums[(int)(v * 23.99f)] += v;
  }
  float most = 0;
  for (int j = 0; j < 24; ++j) most = fmaxf(most, sums[j]);
  y[id] = most;
}
__global__ void profile_fixed(const float* x, float* y, int n) {  // in shared memory, a place of all threads side by side
  __shared__ float sums[24][128];
  const int id = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  for (int j = 0; j < 24; ++j) sums[j][t] = 0;
  for (int j = 0; j < 24; ++j) {
    const float v = x[id + j * n];
    sums[(int)(v * 23.99f)][t] += v;
  }
  float most = 0;
  for (int j = 0; j < 24; ++j) most = fmaxf(most, sums[j][t]);
  y[id] = most;
}
}
