// Step 2: products of a whole warpgroup (wgmma) straight from shared memory, which the copy engine (TMA) fills. Two
// warpgroups of a block wait for a tile, multiply it, and only then ask for the next.
// C (m x n) = A (m x k) * B (n x k, transposed), bf16, any m and k; n even. Blocks of 256 threads.
#include "../common/wgmma.cuh"

constexpr int kTileM = 128, kTileN = 128, kTileK = 64;

struct Shared {
  alignas(1024) __nv_bfloat16 a[kTileM][kTileK], b[kTileN][kTileK];
  uint64_t full;
};

extern "C" __global__ void __launch_bounds__(256)
    matmul_wgmma(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, __nv_bfloat16* c, int m, int n, int k) {
  extern __shared__ uint8_t dynamic[];
  Shared& s = shared_storage<Shared>(dynamic);
  const int group = threadIdx.x / 128, lane = threadIdx.x % 32, row = blockIdx.y * kTileM, column = blockIdx.x * kTileN;
  if (threadIdx.x == 0) {
    barrier_init(&s.full, 1);
    barrier_init_fence();
  }
  float d[kTileN / 2];
  for (int at = 0, parity = 0; at < k; at += kTileK, parity ^= 1) {
    __syncthreads();  // the barrier is there; the tile has been read
    if (threadIdx.x == 0) {
      barrier_expect(&s.full, sizeof(s.a) + sizeof(s.b));
      tensor_load(s.a, &a, &s.full, at, row);
      tensor_load(s.b, &b, &s.full, at, column);
    }
    barrier_wait(&s.full, parity);
    const uint64_t left = matrix_descriptor(s.a[group * 64]), right = matrix_descriptor(s.b);
    wgmma_fence();
#pragma unroll
    for (int i = 0; i < 4; ++i) wgmma<__nv_bfloat16>(d, descriptor_at(left, 32 * i), descriptor_at(right, 32 * i), at > 0 || i > 0);
    wgmma_commit();
    wgmma_wait<0>();
    wgmma_pin(d);
  }
  const int y = row + threadIdx.x / 32 * 16 + lane / 4, x = column + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < kTileN / 8; ++j)
#pragma unroll
    for (int r = 0; r < 2; ++r)
      if (y + 8 * r < m && x + 8 * j < n)
        *reinterpret_cast<__nv_bfloat162*>(c + size_t(y + 8 * r) * n + x + 8 * j) = __floats2bfloat162_rn(d[4 * j + 2 * r], d[4 * j + 2 * r + 1]);
}
