#include <cuda_runtime.h>
// Merge path: rows and entries together are split evenly over warps. A lane has 2 of 64 columns. Sums of rows that go on in another warp are
// combined in the block; those that go on in another block, by a second kernel.
static const int ITEMS = 100, WARPS = 8, BLOCK = ITEMS * WARPS, THREADS = WARPS * 32, MOST = 1 << 16;
__device__ int carry_row[MOST];
__device__ float carry[(size_t)MOST * 64];
// Rows that end among the first `diagonal` items: the smallest r with ends[r] + r >= diagonal.
__device__ __forceinline__ int search(const int* ends, int rows, int diagonal) {
  int low = 0, high = rows;
  while (low < high) {  // the same in all threads of the warp
    int length = high - low, step = (length + 32) / 33, at = low + step * ((threadIdx.x & 31) + 1) - 1;
    bool less = at < high && __ldg(ends + at) + at < diagonal;
    int n = __popc(__ballot_sync(~0u, less));
    int next = low + n * step;
    high = min(high, next + step - 1);
    low = min(next, high);
  }
  return low;
}
__global__ void __launch_bounds__(THREADS, 5) gather(const int* __restrict__ starts, const int* __restrict__ columns, const float* __restrict__ weights, const float* __restrict__ x,
                                                  float* __restrict__ y, int rows, int entries_unused) {
  __shared__ int ends[BLOCK + 1];
  __shared__ int2 entry[BLOCK + 8];
  __shared__ int rest_row[WARPS];
  __shared__ float2 rest[WARPS][32];
  int entries = __ldg(starts + rows), total = rows + entries, d0 = blockIdx.x * BLOCK, d1 = min(d0 + BLOCK, total);
  if (d0 >= total) {
    if (threadIdx.x == 0) carry_row[blockIdx.x] = -1;
    return;
  }
  int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  if (warp < 2) {
    int found = search(starts + 1, rows, warp ? d1 : d0);
    if (lane == 0) rest_row[warp] = found;
  }
  __syncthreads();
  int r0 = rest_row[0], r1 = rest_row[1];
  int e0 = d0 - r0, e1 = d1 - r1, n = r1 - r0, m = e1 - e0;
  for (int i = threadIdx.x; i < n; i += THREADS) ends[i] = __ldg(starts + 1 + r0 + i) - e0;
  for (int i = threadIdx.x; i < m + 8; i += THREADS) entry[i] = i < m ? make_int2(__ldcs(columns + e0 + i) << 8, __float_as_int(__ldcs(weights + e0 + i))) : make_int2(0, 0);
  __syncthreads();
  int a = min(warp * ITEMS, d1 - d0), b = min(a + ITEMS, d1 - d0);
  int r, rend;
  {
    int low = 0, high = n;
    while (low < high) { int mid = (low + high) >> 1; if (ends[mid] + mid < a) low = mid + 1; else high = mid; }
    r = low;
    high = n;
    while (low < high) { int mid = (low + high) >> 1; if (ends[mid] + mid < b) low = mid + 1; else high = mid; }
    rend = low;
  }
  int e = a - r, eend = b - rend;
  // offsets in bytes have 32 bits: rows < 2^24
  const float2* xl = (const float2*)x + lane;
  float2* yl = (float2*)y + (size_t)r0 * 32 + lane;
  float2 sum = make_float2(0, 0);
  int end = r < rend ? ends[r] : 0x7fffffff;
  for (; e + 8 <= eend; e += 8) {
    float2 v[8];

#pragma unroll
    for (int i = 0; i < 8; ++i) {
      {
        int c = entry[e + i].x;

        v[i] = __ldg((const float2*)((const char*)xl + (unsigned)c));
      }
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      {
        while (e + i == end) {
          __stcs(yl + (size_t)r * 32, sum);
          sum = make_float2(0, 0);
          end = ++r < rend ? ends[r] : 0x7fffffff;
        }
        float weight = __int_as_float(entry[e + i].y);
        sum.x += weight * v[i].x;
        sum.y += weight * v[i].y;
      }
    }
  }
  if (e < eend) {
    float2 v[8];

#pragma unroll
    for (int i = 0; i < 8; ++i) {
      if (e + i < eend) {
        int c = entry[e + i].x;

        v[i] = __ldg((const float2*)((const char*)xl + (unsigned)c));
      }
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      if (e + i < eend) {
        while (e + i == end) {
          __stcs(yl + (size_t)r * 32, sum);
          sum = make_float2(0, 0);
          end = ++r < rend ? ends[r] : 0x7fffffff;
        }
        float weight = __int_as_float(entry[e + i].y);
        sum.x += weight * v[i].x;
        sum.y += weight * v[i].y;
      }
    }
  }
  for (; r < rend; ++r) {
    __stcs(yl + (size_t)r * 32, sum);
    sum = make_float2(0, 0);
  }
  rest[warp][lane] = sum;
  if (lane == 0) rest_row[warp] = rend;
  __syncthreads();
  if (threadIdx.x < 64) {
    const float* s = (const float*)rest + threadIdx.x;
    float t = 0;
    int row = rest_row[0];
    for (int w = 0; w < WARPS; ++w) {
      if (rest_row[w] != row) {
        y[(size_t)(r0 + row) * 64 + threadIdx.x] += t;
        t = 0;
        row = rest_row[w];
      }
      t += s[w * 64];
    }
    carry[(size_t)blockIdx.x * 64 + threadIdx.x] = t;  // row is n here: rest_row of the last warp
    if (threadIdx.x == 0) carry_row[blockIdx.x] = r1 < rows ? r1 : -1;
  }
}
__global__ void add(float* y, int blocks) {
  int b = blockIdx.x * 4 + (threadIdx.x >> 6), c = threadIdx.x & 63;
  if (b >= blocks) return;
  int row = carry_row[b];
  if (row < 0) return;
  float t = carry[(size_t)b * 64 + c];
  if (t != 0) atomicAdd(y + (size_t)row * 64 + c, t);
}
extern "C" void solve(const int* starts, const int* columns, const float* weights, const float* x, float* y, int rows) {
  int blocks = (17 * rows + BLOCK - 1) / BLOCK;  // 16 * rows entries
  gather<<<blocks, THREADS>>>(starts, columns, weights, x, y, rows, 0);
  add<<<(blocks + 3) / 4, 256>>>(y, blocks);
}
