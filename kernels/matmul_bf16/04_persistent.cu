// Step 4: as many blocks as multiprocessors, each walking over tiles. The producer runs ahead into the next tile while
// the consumers write this one, through shared memory and tensor stores. With -DCLUSTER=2 two blocks stand on each other
// and load half of B each, for both. C (m x n) = A (m x k) * B (n x k, transposed), for bf16, fp16 and fp8 (e4m3, C in bf16).
#include "../common/wgmma.cuh"

#ifndef TILE_N
#define TILE_N 256
#endif
#ifndef STAGES
#define STAGES 4
#endif
#ifndef CLUSTER
#define CLUSTER 1
#endif
#ifndef GROUP
#define GROUP 16
#endif

constexpr int kTileM = 128, kTileN = TILE_N, kStages = STAGES, kCluster = CLUSTER, kGroup = GROUP;
constexpr int kConsumers = 2, kRowBytes = 128;  // a stage holds 128 bytes of k: 64 elements of 16 bits, 128 of 8
constexpr int kBytesA = kTileM * kRowBytes, kBytesB = kTileN * kRowBytes, kBytesB1 = kBytesB / kCluster;
constexpr int kPieceColumns = 64, kBytesPiece = 64 * kPieceColumns * 2, kPieces = 2;  // of C, a warpgroup: two in flight

struct Shared {
  alignas(1024) uint8_t a[kStages][kBytesA];
  alignas(1024) uint8_t b[kStages][kBytesB];
  alignas(1024) uint8_t c[kConsumers][kPieces][kBytesPiece];
  uint64_t full[kStages], empty[kStages];
};

/// Tile number -> its place. Tiles go down kGroup rows of tiles before they go right, so that those that run
/// together share rows of A and columns of B in the L2 cache. `rows` and `columns` count tiles of the cluster.
DEVICE void place(int tile, int rows, int columns, int& row, int& column) {
  const int band = tile / (kGroup * columns), height = min(kGroup, rows - band * kGroup), in = tile % (kGroup * columns);
  row = band * kGroup + in % height;
  column = in / height;
}

template <int kPerStage>
DEVICE void produce(Shared& s, const TensorMap& a, const TensorMap& b, int rows, int columns, int k) {
  Ring<kStages> ring;
  const int rank = kCluster > 1 ? cluster_rank() : 0;
  for (int tile = blockIdx.x / kCluster; tile < rows * columns; tile += gridDim.x / kCluster) {
    int row, column;
    place(tile, rows, columns, row, column);
    for (int at = 0; at < k; at += kPerStage, ring.advance()) {
      barrier_wait_cluster(&s.empty[ring.stage], ring.parity ^ 1);
      uint64_t* full = &s.full[ring.stage];
      barrier_expect(full, kBytesA + kBytesB);
      tensor_load(s.a[ring.stage], &a, full, at, (row * kCluster + rank) * kTileM);
      uint8_t* half = s.b[ring.stage] + rank * kBytesB1;
      const int from = column * kTileN + rank * (kTileN / kCluster);
      if constexpr (kCluster > 1) tensor_load_multicast(half, &b, full, at, from, (1 << kCluster) - 1);
      else tensor_load(half, &b, full, at, from);
    }
  }
}

/// Arrives at the empty barriers of all blocks that load into this stage: a warp's first lanes, one for each.
DEVICE void release(Shared& s, int stage) {
  const int lane = threadIdx.x % 32;
  __syncwarp();  // all lanes have waited for the products that read it
  if constexpr (kCluster > 1) {
    if (lane < kCluster) barrier_arrive_at(&s.empty[stage], lane);
  } else if (lane == 0) barrier_arrive(&s.empty[stage]);
}

template <class Out>
DEVICE uint32_t pack(float low, float high) {
  if constexpr (std::is_same_v<Out, __half>) {
    const __half2 both = __floats2half2_rn(low, high);
    return reinterpret_cast<const uint32_t&>(both);
  } else {
    const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
    return reinterpret_cast<const uint32_t&>(both);
  }
}

/// Writes a warpgroup's 64 rows in pieces of 64 columns, swizzled as the tensor store takes them.
template <class Out>
DEVICE void write(Shared& s, const TensorMap& c, const float (&d)[kTileN / 2], int group, int row, int column) {
  const int thread = threadIdx.x % 128, lane = thread % 32, line = thread / 32 * 16 + lane % 16;
#pragma unroll
  for (int piece = 0; piece < kTileN / kPieceColumns; ++piece) {
    uint8_t* to = s.c[group][piece % kPieces];
    if (thread == 0) store_wait_read<kPieces - 1>();
    named_barrier_sync(1 + group, 128);
#pragma unroll
    for (int j = 0; j < 4; ++j) {  // 16 columns: lanes 0-15 address the left eight of their row, 16-31 the right eight
      const float* v = d + piece * 32 + j * 8;
      store_matrices(to + line * 128 + ((j * 2 + lane / 16) ^ (line % 8)) * 16, pack<Out>(v[0], v[1]), pack<Out>(v[2], v[3]),
                     pack<Out>(v[4], v[5]), pack<Out>(v[6], v[7]));
    }
    async_fence();
    named_barrier_sync(1 + group, 128);
    if (thread == 0) {
      tensor_store(&c, to, column + piece * kPieceColumns, row);
      store_commit();
    }
  }
}

template <class T, class Out>
DEVICE void consume(Shared& s, const TensorMap& c, int group, int rows, int columns, int k) {
  constexpr int kPerStage = kRowBytes / sizeof(T);
  Ring<kStages> ring;
  const int rank = kCluster > 1 ? cluster_rank() : 0;
  float d[kTileN / 2];
  for (int tile = blockIdx.x / kCluster; tile < rows * columns; tile += gridDim.x / kCluster) {
    int row, column, previous = -1;
    place(tile, rows, columns, row, column);
    for (int at = 0; at < k; at += kPerStage, ring.advance()) {
      barrier_wait(&s.full[ring.stage], ring.parity);
      const uint64_t a = matrix_descriptor(s.a[ring.stage] + group * 64 * kRowBytes), b = matrix_descriptor(s.b[ring.stage]);
      wgmma_fence();
#pragma unroll
      for (int i = 0; i < 4; ++i) wgmma<T>(d, descriptor_at(a, 32 * i), descriptor_at(b, 32 * i), at > 0 || i > 0);
      wgmma_commit();
      wgmma_wait<1>();  // the stage before this one has been read
      if (previous >= 0) release(s, previous);
      previous = ring.stage;
    }
    wgmma_wait<0>();
    wgmma_pin(d);
    release(s, previous);
    write<Out>(s, c, d, group, (row * kCluster + rank) * kTileM + group * 64, column * kTileN);
  }
  if (threadIdx.x % 128 == 0) store_wait_read<0>();
}

template <class T, class Out>
DEVICE void matmul(const TensorMap& a, const TensorMap& b, const TensorMap& c, int m, int n, int k) {
  extern __shared__ uint8_t dynamic[];
  Shared& s = shared_storage<Shared>(dynamic);
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) barrier_init(&s.full[i], 1), barrier_init(&s.empty[i], kConsumers * 4 * kCluster);
    barrier_init_fence();
    prefetch_map(&a), prefetch_map(&b), prefetch_map(&c);
  }
  if constexpr (kCluster > 1) cluster_sync();
  else __syncthreads();
  const int rows = (m + kTileM * kCluster - 1) / (kTileM * kCluster), columns = (n + kTileN - 1) / kTileN;
  const int group = threadIdx.x / 128;
  if (group == kConsumers) {
    registers_fewer<40>();
    if (threadIdx.x % 128 == 0) produce<kRowBytes / sizeof(T)>(s, a, b, rows, columns, k);
  } else {
    registers_more<232>();
    consume<T, Out>(s, c, group, rows, columns, k);
  }
  if constexpr (kCluster > 1) {  // no block leaves while another may still arrive at its barriers
    __syncwarp();
    cluster_sync();
  }
}

#define KERNEL extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(128 * (kConsumers + 1), 1)
#define ARGUMENTS                                                                                                  \
  const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, const __grid_constant__ TensorMap c, int m, \
      int n, int k

KERNEL matmul_persistent_bf16(ARGUMENTS) { matmul<__nv_bfloat16, __nv_bfloat16>(a, b, c, m, n, k); }
KERNEL matmul_persistent_fp16(ARGUMENTS) { matmul<__half, __half>(a, b, c, m, n, k); }
KERNEL matmul_persistent_fp8(ARGUMENTS) { matmul<__nv_fp8_e4m3, __nv_bfloat16>(a, b, c, m, n, k); }
