// Kernels of trades not used before (genomes, weather, packets, ledgers, radio, maps), as pairs: NAME_bad has one defect and
// NAME_fixed does not.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
__constant__ float of_codon[64] = {0.1f, 0.7f, 1.3f, 1.9f, 2.5f, 3.1f, 3.7f, 4.3f, 4.9f, 5.5f, 6.1f, 6.7f, 7.3f, 7.9f, 8.5f, 9.1f,
                                   0.2f, 0.8f, 1.4f, 2.0f, 2.6f, 3.2f, 3.8f, 4.4f, 5.0f, 5.6f, 6.2f, 6.8f, 7.4f, 8.0f, 8.6f, 9.2f,
                                   0.3f, 0.9f, 1.5f, 2.1f, 2.7f, 3.3f, 3.9f, 4.5f, 5.1f, 5.7f, 6.3f, 6.9f, 7.5f, 8.1f, 8.7f, 9.3f,
                                   0.4f, 1.0f, 1.6f, 2.2f, 2.8f, 3.4f, 4.0f, 4.6f, 5.2f, 5.8f, 6.4f, 7.0f, 7.6f, 8.2f, 8.8f, 9.4f};
__constant__ float of_antenna[48] = {0.02f, 0.04f, 0.06f, 0.08f, 0.10f, 0.12f, 0.14f, 0.16f, 0.18f, 0.20f, 0.22f, 0.24f, 0.26f, 0.28f, 0.30f, 0.32f,
                                     0.34f, 0.36f, 0.38f, 0.40f, 0.42f, 0.44f, 0.46f, 0.48f, 0.50f, 0.52f, 0.54f, 0.56f, 0.58f, 0.60f, 0.62f, 0.64f,
                                     0.66f, 0.68f, 0.70f, 0.72f, 0.74f, 0.76f, 0.78f, 0.80f, 0.82f, 0.84f, 0.86f, 0.88f, 0.90f, 0.92f, 0.94f, 0.96f};
extern "C" {
__global__ void reads_bad(const unsigned* k, int* i) {  // bases of a read of 64 words that are not the first kind, a thread a read
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int j = 0; j < 64; ++j) {
    const unsigned v = k[id * 64 + j];
    sum += __popc((v | v >> 1) & 0x55555555u);
  }
  i[id] = sum;
}
__global__ void reads_fixed(const unsigned* k, int* i) {  // a warp a read
  const int id = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const uint2 v = ((const uint2*)k)[id * 32 + lane];
  const int sum = __reduce_add_sync(~0u, __popc((v.x | v.x >> 1) & 0x55555555u) + __popc((v.y | v.y >> 1) & 0x55555555u));
  if (lane == 0) i[id] = sum;
}
__global__ void columnair_bad(const float* x, float* y) {  // pressure from the top of a column of 32 layers, layers of a cell in a row
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float p = 0.1f;
  for (int l = 0; l < 32; ++l) {
    p += x[id * 32 + l] * (1.0f + 0.01f * p);
    y[id * 32 + l] = p;
  }
}
__global__ void columnair_fixed(const float* x, float* y) {  // cells of a layer in a row
  const int id = blockIdx.x * blockDim.x + threadIdx.x, cells = gridDim.x * blockDim.x;
  float p = 0.1f;
  for (int l = 0; l < 32; ++l) {
    p += x[l * cells + id] * (1.0f + 0.01f * p);
    y[l * cells + id] = p;
  }
}
__global__ void packets_bad(const unsigned* k, unsigned* i) {  // checksums of headers of nine words, a thread each
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (int j = 0; j < 9; ++j) {
    const unsigned v = k[id * 9 + j];
    sum += (v & 65535) + (v >> 16);
  }
  i[id] = (sum & 65535) + (sum >> 16);
}
__global__ void packets_fixed(const unsigned* k, unsigned* i) {  // through shared memory
  __shared__ unsigned kept[256 * 9];
  for (int j = threadIdx.x; j < 256 * 9; j += 256) kept[j] = k[blockIdx.x * 256 * 9 + j];
  __syncthreads();
  unsigned sum = 0;
  for (int j = 0; j < 9; ++j) {
    const unsigned v = kept[threadIdx.x * 9 + j];
    sum += (v & 65535) + (v >> 16);
  }
  i[blockIdx.x * 256 + threadIdx.x] = (sum & 65535) + (sum >> 16);
}
__global__ void patches_bad(const float* x, float* y, int side) {  // neighbours of each pixel in a row of 16, a thread a pixel
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int c = id & (side - 1), r = id / side;
  for (int j = 0; j < 16; ++j) y[id * 16 + j] = x[((r + j / 4) & (side - 1)) * side + ((c + j % 4) & (side - 1))];
}
__global__ void patches_fixed(const float* x, float* y, int side) {  // a thread a neighbour
  const int all = blockIdx.x * blockDim.x + threadIdx.x, id = all / 16, j = all % 16;
  const int c = id & (side - 1), r = id / side;
  y[all] = x[((r + j / 4) & (side - 1)) * side + ((c + j % 4) & (side - 1))];
}
__global__ void ledgers_bad(const float* x, float* y) {  // totals of tables of 32 by 32, each lane a row of its warp's table
  __shared__ float kept[4][32 * 32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const float* table = x + (blockIdx.x * 4 + warp) * 1024;
  for (int j = 0; j < 32; ++j) kept[warp][j * 32 + lane] = table[j * 32 + lane];
  __syncwarp();
  float sum = 0;
  for (int j = 0; j < 32; ++j) sum += kept[warp][lane * 32 + j];
  y[(blockIdx.x * 4 + warp) * 32 + lane] = sum;
}
__global__ void ledgers_fixed(const float* x, float* y) {  // rows of 33
  __shared__ float kept[4][32 * 33];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const float* table = x + (blockIdx.x * 4 + warp) * 1024;
  for (int j = 0; j < 32; ++j) kept[warp][j * 33 + lane] = table[j * 32 + lane];
  __syncwarp();
  float sum = 0;
  for (int j = 0; j < 32; ++j) sum += kept[warp][lane * 33 + j];
  y[(blockIdx.x * 4 + warp) * 32 + lane] = sum;
}
__global__ void limbs_bad(const float* x, float* y, int turns) {  // chains of eight joints a robot, joints of a robot in a row
  __shared__ float joint[256 * 8];
  const int t = threadIdx.x, id = blockIdx.x * blockDim.x + t;
  for (int c = 0; c < 8; ++c) joint[t * 8 + c] = x[c * gridDim.x * blockDim.x + id];
  for (int k = 0; k < turns; ++k)
    for (int j = 0; j < 8; ++j) {
      const int c = j + k & 7;
      joint[t * 8 + c] = joint[t * 8 + c] * 0.9f + joint[t * 8 + (c + 7 & 7)] * 0.1f;
    }
  y[id] = joint[t * 8 + 7];
}
__global__ void limbs_fixed(const float* x, float* y, int turns) {  // robots in a row
  __shared__ float joint[256 * 8];
  const int t = threadIdx.x, id = blockIdx.x * blockDim.x + t;
  for (int c = 0; c < 8; ++c) joint[c * 256 + t] = x[c * gridDim.x * blockDim.x + id];
  for (int k = 0; k < turns; ++k)
    for (int j = 0; j < 8; ++j) {
      const int c = j + k & 7;
      joint[c * 256 + t] = joint[c * 256 + t] * 0.9f + joint[(c + 7 & 7) * 256 + t] * 0.1f;
    }
  y[id] = joint[7 * 256 + t];
}
__global__ void quality_bad(const unsigned* k, unsigned* i) {  // histograms of 16 grades, a thread's bins in a row
  __shared__ unsigned bins[128 * 16];
  const int t = threadIdx.x;
  for (int b = 0; b < 16; ++b) bins[t * 16 + b] = 0;
  for (int j = 0; j < 16; ++j) {
    const unsigned v = k[(blockIdx.x * 16 + j) * 128 + t];
    for (int s = 0; s < 16; s += 4) ++bins[t * 16 + (v >> s & 15)];
  }
  __syncthreads();
  if (t < 16) {
    unsigned sum = 0;
    for (int j = 0; j < 128; ++j) sum += bins[j * 16 + t];
    i[blockIdx.x * 16 + t] = sum;
  }
}
__global__ void quality_fixed(const unsigned* k, unsigned* i) {  // a grade's bins in a row
  __shared__ unsigned bins[128 * 16];
  const int t = threadIdx.x;
  for (int b = 0; b < 16; ++b) bins[b * 128 + t] = 0;
  for (int j = 0; j < 16; ++j) {
    const unsigned v = k[(blockIdx.x * 16 + j) * 128 + t];
    for (int s = 0; s < 16; s += 4) ++bins[(v >> s & 15) * 128 + t];
  }
  __syncthreads();
  if (t < 16) {
    unsigned sum = 0;
    for (int j = 0; j < 128; ++j) sum += bins[t * 128 + (j + t) % 128];
    i[blockIdx.x * 16 + t] = sum;
  }
}
__global__ void tariffs_bad(const int* k, const float* x, float* y) {  // four tariffs, each with a formula in a branch of its own
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int kind = k[id] & 3;
  float v = x[id];
  if (kind == 0) for (int j = 0; j < 40; ++j) v = v * 0.99f + 0.01f;
  else if (kind == 1) for (int j = 0; j < 40; ++j) v = v * 0.97f + 0.02f;
  else if (kind == 2) for (int j = 0; j < 40; ++j) v = v * 0.95f + 0.03f;
  else for (int j = 0; j < 40; ++j) v = v * 0.93f + 0.04f;
  y[id] = v;
}
__global__ void tariffs_fixed(const int* k, const float* x, float* y) {  // one formula, whose numbers differ
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int kind = k[id] & 3;
  const float a = 0.99f - 0.02f * kind, b = 0.01f + 0.01f * kind;
  float v = x[id];
  for (int j = 0; j < 40; ++j) v = v * a + b;
  y[id] = v;
}
__global__ void raysteps_bad(const int* k, const float* x, float* y) {  // rays of one to 128 steps, in any order
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int steps = (k[id] & 127) + 1;
  float v = x[id], t = 0;
  for (int j = 0; j < steps; ++j) {
    t += v * 0.01f;
    v = fmaxf(fabsf(v - t * 0.1f), 0.001f);
  }
  y[id] = t;
}
__global__ void raysteps_fixed(const int* k, const float* x, float* y) {  // rays of a warp take as many steps
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int steps = (k[id / 32] & 127) + 1;
  float v = x[id], t = 0;
  for (int j = 0; j < steps; ++j) {
    t += v * 0.01f;
    v = fmaxf(fabsf(v - t * 0.1f), 0.001f);
  }
  y[id] = t;
}
__global__ void leaders_bad(const float* x, float* y) {  // every fourth thread works
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id % 4) return;
  float v = x[id];
  for (int j = 0; j < 64; ++j) v = v * v * 0.5f + 0.25f;
  y[id / 4] = v;
}
__global__ void leaders_fixed(const float* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id * 4];
  for (int j = 0; j < 64; ++j) v = v * v * 0.5f + 0.25f;
  y[id] = v;
}
__global__ void loudest_bad(const int* k, unsigned* h) {  // the largest of all, by every thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  atomicMax(h + (k[id] & 1), (unsigned)k[id]);
}
__global__ void loudest_fixed(const int* k, unsigned* h) {  // by a block
  __shared__ unsigned most[2];
  if (threadIdx.x < 2) most[threadIdx.x] = 0;
  __syncthreads();
  const unsigned v = k[blockIdx.x * blockDim.x + threadIdx.x];
  for (unsigned odd = 0; odd < 2; ++odd) {
    const unsigned here = __reduce_max_sync(~0u, (v & 1) == odd ? v : 0);
    if (threadIdx.x % 32 == 0) atomicMax(&most[odd], here);
  }
  __syncthreads();
  if (threadIdx.x < 2) atomicMax(h + threadIdx.x, most[threadIdx.x]);
}
__global__ void letters_bad(const int* k, unsigned* h, int* i) {  // places for letters of one to four words, by one counter
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned v = k[id], words = (v & 3) + 1;
  const unsigned at = atomicAdd(h, words);
  i[at & 0xfffff] = v;
}
__global__ void letters_fixed(const int* k, unsigned* h, int* i) {  // a warp asks once
  const int id = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const unsigned v = k[id], words = (v & 3) + 1;
  unsigned sum = words;
  for (int m = 1; m < 32; m *= 2) {
    const unsigned before = __shfl_up_sync(~0u, sum, m);
    if (lane >= m) sum += before;
  }
  unsigned base = 0;
  if (lane == 31) base = atomicAdd(h, sum);
  base = __shfl_sync(~0u, base, 31);
  i[(base + sum - words) & 0xfffff] = v;
}
__global__ void accounts_bad(const int* k, const float* x, float* o) {  // sums of 32 accounts
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&o[k[id] & 31], x[id]);
}
__global__ void accounts_fixed(const int* k, const float* x, float* o) {  // in bins of a block, sixteen entries a thread
  __shared__ float bins[8][32];
  bins[threadIdx.x / 32][threadIdx.x % 32] = 0;
  __syncthreads();
  for (int j = 0; j < 16; ++j) {
    const int id = (blockIdx.x * 16 + j) * 256 + threadIdx.x;
    atomicAdd(&bins[threadIdx.x / 32][k[id] & 31], x[id]);
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    float sum = 0;
    for (int b = 0; b < 8; ++b) sum += bins[b][threadIdx.x];
    atomicAdd(&o[threadIdx.x], sum);
  }
}
__global__ void meters_bad(const float* x, float* y) {  // the sum of a block, all threads add to one word of shared memory
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, x[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
__global__ void meters_fixed(const float* x, float* y) {  // by shuffles
  __shared__ float part[8];
  float v = x[blockIdx.x * blockDim.x + threadIdx.x];
  for (int m = 16; m; m /= 2) v += __shfl_xor_sync(~0u, v, m);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int j = 0; j < 8; ++j) sum += part[j];
    y[blockIdx.x] = sum;
  }
}
__global__ void bearings_bad(const float* x, float* y) {  // degrees by functions of doubles
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float a = x[id] * 0.0174532925;
  y[id] = sin(a) * 0.5 + cos(a) * a;
}
__global__ void bearings_fixed(const float* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float a = x[id] * 0.0174532925f;
  y[id] = sinf(a) * 0.5f + cosf(a) * a;
}
__global__ void bonds_bad(const float* x, float* y, int years) {  // a bond's worth, constants of doubles
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float rate = x[id], worth = 0, factor = 1;
  for (int j = 0; j < years; ++j) {
    factor = factor * (1.0 - rate * 0.05);
    worth = worth + 0.04 * factor;
  }
  y[id] = worth + factor;
}
__global__ void bonds_fixed(const float* x, float* y, int years) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float rate = x[id], worth = 0, factor = 1;
  for (int j = 0; j < years; ++j) {
    factor = factor * (1.0f - rate * 0.05f);
    worth = worth + 0.04f * factor;
  }
  y[id] = worth + factor;
}
__global__ void screens_bad(const float* x, float* y) {  // a screen's curve by pow of doubles
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = pow(x[id] + 0.01, 2.2);
}
__global__ void screens_fixed(const float* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = powf(x[id] + 0.01f, 2.2f);
}
__global__ void mish_bad(const float* x, float* y, int turns) {  // an activation by precise functions
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int j = 0; j < turns; ++j) v = v * tanhf(logf(1.0f + expf(v)));
  y[id] = v;
}
__global__ void mish_fixed(const float* x, float* y, int turns) {  // tanh(log(1 + e)) is a quotient of squares
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int j = 0; j < turns; ++j) {
    const float e = 1.0f + __expf(v), q = e * e;
    v = v * __fdividef(q - 1.0f, q + 1.0f);
  }
  y[id] = v;
}
__global__ void clipped_bad(const float* x, float* y, int turns) {  // a soft limit by square roots and quotients
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id] * 8 - 4;
  for (int j = 0; j < turns; ++j) v = 1.5f * v / sqrtf(1.0f + v * v);
  y[id] = v;
}
__global__ void clipped_fixed(const float* x, float* y, int turns) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id] * 8 - 4;
  for (int j = 0; j < turns; ++j) v = 1.5f * v * rsqrtf(1.0f + v * v);
  y[id] = v;
}
__global__ void odds_bad(const float* x, float* y, int turns) {  // sums of probabilities in logarithms
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = -x[id];
  for (int j = 0; j < turns; ++j) v = logf(expf(v - 0.1f) + expf(-0.5f * v));
  y[id] = v;
}
__global__ void odds_fixed(const float* x, float* y, int turns) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = -x[id];
  for (int j = 0; j < turns; ++j) v = __logf(__expf(v - 0.1f) + __expf(-0.5f * v));
  y[id] = v;
}
__global__ void crates_bad(const float* x, float* y, int a, int b, int c) {  // the places of four indices by divisions
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int w = id % a, r = id / a, h = r % b, s = r / b, d = s % c, n = s / c;
  y[id] = x[id] * w + h * 0.5f + d * 0.25f + n * 0.125f;
}
__global__ void crates_fixed(const float* x, float* y, int a, int b, int c) {  // by the grid
  const int w = threadIdx.x, h = blockIdx.x * 4 + threadIdx.y, d = blockIdx.y, n = blockIdx.z, id = ((n * c + d) * b + h) * a + w;
  y[id] = x[id] * w + h * 0.5f + d * 0.25f + n * 0.125f;
}
__global__ void names_bad(const unsigned* k, unsigned* i, unsigned radix) {  // six digits of a number, radix known when launched
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = k[id] * 2654435761u, sum = 0;
  for (int j = 0; j < 6; ++j) {
    sum = sum * 31 + v % radix;
    v /= radix;
  }
  i[id] = sum;
}
__global__ void names_fixed(const unsigned* k, unsigned* i, unsigned radix) {  // known when compiled
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = k[id] * 2654435761u, sum = 0;
  for (int j = 0; j < 6; ++j) {
    sum = sum * 31 + v % 62u;
    v /= 62u;
  }
  i[id] = sum;
}
__global__ void delays_bad(const float* x, float* y, int size) {  // sixteen taps of a ring, each place by a remainder
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < 16; ++j) sum += x[(id + j * 37) % size] * (0.1f * j);
  y[id] = sum;
}
__global__ void delays_fixed(const float* x, float* y, int size) {  // the first by a remainder, the others go on
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  int at = id % size;
  float sum = 0;
  for (int j = 0; j < 16; ++j) {
    sum += x[at] * (0.1f * j);
    at += 37;
    if (at >= size) at -= size;
  }
  y[id] = sum;
}
__global__ void stations_bad(const float* x, float* y, int n) {  // a few blocks go over everything
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) y[id] = sqrtf(x[id]) + 0.5f * x[id];
}
__global__ void stations_fixed(const float* x, float* y, int n) {
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) y[id] = sqrtf(x[id]) + 0.5f * x[id];
}
__global__ void channels_bad(const float* x, float* o, int n) {  // the energy of a channel, a block each
  __shared__ float part[8];
  float sum = 0;
  for (int j = threadIdx.x; j < n; j += 256) sum += x[blockIdx.x * n + j] * x[blockIdx.x * n + j];
  for (int m = 16; m; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) o[blockIdx.x] = part[0] + part[1] + part[2] + part[3] + part[4] + part[5] + part[6] + part[7];
}
__global__ void channels_fixed(const float* x, float* o, int n) {  // 44 blocks each
  __shared__ float part[8];
  float sum = 0;
  for (int j = blockIdx.y * 256 + threadIdx.x; j < n; j += 44 * 256) sum += x[blockIdx.x * n + j] * x[blockIdx.x * n + j];
  for (int m = 16; m; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&o[blockIdx.x], part[0] + part[1] + part[2] + part[3] + part[4] + part[5] + part[6] + part[7]);
}
__global__ void beams_bad(const float* x, float* y, int each) {  // a thread takes several beams one after the other
  const int id = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  for (int e = 0; e < each; ++e) {
    float v = x[e * all + id];
    for (int j = 0; j < 200; ++j) v = v * 0.999f + 0.001f;
    y[e * all + id] = v;
  }
}
__global__ void beams_fixed(const float* x, float* y, int each) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  for (int e = 0; e < each; ++e) {
    float v = x[e * all + id];
    for (int j = 0; j < 200; ++j) v = v * 0.999f + 0.001f;
    y[e * all + id] = v;
  }
}
__global__ void stamps_bad(const float* x, float* y) {  // blocks of one warp
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = fmaxf(x[id], 0.25f) + fminf(x[id], 0.75f);
}
__global__ void stamps_fixed(const float* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = fmaxf(x[id], 0.25f) + fminf(x[id], 0.75f);
}
__global__ void forty_bad(const float* x, float* y) {  // blocks of 40 threads
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int j = 0; j < 24; ++j) v = v * v + 0.1f;
  y[id] = v;
}
__global__ void forty_fixed(const float* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int j = 0; j < 24; ++j) v = v * v + 0.1f;
  y[id] = v;
}
__global__ void frame17_bad(const float* x, float* y, int side) {  // blocks of 17 by 3
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= side || r >= side) return;
  y[r * side + c] = x[r * side + c] * 0.5f + x[r * side + (c ^ 1)] * 0.5f;
}
__global__ void frame17_fixed(const float* x, float* y, int side) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= side || r >= side) return;
  y[r * side + c] = x[r * side + c] * 0.5f + x[r * side + (c ^ 1)] * 0.5f;
}
__global__ void fades_bad(const int* k, int* i, int share) {  // two pictures of bytes, a byte a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const unsigned char* p = (const unsigned char*)k;
  ((unsigned char*)i)[id] = (p[id] * share + p[n + id] * (256 - share)) >> 8;
}
__device__ inline unsigned fade4(unsigned a, unsigned b, int share) {
  unsigned o = 0;
  for (int s = 0; s < 32; s += 8) o |= (((a >> s & 255) * share + (b >> s & 255) * (256 - share)) >> 8) << s;
  return o;
}
__global__ void fades_fixed(const int* k, int* i, int share) {  // sixteen
  const int id = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const uint4 a = ((const uint4*)k)[id], b = ((const uint4*)k)[n + id];
  ((uint4*)i)[id] = make_uint4(fade4(a.x, b.x, share), fade4(a.y, b.y, share), fade4(a.z, b.z, share), fade4(a.w, b.w, share));
}
__global__ void mixdown_bad(const int* k, int* i) {  // two tracks of 16-bit samples, one a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const short* s = (const short*)k;
  ((short*)i)[id] = (short)((s[id] + s[n + id]) / 2);
}
__global__ void mixdown_fixed(const int* k, int* i) {  // eight
  const int id = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  union { uint4 v; short s[8]; } a, b, o;
  a.v = ((const uint4*)k)[id], b.v = ((const uint4*)k)[n + id];
  for (int j = 0; j < 8; ++j) o.s[j] = (short)((a.s[j] + b.s[j]) / 2);
  ((uint4*)i)[id] = o.v;
}
__global__ void gatehalf_bad(const __half* p, __half* q, int n) {  // gated halves, one a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float a = __half2float(p[id]), b = __half2float(p[n + id]);
  q[id] = __float2half(a * fmaxf(b, 0.0f));
}
__global__ void gatehalf_fixed(const __half* p, __half* q, int n) {  // eight
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  union { uint4 v; __half2 s[4]; } a, b, o;
  a.v = ((const uint4*)p)[id], b.v = ((const uint4*)(p + n))[id];
  for (int j = 0; j < 4; ++j) {
    const float2 u = __half22float2(a.s[j]), w = __half22float2(b.s[j]);
    o.s[j] = __floats2half2_rn(u.x * fmaxf(w.x, 0.0f), u.y * fmaxf(w.y, 0.0f));
  }
  ((uint4*)q)[id] = o.v;
}
__global__ void ropes_bad(const float* x, float* y, int steps) {  // a rope of 256 knots, two barriers a step
  __shared__ float at[256];
  const int t = threadIdx.x;
  at[t] = x[blockIdx.x * 256 + t];
  __syncthreads();
  for (int s = 0; s < steps; ++s) {
    const float left = t ? at[t - 1] : 0, right = t < 255 ? at[t + 1] : 0;
    __syncthreads();
    at[t] = at[t] * 0.5f + (left + right) * 0.25f;
    __syncthreads();
  }
  y[blockIdx.x * 256 + t] = at[t];
}
__global__ void ropes_fixed(const float* x, float* y, int steps) {  // eight knots a lane, a warp a rope
  const int lane = threadIdx.x % 32, rope = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  float at[8];
  for (int j = 0; j < 8; ++j) at[j] = x[rope * 256 + lane * 8 + j];
  for (int s = 0; s < steps; ++s) {
    float left = __shfl_up_sync(~0u, at[7], 1), right = __shfl_down_sync(~0u, at[0], 1);
    if (lane == 0) left = 0;
    if (lane == 31) right = 0;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const float here = at[j], next = j < 7 ? at[j + 1] : right;
      at[j] = here * 0.5f + (left + next) * 0.25f;
      left = here;
    }
  }
  for (int j = 0; j < 8; ++j) y[rope * 256 + lane * 8 + j] = at[j];
}
__global__ void spreads_bad(const float* x, float* y) {  // the range of 512 numbers by a tree of barriers
  __shared__ float low[512], high[512];
  const int t = threadIdx.x;
  low[t] = high[t] = x[blockIdx.x * 512 + t];
  __syncthreads();
  for (int s = 256; s; s /= 2) {
    if (t < s) low[t] = fminf(low[t], low[t + s]), high[t] = fmaxf(high[t], high[t + s]);
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = high[0] - low[0];
}
__global__ void spreads_fixed(const float* x, float* y) {  // by shuffles, one barrier
  __shared__ float low[16], high[16];
  const int t = threadIdx.x;
  float a = x[blockIdx.x * 512 + t], b = a;
  for (int m = 16; m; m /= 2) a = fminf(a, __shfl_xor_sync(~0u, a, m)), b = fmaxf(b, __shfl_xor_sync(~0u, b, m));
  if (t % 32 == 0) low[t / 32] = a, high[t / 32] = b;
  __syncthreads();
  if (t < 32) {
    a = low[t % 16], b = high[t % 16];
    for (int m = 8; m; m /= 2) a = fminf(a, __shfl_xor_sync(~0u, a, m)), b = fmaxf(b, __shfl_xor_sync(~0u, b, m));
    if (t == 0) y[blockIdx.x] = b - a;
  }
}
__global__ void buckets_bad(const float* x, float* y, int turns) {  // every thread has its own place, and waits for all
  __shared__ float own[512];
  const int t = threadIdx.x;
  own[t] = x[blockIdx.x * 512 + t];
  __syncthreads();
  for (int j = 0; j < turns; ++j) {
    own[t] = own[t] * 0.9f + 0.1f * j;
    __syncthreads();
  }
  y[blockIdx.x * 512 + t] = own[t];
}
__global__ void buckets_fixed(const float* x, float* y, int turns) {  // in a register
  const int t = threadIdx.x;
  float own = x[blockIdx.x * 512 + t];
  for (int j = 0; j < turns; ++j) own = own * 0.9f + 0.1f * j;
  y[blockIdx.x * 512 + t] = own;
}
__global__ void echoes_bad(const float* x, float* y, int n) {  // one running product a thread, few threads
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = 1.0f - x[id] * 0.001f;
  float sum = 0;
  for (int j = 0; j < n; ++j) sum = sum * v + 0.5f;
  y[id] = sum;
}
__global__ void echoes_fixed(const float* x, float* y, int n) {  // four of them, each with the fourth power
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = 1.0f - x[id] * 0.001f, q = v * v * v * v;
  float a = 0, b = 0, c = 0, d = 0;
  for (int j = 0; j < n / 4; ++j) a = a * q + 0.5f, b = b * q + 0.5f, c = c * q + 0.5f, d = d * q + 0.5f;
  y[id] = ((a * v + b) * v + c) * v + d;
}
__global__ void tides_bad(const float* x, float* y, int n) {  // sums down columns, each load waits for the last
  const int id = blockIdx.x * blockDim.x + threadIdx.x, w = gridDim.x * blockDim.x;
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j) sum += x[j * w + id];
  y[id] = sum;
}
__global__ void tides_fixed(const float* x, float* y, int n) {  // eight loads at once
  const int id = blockIdx.x * blockDim.x + threadIdx.x, w = gridDim.x * blockDim.x;
  float sum[8] = {};
  for (int j = 0; j < n; j += 8)
#pragma unroll
    for (int e = 0; e < 8; ++e) sum[e] += x[(j + e) * w + id];
  y[id] = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}
__global__ void trails_bad(const int* k, int* i, int n) {  // one walk through a map a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  int sum = 0;
  for (int e = 0; e < 4; ++e) {
    int at = id + e * all;
    for (int j = 0; j < n; ++j) at = k[at] & 0xfffff;
    sum += at;
  }
  i[id] = sum;
}
__global__ void trails_fixed(const int* k, int* i, int n) {  // four side by side
  const int id = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  int at[4];
  for (int e = 0; e < 4; ++e) at[e] = id + e * all;
  for (int j = 0; j < n; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e) at[e] = k[at[e]] & 0xfffff;
  i[id] = at[0] + at[1] + at[2] + at[3];
}
__global__ void medians_bad(const float* x, float* y) {  // the median of nine by insertion into an array
  const int id = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  float kept[9];
  for (int j = 0; j < 9; ++j) {
    const float v = x[j * n + id];
    int at = j;
    while (at > 0 && kept[at - 1] > v) kept[at] = kept[at - 1], --at;
    kept[at] = v;
  }
  y[id] = kept[4];
}
__device__ inline void in_order(float& a, float& b) {
  const float low = fminf(a, b);
  b = fmaxf(a, b);
  a = low;
}
__global__ void medians_fixed(const float* x, float* y) {  // by exchanges of registers
  const int id = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  float v[9];
#pragma unroll
  for (int j = 0; j < 9; ++j) v[j] = x[j * n + id];
#pragma unroll
  for (int turn = 0; turn < 9; ++turn)
#pragma unroll
    for (int j = turn % 2; j < 8; j += 2) in_order(v[j], v[j + 1]);
  y[id] = v[4];
}
__global__ void codebook_bad(const unsigned* k, unsigned* i) {  // counts of 16 symbols in an array of the thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  unsigned count[16] = {};
  for (int j = 0; j < 16; ++j) {
    const unsigned v = k[j * n + id];
    for (int s = 0; s < 16; s += 4) count[v >> s & 15] += s + 1;
  }
  unsigned most = 0;
  for (int j = 0; j < 16; ++j) most = max(most, count[j] * 16 + j);
  i[id] = most;
}
__global__ void codebook_fixed(const unsigned* k, unsigned* i) {  // in shared memory, a column each
  __shared__ unsigned count[16][128];
  const int id = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, t = threadIdx.x;
  for (int j = 0; j < 16; ++j) count[j][t] = 0;
  for (int j = 0; j < 16; ++j) {
    const unsigned v = k[j * n + id];
    for (int s = 0; s < 16; s += 4) count[v >> s & 15][t] += s + 1;
  }
  unsigned most = 0;
  for (int j = 0; j < 16; ++j) most = max(most, count[j][t] * 16 + j);
  i[id] = most;
}
__device__ inline float stirred(const float* x, int id, int n, int turns) {
  float v[40];
#pragma unroll
  for (int j = 0; j < 40; ++j) v[j] = x[(j & 3) * n + id] + j;
  for (int s = 0; s < turns; ++s)
#pragma unroll
    for (int j = 0; j < 40; ++j) v[j] = v[j] * 0.9f + v[(j + 7) % 40] * 0.1f;
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 40; ++j) sum += v[j];
  return sum;
}
__global__ void __launch_bounds__(1024, 2) stirring_bad(const float* x, float* y, int turns) {  // 40 numbers in 32 registers
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = stirred(x, id, gridDim.x * blockDim.x, turns);
}
__global__ void __launch_bounds__(256) stirring_fixed(const float* x, float* y, int turns) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = stirred(x, id, gridDim.x * blockDim.x, turns);
}
__global__ void comets_bad(const float* x, float* y, int steps) {  // 150 large blocks, one of which an SM holds
  extern __shared__ float room[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int j = 0; j < steps; ++j) v = v * 0.999f + 0.0005f;
  room[threadIdx.x] = v;
  y[id] = room[threadIdx.x];
}
__global__ void comets_fixed(const float* x, float* y, int steps) {  // in quarters
  extern __shared__ float room[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int j = 0; j < steps; ++j) v = v * 0.999f + 0.0005f;
  room[threadIdx.x] = v;
  y[id] = room[threadIdx.x];
}
__global__ void index_bad(const int* k, const float* x, float* y) {  // chains of four looks into a large table, few warps
  extern __shared__ float room[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  int at = k[id] & 0xffffff;
  for (int j = 0; j < 4; ++j) at = k[at] & 0xffffff;
  room[threadIdx.x] = x[at];
  y[id] = room[threadIdx.x];
}
__global__ void index_fixed(const int* k, const float* x, float* y) {
  extern __shared__ float room[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  int at = k[id] & 0xffffff;
  for (int j = 0; j < 4; ++j) at = k[at] & 0xffffff;
  room[threadIdx.x] = x[at];
  y[id] = room[threadIdx.x];
}
__global__ void ridges_bad(const float* x, const float* w, float* y, int side) {  // windows of five by five, each from global memory
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
#pragma unroll
  for (int a = 0; a < 5; ++a)
#pragma unroll
    for (int b = 0; b < 5; ++b) sum = fmaxf(sum, x[(r + a) * side + c + b] * (0.1f * (a * 5 + b) - 1.0f));
  y[r * side + c] = sum;
}
__global__ void ridges_fixed(const float* x, const float* w, float* y, int side) {  // through a tile
  __shared__ float tile[12][36];
  const int c = blockIdx.x * 32, r = blockIdx.y * 8, t = threadIdx.y * 32 + threadIdx.x;
  for (int j = t; j < 12 * 36; j += 256) tile[j / 36][j % 36] = x[(r + j / 36) * side + c + j % 36];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int a = 0; a < 5; ++a)
#pragma unroll
    for (int b = 0; b < 5; ++b) sum = fmaxf(sum, tile[threadIdx.y + a][threadIdx.x + b] * (0.1f * (a * 5 + b) - 1.0f));
  y[(r + threadIdx.y) * side + c + threadIdx.x] = sum;
}
__global__ void prices_bad(const float* x, const float* w, float* y, int n) {  // a product of matrices, a result a thread
  const int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int j = 0; j < n; ++j) sum += x[r * n + j] * x[(n + j) * n + c];
  y[r * n + c] = sum;
}
__global__ void prices_fixed(const float* x, const float* w, float* y, int n) {  // tiles of 16
  __shared__ float a[16][16], b[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, c = blockIdx.x * 16 + tx, r = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int j = 0; j < n; j += 16) {
    a[ty][tx] = x[r * n + j + tx];
    b[ty][tx] = x[(n + j + ty) * n + c];
    __syncthreads();
    for (int e = 0; e < 16; ++e) sum += a[ty][e] * b[e][tx];
    __syncthreads();
  }
  y[r * n + c] = sum;
}
__global__ void rms_bad(const float* x, float* y, int d) {  // a row's mean square, then the row again
  __shared__ float part[8];
  const float* row = x + blockIdx.x * d;
  float sum = 0;
  for (int j = threadIdx.x; j < d; j += 256) sum += row[j] * row[j];
  for (int m = 16; m; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int j = 0; j < 8; ++j) sum += part[j];
  const float scale = rsqrtf(sum / d + 1e-6f);
  for (int j = threadIdx.x; j < d; j += 256) y[blockIdx.x * d + j] = row[j] * scale;
}
__global__ void rms_fixed(const float* x, float* y, int d) {  // kept in registers
  __shared__ float part[8];
  const float* row = x + blockIdx.x * d;
  float sum = 0, v[32];
#pragma unroll
  for (int j = 0; j < 32; ++j) v[j] = row[j * 256 + threadIdx.x];
#pragma unroll
  for (int j = 0; j < 32; ++j) sum += v[j] * v[j];
  for (int m = 16; m; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int j = 0; j < 8; ++j) sum += part[j];
  const float scale = rsqrtf(sum / d + 1e-6f);
#pragma unroll
  for (int j = 0; j < 32; ++j) y[blockIdx.x * d + j * 256 + threadIdx.x] = v[j] * scale;
}
__global__ void magnets_bad(const float4* x, float* y, int n) {  // the pull of n magnets on each place, read from global memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = x[id];
  float sum = 0;
  for (int j = 0; j < n; ++j) {
    const float4 it = x[j];
    const float dx = it.x - me.x, dy = it.y - me.y, dz = it.z - me.z;
    sum += it.w * rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
  }
  y[id] = sum;
}
__global__ void magnets_fixed(const float4* x, float* y, int n) {  // through shared memory
  __shared__ float4 tile[256];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = x[id];
  float sum = 0;
  for (int first = 0; first < n; first += 256) {
    tile[threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < 256; ++j) {
      const float4 it = tile[j];
      const float dx = it.x - me.x, dy = it.y - me.y, dz = it.z - me.z;
      sum += it.w * rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
    }
    __syncthreads();
  }
  y[id] = sum;
}
__global__ void mixing_bad(const float* x, float* y, int n) {  // a product through tiles, one result a thread
  __shared__ float a[16][16], b[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, c = blockIdx.x * 16 + tx, r = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int j = 0; j < n; j += 16) {
    a[ty][tx] = x[(j + ty) * 1024 + blockIdx.y * 16 + tx];
    b[ty][tx] = x[(n + j + ty) * 1024 + c];
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 16; ++e) sum += a[e][ty] * b[e][tx];
    __syncthreads();
  }
  y[r * 1024 + c] = sum;
}
__global__ void mixing_fixed(const float* x, float* y, int n) {  // sixteen
  __shared__ float a[16][64], b[16][64];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  float sum[4][4] = {};
  for (int j = 0; j < n; j += 16) {
    ((float4*)a)[t] = ((const float4*)(x + (j + t / 16) * 1024 + blockIdx.y * 64))[t % 16];
    ((float4*)b)[t] = ((const float4*)(x + (n + j + t / 16) * 1024 + blockIdx.x * 64))[t % 16];
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 16; ++e) {
      float u[4], v[4];
#pragma unroll
      for (int s = 0; s < 4; ++s) u[s] = a[e][ty * 4 + s], v[s] = b[e][tx * 4 + s];
#pragma unroll
      for (int s = 0; s < 4; ++s)
#pragma unroll
        for (int q = 0; q < 4; ++q) sum[s][q] += u[s] * v[q];
    }
    __syncthreads();
  }
  for (int s = 0; s < 4; ++s)
    for (int q = 0; q < 4; ++q) y[(blockIdx.y * 64 + ty * 4 + s) * 1024 + blockIdx.x * 64 + tx * 4 + q] = sum[s][q];
}
__global__ void reviews_bad(const __half* p, __half* q, int n) {  // scores of halves, 1,024 by 1,024, by ordinary arithmetic
  __shared__ __half a[16][24], b[16][24];
  const int tx = threadIdx.x, ty = threadIdx.y, c = blockIdx.x * 16, r = blockIdx.y * 16;
  float sum = 0;
  for (int j = 0; j < n; j += 16) {
    a[ty][tx] = p[(r + ty) * n + j + tx];
    b[ty][tx] = p[1024 * n + (j + ty) * 1024 + c + tx];
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 16; ++e) sum += __half2float(a[ty][e]) * __half2float(b[e][tx]);
    __syncthreads();
  }
  q[(r + ty) * 1024 + c + tx] = __float2half(sum);
}
__global__ void reviews_fixed(const __half* p, __half* q, int n) {  // four warps, each 32 by 32 on tensor cores
  __shared__ __align__(32) __half a[64][24], b[16][72];
  const int t = threadIdx.x, warp = t / 32, c = blockIdx.x * 64, r = blockIdx.y * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, __half> sum[2][2];
  for (auto& row : sum)
    for (auto& s : row) wmma::fill_fragment(s, __float2half(0.0f));
  for (int j = 0; j < n; j += 16) {
    *(uint4*)&a[t / 2][t % 2 * 8] = *(const uint4*)&p[(r + t / 2) * n + j + t % 2 * 8];
    *(uint4*)&b[t / 8][t % 8 * 8] = *(const uint4*)&p[1024 * n + (j + t / 8) * 1024 + c + t % 8 * 8];
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> g[2];
    for (int e = 0; e < 2; ++e) {
      wmma::load_matrix_sync(f[e], &a[warp / 2 * 32 + e * 16][0], 24);
      wmma::load_matrix_sync(g[e], &b[0][warp % 2 * 32 + e * 16], 72);
    }
    for (int e = 0; e < 2; ++e)
      for (int d = 0; d < 2; ++d) wmma::mma_sync(sum[e][d], f[e], g[d], sum[e][d]);
    __syncthreads();
  }
  for (int e = 0; e < 2; ++e)
    for (int d = 0; d < 2; ++d)
      wmma::store_matrix_sync(q + (r + warp / 2 * 32 + e * 16) * 1024 + c + warp % 2 * 32 + d * 16, sum[e][d], 1024, wmma::mem_row_major);
}
__global__ void blocks32_bad(const __half* p, __half* q) {  // products of 32 by 32 by 32, many, a thread four results
  __shared__ __half a[32][34], b[32][34];
  for (int j = threadIdx.x; j < 1024; j += 256) a[j / 32][j % 32] = p[blockIdx.x * 2048 + j], b[j / 32][j % 32] = p[blockIdx.x * 2048 + 1024 + j];
  __syncthreads();
  for (int o = threadIdx.x; o < 1024; o += 256) {
    float sum = 0;
    for (int d = 0; d < 32; ++d) sum += __half2float(a[o / 32][d]) * __half2float(b[d][o % 32]);
    q[blockIdx.x * 1024 + o] = __float2half(sum);
  }
}
__global__ void blocks32_fixed(const __half* p, __half* q) {  // on tensor cores, a warp each
  const int id = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, __half> sum[2][2];
  for (auto& row : sum)
    for (auto& s : row) wmma::fill_fragment(s, __float2half(0.0f));
  for (int e = 0; e < 32; e += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> g[2];
    for (int s = 0; s < 2; ++s) {
      wmma::load_matrix_sync(f[s], p + id * 2048 + s * 16 * 32 + e, 32);
      wmma::load_matrix_sync(g[s], p + id * 2048 + 1024 + e * 32 + s * 16, 32);
    }
    for (int s = 0; s < 2; ++s)
      for (int d = 0; d < 2; ++d) wmma::mma_sync(sum[s][d], f[s], g[d], sum[s][d]);
  }
  for (int s = 0; s < 2; ++s)
    for (int d = 0; d < 2; ++d) wmma::store_matrix_sync(q + id * 1024 + s * 16 * 32 + d * 16, sum[s][d], 32, wmma::mem_row_major);
}
__global__ void seeds_bad(const unsigned* k, unsigned* i) {  // a generator's turns, the loop left rolled
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = k[id] | 1;
#pragma unroll 1
  for (int j = 0; j < 48; ++j) v ^= v << 13, v ^= v >> 17;
  i[id] = v;
}
__global__ void seeds_fixed(const unsigned* k, unsigned* i) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = k[id] | 1;
#pragma unroll
  for (int j = 0; j < 48; ++j) v ^= v << 13, v ^= v >> 17;
  i[id] = v;
}
__global__ void compass_bad(const float* x, float* y, int turns) {  // a rotation found by halves, whose number is told when launched
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float a = 1, b = x[id], at = 0, step = 0.5f;
#pragma unroll 1
  for (int j = 0; j < turns; ++j) {
    const float s = b > 0 ? step : -step, t = a + s * b;
    b -= s * a, a = t, at += s, step *= 0.5f;
  }
  y[id] = at + a;
}
__global__ void compass_fixed(const float* x, float* y, int turns) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float a = 1, b = x[id], at = 0, step = 0.5f;
#pragma unroll
  for (int j = 0; j < 24; ++j) {
    const float s = b > 0 ? step : -step, t = a + s * b;
    b -= s * a, a = t, at += s, step *= 0.5f;
  }
  y[id] = at + a;
}
__global__ void antennas_bad(const float* x, const float* w, float* y) {  // 48 weights from global memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id];
  float a = 0, b = 1;
  for (int j = 0; j < 48; ++j) a = a * v + w[j], b = b * 0.5f + a;
  y[id] = a + b;
}
__global__ void antennas_fixed(const float* x, const float* w, float* y) {  // from constant memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id];
  float a = 0, b = 1;
  for (int j = 0; j < 48; ++j) a = a * v + of_antenna[j], b = b * 0.5f + a;
  y[id] = a + b;
}
__global__ void codons_bad(const unsigned* k, float* y) {  // weights of four codons, from constant memory at any place
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned v = k[id];
  y[id] = of_codon[v & 63] + of_codon[v >> 6 & 63] * of_codon[v >> 12 & 63] - of_codon[v >> 18 & 63];
}
__global__ void codons_fixed(const unsigned* k, float* y) {  // from shared memory
  __shared__ float table[64];
  if (threadIdx.x < 64) table[threadIdx.x] = of_codon[threadIdx.x];
  __syncthreads();
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned v = k[id];
  y[id] = table[v & 63] + table[v >> 6 & 63] * table[v >> 12 & 63] - table[v >> 18 & 63];
}
__global__ void queues_bad(float* y, int steps) {  // neighbours change places until in order, in global memory
  float* at = y + (size_t)blockIdx.x * 1024;
  for (int s = 0; s < steps; ++s) {
    const int i = threadIdx.x * 2 + (s & 1);
    if (i + 1 < 1024) {
      const float a = at[i], b = at[i + 1];
      at[i] = fminf(a, b);
      at[i + 1] = fmaxf(a, b);
    }
    __syncthreads();
  }
}
__global__ void queues_fixed(float* y, int steps) {  // in shared memory
  __shared__ float at[1024];
  for (int j = threadIdx.x; j < 1024; j += 512) at[j] = y[(size_t)blockIdx.x * 1024 + j];
  __syncthreads();
  for (int s = 0; s < steps; ++s) {
    const int i = threadIdx.x * 2 + (s & 1);
    if (i + 1 < 1024) {
      const float a = at[i], b = at[i + 1];
      at[i] = fminf(a, b);
      at[i + 1] = fmaxf(a, b);
    }
    __syncthreads();
  }
  for (int j = threadIdx.x; j < 1024; j += 512) y[(size_t)blockIdx.x * 1024 + j] = at[j];
}
__global__ void running_bad(float* y) {  // running sums of 512 numbers by doubling, in global memory
  float* at = y + (size_t)blockIdx.x * 512;
  for (int s = 1; s < 512; s *= 2) {
    const float v = threadIdx.x >= s ? at[threadIdx.x - s] : 0;
    __syncthreads();
    at[threadIdx.x] += v;
    __syncthreads();
  }
}
__global__ void running_fixed(float* y) {  // in shared memory
  __shared__ float at[512];
  at[threadIdx.x] = y[(size_t)blockIdx.x * 512 + threadIdx.x];
  __syncthreads();
  for (int s = 1; s < 512; s *= 2) {
    const float v = threadIdx.x >= s ? at[threadIdx.x - s] : 0;
    __syncthreads();
    at[threadIdx.x] += v;
    __syncthreads();
  }
  y[(size_t)blockIdx.x * 512 + threadIdx.x] = at[threadIdx.x];
}
__global__ void phasors_bad(const float* x, float* y, int turns) {  // a turning number, products and sums never fused
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float c = 1 - x[id] * 0.01f, s = x[id] * 0.1f;
  float a = 1, b = 0;
  for (int j = 0; j < turns; ++j) {
    const float t = __fsub_rn(__fmul_rn(a, c), __fmul_rn(b, s));
    b = __fadd_rn(__fmul_rn(a, s), __fmul_rn(b, c));
    a = t;
  }
  y[id] = a + b;
}
__global__ void phasors_fixed(const float* x, float* y, int turns) {  // fused
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float c = 1 - x[id] * 0.01f, s = x[id] * 0.1f;
  float a = 1, b = 0;
  for (int j = 0; j < turns; ++j) {
    const float t = fmaf(a, c, -(b * s));
    b = fmaf(a, s, b * c);
    a = t;
  }
  y[id] = a + b;
}
__device__ inline void distances_of_pairs(const float* x, float* y, int n, int k) {
  const int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int j = 0; j < k; ++j) {
    const float d = x[r * k + j] - x[(n + c) * k + j];
    sum += d * d;
  }
  y[r * n + c] = sum;
}
/// |a|^2 + |b|^2 - 2 ab of 64 by 64 pairs: ab on tensor cores in TF32, the norms from the tiles.
__device__ inline void distances_by_product(const float* x, float* y, int n, int k) {
  __shared__ __align__(32) float a[64][20], b[64][20], out[64][68], norm[2][64];
  const int t = threadIdx.x, warp = t / 32, c = blockIdx.x * 64, r = blockIdx.y * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum[2][2];
  for (auto& row : sum)
    for (auto& s : row) wmma::fill_fragment(s, 0.0f);
  float own = 0;
  for (int j = 0; j < k; j += 16) {
    for (int e = t; e < 256; e += 128) {
      *(float4*)&a[e / 4][e % 4 * 4] = *(const float4*)&x[(r + e / 4) * k + j + e % 4 * 4];
      *(float4*)&b[e / 4][e % 4 * 4] = *(const float4*)&x[(n + c + e / 4) * k + j + e % 4 * 4];
    }
    __syncthreads();
    const float* mine = t < 64 ? a[t] : b[t - 64];
    for (int e = 0; e < 16; ++e) own += mine[e] * mine[e];
    for (int e = 0; e < 16; e += 8) {
      wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> f[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> g[2];
      for (int s = 0; s < 2; ++s) {
        wmma::load_matrix_sync(f[s], &a[warp / 2 * 32 + s * 16][e], 20);
        wmma::load_matrix_sync(g[s], &b[warp % 2 * 32 + s * 16][e], 20);
        for (auto& v : f[s].x) v = wmma::__float_to_tf32(v);
        for (auto& v : g[s].x) v = wmma::__float_to_tf32(v);
      }
      for (int s = 0; s < 2; ++s)
        for (int d = 0; d < 2; ++d) wmma::mma_sync(sum[s][d], f[s], g[d], sum[s][d]);
    }
    __syncthreads();
  }
  norm[t / 64][t % 64] = own;
  for (int s = 0; s < 2; ++s)
    for (int d = 0; d < 2; ++d)
      wmma::store_matrix_sync(&out[warp / 2 * 32 + s * 16][warp % 2 * 32 + d * 16], sum[s][d], 68, wmma::mem_row_major);
  __syncthreads();
  for (int j = t; j < 4096; j += 128) y[(r + j / 64) * n + c + j % 64] = norm[0][j / 64] + norm[1][j % 64] - 2 * out[j / 64][j % 64];
}
__global__ void faces_bad(const float* x, float* y, int n, int k) { distances_of_pairs(x, y, n, k); }  // 1,024 by 1,024, long rows
__global__ void faces_fixed(const float* x, float* y, int n, int k) { distances_by_product(x, y, n, k); }
__global__ void stars_near_bad(const float* x, float* y, int n, int k) { distances_of_pairs(x, y, n, k); }  // 2,048 by 2,048, short rows
__global__ void stars_near_fixed(const float* x, float* y, int n, int k) { distances_by_product(x, y, n, k); }
__global__ void haze_bad(const float* x, float* y, int side) {  // the mean of eleven by eleven
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int a = 0; a < 11; ++a)
    for (int b = 0; b < 11; ++b) sum += x[(r + a) * (side + 16) + c + b];
  y[r * side + c] = sum / 121;
}
__global__ void haze_fixed(const float* x, float* y, int side) {  // rows first, in a tile, then columns
  __shared__ float tile[42][44], rows[42][32];
  const int c = blockIdx.x * 32, r = blockIdx.y * 32, t = threadIdx.y * 32 + threadIdx.x;
  for (int j = t; j < 42 * 42; j += 256) tile[j / 42][j % 42] = x[(r + j / 42) * (side + 16) + c + j % 42];
  __syncthreads();
  for (int j = threadIdx.y; j < 42; j += 8) {
    float sum = 0;
    for (int b = 0; b < 11; ++b) sum += tile[j][threadIdx.x + b];
    rows[j][threadIdx.x] = sum;
  }
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8) {
    float sum = 0;
    for (int a = 0; a < 11; ++a) sum += rows[j + a][threadIdx.x];
    y[(r + j) * side + c + threadIdx.x] = sum / 121;
  }
}
__global__ void lens_bad(const float* x, const float* w, float* y, int side) {  // seven by seven, whose weights are products
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int a = 0; a < 7; ++a)
    for (int b = 0; b < 7; ++b) sum += w[a] * w[b] * x[(r + a) * (side + 16) + c + b];
  y[r * side + c] = sum;
}
__global__ void lens_fixed(const float* x, const float* w, float* y, int side) {
  __shared__ float tile[38][40], rows[38][32];
  const int c = blockIdx.x * 32, r = blockIdx.y * 32, t = threadIdx.y * 32 + threadIdx.x;
  for (int j = t; j < 38 * 38; j += 256) tile[j / 38][j % 38] = x[(r + j / 38) * (side + 16) + c + j % 38];
  __syncthreads();
  for (int j = threadIdx.y; j < 38; j += 8) {
    float sum = 0;
    for (int b = 0; b < 7; ++b) sum += w[b] * tile[j][threadIdx.x + b];
    rows[j][threadIdx.x] = sum;
  }
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8) {
    float sum = 0;
    for (int a = 0; a < 7; ++a) sum += w[a] * rows[j + a][threadIdx.x];
    y[(r + j) * side + c + threadIdx.x] = sum;
  }
}
__global__ void balances_bad(const float* x, float* y, int n) {  // running sums of rows, a thread a row
  const size_t at = (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * n;
  float sum = 0;
  for (int j = 0; j < n; ++j) {
    sum += x[at + j];
    y[at + j] = sum;
  }
}
__global__ void balances_fixed(const float* x, float* y, int n) {  // a block of 256 a row of 1,024, four elements a thread
  __shared__ float part[8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float4 v = ((const float4*)(x + (size_t)blockIdx.x * n))[threadIdx.x];
  v.y += v.x, v.z += v.y, v.w += v.z;
  float sum = v.w;
  for (int m = 1; m < 32; m *= 2) {
    const float before = __shfl_up_sync(~0u, sum, m);
    if (lane >= m) sum += before;
  }
  if (lane == 31) part[warp] = sum;
  __syncthreads();
  float base = sum - v.w;
  for (int j = 0; j < warp; ++j) base += part[j];
  ((float4*)(y + (size_t)blockIdx.x * n))[threadIdx.x] = make_float4(v.x + base, v.y + base, v.z + base, v.w + base);
}
__global__ void smoothed_bad(const float* x, float* y, int n) {  // smoothed columns, a thread each
  const int id = blockIdx.x * blockDim.x + threadIdx.x, w = gridDim.x * blockDim.x;
  float v = 0;
  for (int j = 0; j < n; ++j) {
    v = v * 0.9f + x[j * w + id];
    y[j * w + id] = v;
  }
}
__global__ void smoothed_fixed(const float* x, float* y, int n) {  // a block 32 columns, each of 32 warps a part of their length
  __shared__ float last[32][33];
  const int c = blockIdx.x * 32 + threadIdx.x, w = gridDim.x * 32, part = n / 32, first = threadIdx.y * part;
  float v = 0;
  for (int j = 0; j < part; ++j) v = v * 0.9f + x[(first + j) * w + c];
  last[threadIdx.y][threadIdx.x] = v;
  __syncthreads();
  const float power = __powf(0.9f, part);
  v = 0;
  for (int p = 0; p < threadIdx.y; ++p) v = v * power + last[p][threadIdx.x];
  for (int j = 0; j < part; ++j) {
    v = v * 0.9f + x[(first + j) * w + c];
    y[(first + j) * w + c] = v;
  }
}
__global__ void records_bad(const int* k, int* i, int n) {  // the largest so far, one thread of a warp each row
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  int most = 0;
  for (int j = 0; j < n; ++j) {
    most = max(most, k[id * n + j]);
    i[id * n + j] = most;
  }
}
__global__ void records_fixed(const int* k, int* i, int n) {  // a warp a row, 32 at a time
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  int most = 0;
  for (int j = 0; j < n; j += 32) {
    int v = k[row * n + j + lane];
    for (int m = 1; m < 32; m *= 2) {
      const int before = __shfl_up_sync(~0u, v, m);
      if (lane >= m) v = max(v, before);
    }
    v = max(v, most);
    i[row * n + j + lane] = v;
    most = __shfl_sync(~0u, v, 31);
  }
}
}
