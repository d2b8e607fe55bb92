// Products of a warp's 16 queries with a tile of keys and their values in shared memory, by mma.sync.
#pragma once
#include "../common/mma.cuh"
#include "softmax.cuh"

/// Sixteen bytes of a row, the eight places of 128 bytes changing from row to row.
template <int kHead>
static __device__ __forceinline__ __nv_bfloat16* place(__nv_bfloat16* tile, int row, int chunk) {
  return tile + row * kHead + (chunk ^ row % 8) * 8;
}

template <int kHead, int kKeys>
static __device__ __forceinline__ void multiply_keys(float (&scores)[kKeys / 2], const uint32_t (&q)[kHead / 16][4], __nv_bfloat16* k) {
  const int lane = threadIdx.x % 32;
  for (float& x : scores) x = 0;
#pragma unroll
  for (int i = 0; i < kHead / 16; ++i)
#pragma unroll
    for (int x = 0; x < kKeys / 16; ++x) {
      uint32_t b[4];
      load_matrices(b, place<kHead>(k, 16 * x + lane / 16 * 8 + lane % 8, 2 * i + lane / 8 % 2));
      mma(reinterpret_cast<float(&)[4]>(scores[8 * x]), q[i], b[0], b[1]);
      mma(reinterpret_cast<float(&)[4]>(scores[8 * x + 4]), q[i], b[2], b[3]);
    }
}

template <int kHead, int kKeys>
static __device__ __forceinline__ void multiply_values(float (&out)[kHead / 2], const float (&weights)[kKeys / 2], __nv_bfloat16* v) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < kKeys / 16; ++i) {
    uint32_t a[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) a[j] = pack(weights[8 * i + 2 * j], weights[8 * i + 2 * j + 1]);
#pragma unroll
    for (int x = 0; x < kHead / 16; ++x) {
      uint32_t b[4];
      load_matrices_transposed(b, place<kHead>(v, 16 * i + lane % 16, 2 * x + lane / 16));
      mma(reinterpret_cast<float(&)[4]>(out[8 * x]), a, b[0], b[1]);
      mma(reinterpret_cast<float(&)[4]>(out[8 * x + 4]), a, b[2], b[3]);
    }
  }
}
