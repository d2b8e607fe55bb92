// Tensor copies of boxes that reach past their tensor: each type, with each fill and swizzle; stores and sums.
#include <cuda.h>

#include <string>

#include "check.h"
#define CHECK OK
template <typename F> F entry(const char* name) { void* p = nullptr; cudaDriverEntryPointQueryResult r; cudaGetDriverEntryPointByVersion(name, &p, 12000, cudaEnableDefault, &r); return (F)p; }
static auto tiled = entry<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");

__device__ unsigned smem(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void wait(unsigned bar, unsigned parity) {
  asm volatile("{\n.reg .pred p;\nL: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra L;\n}" ::"r"(bar), "r"(parity) : "memory");
}
__device__ void begin(unsigned bar, unsigned bytes) {
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
  asm volatile("fence.mbarrier_init.release.cluster;");
  asm volatile("fence.proxy.async;");
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes));
}
__global__ void load2(const __grid_constant__ CUtensorMap map, int x, int y, unsigned bytes, unsigned* out, int off, int baroff, int desc) {
  extern __shared__ __align__(1024) unsigned char s[]; __shared__ __align__(16) unsigned char bars[32];
  for (unsigned i = threadIdx.x; i < 8192; i += blockDim.x) s[i] = 0x55; __syncthreads();
  unsigned bar = smem(bars) + baroff;
  if (threadIdx.x == 0) {
    begin(bar, bytes);
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(smem(s) + off), "l"((const char*)&map + desc), "r"(x), "r"(y), "r"(bar) : "memory");
    wait(bar, 0);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x) out[i] = ((unsigned*)s)[i];
}
__global__ void store2(const __grid_constant__ CUtensorMap map, int x, int y, const unsigned* in, unsigned bytes, int off) {
  extern __shared__ __align__(1024) unsigned char s[];
  for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x) ((unsigned*)s)[i] = in[i];
  asm volatile("fence.proxy.async;"); __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(x), "r"(y), "r"(smem(s) + off) : "memory");
    asm volatile("cp.async.bulk.commit_group;"); asm volatile("cp.async.bulk.wait_group 0;");
  }
}
__global__ void reduce2(const __grid_constant__ CUtensorMap map, int x, int y, const unsigned* in, unsigned bytes) {
  extern __shared__ __align__(1024) unsigned char s[];
  for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x) ((unsigned*)s)[i] = in[i];
  asm volatile("fence.proxy.async;"); __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(x), "r"(y), "r"(smem(s)) : "memory");
    asm volatile("cp.async.bulk.commit_group;"); asm volatile("cp.async.bulk.wait_group 0;");
  }
}
static void words(const char* name, const void* p, size_t n) { show(name, static_cast<const unsigned*>(p), n / 4); }

static const int kBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
static const char* kNames[] = {"u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32ftz", "tf32", "tf32ftz"};
static unsigned char* tensor; static std::vector<unsigned> values; static unsigned* out;
static CUtensorMap make(int type, int fill, cuuint32_t bw, cuuint32_t bh, int swizzle = 0, cuuint32_t es0 = 1) {
  CUtensorMap m{}; cuuint64_t dims[] = {cuuint64_t(64 / kBytes[type]), 6}, strides[] = {64}; cuuint32_t box[] = {bw, bh}, es[] = {es0, 1};
  CUresult r = tiled(&m, (CUtensorMapDataType)type, 2, tensor, dims, strides, box, es, CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, (CUtensorMapFloatOOBfill)fill);
  if (r) std::printf("encode %s fill %d: %d\n", kNames[type], fill, r);
  return m;
}
static void data() {
  const unsigned special[16] = {0x3f801fff, 0x00000001, 0x807fffff, 0x7fc00001, 0x7f800001, 0xff800000, 0x3f803000, 0x3f801000, 0x7f7fffff, 0x80000000, 0xffffffff, 0x12345678, 0x3f801001, 0x00ffffff, 0x7f801000, 0x40490fdb};
  values.resize(96); for (int i = 0; i < 96; ++i) values[i] = special[i % 16] + (i / 16) * (i % 3 == 0 ? 0x10000 : 0);
  CHECK(cudaMalloc(&tensor, 4096)); CHECK(cudaMemset(tensor, 0, 4096)); CHECK(cudaMemcpy(tensor, values.data(), 384, cudaMemcpyHostToDevice)); CHECK(cudaMalloc(&out, 65536));
}
static void load(const char* name, const CUtensorMap& m, int x, int y, unsigned bytes) {
  CHECK(cudaMemset(out, 0, 65536)); load2<<<1, 64, 8192>>>(m, x, y, bytes, out, 0, 0, 0); CHECK(cudaDeviceSynchronize());
  std::vector<unsigned> got(bytes / 4); CHECK(cudaMemcpy(got.data(), out, bytes, cudaMemcpyDeviceToHost)); words(name, got.data(), bytes);
}
static void all() {
  data();
  for (int type = 0; type < 13; ++type) for (int fill = 0; fill < (type >= 6 ? 2 : 1); ++fill) {
    const unsigned bw = 64 / kBytes[type]; CUtensorMap m = make(type, fill, bw, 3);
    std::string n = std::string(kNames[type]) + " fill " + std::to_string(fill);
    load(n.c_str(), m, 32 / kBytes[type], 4, 192); load((n + " before").c_str(), m, -32 / kBytes[type], -1, 192);
    if (type >= 6) {  // stores and sums of special values
      CHECK(cudaMemcpy(out, values.data() + 3, 192, cudaMemcpyHostToDevice)); CHECK(cudaMemset(tensor + 1024, 0x11, 384)); CUtensorMap to = m; unsigned char* keep = tensor; tensor += 1024; to = make(type, fill, bw, 3); tensor = keep;
      store2<<<1, 64, 8192>>>(to, 0, 1, out, 192, 0); CHECK(cudaDeviceSynchronize()); std::vector<unsigned> got(96); CHECK(cudaMemcpy(got.data(), tensor + 1024, 384, cudaMemcpyDeviceToHost)); if (fill == 0) words((n + " stored").c_str(), got.data(), 384);
      if (fill == 0 && (type == 6 || type == 7 || type == 9 || type == 11)) { CHECK(cudaMemcpy(tensor + 1024, values.data(), 384, cudaMemcpyHostToDevice)); reduce2<<<1, 64, 8192>>>(to, 0, 1, out, 192); CHECK(cudaDeviceSynchronize()); CHECK(cudaMemcpy(got.data(), tensor + 1024, 384, cudaMemcpyDeviceToHost)); words((n + " added").c_str(), got.data(), 384); }
    }
  }
  for (int swizzle = 1; swizzle < 4; ++swizzle) { CUtensorMap m = make(7, 0, 8, 3, swizzle); load(("swizzle " + std::to_string(swizzle)).c_str(), m, 4, 2, 96); }
}
int main() { all(); return done(); }
