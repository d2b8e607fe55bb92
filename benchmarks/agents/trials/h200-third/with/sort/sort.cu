#include <cuda_runtime.h>
// Most significant digit first, which needs no stable order (keys are all there is): ranks come from atomicAdd in shared memory.
// 1. split: by the top bits into buckets of 16384 keys on average, with a fixed capacity each. 2. finish: a bucket in shared memory, by the
// next 14 bits (16-bit counters, two a word, a word of padding each 16), then a thread sorts the keys of a bin (1 on average). 3. fallback: if a bucket is too full, a bitonic sort.
static const int CAPACITY = 17408, TILE = 16384, MOST = 1024, BINS = 16384, WORDS = BINS / 2 * 17 / 16, THREADS = 512;
__device__ unsigned buckets[MOST * CAPACITY];
static const int APART = 8;  // a sector each: atomics go to many slices of L2
__device__ int cursor[MOST * APART + 2];  // counts; then the flag of an overflow, and the barrier of the fallback
__device__ __forceinline__ unsigned shared_address(const void* p) {
  unsigned a = (unsigned)__cvta_generic_to_shared(p);
  asm volatile("" : "+r"(a));
  return a;
}
__device__ __forceinline__ void count(unsigned a, unsigned v) { asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(a), "r"(v) : "memory"); }
__device__ __forceinline__ unsigned take(unsigned a, unsigned v) { unsigned r; asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(r) : "r"(a), "r"(v) : "memory"); return r; }
__device__ __forceinline__ void put(unsigned a, unsigned v) { asm volatile("st.shared.u32 [%0], %1;" ::"r"(a), "r"(v) : "memory"); }
__global__ void clear() { for (int i = threadIdx.x; i < MOST * APART + 2; i += 1024) cursor[i] = 0; }
template <int PER> __device__ __forceinline__ void scan(int* hist, int (&count)[PER], int* warps) {  // exclusive; a thread has PER bins
  int t = threadIdx.x, lane = t & 31, sum = 0;
#pragma unroll
  for (int i = 0; i < PER; ++i) sum += count[i] = hist[t * PER + i];
  int all = sum;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) { int o = __shfl_up_sync(~0u, all, d); if (lane >= d) all += o; }
  if (lane == 31) warps[t >> 5] = all;
  __syncthreads();
  int before = lane < (t >> 5) ? warps[lane & 15] : 0;
  before = __reduce_add_sync(~0u, before) + all - sum;
#pragma unroll
  for (int i = 0; i < PER; ++i) { hist[t * PER + i] = before; before += count[i]; }
}
__global__ void __launch_bounds__(THREADS, 2) split(const int* __restrict__ x, int n, int bits) {
  extern __shared__ unsigned keys[];  // TILE
  __shared__ __align__(16) int hist[MOST], to[MOST], warps[16];
  int t = threadIdx.x, first = blockIdx.x * TILE, m = min(TILE, n - first), left = m - 4 * t;
  x += first + 4 * t;
  for (int i = t; i < MOST; i += THREADS) hist[i] = 0;
  unsigned key[32];
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    int i = j * THREADS * 4;
    int4 v = i < left ? __ldcs((const int4*)(x + i)) : make_int4(0, 0, 0, 0);
    key[4 * j] = v.x ^ 0x80000000u; key[4 * j + 1] = v.y ^ 0x80000000u; key[4 * j + 2] = v.z ^ 0x80000000u; key[4 * j + 3] = v.w ^ 0x80000000u;
  }
  __syncthreads();
  int shift = 31 - bits;
  unsigned hist_at = shared_address(hist), keys_at = shared_address(keys);
#pragma unroll
  for (int j = 0; j < 32; ++j)
    if (j / 4 * THREADS * 4 < left) count(hist_at + (key[j] >> 1 >> shift) * 4, 1);
  __syncthreads();
  int own[2];
  scan<2>(hist, own, warps);
  int2 excl = *(int2*)(hist + 2 * t);
  int at0 = atomicAdd(cursor + (2 * t) * APART, own[0]), at1 = atomicAdd(cursor + (2 * t + 1) * APART, own[1]);  // used after the next loop
  __syncthreads();
#pragma unroll
  for (int j = 0; j < 32; ++j)
    if (j / 4 * THREADS * 4 < left) put(keys_at + take(hist_at + (key[j] >> 1 >> shift) * 4, 1) * 4, key[j]);
  if (at0 + own[0] > CAPACITY || at1 + own[1] > CAPACITY) cursor[MOST * APART] = 1;
  to[2 * t] = at0 + own[0] > CAPACITY ? 0x80000000 : 2 * t * CAPACITY + at0 - excl.x;
  to[2 * t + 1] = at1 + own[1] > CAPACITY ? 0x80000000 : (2 * t + 1) * CAPACITY + at1 - excl.y;
  __syncthreads();
#pragma unroll 8
  for (int i = t; i < m; i += THREADS) {
    unsigned u = keys[i];
    int d = to[u >> 1 >> shift];
    if (d != (int)0x80000000) buckets[d + i] = u;
  }
}
__global__ void __launch_bounds__(THREADS, 2) finish(int* y, int bits) {
  extern __shared__ unsigned keys[];  // CAPACITY, then counters
  __shared__ int warps[16], sums[16];
  unsigned* hist = keys + CAPACITY;
  const unsigned short* halves = (const unsigned short*)hist;
  int t = threadIdx.x, lane = t & 31, b = blockIdx.x, before = 0;
  const unsigned* from = buckets + b * CAPACITY + t;
  asm volatile("" : "+l"(from));
  int m = cursor[b * APART], left = m - t, failed = cursor[MOST * APART];
  unsigned hist_at = shared_address(hist), keys_at = shared_address(keys);
  unsigned key[34];
#pragma unroll
  for (int j = 0; j < 34; ++j) key[j] = j < 30 || j * THREADS < left ? __ldcs(from + j * THREADS) : 0;
  if (failed) return;
  for (int i = t; i < WORDS; i += THREADS) hist[i] = 0;
  for (int i = t; i < b; i += THREADS) before += cursor[i * APART];
  before = __reduce_add_sync(~0u, before);
  if (lane == 0) sums[t >> 5] = before;
  __syncthreads();
#pragma unroll
  for (int j = 0; j < 34; ++j)
    if (j * THREADS < left) {
      unsigned u = key[j] << bits, w = u >> 19;
      count(hist_at + (w + (w >> 4)) * 4, 1u << (u >> 14 & 16));
    }
  __syncthreads();
  {
    int sum = 0;
#pragma unroll
    for (int i = 0; i < 16; ++i) { unsigned c = hist[t * 17 + i]; sum += (c & 0xffff) + (c >> 16); }
    int all = sum;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) { int o = __shfl_up_sync(~0u, all, d); if (lane >= d) all += o; }
    if (lane == 31) warps[t >> 5] = all;
    __syncthreads();
    int at = lane < (t >> 5) ? warps[lane & 15] : 0;
    at = __reduce_add_sync(~0u, at) + all - sum;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      unsigned c = hist[t * 17 + i];
      hist[t * 17 + i] = at | (at + (c & 0xffff)) << 16;
      at += (c & 0xffff) + (c >> 16);
    }
  }
  before = __reduce_add_sync(~0u, lane < 16 ? sums[lane & 15] : 0);
  __syncthreads();
#pragma unroll
  for (int j = 0; j < 34; ++j)
    if (j * THREADS < left) {
      unsigned u = key[j] << bits, w = u >> 19;
      unsigned h = u >> 14 & 16, r = take(hist_at + (w + (w >> 4)) * 4, 1u << h);
      put(keys_at + (r >> h & 0xffff) * 4, key[j]);
    }
  __syncthreads();
  for (int i = t; i < BINS; i += THREADS) {  // the counters are ends now
    int high = halves[i + (i >> 5) * 2], low = __shfl_up_sync(~0u, high, 1);
    if (lane == 0) low = i ? halves[i - 1 + ((i - 1) >> 5) * 2] : 0;
    int size = high - low;
    unsigned* k = keys + low;
    if (size > 1 && size <= 4) {
      unsigned a = k[0], b = k[1], c = size > 2 ? k[2] : ~0u, d = size > 3 ? k[3] : ~0u, e;
      e = min(a, b); b = max(a, b); a = e;
      e = min(c, d); d = max(c, d); c = e;
      e = min(a, c); c = max(a, c); a = e;
      e = min(b, d); d = max(b, d); b = e;
      e = min(b, c); c = max(b, c); b = e;
      k[0] = a; k[1] = b;
      if (size > 2) k[2] = c;
      if (size > 3) k[3] = d;
    } else if (size > 4 && size <= 8) {
      unsigned v[8];
#pragma unroll
      for (int p = 0; p < 8; ++p) v[p] = p < size ? k[p] : ~0u;
#define S(i, j) { unsigned e = min(v[i], v[j]); v[j] = max(v[i], v[j]); v[i] = e; }
      S(0, 2) S(1, 3) S(4, 6) S(5, 7) S(0, 4) S(1, 5) S(2, 6) S(3, 7) S(0, 1) S(2, 3) S(4, 5) S(6, 7) S(2, 4) S(3, 5) S(1, 4) S(3, 6) S(1, 2) S(3, 4) S(5, 6)
#pragma unroll
      for (int p = 0; p < 8; ++p) if (p < size) k[p] = v[p];
    } else if (size > 8) {
      for (int p = 1; p < size; ++p) {
        unsigned u = k[p];
        int q = p;
        for (; q > 0 && k[q - 1] > u; --q) k[q] = k[q - 1];
        k[q] = u;
      }
    }
  }
  __syncthreads();
  y += before + t;
  asm volatile("" : "+l"(y));
#pragma unroll
  for (int j = 0; j < 34; ++j)
    if (j * THREADS < left) __stcs(y + j * THREADS, (int)(keys[t + j * THREADS] ^ 0x80000000u));
}
__device__ void barrier(int& turn) {  // all blocks are on the GPU at once
  __syncthreads();
  turn += gridDim.x;
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(cursor + MOST * APART + 1, 1);
    while (*(volatile int*)(cursor + MOST * APART + 1) < turn) {}
    __threadfence();
  }
  __syncthreads();
}
__global__ void __launch_bounds__(1024) fallback(const int* x, volatile int* y, int n) {
  if (!cursor[MOST * APART]) return;
  int turn = 0;
  for (int i = blockIdx.x * 1024 + threadIdx.x; i < n; i += gridDim.x * 1024) y[i] = x[i];
  for (int size = 2; size <= n; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      barrier(turn);
      for (int i = blockIdx.x * 1024 + threadIdx.x; i < n; i += gridDim.x * 1024) {
        int other = i ^ step;
        if (other < i) continue;
        int a = y[i], b = y[other];
        if ((a > b) == ((i & size) == 0)) { y[i] = b; y[other] = a; }
      }
    }
}
extern "C" void solve(const int* x, int* y, int n) {
  int bits = 0;
  while (bits < 10 && (n >> bits) > TILE) ++bits;
  cudaFuncSetAttribute(split, cudaFuncAttributeMaxDynamicSharedMemorySize, TILE * 4);
  cudaFuncSetAttribute(finish, cudaFuncAttributeMaxDynamicSharedMemorySize, (CAPACITY + WORDS) * 4);
  clear<<<1, 1024>>>();
  split<<<(n + TILE - 1) / TILE, THREADS, TILE * 4>>>(x, n, bits);
  finish<<<1 << bits, THREADS, (CAPACITY + WORDS) * 4>>>(y, bits);
  int blocks = 132;
  void* args[] = {(void*)&x, (void*)&y, (void*)&n};
  cudaLaunchCooperativeKernel((void*)fallback, dim3(blocks), dim3(1024), args, 0, 0);
}
