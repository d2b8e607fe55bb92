// Kernels of what Hopper does asynchronously: clusters and their shared memory, bulk and tensor copies, mbarriers,
// products of warp groups. Each is small, and its result follows from its arguments.
#include <cstdint>

#define SHARED(p) static_cast<uint32_t>(__cvta_generic_to_shared(p))

__device__ void init(uint64_t* barrier, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(SHARED(barrier)), "r"(count) : "memory");
}
__device__ void init_fence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ void copy_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ void arrive(uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(SHARED(barrier)) : "memory");
}
__device__ void expect(uint64_t* barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(SHARED(barrier)), "r"(bytes) : "memory");
}
__device__ void wait(uint64_t* barrier, uint32_t parity) {
  asm volatile(
      "{\n.reg .pred done;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra AGAIN;\n}" ::"r"(
          SHARED(barrier)), "r"(parity) : "memory");
}
__device__ void bulk_load(void* to, const void* from, uint32_t bytes, uint64_t* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   SHARED(to)), "l"(from), "r"(bytes), "r"(SHARED(barrier)) : "memory");
}
__device__ void commit_and_wait() {
  asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
}
__device__ uint32_t block_rank() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ uint32_t in_block(const void* own, uint32_t rank) {
  uint32_t address;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(SHARED(own)), "r"(rank));
  return address;
}
__device__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
}
/// A matrix descriptor without a swizzle: 8x16-byte cores, one behind the other along k.
__device__ uint64_t tile(const void* at, uint32_t leading, uint32_t stride) {
  return (SHARED(at) & 0x3ffff) >> 4 | static_cast<uint64_t>(leading >> 4) << 16 | static_cast<uint64_t>(stride >> 4) << 32;
}

// Fields of the tensor map at shared address `m`.
#define REPLACE(field, type, constraint, value) \
  asm volatile("tensormap.replace.tile." field ".shared::cta.b1024." type " [%0], %1;" ::"r"(m), constraint(value) : "memory")
#define REPLACE_AT(field, at, type, constraint, value) \
  asm volatile("tensormap.replace.tile." field ".shared::cta.b1024." type " [%0], " at ", %1;" ::"r"(m), constraint(value) : "memory")

extern "C" {

/// Numbers that look random: `mask` of their bits, and `bits` besides.
__global__ void scramble(unsigned* x, int n, unsigned mask, unsigned bits) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned h = i * 2654435761u;
    h = (h ^ h >> 15) * 2246822519u;
    x[i] = (h ^ h >> 13) & mask | bits;
  }
}

/// Sums 1024 floats a cluster of four blocks: each block hands its sum to block 0.
__global__ void __cluster_dims__(4, 1, 1) cluster_sum(const float* x, float* y) {
  __shared__ float warps[8], blocks[4];
  float s = x[blockIdx.x * 256 + threadIdx.x];
  for (int o = 16; o; o /= 2) s += __shfl_down_sync(0xffffffff, s, o);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = s;
  __syncthreads();
  cluster_sync();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 8; ++i) s += warps[i];
    asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(in_block(&blocks[block_rank()], 0)), "f"(s) : "memory");
  }
  cluster_sync();
  if (block_rank() == 0 && threadIdx.x == 0) y[blockIdx.x / 4] = blocks[0] + blocks[1] + blocks[2] + blocks[3];
}

/// A histogram whose bins lie spread over the blocks of a cluster.
__global__ void __cluster_dims__(2, 1, 1) cluster_histogram(const unsigned* x, unsigned* bins) {
  __shared__ unsigned own[64];
  if (threadIdx.x < 64) own[threadIdx.x] = 0;
  cluster_sync();
  for (int k = 0; k < 4; ++k) {
    const unsigned bin = x[(blockIdx.x * 4 + k) * blockDim.x + threadIdx.x] & 127;
    asm volatile("red.shared::cluster.add.u32 [%0], 1;" ::"r"(in_block(&own[bin & 63], bin >> 6)) : "memory");
  }
  cluster_sync();
  if (threadIdx.x < 64) bins[blockIdx.x * 64 + threadIdx.x] = own[threadIdx.x];
}

/// Every block sends its values to the next one, which waits for their bytes.
__global__ void __cluster_dims__(4, 1, 1) cluster_send(const float* x, float* y) {
  __shared__ float box[256];
  __shared__ uint64_t arrived;
  if (threadIdx.x == 0) init(&arrived, 1), init_fence(), expect(&arrived, 1024);
  cluster_sync();
  const uint32_t to = (block_rank() + 1) % 4;
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];" ::"r"(
                   in_block(&box[threadIdx.x], to)), "f"(x[blockIdx.x * 256 + threadIdx.x]), "r"(in_block(&arrived, to)) : "memory");
  wait(&arrived, 0);
  y[blockIdx.x * 256 + threadIdx.x] = box[255 - threadIdx.x];
  cluster_sync();
}

/// Block 0 of four reads 4 KB for all.
__global__ void __cluster_dims__(4, 1, 1) cluster_multicast(const float* x, float* y) {
  __shared__ alignas(128) float t[1024];
  __shared__ uint64_t arrived;
  if (threadIdx.x == 0) init(&arrived, 1), init_fence(), expect(&arrived, 4096);
  cluster_sync();
  if (block_rank() == 0 && threadIdx.x == 0) {
    const uint16_t all = 15;
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 4096, [%2], %3;" ::"r"(
            SHARED(t)), "l"(x + blockIdx.x / 4 * 1024), "r"(SHARED(&arrived)), "h"(all) : "memory");
  }
  wait(&arrived, 0);
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) y[blockIdx.x * 1024 + k] = t[k] * (1 + blockIdx.x % 4);
  cluster_sync();
}

/// Tiles of 4 KB to shared memory and back, doubled.
__global__ void bulk_round_trip(const float* x, float* y) {
  __shared__ alignas(128) float t[1024];
  __shared__ uint64_t arrived;
  if (threadIdx.x == 0) {
    init(&arrived, 1), copy_fence(), expect(&arrived, 4096);
    bulk_load(t, x + blockIdx.x * 1024, 4096, &arrived);
  }
  __syncthreads();
  wait(&arrived, 0);
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) t[k] *= 2;
  copy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 4096;" ::"l"(y + blockIdx.x * 1024), "r"(SHARED(t)) : "memory");
    commit_and_wait();
  }
}

/// All blocks add their tile of 2 KB to one.
__global__ void bulk_add(const unsigned* x, unsigned* y) {
  __shared__ alignas(128) unsigned t[512];
  for (int k = threadIdx.x; k < 512; k += blockDim.x) t[k] = x[blockIdx.x * 512 + k];
  copy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 2048;" ::"l"(y), "r"(SHARED(t)) : "memory");
    commit_and_wait();
  }
}

/// Every warp's first lanes copy pieces of their own size, from addresses that no sector begins at, and back.
__global__ void bulk_pieces(const uint8_t* x, uint8_t* y) {
  __shared__ alignas(128) uint8_t t[4][1024];
  __shared__ uint64_t arrived;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, piece = warp * 3 + lane, bytes = 16 * (piece + 1);
  const size_t at = (blockIdx.x * 64 + piece * 5) * 16;
  if (threadIdx.x == 0) init(&arrived, 12), copy_fence();
  __syncthreads();
  if (lane < 3) {
    expect(&arrived, bytes);
    bulk_load(&t[warp][lane * 256], x + at, bytes, &arrived);
    wait(&arrived, 0);
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(y + at), "r"(SHARED(&t[warp][lane * 256])), "r"(bytes) : "memory");
    commit_and_wait();
  }
}

/// Makes two maps of row-major f32 matrices of `rows` x 256: boxes of 32 x 16, rearranged by the 128-byte swizzle.
__global__ void make_maps(const float* x, const float* y, uint8_t* maps, int rows) {
  __shared__ alignas(128) uint8_t map[128];
  for (int which = 0; which < 2; ++which) {
    reinterpret_cast<uint32_t*>(map)[threadIdx.x] = 0;
    __syncwarp();
    if (threadIdx.x == 0) {
      const uint32_t m = SHARED(map);
      REPLACE("global_address", "b64", "l", which ? y : x);
      REPLACE("rank", "b32", "r", 1);
      REPLACE_AT("box_dim", "0", "b32", "r", 32);
      REPLACE_AT("box_dim", "1", "b32", "r", 16);
      REPLACE_AT("global_dim", "0", "b32", "r", 256);
      REPLACE_AT("global_dim", "1", "b32", "r", rows);
      REPLACE_AT("global_stride", "0", "b64", "l", 1024ull);
      REPLACE_AT("element_stride", "0", "b32", "r", 1);
      REPLACE_AT("element_stride", "1", "b32", "r", 1);
      REPLACE("elemtype", "b32", "n", 7);
      REPLACE("interleave_layout", "b32", "n", 0);
      asm volatile("tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 3;" ::"r"(m) : "memory");
      REPLACE("fill_mode", "b32", "n", 0);
    }
    __syncwarp();
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(
                     maps + 128 * which), "r"(SHARED(map)) : "memory");
    __syncwarp();
  }
}

/// Boxes of one matrix to the other, each element times three; the last row of boxes sticks out.
__global__ void tensor_round_trip(const uint8_t* maps) {
  __shared__ alignas(1024) float t[512];
  __shared__ uint64_t arrived;
  const int column = blockIdx.x * 32, row = blockIdx.y * 16;
  if (threadIdx.x == 0) {
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(maps) : "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(maps + 128) : "memory");
    init(&arrived, 1), copy_fence(), expect(&arrived, 2048);
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                     SHARED(t)), "l"(maps), "r"(column), "r"(row), "r"(SHARED(&arrived)) : "memory");
  }
  __syncthreads();
  wait(&arrived, 0);
  for (int k = threadIdx.x; k < 512; k += blockDim.x) t[k] *= 3;
  copy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(maps + 128), "r"(column), "r"(row),
                 "r"(SHARED(t)) : "memory");
    commit_and_wait();
  }
}

/// Warp 0 fetches tiles of 2 KB into a ring of four, three warps add them up.
__global__ void pipeline(const float* x, float* y, int tiles) {
  constexpr int kStages = 4;
  __shared__ alignas(128) float ring[kStages][512];
  __shared__ uint64_t full[kStages], empty[kStages];
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) init(&full[i], 1), init(&empty[i], 96);
    copy_fence();
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) {
      for (int i = 0; i < tiles; ++i) {
        if (i >= kStages) wait(&empty[i % kStages], (i / kStages - 1) & 1);
        expect(&full[i % kStages], 2048);
        bulk_load(ring[i % kStages], x + (static_cast<size_t>(blockIdx.x) * tiles + i) * 512, 2048, &full[i % kStages]);
      }
    }
    return;
  }
  float s = 0;
  for (int i = 0; i < tiles; ++i) {
    wait(&full[i % kStages], i / kStages & 1);
    for (int k = threadIdx.x - 32; k < 512; k += 96) s += ring[i % kStages][k];
    arrive(&empty[i % kStages]);
  }
  y[blockIdx.x * 96 + threadIdx.x - 32] = s;
}

/// 64x32 sums of 128 products of e4m3 (`x`: 64x128 bytes, `y`: 32x128 bytes), by four steps of a warp group.
__global__ void group_fp8(const uint4* x, const uint4* y, float* out) {
  __shared__ alignas(128) uint4 a[512], b[256];  // cores of 8 rows x 16 bytes
  for (int k = threadIdx.x; k < 512; k += 128) a[(k / 8) / 8 * 64 + k % 8 * 8 + k / 8 % 8] = x[blockIdx.x * 512 + k];
  for (int k = threadIdx.x; k < 256; k += 128) b[(k / 8) / 8 * 64 + k % 8 * 8 + k / 8 % 8] = y[k];
  copy_fence();
  __syncthreads();
  float d[16];
  for (float& value : d) value = 0;
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  for (int step = 0; step < 4; ++step)
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n32k32.f32.e4m3.e4m3 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, %16, %17, 1, 1, 1;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]),
          "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
        : "l"(tile(a + step * 16, 128, 1024)), "l"(tile(b + step * 16, 128, 1024)));
  asm volatile("wgmma.commit_group.sync.aligned;\n wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int k = 0; k < 16; ++k) out[(blockIdx.x * 128 + threadIdx.x) * 16 + k] = d[k];
}

/// The same of signed bytes.
__global__ void group_s8(const uint4* x, const uint4* y, int* out) {
  __shared__ alignas(128) uint4 a[512], b[256];
  for (int k = threadIdx.x; k < 512; k += 128) a[(k / 8) / 8 * 64 + k % 8 * 8 + k / 8 % 8] = x[blockIdx.x * 512 + k];
  for (int k = threadIdx.x; k < 256; k += 128) b[(k / 8) / 8 * 64 + k % 8 * 8 + k / 8 % 8] = y[k];
  copy_fence();
  __syncthreads();
  int d[16];
  for (int& value : d) value = 0;
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  for (int step = 0; step < 4; ++step)
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n32k32.s32.s8.s8 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, %16, %17, 1;"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]), "+r"(d[8]), "+r"(d[9]), "+r"(d[10]),
          "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15])
        : "l"(tile(a + step * 16, 128, 1024)), "l"(tile(b + step * 16, 128, 1024)));
  asm volatile("wgmma.commit_group.sync.aligned;\n wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int k = 0; k < 16; ++k) out[(blockIdx.x * 128 + threadIdx.x) * 16 + k] = d[k];
}

/// e5m2 and e4m3, one side from registers, sums in f16.
__global__ void group_registers(const uint32_t* x, const uint4* y, uint32_t* out) {
  __shared__ alignas(128) uint4 b[32];  // 16 x 32 bytes
  if (threadIdx.x < 32) b[threadIdx.x / 16 * 16 + threadIdx.x % 2 * 8 + threadIdx.x / 2 % 8] = y[threadIdx.x];
  uint32_t a[4];
  for (int k = 0; k < 4; ++k) a[k] = x[(blockIdx.x * 4 + k) * 128 + threadIdx.x];
  copy_fence();
  __syncthreads();
  uint32_t d[4];
  for (uint32_t& value : d) value = 0x3c003c00;
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile("wgmma.mma_async.sync.aligned.m64n16k32.f16.e5m2.e4m3 {%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, 1, 1, 1;"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(tile(b, 128, 256)));
  asm volatile("wgmma.commit_group.sync.aligned;\n wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int k = 0; k < 4; ++k) out[(blockIdx.x * 4 + k) * 128 + threadIdx.x] = d[k];
}

/// Copies of 16 and of 4 bytes a thread of which only some exist: the rest is zeros.
__global__ void zero_fill(const float* x, float* y, int n) {
  __shared__ alignas(16) float t[1024], u[256];
  const int at = blockIdx.x * 1024 + threadIdx.x * 4, left = min(max(n - at, 0), 4) * 4, one = at < n ? 4 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(SHARED(&t[threadIdx.x * 4])), "l"(x + at), "r"(left) : "memory");
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(SHARED(&u[threadIdx.x])), "l"(x + at), "r"(one) : "memory");
  asm volatile("cp.async.commit_group;\n cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  for (int k = 0; k < 4; ++k) y[at + k] = t[(threadIdx.x * 4 + k * 37) % 1024] + u[(threadIdx.x + k) % 256];
}

/// One warp group gives registers to the other; a named barrier between them.
__global__ void __launch_bounds__(256, 1) specialised(const float* x, float* y) {
  __shared__ float t[128];
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    t[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
    asm volatile("bar.arrive 1, 256;" ::: "memory");
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    asm volatile("bar.sync 1, 256;" ::: "memory");
    uint32_t chosen;
    asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(chosen));
    y[blockIdx.x * 128 + threadIdx.x - 128] = t[255 - threadIdx.x] + (chosen ? 100 : 0);
  }
}

}  // extern "C"
