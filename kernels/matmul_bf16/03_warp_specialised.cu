// Step 3: a warpgroup that only asks for tiles, four stages ahead, and gives its registers to two that only multiply,
// 64 x 256 each; a stage is given back while the next is being multiplied.
// C (m x n) = A (m x k) * B (n x k, transposed), bf16, any m and k; n even. Blocks of 384 threads.
#include "../common/wgmma.cuh"

constexpr int kTileM = 128, kTileN = 256, kTileK = 64, kStages = 4, kConsumers = 2;

struct Shared {
  alignas(1024) __nv_bfloat16 a[kStages][kTileM][kTileK];
  alignas(1024) __nv_bfloat16 b[kStages][kTileN][kTileK];
  uint64_t full[kStages], empty[kStages];
};

DEVICE void produce(Shared& s, const TensorMap& a, const TensorMap& b, int row, int column, int k) {
  Ring<kStages> ring;
  for (int at = 0; at < k; at += kTileK, ring.advance()) {
    barrier_wait(&s.empty[ring.stage], ring.parity ^ 1);
    barrier_expect(&s.full[ring.stage], sizeof(s.a[0]) + sizeof(s.b[0]));
    tensor_load(s.a[ring.stage], &a, &s.full[ring.stage], at, row);
    tensor_load(s.b[ring.stage], &b, &s.full[ring.stage], at, column);
  }
}

DEVICE void consume(Shared& s, float (&d)[kTileN / 2], int group, int k) {
  Ring<kStages> ring;
  for (int at = 0, previous = -1; at < k; at += kTileK, ring.advance()) {
    barrier_wait(&s.full[ring.stage], ring.parity);
    const uint64_t a = matrix_descriptor(s.a[ring.stage][group * 64]), b = matrix_descriptor(s.b[ring.stage]);
    wgmma_fence();
#pragma unroll
    for (int i = 0; i < 4; ++i) wgmma<__nv_bfloat16>(d, descriptor_at(a, 32 * i), descriptor_at(b, 32 * i), at > 0 || i > 0);
    wgmma_commit();
    wgmma_wait<1>();  // the stage before this one has been read
    __syncwarp();
    if (previous >= 0 && threadIdx.x % 32 == 0) barrier_arrive(&s.empty[previous]);
    previous = ring.stage;
  }
  wgmma_wait<0>();
  wgmma_pin(d);
}

extern "C" __global__ void __launch_bounds__(128 * (kConsumers + 1), 1)
    matmul_warp_specialised(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, __nv_bfloat16* c, int m, int n, int k) {
  extern __shared__ uint8_t dynamic[];
  Shared& s = shared_storage<Shared>(dynamic);
  const int group = threadIdx.x / 128, lane = threadIdx.x % 32, row = blockIdx.y * kTileM, column = blockIdx.x * kTileN;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) barrier_init(&s.full[i], 1), barrier_init(&s.empty[i], kConsumers * 4);
    barrier_init_fence();
  }
  __syncthreads();
  if (group == kConsumers) {
    registers_fewer<40>();
    if (threadIdx.x % 128 == 0) produce(s, a, b, row, column, k);
    return;
  }
  registers_more<232>();
  float d[kTileN / 2];
  consume(s, d, group, k);
  const int y = row + threadIdx.x / 32 * 16 + lane / 4, x = column + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < kTileN / 8; ++j)
#pragma unroll
    for (int r = 0; r < 2; ++r)
      if (y + 8 * r < m && x + 8 * j < n)
        *reinterpret_cast<__nv_bfloat162*>(c + size_t(y + 8 * r) * n + x + 8 * j) = __floats2bfloat162_rn(d[4 * j + 2 * r], d[4 * j + 2 * r + 1]);
}
