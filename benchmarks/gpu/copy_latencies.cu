// How long copies to shared memory take from their instruction to where a thread knows of them, in cycles, as CSV: bulk copies (UBLKCP) by
// their bytes and by how many are under way, copies of 16 bytes a thread (LDGSTS) by their warps. Of data in L2 and in DRAM, with one
// block on the GPU and with one on each SM. Also products of tensor cores (mma.sync) one after another, by their kind.
// nvcc -arch=sm_90 -o copy_latencies copy_latencies.cu; ./copy_latencies > copy_latencies.csv
#include <cuda_fp16.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    const cudaError_t e = call;                                                           \
    if (e != cudaSuccess) std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e)); \
  } while (0)
constexpr size_t kFlushBytes = size_t{200} << 20, kDataBytes = size_t{32} << 20;
constexpr int kSms = 132, kTurns = 16;
__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void wait_for(uint64_t* barrier, unsigned phase) {
  asm volatile("{\n.reg .pred p;\nAGAIN_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra AGAIN_%=;\n}" ::"r"(
                   shared_address(barrier)), "r"(phase) : "memory");
}

// Each turn asks for `copies` copies of `bytes` at once, and waits for all.
__global__ void bulk(const char* from, int bytes, int copies, long long* cycles) {
  extern __shared__ __align__(128) char tile[];
  __shared__ uint64_t full;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.proxy.async.shared::cta;" ::"r"(shared_address(&full)) : "memory");
    const char* at = from + size_t{blockIdx.x} * kTurns * bytes * copies;
    const long long begin = clock64();
    for (int t = 0; t < kTurns; ++t) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&full)), "r"(bytes * copies));
      for (int c = 0; c < copies; ++c, at += bytes)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         shared_address(tile) + c * bytes), "l"(at), "r"(bytes), "r"(shared_address(&full)) : "memory");
      wait_for(&full, t & 1);
    }
    cycles[blockIdx.x] = clock64() - begin;
  }
}
__global__ void each_thread(const char* from, int, int, long long* cycles) {
  extern __shared__ __align__(128) char tile[];
  const char* at = from + (size_t{blockIdx.x} * kTurns * blockDim.x + threadIdx.x) * 16;
  __syncthreads();
  const long long begin = clock64();
  for (int t = 0; t < kTurns; ++t, at += blockDim.x * 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\ncp.async.wait_all;" ::"r"(shared_address(tile) + threadIdx.x * 16), "l"(at) : "memory");
    __syncwarp();
  }
  cycles[blockIdx.x] = clock64() - begin;
}
// The least of the registers' loads, to compare: one line a lane group, waited for each turn.
__global__ void each_load(const char* from, int, int, long long* cycles) {
  const char* at = from + (size_t{blockIdx.x} * kTurns * blockDim.x + threadIdx.x) * 16;
  unsigned sum = 0;
  __syncthreads();
  const long long begin = clock64();
  for (int t = 0; t < kTurns; ++t, at += blockDim.x * 16) {
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(at + (sum & 16)) : "memory");
    sum += (v.x ^ v.y ^ v.z ^ v.w) & 1;
  }
  cycles[blockIdx.x] = clock64() - begin + (sum == 77777);
}
template <int Chains, int Depth, bool Floats>
__global__ void products(const char* from, int turns, int, long long* cycles) {
  float d[Chains][4] = {};
  unsigned h[Chains][2] = {}, a[4], b[2];
  for (int j = 0; j < 4; ++j) a[j] = ((const unsigned*)from)[threadIdx.x * 4 + j];
  for (int j = 0; j < 2; ++j) b[j] = ((const unsigned*)from)[threadIdx.x * 2 + j];
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int t = 0; t < turns; ++t)
#pragma unroll
    for (int k = 0; k < 4; ++k)
#pragma unroll
      for (int c = 0; c < Chains; ++c) {
        if (Floats && Depth == 16)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                       : "+f"(d[c][0]), "+f"(d[c][1]), "+f"(d[c][2]), "+f"(d[c][3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        else if (Floats)
          asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
                       : "+f"(d[c][0]), "+f"(d[c][1]), "+f"(d[c][2]), "+f"(d[c][3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]));
        else
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3,%4,%5},{%6,%7},{%0,%1};"
                       : "+r"(h[c][0]), "+r"(h[c][1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
      }
  const long long end = clock64();
  float sum = 0;
  for (int c = 0; c < Chains; ++c) sum += d[c][0] + d[c][3] + __half2float(__ushort_as_half((unsigned short)h[c][0]));
  if (threadIdx.x % 32 == 0) atomicMax((unsigned long long*)&cycles[blockIdx.x], (unsigned long long)(end - begin + (sum == 7.25f)));
}

char *data, *flushed;
long long* cycles;
template <class Kernel>
double measure(Kernel kernel, int blocks, int threads, size_t shared, int x, int y, bool cold) {
  std::vector<double> all;
  CHECK(cudaFuncSetAttribute((const void*)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  for (int k = 0; k < 7; ++k) {
    if (cold) CHECK(cudaMemset(flushed, k, kFlushBytes));
    CHECK(cudaMemset(cycles, 0, kSms * 8));
    kernel<<<blocks, threads, shared>>>(data, x, y, cycles);
    CHECK(cudaDeviceSynchronize());
    std::vector<long long> host(blocks);
    CHECK(cudaMemcpy(host.data(), cycles, blocks * 8, cudaMemcpyDeviceToHost));
    std::sort(host.begin(), host.end());
    if (k) all.push_back(static_cast<double>(host[blocks / 2]));
  }
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}
template <int Chains, int Depth, bool Floats>
void tell_products(const char* what) {
  constexpr int kProducts = 64;
  for (int warps : {1, 4, 8, 16})
    std::printf("%s,%d,%d,,%.2f\n", what, Chains, warps, measure(products<Chains, Depth, Floats>, kSms, 32 * warps, 0, kProducts, 0, false) / (4 * kProducts * Chains));
}
int main() {
  CHECK(cudaMalloc(&data, kDataBytes + (1 << 20)));
  CHECK(cudaMemset(data, 0, kDataBytes));
  CHECK(cudaMalloc(&flushed, kFlushBytes));
  CHECK(cudaMalloc(&cycles, kSms * 8));
  std::printf("what,bytes_or_chains,copies_or_warps,blocks_and_where,cycles\n");
  for (int blocks : {1, kSms})
    for (bool cold : {false, true}) {
      for (int bytes : {128, 512, 2048, 4096, 8192, 16384})
        for (int copies : {1, 4})
          if (static_cast<size_t>(bytes) * copies * kTurns * blocks <= kDataBytes)
            std::printf("bulk,%d,%d,%d %s,%.0f\n", bytes, copies, blocks, cold ? "DRAM" : "L2",
                        measure(bulk, blocks, 32, static_cast<size_t>(bytes) * copies, bytes, copies, cold) / kTurns);
      for (int warps : {1, 4, 8}) {
        std::printf("each thread,16,%d,%d %s,%.0f\n", warps, blocks, cold ? "DRAM" : "L2",
                    measure(each_thread, blocks, 32 * warps, 512 * warps, 0, 0, cold) / kTurns);
        std::printf("load,16,%d,%d %s,%.0f\n", warps, blocks, cold ? "DRAM" : "L2",
                    measure(each_load, blocks, 32 * warps, 0, 0, 0, cold) / kTurns);
      }
    }
  tell_products<1, 16, true>("m16n8k16 f32");
  tell_products<2, 16, true>("m16n8k16 f32");
  tell_products<4, 16, true>("m16n8k16 f32");
  tell_products<1, 8, true>("m16n8k8 f32");
  tell_products<4, 8, true>("m16n8k8 f32");
  tell_products<1, 16, false>("m16n8k16 f16");
  tell_products<4, 16, false>("m16n8k16 f16");
  CHECK(cudaDeviceSynchronize());
}
