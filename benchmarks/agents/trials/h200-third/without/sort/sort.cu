#include <cuda_runtime.h>
#include <stdint.h>
// 1. partition: keys go to 2^B buckets of their top B bits (8192 keys each on average; slots of CAP), in no order.
// 2. local: a block sorts a bucket in shared memory: 8192 bins of the next 13 bits, then ranks within a bin by comparing.
// Buckets that overflow, or bins that hold many equal keys, go slower ways.
#define CAP 9216
#define MAXB 11
#define TILE 16384
#define BINS 8192
#define T 1024
__device__ int cursor[1 << MAXB];
__device__ int scratch[(size_t)CAP << MAXB];
__global__ void clear() { cursor[blockIdx.x * 256 + threadIdx.x] = 0; }
__global__ void __launch_bounds__(512, 2) partition(const int* __restrict__ x, int n, int bits) {
  extern __shared__ __align__(16) int smem[];
  int *keys = smem, *hist = smem + TILE, *delta = hist + (1 << MAXB);
  __shared__ int sums[16];
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, begin = blockIdx.x * TILE, count = min(TILE, n - begin);
  const int shift = 31 - bits;  // in two steps, as bits may be 0
  uint32_t key[32], rank[16];
#pragma unroll
  for (int i = 0; i < 4; ++i) hist[tid + i * 512] = 0;
  if (count == TILE) {
    const int4* from = (const int4*)(x + begin) + tid;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      int4 v = __ldcs(from + i * 512);
      key[4 * i] = v.x ^ 0x80000000u, key[4 * i + 1] = v.y ^ 0x80000000u, key[4 * i + 2] = v.z ^ 0x80000000u, key[4 * i + 3] = v.w ^ 0x80000000u;
    }
  } else {
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      int at = (i / 4 * 512 + tid) * 4 + i % 4;
      key[i] = at < count ? x[begin + at] ^ 0x80000000u : 0;
    }
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    int at = (i / 4 * 512 + tid) * 4 + i % 4;
    uint32_t r = 0;
    if (at < count) r = atomicAdd(hist + (key[i] >> 1 >> shift), 1);
    if (i & 1) rank[i / 2] |= r << 16;
    else rank[i / 2] = r;
    if (i & 1) asm volatile("" : "+r"(rank[i / 2]));
  }
  __syncthreads();
  int4 h = ((int4*)hist)[tid];
  int mine = h.x + h.y + h.z + h.w, scan = mine;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    int o = __shfl_up_sync(~0u, scan, d);
    if (lane >= d) scan += o;
  }
  if (lane == 31) sums[warp] = scan;
  __syncthreads();
  int off = scan - mine + __reduce_add_sync(~0u, lane < warp ? sums[lane & 15] : 0);
  ((int4*)hist)[tid] = make_int4(off, off + h.x, off + h.x + h.y, off + h.x + h.y + h.z);
  __syncthreads();
  int g[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    int b = tid + i * 512, o = hist[b], c = (b + 1 < 1 << MAXB ? hist[b + 1] : count) - o;
    g[i] = c ? atomicAdd(cursor + b, c) - o : 0;
  }
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    int at = (i / 4 * 512 + tid) * 4 + i % 4;
    if (at < count) keys[hist[key[i] >> 1 >> shift] + ((rank[i / 2] >> (i & 1) * 16) & 0xffff)] = key[i];
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) delta[tid + i * 512] = g[i];
  __syncthreads();
#pragma unroll 8
  for (int i = tid; i < count; i += 512) {
    uint32_t v = keys[i], b = v >> 1 >> shift;
    int at = delta[b] + i;
    if (at < CAP) scratch[(size_t)b * CAP + at] = v;
  }
}
__global__ void __launch_bounds__(T, 2) local(const int* __restrict__ x, int* __restrict__ y, int n, int bits) {
  extern __shared__ __align__(16) int smem[];
  int *bins = smem, *keys = smem + BINS;
  __shared__ int sums[T / 32];
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, bucket = blockIdx.x;
  const int count = min(cursor[bucket], CAP), shift = 32 - bits - 13;
  uint32_t key[CAP / T], rank[(CAP / T + 3) / 4];
#pragma unroll
  for (int i = 0; i < CAP / T; ++i) key[i] = i * T + tid < count ? __ldcs(scratch + (size_t)bucket * CAP + i * T + tid) : 0;
#pragma unroll
  for (int i = 0; i < BINS / 4 / T; ++i) ((int4*)bins)[tid + i * T] = make_int4(0, 0, 0, 0);
  int before = 0;
  bool over = false;
  for (int i = tid; i < 1 << bits; i += T) {
    int c = cursor[i];
    over |= c > CAP;
    if (i < bucket) before += c;
  }
  before = __reduce_add_sync(~0u, before);
  if (lane == 0) sums[warp] = before;
  if (__syncthreads_or(over)) {  // skewed keys: one block sorts all of them (right, but slow)
    if (bucket) return;
    for (int i = tid; i < n; i += T) y[i] = x[i];
    __syncthreads();
    for (int size = 2; size <= n && size > 0; size *= 2)
      for (int step = size / 2; step > 0; step /= 2) {
        for (int i = tid; i < n / 2; i += T) {
          int low = (i & ~(step - 1)) * 2 + (i & (step - 1)), high = low + step, a = y[low], b = y[high];
          if ((a > b) == ((low & size) == 0)) y[low] = b, y[high] = a;
        }
        __syncthreads();
      }
    return;
  }
  y += __reduce_add_sync(~0u, sums[lane]);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < CAP / T; ++i) {
    uint32_t r = 0;
    if (i * T + tid < count) r = atomicAdd(bins + (key[i] >> shift & BINS - 1), 1);
    r = min(r, 255);  // larger ones go the slow way below
    if (i & 3) rank[i / 4] |= r << (i & 3) * 8;
    else rank[i / 4] = r;
    if ((i & 3) == 3 || i == CAP / T - 1) asm volatile("" : "+r"(rank[i / 4]));
  }
  __syncthreads();
  int mine = 0, most = 0;  // a warp scans 512 bins
#pragma unroll
  for (int i = 0; i < BINS / 4 / T; ++i) {
    int4 h = ((int4*)bins)[warp * (BINS * 8 / T) + i * 32 + lane];
    mine += h.x + h.y + h.z + h.w;
    most = max(most, max(max(h.x, h.y), max(h.z, h.w)));
  }
  mine = __reduce_add_sync(~0u, mine);
  if (lane == 0) sums[warp] = mine;
  if (__syncthreads_or(most > 64)) {  // many equal keys: a bitonic sort
    int size2 = 1;
    while (size2 < count) size2 *= 2;
#pragma unroll
    for (int i = 0; i < CAP / T; ++i)
      if (i * T + tid < count) smem[i * T + tid] = key[i] ^ 0x80000000u;
    for (int i = tid; i < size2; i += T)
      if (i >= count) smem[i] = 0x7fffffff;
    __syncthreads();
    for (int size = 2; size <= size2; size *= 2)
      for (int step = size / 2; step > 0; step /= 2) {
        for (int i = tid; i < size2 / 2; i += T) {
          int low = (i & ~(step - 1)) * 2 + (i & (step - 1)), high = low + step, a = smem[low], b = smem[high];
          if ((a > b) == ((low & size) == 0)) smem[low] = b, smem[high] = a;
        }
        __syncthreads();
      }
    for (int i = tid; i < count; i += T) y[i] = smem[i];
    return;
  }
  int again;  // the bins are computed anew, not kept in registers
  asm volatile("mov.b32 %0, %1;" : "=r"(again) : "r"(shift));
  int carry = __reduce_add_sync(~0u, lane < warp ? sums[lane] : 0);
#pragma unroll
  for (int i = 0; i < BINS / 4 / T; ++i) {
    int4 h = ((int4*)bins)[warp * (BINS * 8 / T) + i * 32 + lane];
    int all = h.x + h.y + h.z + h.w, scan = all;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      int o = __shfl_up_sync(~0u, scan, d);
      if (lane >= d) scan += o;
    }
    int o = carry + scan - all;
    ((int4*)bins)[warp * (BINS * 8 / T) + i * 32 + lane] = make_int4(o, o + h.x, o + h.x + h.y, o + h.x + h.y + h.z);
    carry += __shfl_sync(~0u, scan, 31);
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < CAP / T; ++i)
    if (i * T + tid < count) keys[bins[key[i] >> again & BINS - 1] + ((rank[i / 4] >> (i & 3) * 8) & 255)] = key[i];
  __syncthreads();
  for (int i = tid; i < count; i += T) {
    uint32_t v = keys[i], b = v >> shift & BINS - 1;
    int s = bins[b], e = b + 1 < BINS ? bins[b + 1] : count, at = s;
    if (e - s > 1)
      for (int j = s; j < e; ++j) {
        uint32_t o = keys[j];
        at += o < v || (o == v && j < i);
      }
    __stcs(y + at, (int)(v ^ 0x80000000u));
  }
}
extern "C" void solve(const int* x, int* y, int n) {
  int bits = 0;
  while (bits < MAXB && (BINS << bits) < n) ++bits;
  const int s1 = (TILE + 2 * (1 << MAXB)) * 4, s2 = (BINS + CAP) * 4;
  cudaFuncSetAttribute(partition, cudaFuncAttributeMaxDynamicSharedMemorySize, s1);
  cudaFuncSetAttribute(local, cudaFuncAttributeMaxDynamicSharedMemorySize, s2);
  clear<<<(1 << MAXB) / 256, 256>>>();
  partition<<<(n + TILE - 1) / TILE, 512, s1>>>(x, n, bits);
  local<<<1 << bits, T, s2>>>(x, y, n, bits);
}
