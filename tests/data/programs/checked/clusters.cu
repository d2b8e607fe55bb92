// Clusters of 1 to 16 blocks: their indices, shared memory of other blocks, remote mbarriers, bulk copies between
// blocks.
#include <cooperative_groups.h>

#include "check.h"
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(2, 2, 1) ids(int* out) {
  auto c = cg::this_cluster();
  int i = (blockIdx.y * gridDim.x + blockIdx.x) * 12;
  if (threadIdx.x) return;
  out += i;
  out[0] = c.block_rank();
  out[1] = c.num_blocks();
  out[2] = c.block_index().x * 10 + c.block_index().y;
  out[3] = c.dim_blocks().x * 100 + c.dim_blocks().y * 10 + c.dim_blocks().z;
  out[4] = c.num_threads();
  out[5] = c.thread_rank();
  unsigned r;
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(r));
  out[6] = r;
  asm("mov.u32 %0, %%nclusterid.x;" : "=r"(r));
  out[7] = r;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  out[8] = r;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(r));
  out[9] = r;
  asm("mov.u32 %0, %%clusterid.y;" : "=r"(r));
  out[10] = r;
  asm("{.reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p;}" : "=r"(r));
  out[11] = r;
}
__global__ void hist(const int* in, int n, int* bins) {
  extern __shared__ int s[];
  auto c = cg::this_cluster();
  int per = 64;
  for (int i = threadIdx.x; i < per; i += blockDim.x) s[i] = 0;
  c.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int b = in[i] % (per * (int)c.num_blocks());
    atomicAdd(c.map_shared_rank(s, b / per) + b % per, 1);
  }
  c.sync();
  for (int i = threadIdx.x; i < per; i += blockDim.x) atomicAdd(bins + c.block_rank() * per + i, s[i]);
}
__global__ void __cluster_dims__(4) ring(int* out) {
  __shared__ int box[128];
  __shared__ unsigned long long bar;
  auto c = cg::this_cluster();
  unsigned rank = c.block_rank();
  uint32_t b = (uint32_t)__cvta_generic_to_shared(&bar), m = (uint32_t)__cvta_generic_to_shared(box);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b));
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(b), "r"(128 * 4));
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  c.sync();
  uint32_t rm, rb;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(rm) : "r"(m), "r"((rank + 1) % 4));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(rb) : "r"(b), "r"((rank + 1) % 4));
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(rm + 4 * threadIdx.x),
               "r"(1000 * (rank + 1) + threadIdx.x), "r"(rb)
               : "memory");
  asm volatile(
      "{.reg .pred p; W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0; @!p bra W;}" ::"r"(b)
      : "memory");
  out[blockIdx.x * 128 + threadIdx.x] = box[threadIdx.x];
  c.sync();
}
__global__ void __cluster_dims__(2) remote(int* out) {
  __shared__ int s[256], n[4];
  __shared__ unsigned long long bar;
  auto c = cg::this_cluster();
  unsigned r = c.block_rank();
  s[threadIdx.x] = threadIdx.x * (r + 1);
  if (threadIdx.x < 4) n[threadIdx.x] = 7;
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 256;" ::"r"((uint32_t)__cvta_generic_to_shared(&bar)));
  c.sync();
  uint32_t a = (uint32_t)__cvta_generic_to_shared(s), ra;
  int v;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(ra) : "r"(a), "r"(r ^ 1));
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(ra + 4 * threadIdx.x));
  unsigned rk;
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rk) : "r"(ra));
  int* p = c.map_shared_rank(s, r ^ 1);
  int w = p[255 - threadIdx.x];
  unsigned q = c.query_shared_rank(p);
  int* gp;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(gp) : "l"(s), "r"(r ^ 1));
  int x = *gp;
  unsigned old, rn;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(rn)
               : "r"((uint32_t)__cvta_generic_to_shared(n)), "r"(r ^ 1));
  asm volatile("atom.shared::cluster.add.u32 %0, [%1], 1;" : "=r"(old) : "r"(rn + 4) : "memory");
  uint32_t b = (uint32_t)__cvta_generic_to_shared(&bar), rb;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(rb) : "r"(b), "r"(r ^ 1));
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(rb) : "memory");
  asm volatile(
      "{.reg .pred p; W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0; @!p bra W;}" ::"r"(b)
      : "memory");
  asm volatile("barrier.cluster.arrive.release.aligned;");
  asm volatile("barrier.cluster.wait.acquire.aligned;");
  int o = (blockIdx.x * 256 + threadIdx.x) * 4;
  out[o] = v;
  out[o + 1] = w;
  out[o + 2] = q * 10 + rk + x * 100;
  out[o + 3] = n[1];
  c.sync();
}
__global__ void bulk(const int* in, int* out) {
  __shared__ alignas(128) int s[512];
  __shared__ alignas(128) int d[512];
  __shared__ unsigned long long bar;
  auto c = cg::this_cluster();
  unsigned r = c.block_rank();
  uint32_t b = (uint32_t)__cvta_generic_to_shared(&bar);
  for (int i = threadIdx.x; i < 512; i += blockDim.x) s[i] = in[i] * (r + 1);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b));
  }
  asm volatile("fence.proxy.async;");
  c.sync();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 2048;" ::"r"(b));
    uint32_t rd, rb, to = (r + 1) % c.num_blocks();
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(rd)
                 : "r"((uint32_t)__cvta_generic_to_shared(d)), "r"(to));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(rb) : "r"(b), "r"(to));
    asm volatile(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 2048, [%2];" ::"r"(rd),
        "r"((uint32_t)__cvta_generic_to_shared(s)), "r"(rb)
        : "memory");
  }
  asm volatile(
      "{.reg .pred p; W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0; @!p bra W;}" ::"r"(b)
      : "memory");
  for (int i = threadIdx.x; i < 512; i += blockDim.x) out[blockIdx.x * 512 + i] = d[i];
  // reduction into the others' memory
  c.sync();
  if (threadIdx.x == 0 && r != 0) {
    uint32_t rd, rb;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(rd) : "r"((uint32_t)__cvta_generic_to_shared(d)));
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(rb) : "r"(b));
    asm volatile(
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%1], 2048, "
        "[%2];" ::"r"(rd),
        "r"((uint32_t)__cvta_generic_to_shared(s)), "r"(rb)
        : "memory");
  }
  if (r == 0) {
    if (threadIdx.x == 0)
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(b), "r"(2048 * (c.num_blocks() - 1)));
    asm volatile(
        "{.reg .pred p; W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 1; @!p bra W;}" ::"r"(b)
        : "memory");
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
      out[gridDim.x * 512 + blockIdx.x / c.num_blocks() * 512 + i] = d[i];
  }
  c.sync();
}
int main() {
  {
    Dev<int> o(32 * 12);
    ids<<<dim3(8, 4), 64>>>(o);
    auto v = o.get();
    show("ids", v);
    for (int i = 0; i < 36; ++i) printf("%d ", v[i]);
    puts("");
    bool good = true;
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 8; ++x) {
        int* p = &v[(y * 8 + x) * 12];
        good &= p[0] == (y % 2) * 2 + x % 2 && p[1] == 4 && p[6] == x / 2 && p[7] == 4 && p[10] == y / 2;
      }
    EXPECT("ids", good);
  }
  for (int cl : {1, 2, 4, 8, 16}) {
    std::vector<int> in(5000);
    uint32_t s = 3;
    for (int& x : in) x = rnd(s) >> 4;
    Dev<int> d(in), bins(64 * cl);
    if (cl > 8) OK(cudaFuncSetAttribute(hist, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = 2 * cl;
    cfg.blockDim = 128;
    cfg.dynamicSmemBytes = 256;
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeClusterDimension;
    at[0].val.clusterDim.x = cl;
    at[0].val.clusterDim.y = at[0].val.clusterDim.z = 1;
    cfg.attrs = at;
    cfg.numAttrs = 1;
    int n = 0;
    OK(cudaOccupancyMaxActiveClusters(&n, hist, &cfg));
    int mx = 0;
    OK(cudaOccupancyMaxPotentialClusterSize(&mx, hist, &cfg));
    OK(cudaLaunchKernelEx(&cfg, hist, (const int*)d.p, 5000, bins.p));
    auto v = bins.get();
    std::vector<int> w(64 * cl);
    for (int x : in) w[x % (64 * cl)]++;
    printf("max potential %d\n", mx);
    char nm[32];
    sprintf(nm, "histogram of %d blocks", cl);
    EXPECT(nm, v == w);
  }
  {
    Dev<int> o(8 * 128);
    ring<<<8, 128>>>(o);
    auto v = o.get();
    bool good = true;
    for (int b = 0; b < 8; ++b)
      for (int i = 0; i < 128; ++i) good &= v[b * 128 + i] == 1000 * ((b % 4 + 3) % 4 + 1) + i;
    EXPECT("ring", good);
  }
  {
    Dev<int> o(4 * 1024);
    remote<<<4, 256>>>(o);
    auto v = o.get();
    bool good = true;
    for (int b = 0; b < 4; ++b)
      for (int i = 0; i < 256; ++i) {
        int r = b % 2, k = (r ^ 1) + 1;
        int* p = &v[(b * 256 + i) * 4];
        good &= p[0] == i * k && p[1] == (255 - i) * k && p[3] == 263 && p[2] % 100 == (r ^ 1) * 11;
      }
    EXPECT("remote", good);
  }
  for (int cl : {2, 4}) {
    std::vector<int> in(512);
    for (int i = 0; i < 512; ++i) in[i] = i * 3 + 1;
    Dev<int> d(in), o(512 * (8 + 8 / cl));
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = 8;
    cfg.blockDim = 96;
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeClusterDimension;
    at[0].val.clusterDim.x = cl;
    at[0].val.clusterDim.y = at[0].val.clusterDim.z = 1;
    cfg.attrs = at;
    cfg.numAttrs = 1;
    OK(cudaLaunchKernelEx(&cfg, bulk, (const int*)d.p, o.p));
    auto v = o.get();
    bool good = true;
    for (int b = 0; b < 8; ++b)
      for (int i = 0; i < 512; ++i) good &= v[b * 512 + i] == in[i] * ((b % cl + cl - 1) % cl + 1);
    for (int k = 0; k < 8 / cl; ++k)
      for (int i = 0; i < 512; ++i) {
        int w = in[i] * cl;
        for (int r = 1; r < cl; ++r) w += in[i] * (r + 1);
        good &= v[8 * 512 + k * 512 + i] == w;
      }
    EXPECT("bulk", good);
    show("bulk", v);
  }
  return done();
}
