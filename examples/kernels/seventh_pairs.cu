// A seventh round (railways, looms, mail, mountains, bees, theatre, chess, printing), as pairs: NAME_bad has one defect and NAME_fixed does
// not. Products on tensor cores come as first versions and with what makes them faster.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" {
__global__ void timetable_bad(const int* i, int* k) {  // a thread a train, whose 32 stops lie in a row
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  int last = 0;
  for (int s = 0; s < 32; ++s) last = max(last, i[id * 32 + s] + s);
  k[id] = last;
}
__global__ void timetable_fixed(const int* i, int* k) {  // a warp a train
  const int id = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  int last = i[id] + lane;
  for (int m = 16; m; m /= 2) last = max(last, __shfl_xor_sync(~0u, last, m));
  if (lane == 0) k[id / 32] = last;
}
__global__ void wagons_bad(const float* x, float* y) {  // records of eight numbers, of which one is wanted
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = sqrtf(x[id * 8 + 3]) * 0.25f;
}
__global__ void wagons_fixed(const float* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = sqrtf(x[id + 3 * gridDim.x * blockDim.x]) * 0.25f;
}
__global__ void looms_bad(const float* x, float* y) {  // warp and weft change places, in a tile without padding
  __shared__ float cloth[32][32];
  const int at = blockIdx.x * 1024 + threadIdx.y * 32 + threadIdx.x;
  for (int j = 0; j < 32; j += 8) cloth[threadIdx.y + j][threadIdx.x] = x[at + j * 32];
  __syncthreads();
  for (int j = 0; j < 32; j += 8) y[at + j * 32] = cloth[threadIdx.x][threadIdx.y + j];
}
__global__ void looms_fixed(const float* x, float* y) {
  __shared__ float cloth[32][33];
  const int at = blockIdx.x * 1024 + threadIdx.y * 32 + threadIdx.x;
  for (int j = 0; j < 32; j += 8) cloth[threadIdx.y + j][threadIdx.x] = x[at + j * 32];
  __syncthreads();
  for (int j = 0; j < 32; j += 8) y[at + j * 32] = cloth[threadIdx.x][threadIdx.y + j];
}
__global__ void spindles_bad(const float* x, float* y, int turns) {  // sixteen yarns a thread, one thread's beside another's by 16
  __shared__ float yarn[128 * 16];
  const int t = threadIdx.x, id = blockIdx.x * 128 + t;
  for (int j = 0; j < 16; ++j) yarn[t * 16 + j] = x[id + j];
  float sum = 0;
  for (int s = 0; s < turns; ++s) sum = sum * 0.5f + yarn[t * 16 + (s * 5 & 15)];
  y[id] = sum;
}
__global__ void spindles_fixed(const float* x, float* y, int turns) {
  __shared__ float yarn[128 * 16];
  const int t = threadIdx.x, id = blockIdx.x * 128 + t;
  for (int j = 0; j < 16; ++j) yarn[j * 128 + t] = x[id + j];
  float sum = 0;
  for (int s = 0; s < turns; ++s) sum = sum * 0.5f + yarn[(s * 5 & 15) * 128 + t];
  y[id] = sum;
}
__device__ inline float express(float v) {
  for (int j = 0; j < 24; ++j) v = v * 0.99f + 0.1f / (1 + v * v);
  return v;
}
__device__ inline float ordinary(float v) {
  for (int j = 0; j < 24; ++j) v = v * 1.01f - 0.2f / (2 + v * v);
  return v;
}
__global__ void post_bad(const float* x, float* y) {  // letters and parcels in turn
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = id & 1 ? express(x[id]) : ordinary(x[id]);
}
__global__ void post_fixed(const float* x, float* y) {  // a warp has one kind
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = id & 32 ? express(x[id]) : ordinary(x[id]);
}
__global__ void heaviest_bad(const int* i, unsigned* h) {  // each parcel asks the one record
  atomicMax(h, (unsigned)i[blockIdx.x * blockDim.x + threadIdx.x] & 0xffffff);
}
__global__ void heaviest_fixed(const int* i, unsigned* h) {  // a block asks once
  __shared__ unsigned part[8];
  unsigned most = (unsigned)i[blockIdx.x * blockDim.x + threadIdx.x] & 0xffffff;
  most = __reduce_max_sync(~0u, most);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = most;
  __syncthreads();
  if (threadIdx.x < 8) most = __reduce_max_sync(0xff, part[threadIdx.x]);
  if (threadIdx.x == 0) atomicMax(h, most);
}
__global__ void districts_bad(const int* i, unsigned* h) {  // letters of 16 districts, counted in global memory
  atomicAdd(&h[i[blockIdx.x * blockDim.x + threadIdx.x] & 15], 1u);
}
__global__ void districts_fixed(const int* i, unsigned* h) {  // in shared memory first, a copy a warp
  __shared__ unsigned bins[8][17];
  for (int j = threadIdx.x; j < 8 * 17; j += 256) (&bins[0][0])[j] = 0;
  __syncthreads();
  for (int j = 0; j < 8; ++j) atomicAdd(&bins[threadIdx.x / 32][i[(blockIdx.x * 8 + j) * 256 + threadIdx.x] & 15], 1u);
  __syncthreads();
  if (threadIdx.x < 16) {
    unsigned sum = 0;
    for (int w = 0; w < 8; ++w) sum += bins[w][threadIdx.x];
    atomicAdd(&h[threadIdx.x], sum);
  }
}
__global__ void altitude_bad(const float* x, float* y) {  // constants of double precision in a formula of floats
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float p = x[id] + 0.5f;
  for (int j = 0; j < 6; ++j) p = p * 0.875 + (1.0 - p) * 0.0065 * j;
  y[id] = p;
}
__global__ void altitude_fixed(const float* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float p = x[id] + 0.5f;
  for (int j = 0; j < 6; ++j) p = p * 0.875f + (1.0f - p) * 0.0065f * j;
  y[id] = p;
}
__global__ void echoing_bad(const float* x, float* y) {  // sines of whole precision
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id], sum = 0;
  for (int j = 1; j <= 6; ++j) sum += sinf(v * j) * expf(-0.3f * j * v);
  y[id] = sum;
}
__global__ void echoing_fixed(const float* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id], sum = 0;
  for (int j = 1; j <= 6; ++j) sum += __sinf(v * j) * __expf(-0.3f * j * v);
  y[id] = sum;
}
__global__ void combs_bad(const int* i, int* k, int wide, int high) {  // cells of a comb from numbers, by division
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i[id], sum = 0;
  for (int j = 0; j < 4; ++j) {
    sum += v % wide + v / wide % high;
    v = v * 7 + j;
    v &= 0xffffff;
  }
  k[id] = sum;
}
__global__ void combs_fixed(const int* i, int* k, int wide, int high) {  // 64 and 32: shifts
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i[id], sum = 0;
  for (int j = 0; j < 4; ++j) {
    sum += (v & 63) + (v >> 6 & 31);
    v = v * 7 + j;
    v &= 0xffffff;
  }
  k[id] = sum;
}
__global__ void swarm_bad(const float* x, float* y, int n) {  // 33 hives
  float sum = 0;
  for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < n; j += gridDim.x * blockDim.x) sum += x[j] * x[j];
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void swarm_fixed(const float* x, float* y, int n) {
  float sum = 0;
  for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < n; j += gridDim.x * blockDim.x) sum += x[j] * x[j];
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void nectar_bad(const float* x, float* y) {  // blocks of one warp
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = x[id] * 1.5f + 2;
}
__global__ void nectar_fixed(const float* x, float* y) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = x[id] * 1.5f + 2;
}
__global__ void stalls_bad(const float* x, float* y, int side) {  // seats in blocks of 18 by 6
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < side && r < side) y[r * side + c] = x[r * side + c] * 0.75f + 1;
}
__global__ void stalls_fixed(const float* x, float* y, int side) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < side && r < side) y[r * side + c] = x[r * side + c] * 0.75f + 1;
}
__global__ void lights_bad(const unsigned char* i, unsigned char* k) {  // a byte a thread
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  k[id] = 255 - i[id];
}
__global__ void lights_fixed(const uint4* i, uint4* k) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const uint4 v = i[id];
  k[id] = make_uint4(~v.x, ~v.y, ~v.z, ~v.w);
}
__global__ void scenes_bad(const float* x, float* y) {  // what each warp keeps for itself waits for the whole block
  __shared__ float line[256];
  const int t = threadIdx.x, id = blockIdx.x * 256 + t;
  float v = x[id];
  for (int j = 0; j < 24; ++j) {
    line[t] = v;
    __syncthreads();
    v = 0.5f * v + 0.5f * line[(t & ~31) + (t + 1 + j) % 32];
    __syncthreads();
  }
  y[id] = v;
}
__global__ void scenes_fixed(const float* x, float* y) {
  __shared__ float line[256];
  const int t = threadIdx.x, id = blockIdx.x * 256 + t;
  float v = x[id];
  for (int j = 0; j < 24; ++j) {
    line[t] = v;
    __syncwarp();
    v = 0.5f * v + 0.5f * line[(t & ~31) + (t + 1 + j) % 32];
    __syncwarp();
  }
  y[id] = v;
}
__global__ void cues_bad(const float* x, float* y, int n) {  // one sum, each addition after the last
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0, v = x[id];
#pragma unroll 8
  for (int j = 0; j < n; ++j) sum = fmaf(sum, 0.999f, v);
  y[id] = sum;
}
__global__ void cues_fixed(const float* x, float* y, int n) {  // four side by side
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float sum[4] = {}, v = x[id];
#pragma unroll 2
  for (int j = 0; j < n; j += 4)
#pragma unroll
    for (int s = 0; s < 4; ++s) sum[s] = fmaf(sum[s], 0.996f, v);
  y[id] = sum[0] + sum[1] + sum[2] + sum[3];
}
__global__ void props_bad(const float* x, const int* i, float* y) {  // a shelf of 16 by the number of the thing
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float shelf[16];
  for (int j = 0; j < 16; ++j) shelf[j] = x[id] * j;
  float sum = 0;
  for (int j = 0; j < 8; ++j) {
    const int at = i[id] >> j & 15;
    shelf[at] += 1;
    sum += shelf[at ^ 3];
  }
  y[id] = sum;
}
__global__ void props_fixed(const float* x, const int* i, float* y) {  // in shared memory, threads beside each other
  __shared__ float shelf[16][128];
  const int t = threadIdx.x, id = blockIdx.x * blockDim.x + t;
  for (int j = 0; j < 16; ++j) shelf[j][t] = x[id] * j;
  float sum = 0;
  for (int j = 0; j < 8; ++j) {
    const int at = i[id] >> j & 15;
    shelf[at][t] += 1;
    sum += shelf[at ^ 3][t];
  }
  y[id] = sum;
}
__global__ void pawns_bad(const float* x, float* y, int side) {  // fields around, nine rows of three, from global memory
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int a = 0; a < 9; ++a)
    for (int b = 0; b < 9; ++b) sum += x[(r + a) * (side + 16) + c + b] * (a * 3 + b * b);
  y[r * side + c] = sum;
}
__global__ void pawns_fixed(const float* x, float* y, int side) {  // through a tile, four results a thread
  __shared__ float tile[40][40];
  const int c = blockIdx.x * 32, r = blockIdx.y * 32, t = threadIdx.y * 32 + threadIdx.x;
  for (int j = t; j < 1600; j += 256) tile[j / 40][j % 40] = x[(r + j / 40) * (side + 16) + c + j % 40];
  __syncthreads();
  float sum[4] = {};
#pragma unroll
  for (int a = 0; a < 12; ++a)
#pragma unroll
    for (int b = 0; b < 9; ++b) {
      const float v = tile[threadIdx.y * 4 + a][threadIdx.x + b];
#pragma unroll
      for (int s = 0; s < 4; ++s)
        if (a - s >= 0 && a - s < 9) sum[s] += v * ((a - s) * 3 + b * b);
    }
  for (int s = 0; s < 4; ++s) y[(r + threadIdx.y * 4 + s) * side + c + threadIdx.x] = sum[s];
}
__global__ void bishops_bad(const float* x, float* y, int n) {  // a product through tiles of 16, a result a thread
  __shared__ float a[16][16], b[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, c = blockIdx.x * 16 + tx, r = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int j = 0; j < n; j += 16) {
    a[ty][tx] = x[r * n + j + tx];
    b[ty][tx] = x[(n + j + ty) * n + c];
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 16; ++e) sum += a[ty][e] * b[e][tx];
    __syncthreads();
  }
  y[r * n + c] = sum;
}
__global__ void bishops_fixed(const float* x, float* y, int n) {  // 4 by 4 results a thread
  __shared__ float a[16][68], b[16][68];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, c = blockIdx.x * 64, r = blockIdx.y * 64;
  float sum[4][4] = {};
  for (int j = 0; j < n; j += 16) {
    for (int e = t; e < 1024; e += 256) {
      a[e % 16][e / 16] = x[(r + e / 16) * n + j + e % 16];
      b[e / 64][e % 64] = x[(n + j + e / 64) * n + c + e % 64];
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 16; ++e) {
      const float4 f = *(const float4*)&a[e][ty * 4], g = *(const float4*)&b[e][tx * 4];
      const float u[4] = {f.x, f.y, f.z, f.w}, v[4] = {g.x, g.y, g.z, g.w};
      for (int s = 0; s < 4; ++s)
        for (int d = 0; d < 4; ++d) sum[s][d] += u[s] * v[d];
    }
    __syncthreads();
  }
  for (int s = 0; s < 4; ++s) *(float4*)&y[(r + ty * 4 + s) * n + c + tx * 4] = make_float4(sum[s][0], sum[s][1], sum[s][2], sum[s][3]);
}
__global__ void openings_bad(const __half* p, __half* q, int n) {  // a product of halves by ordinary arithmetic
  const int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int j = 0; j < n; ++j) sum += __half2float(p[r * n + j]) * __half2float(p[(n + j) * n + c]);
  q[r * n + c] = __float2half(sum);
}
__global__ void openings_fixed(const __half* p, __half* q, int n) {  // tiles of 64 by 64, four warps of 32 by 32 on tensor cores
  __shared__ __align__(32) __half a[64][40], b[32][72], out[64][72];
  const int t = threadIdx.x, warp = t / 32, row = warp / 2 * 32, col = warp % 2 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, __half> sum[2][2];
  for (auto& line : sum)
    for (auto& s : line) wmma::fill_fragment(s, __float2half(0.0f));
  for (int j = 0; j < n; j += 32) {
    for (int e = t; e < 256; e += 128) {
      *(uint4*)&a[e / 4][e % 4 * 8] = *(const uint4*)&p[(blockIdx.y * 64 + e / 4) * n + j + e % 4 * 8];
      *(uint4*)&b[e / 8][e % 8 * 8] = *(const uint4*)&p[(n + j + e / 8) * n + blockIdx.x * 64 + e % 8 * 8];
    }
    __syncthreads();
    for (int e = 0; e < 32; e += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> g[2];
      for (int s = 0; s < 2; ++s) wmma::load_matrix_sync(f[s], &a[row + 16 * s][e], 40), wmma::load_matrix_sync(g[s], &b[e][col + 16 * s], 72);
      for (int s = 0; s < 2; ++s)
        for (int d = 0; d < 2; ++d) wmma::mma_sync(sum[s][d], f[s], g[d], sum[s][d]);
    }
    __syncthreads();
  }
  for (int s = 0; s < 2; ++s)
    for (int d = 0; d < 2; ++d) wmma::store_matrix_sync(&out[row + 16 * s][col + 16 * d], sum[s][d], 72, wmma::mem_row_major);
  __syncthreads();
  for (int e = t; e < 512; e += 128) *(uint4*)&q[(blockIdx.y * 64 + e / 8) * n + blockIdx.x * 64 + e % 8 * 8] = *(const uint4*)&out[e / 8][e % 8 * 8];
}
__global__ void endgames_bad(const __half* p, float* y, int n) {  // a warp 16 by 16 on tensor cores, straight from global memory
  const int warp = threadIdx.x / 32, r = blockIdx.y * 64 + warp / 4 * 16, c = blockIdx.x * 64 + warp % 4 * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int j = 0; j < n; j += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> g;
    wmma::load_matrix_sync(f, p + r * n + j, n);
    wmma::load_matrix_sync(g, p + (n + c) * n + j, n);
    wmma::mma_sync(sum, f, g, sum);
  }
  wmma::store_matrix_sync(y + r * n + c, sum, n, wmma::mem_row_major);
}
__global__ void endgames_fixed(const __half* p, float* y, int n) {  // tiles of 64 by 64 by 64 in shared memory, a warp 16 by 16
  __shared__ __align__(32) __half a[64][72], b[64][72];
  const int t = threadIdx.x, warp = t / 32, row = warp / 4 * 16, col = warp % 4 * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int j = 0; j < n; j += 64) {
    *(uint4*)&a[t / 8][t % 8 * 8] = *(const uint4*)&p[(blockIdx.y * 64 + t / 8) * n + j + t % 8 * 8];
    *(uint4*)&b[t / 8][t % 8 * 8] = *(const uint4*)&p[(n + blockIdx.x * 64 + t / 8) * n + j + t % 8 * 8];
    __syncthreads();
    for (int e = 0; e < 64; e += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> g;
      wmma::load_matrix_sync(f, &a[row][e], 72);
      wmma::load_matrix_sync(g, &b[col][e], 72);
      wmma::mma_sync(sum, f, g, sum);
    }
    __syncthreads();
  }
  wmma::store_matrix_sync(y + (blockIdx.y * 64 + row) * n + blockIdx.x * 64 + col, sum, n, wmma::mem_row_major);
}
__global__ void clocks_bad(const int* i, int* k) {  // digits of a move, the loop left rolled
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = i[id], out = 0;
#pragma unroll 1
  for (int j = 0; j < 24; ++j) out = (out << 1 | (v & 1)) ^ (v >> 3), v = v >> 1 | v << 31;
  k[id] = out;
}
__global__ void clocks_fixed(const int* i, int* k) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = i[id], out = 0;
#pragma unroll
  for (int j = 0; j < 24; ++j) out = (out << 1 | (v & 1)) ^ (v >> 3), v = v >> 1 | v << 31;
  k[id] = out;
}
__global__ void sheets_bad(const float* x, float* y, int side) {  // ink spreads: the mean of 13 by 13
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int a = 0; a < 13; ++a)
    for (int b = 0; b < 13; ++b) sum += x[(r + a) * (side + 16) + c + b];
  y[r * side + c] = sum / 169;
}
__global__ void sheets_fixed(const float* x, float* y, int side) {
  __shared__ float tile[44][44], rows[44][32];
  const int c = blockIdx.x * 32, r = blockIdx.y * 32, t = threadIdx.y * 32 + threadIdx.x;
  for (int j = t; j < 44 * 44; j += 256) tile[j / 44][j % 44] = x[(r + j / 44) * (side + 16) + c + j % 44];
  __syncthreads();
  for (int j = threadIdx.y; j < 44; j += 8) {
    float sum = 0;
    for (int b = 0; b < 13; ++b) sum += tile[j][threadIdx.x + b];
    rows[j][threadIdx.x] = sum;
  }
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8) {
    float sum = 0;
    for (int a = 0; a < 13; ++a) sum += rows[j + a][threadIdx.x];
    y[(r + j) * side + c + threadIdx.x] = sum / 169;
  }
}
__global__ void presses_bad(const float* x, float* y, int n) {  // running sums of rows, a thread a row
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; ++j) y[row * n + j] = sum += x[row * n + j];
}
__global__ void presses_fixed(const float* x, float* y, int n) {  // a warp a row, 32 at a time
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float before = 0;
  for (int j = lane; j < n; j += 32) {
    float v = x[row * n + j];
    for (int m = 1; m < 32; m *= 2) {
      const float o = __shfl_up_sync(~0u, v, m);
      if (lane >= m) v += o;
    }
    v += before;
    y[row * n + j] = v;
    before = __shfl_sync(~0u, v, 31);
  }
}
__global__ void proofs_bad(const float* x, float* y, int n) {  // four waves of the block's neighbours through global memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = x[id];
  for (int j = 0; j < n; ++j) {
    __syncthreads();
    const float v = y[blockIdx.x * blockDim.x + (threadIdx.x + 1) % blockDim.x];
    __syncthreads();
    y[id] = v * 0.9f + 0.1f;
  }
}
__global__ void proofs_fixed(const float* x, float* y, int n) {  // in shared memory
  __shared__ float line[512];
  const int t = threadIdx.x, id = blockIdx.x * blockDim.x + t;
  line[t] = x[id];
  for (int j = 0; j < n; ++j) {
    __syncthreads();
    const float v = line[(t + 1) % blockDim.x];
    __syncthreads();
    line[t] = v * 0.9f + 0.1f;
  }
  y[id] = line[t];
}
__global__ void rooks_bad(const float* x, float* y, int turns) {  // 136 blocks, one on an SM
  extern __shared__ float unused[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int j = 0; j < turns; ++j) v = fmaf(v, 0.99f, 0.5f) * v;
  y[id] = v;
  if (turns < 0) unused[0] = v;
}
__global__ void rooks_fixed(const float* x, float* y, int turns) {
  extern __shared__ float unused[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int j = 0; j < turns; ++j) v = fmaf(v, 0.99f, 0.5f) * v;
  y[id] = v;
  if (turns < 0) unused[0] = v;
}
}
