// Softmax of scores in registers as tensor cores leave them, a part of the keys at a time. A thread holds parts of two
// rows, r = 0 and 1 (8 rows apart): scores[4j + 2r + c] is that of key 8j + c from the thread's first one on. The four
// lanes of a quad hold a row together.
#pragma once
#include <cuda_bf16.h>

#include <cmath>
#include <cstdint>

constexpr float kLog2E = 1.4426950408889634f;

static __device__ __forceinline__ float power_of_two(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
static __device__ __forceinline__ uint32_t pack(float low, float high) {
  const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
  return reinterpret_cast<const uint32_t&>(both);
}

/// What scores are multiplied by; 0 stands for 1 / sqrt(size of a head).
static __device__ __forceinline__ float scale_of(float scale, int size) { return scale ? scale : rsqrtf(static_cast<float>(size)); }

struct Softmax {
  float top[2] = {-INFINITY, -INFINITY};  // largest score of each row so far
  float sum[2] = {0, 0};                  // of exp(score - top), this thread's part
  float shrink[2];                        // what older outputs are multiplied by

  /// Scores -> exponentials; `scale` is of base 2. A row may see nothing only where `kMasked`.
  template <bool kMasked, int kCount>
  __device__ __forceinline__ void add(float (&scores)[kCount], float scale) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float m = top[r];
#pragma unroll
      for (int i = 2 * r; i < kCount; i += 4) m = fmaxf(m, fmaxf(scores[i], scores[i + 1]));
      m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, 1));
      m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, 2));
      const float base = kMasked && m == -INFINITY ? 0.f : m * scale;
      shrink[r] = power_of_two(top[r] * scale - base);
      top[r] = m;
      float part = 0;
#pragma unroll
      for (int i = 2 * r; i < kCount; i += 4) {
        scores[i] = power_of_two(scores[i] * scale - base);
        scores[i + 1] = power_of_two(scores[i + 1] * scale - base);
        part += scores[i] + scores[i + 1];
      }
      sum[r] = sum[r] * shrink[r] + part;
    }
  }

  /// Adds up the quad's sums; `shrink` becomes what outputs are multiplied by in the end: nothing seen gives 0.
  __device__ __forceinline__ void finish() {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum[r] += __shfl_xor_sync(0xffffffff, sum[r], 1);
      sum[r] += __shfl_xor_sync(0xffffffff, sum[r], 2);
      shrink[r] = sum[r] > 0 ? 1 / sum[r] : 0;
    }
  }
  /// The logarithm of a row's sum of exponentials, which the backward pass starts from.
  __device__ __forceinline__ float log_sum(int r, float scale) const {
    return sum[r] > 0 ? top[r] * scale / kLog2E + logf(sum[r]) : -INFINITY;
  }
};

/// Hides the scores of keys from `limits[r]` on, counted from the thread's first key.
template <int kCount>
static __device__ __forceinline__ void hide(float (&scores)[kCount], const int (&limits)[2]) {
#pragma unroll
  for (int i = 0; i < kCount; ++i)
    if (i / 4 * 8 + i % 2 >= limits[i / 2 % 2]) scores[i] = -INFINITY;
}

/// Outputs times `shrink` of their rows.
template <int kCount>
static __device__ __forceinline__ void multiply_rows(float (&out)[kCount], const float (&shrink)[2]) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) out[i] *= shrink[i / 2 % 2];
}
