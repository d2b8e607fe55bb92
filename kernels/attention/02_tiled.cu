// Step 2: one kernel. A block keeps 64 queries and walks over the keys, 32 at a time in shared memory, with the softmax's
// maximum and sum going along (online softmax): scores never reach memory. Four threads share a query.
// q, o: batch * heads x queries x SIZE; k, v: batch * heads / group x keys x SIZE, bf16. Causal: query i sees keys
// 0 .. i + keys - queries. A scale of 0 stands for 1 / sqrt(SIZE). Grid: queries / 64, batch * heads; blocks of 256 threads.
#include <cuda_bf16.h>

#include <cmath>

#ifndef SIZE
#define SIZE 64
#endif

constexpr int kQueries = 64, kKeys = 32, kSize = SIZE, kPad = 4, kThreads = 256, kOwn = kSize / 4, kSeen = kKeys / 4;

struct Shared {
  float q[kQueries][kSize + kPad], k[kKeys][kSize + kPad], v[kKeys][kSize];
  float weights[kQueries][kKeys + 1];
};

__device__ __forceinline__ float quad(float x, bool largest) {
  for (int o = 1; o < 4; o *= 2) {
    const float y = __shfl_xor_sync(0xffffffff, x, o);
    x = largest ? fmaxf(x, y) : x + y;
  }
  return x;
}

extern "C" __global__ void __launch_bounds__(kThreads)
    attention_tiled(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, __nv_bfloat16* o, int queries, int keys,
                    int group, int causal, float scale) {
  extern __shared__ float dynamic[];
  Shared& s = *reinterpret_cast<Shared*>(dynamic);
  const int t = threadIdx.x, row = t / 4, part = t % 4, first = blockIdx.x * kQueries, query = first + row;
  q += (size_t(blockIdx.y) * queries + first) * kSize;
  k += size_t(blockIdx.y / group) * keys * kSize;
  v += size_t(blockIdx.y / group) * keys * kSize;
  for (int i = t; i < kQueries * kSize; i += kThreads)
    s.q[i / kSize][i % kSize] = first + i / kSize < queries ? __bfloat162float(q[i]) * (scale ? scale : rsqrtf(kSize)) : 0;
  float out[kOwn] = {}, top = -INFINITY, sum = 0;
  const int end = causal ? min(keys, first + kQueries + keys - queries) : keys, limit = causal ? query + keys - queries + 1 : keys;
  for (int block = 0; block < end; block += kKeys) {
    __syncthreads();
    for (int i = t; i < kKeys * kSize; i += kThreads) {
      const bool there = block + i / kSize < keys;
      s.k[i / kSize][i % kSize] = there ? __bfloat162float(k[size_t(block) * kSize + i]) : 0;
      s.v[i / kSize][i % kSize] = there ? __bfloat162float(v[size_t(block) * kSize + i]) : 0;
    }
    __syncthreads();
    float scores[kSeen] = {}, largest = top;
    for (int i = 0; i < kSize; i += 4) {
      const float4 x = *reinterpret_cast<const float4*>(&s.q[row][i]);
#pragma unroll
      for (int j = 0; j < kSeen; ++j) {
        const float4 y = *reinterpret_cast<const float4*>(&s.k[4 * j + part][i]);
        scores[j] += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
      }
    }
#pragma unroll
    for (int j = 0; j < kSeen; ++j) {
      if (block + 4 * j + part >= min(limit, keys)) scores[j] = -INFINITY;
      largest = fmaxf(largest, scores[j]);
    }
    largest = quad(largest, true);
    const float base = largest == -INFINITY ? 0 : largest, shrink = __expf(top - base);
    top = largest;
    sum *= shrink;
#pragma unroll
    for (int j = 0; j < kSeen; ++j) {
      const float weight = __expf(scores[j] - base);
      sum += weight;
      s.weights[row][4 * j + part] = weight;
    }
    __syncwarp();  // the four threads of a row are in one warp
#pragma unroll
    for (int i = 0; i < kOwn; ++i) out[i] *= shrink;
    for (int j = 0; j < kKeys; ++j) {
      const float weight = s.weights[row][j];
#pragma unroll
      for (int i = 0; i < kOwn; i += 4) {
        const float4 y = *reinterpret_cast<const float4*>(&s.v[j][4 * i + 4 * part]);
        out[i] += weight * y.x, out[i + 1] += weight * y.y, out[i + 2] += weight * y.z, out[i + 3] += weight * y.w;
      }
    }
  }
  sum = quad(sum, false);
  if (query >= queries) return;
  __nv_bfloat16* to = o + (size_t(blockIdx.y) * queries + query) * kSize;
#pragma unroll
  for (int i = 0; i < kOwn; ++i) to[(i & ~3) * 4 + 4 * part + i % 4] = __float2bfloat16(sum > 0 ? out[i] / sum : 0);
}
