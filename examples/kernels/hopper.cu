// Kernels of what Ampere and Hopper added: integer matrix products, grid-wide barriers, clusters, bulk copies.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" {

__global__ void integer_mma(const int* a, const int* b, int* c, int rounds) {  // 16x8x32 products of bytes
  int lane = threadIdx.x % 32, at = blockIdx.x * blockDim.x + threadIdx.x;
  int x[4], y[2], s[4] = {};
  for (int k = 0; k < 4; ++k) x[k] = a[at * 4 + k];
  for (int k = 0; k < 2; ++k) y[k] = b[lane * 2 + k];
  for (int r = 0; r < rounds; ++r)
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  for (int k = 0; k < 4; ++k) c[at * 4 + k] = s[k];
}

__global__ void grid_sum(const float* x, float* part, float* out, int n) {  // launched cooperatively
  cg::grid_group grid = cg::this_grid();
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i];
  for (int o = 16; o; o /= 2) s += __shfl_down_sync(0xffffffff, s, o);
  if (threadIdx.x % 32 == 0) part[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = s;
  grid.sync();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    s = 0;
    for (unsigned i = 0; i < gridDim.x * blockDim.x / 32; ++i) s += part[i];
    *out = s;
  }
}

__global__ void __cluster_dims__(4, 1, 1) cluster_rotate(const float* x, float* y) {  // every block reads its neighbour's shared memory
  __shared__ float t[256];
  cg::cluster_group cluster = cg::this_cluster();
  t[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
  cluster.sync();
  const float* other = cluster.map_shared_rank(t, (cluster.block_rank() + 1) % 4);
  float v = other[threadIdx.x] + other[(threadIdx.x + 7) % 256];
  cluster.sync();
  y[blockIdx.x * 256 + threadIdx.x] = v;
}

__global__ void bulk_copy(const float* x, float* y, int rounds) {  // tiles of 4 KB by cp.async.bulk, awaited at an mbarrier
  __shared__ alignas(128) float t[1024];
  __shared__ alignas(8) unsigned long long arrived;
  unsigned tile = (unsigned)__cvta_generic_to_shared(t), barrier = (unsigned)__cvta_generic_to_shared(&arrived);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n fence.proxy.async.shared::cta;" :: "r"(barrier) : "memory");
  __syncthreads();
  float s = 0;
  for (int r = 0; r < rounds; ++r) {
    if (threadIdx.x == 0) {
      const float* from = x + ((size_t)blockIdx.x * rounds + r) * 1024;
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4096;" :: "r"(barrier) : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];" :: "r"(tile), "l"(from), "r"(barrier) : "memory");
    }
    asm volatile("{\n .reg .pred done;\n again:\n mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n @!done bra again;\n }" :: "r"(barrier), "r"(r & 1) : "memory");
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) s += t[k];
    __syncthreads();
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
}  // extern "C"
