#include "warplens/bench/ceilings/kernels.h"

#include "warplens/base/text.h"

namespace warplens::bench {
namespace {

constexpr int kSteps = 16;  // tensor instructions a round

/// Bytes of one step along K are 32 for every type.
int depth_of(const std::string& type) { return type == "tf32" ? 8 : type == "e4m3" ? 32 : 16; }

std::string word_of(const std::string& type) {
  if (type == "tf32") return "0x3f000000u | (r & 0x007fffffu)";
  if (type == "bf16") return "0x3f003f00u | (r & 0x807f807fu)";
  if (type == "f16") return "0x38003800u | (r & 0x83ff83ffu)";
  return "0x30303030u | (r & 0x87878787u)";
}

constexpr const char* kMix = R"(
__device__ __forceinline__ unsigned mix(unsigned x) {
  x ^= x >> 16; x *= 0x21f0aaadu; x ^= x >> 15; x *= 0xd35a2d97u; x ^= x >> 15;
  return x;
}
)";

/// Two warpgroups, each with a 64 x 256 accumulator in registers, over one 128-byte swizzled tile of A and one of B.
std::string warpgroup_source(const std::string& type) {
  std::vector<std::string> operands, outputs;
  for (int i = 0; i < 128; ++i) {
    operands.push_back(fmt::format("%{}", i));
    outputs.push_back(fmt::format("\"+f\"(d[{}])", i));
  }
  const bool transposes = type == "f16" || type == "bf16";
  std::string source = kMix;
  source += fmt::format(R"(
extern "C" __global__ void __launch_bounds__(256, 1) tensor(unsigned rounds, float* never) {{
  extern __shared__ __align__(1024) unsigned tile[];
  for (unsigned i = threadIdx.x; i < (64 + 256) * 32; i += blockDim.x) {{
    const unsigned r = mix(i + blockIdx.x * 77777u);
    tile[i] = {word};
  }}
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  const unsigned long long shared = __cvta_generic_to_shared(tile);
  const unsigned long long common = (1ull << 62) | (64ull << 32) | (1ull << 16);
  float d[128];
  #pragma unroll
  for (int i = 0; i < 128; ++i) d[i] = 0;
  for (unsigned round = 0; round < rounds; ++round) {{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    #pragma unroll
    for (int step = 0; step < {steps}; ++step) {{
      const unsigned long long a = common | ((shared + (step % 4) * 32) >> 4);
      const unsigned long long b = common | ((shared + 8192 + (step % 4) * 32) >> 4);
      asm volatile("wgmma.mma_async.sync.aligned.m64n256k{depth}.f32.{type}.{type} {{{regs}}}, %128, %129, 1, 1, 1{transposes};"
                   : {outputs} : "l"(a), "l"(b));
    }}
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }}
  float sum = 0;
  #pragma unroll
  for (int i = 0; i < 128; ++i) sum += d[i];
  if (sum == 123.25f) *never = sum;
}}
)",
                        fmt::arg("word", word_of(type)), fmt::arg("steps", kSteps), fmt::arg("depth", depth_of(type)),
                        fmt::arg("type", type), fmt::arg("regs", join(operands, ", ")),
                        fmt::arg("outputs", join(outputs, ", ")), fmt::arg("transposes", transposes ? ", 0, 0" : ""));
  return source;
}

/// Eight warps, each with kSteps independent m16n8 accumulators.
std::string warp_source(const std::string& type) {
  std::string source = kMix;
  source += fmt::format(R"(
extern "C" __global__ void __launch_bounds__(256) tensor(unsigned rounds, float* never) {{
  unsigned a[4], b[2];
  for (int i = 0; i < 4; ++i) {{ const unsigned r = mix(threadIdx.x * 8 + i); a[i] = {word}; }}
  for (int i = 0; i < 2; ++i) {{ const unsigned r = mix(threadIdx.x * 8 + 4 + i); b[i] = {word}; }}
  float d[{steps}][4];
  #pragma unroll
  for (int s = 0; s < {steps}; ++s)
    for (int i = 0; i < 4; ++i) d[s][i] = 0;
  for (unsigned round = 0; round < rounds; ++round) {{
    #pragma unroll
    for (int s = 0; s < {steps}; ++s)
      asm volatile("mma.sync.aligned.m16n8k{depth}.row.col.f32.{type}.{type}.f32 {{%0, %1, %2, %3}}, {{%4, %5, %6, %7}}, {{%8, %9}}, {{%0, %1, %2, %3}};"
                   : "+f"(d[s][0]), "+f"(d[s][1]), "+f"(d[s][2]), "+f"(d[s][3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }}
  float sum = 0;
  #pragma unroll
  for (int s = 0; s < {steps}; ++s)
    for (int i = 0; i < 4; ++i) sum += d[s][i];
  if (sum == 123.25f) *never = sum;
}}
)",
                        fmt::arg("word", word_of(type)), fmt::arg("steps", kSteps), fmt::arg("depth", depth_of(type)),
                        fmt::arg("type", type));
  return source;
}

}  // namespace

std::string memory_and_fma_source() {
  return R"(
typedef unsigned long long u64;

template <int N> __device__ __forceinline__ unsigned read_some(const uint4* at, u64 stride) {
  uint4 v[N];
  #pragma unroll
  for (int k = 0; k < N; ++k) v[k] = __ldcs(at + k * stride);
  unsigned sum = 0;
  #pragma unroll
  for (int k = 0; k < N; ++k) sum += v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
  return sum;
}

// `count` is a multiple of 8 * threads of the grid's block; each block takes whole tiles of it.
extern "C" __global__ void __launch_bounds__(512) dram_read(const uint4* at, u64 tiles, unsigned* never) {
  unsigned sum = 0;
  for (u64 t = blockIdx.x; t < tiles; t += gridDim.x) sum += read_some<8>(at + t * 8 * blockDim.x + threadIdx.x, blockDim.x);
  if (sum == 0x9e3779b9u && tiles == 1) *never = sum;
}

extern "C" __global__ void __launch_bounds__(512) dram_write(uint4* at, u64 tiles) {
  for (u64 t = blockIdx.x; t < tiles; t += gridDim.x)
    #pragma unroll
    for (int k = 0; k < 8; ++k) __stcs(at + (t * 8 + k) * blockDim.x + threadIdx.x, make_uint4(t, k, threadIdx.x, 7));
}

template <int N> __device__ __forceinline__ void copy_tiles(uint4* __restrict__ to, const uint4* __restrict__ from, u64 tiles) {
  for (u64 t = blockIdx.x; t < tiles; t += gridDim.x) {
    uint4 v[N];
    #pragma unroll
    for (int k = 0; k < N; ++k) v[k] = from[(t * N + k) * blockDim.x + threadIdx.x];
    #pragma unroll
    for (int k = 0; k < N; ++k) to[(t * N + k) * blockDim.x + threadIdx.x] = v[k];
  }
}
extern "C" __global__ void __launch_bounds__(512) dram_copy1(uint4* to, const uint4* from, u64 tiles) { copy_tiles<1>(to, from, tiles); }
extern "C" __global__ void __launch_bounds__(512) dram_copy4(uint4* to, const uint4* from, u64 tiles) { copy_tiles<4>(to, from, tiles); }

// Every block walks the whole array, each from another place, past L1.
extern "C" __global__ void __launch_bounds__(512) l2_read(const uint4* at, unsigned count, unsigned rounds, unsigned* never) {
  unsigned sum = 0, i = (blockIdx.x * 9973u * blockDim.x + threadIdx.x) % count;
  for (unsigned r = 0; r < rounds; ++r) {
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
      const uint4 v = __ldcg(at + i);
      sum += v.x ^ v.y ^ v.z ^ v.w;
      i += blockDim.x;
      if (i >= count) i -= count;
    }
  }
  if (sum == 0x9e3779b9u && rounds == 1) *never = sum;
}

// Each block its own 32 KB, again and again; the place moves each round, or the loads would be taken out of the loop.
extern "C" __global__ void __launch_bounds__(512) l1_read(const uint4* at, unsigned rounds, unsigned* never) {
  unsigned sum = 0, place = threadIdx.x;
  const uint4* own = at + (u64)blockIdx.x * 2048;
  for (unsigned r = 0; r < rounds; ++r, place = (place + 32) & 1023)
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
      uint4 v;
      asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(own + place + k * 128));
      sum += v.x ^ v.y ^ v.z ^ v.w;
    }
  if (sum == 0x9e3779b9u && rounds == 1) *never = sum;
}

extern "C" __global__ void __launch_bounds__(512) shared_read(unsigned rounds, unsigned* never) {
  __shared__ uint4 data[2048];
  for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x) data[i] = make_uint4(i, i * 7, i * 13, 5);
  __syncthreads();
  const unsigned base = __cvta_generic_to_shared(data);
  unsigned sum = 0, place = threadIdx.x;
  for (unsigned r = 0; r < rounds; ++r, place = (place + 32) & 1023)
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
      uint4 v;
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(base + place * 16 + k * 2048));
      sum += v.x ^ v.y ^ v.z ^ v.w;
    }
  if (sum == 0x9e3779b9u && rounds == 1) *never = sum;
}

template <typename T> __device__ __forceinline__ void chains(unsigned rounds, T* never) {
  T x[8];
  #pragma unroll
  for (int k = 0; k < 8; ++k) x[k] = T(threadIdx.x + k) * T(1e-3);
  const T a = T(0.9990234375), b = T(1e-3) * T(blockIdx.x + 1);
  for (unsigned r = 0; r < rounds; ++r)
    #pragma unroll
    for (int k = 0; k < 256; ++k) x[k % 8] = x[k % 8] * a + b;
  T sum = 0;
  #pragma unroll
  for (int k = 0; k < 8; ++k) sum += x[k];
  if (sum == T(12345.678)) *never = sum;
}
extern "C" __global__ void __launch_bounds__(256) fma_f64(unsigned rounds, double* never) { chains<double>(rounds, never); }
extern "C" __global__ void __launch_bounds__(256) fma_f32(unsigned rounds, float* never) { chains<float>(rounds, never); }

extern "C" __global__ void __launch_bounds__(256) fma_f16x2(unsigned rounds, unsigned* never) {
  unsigned x[8];
  #pragma unroll
  for (int k = 0; k < 8; ++k) x[k] = 0x3c003800u + threadIdx.x + k;
  const unsigned a = 0x3bfe3bfdu, b = 0x10011000u + blockIdx.x;
  for (unsigned r = 0; r < rounds; ++r)
    #pragma unroll
    for (int k = 0; k < 256; ++k) asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x[k % 8]) : "r"(a), "r"(b));
  unsigned sum = 0;
  #pragma unroll
  for (int k = 0; k < 8; ++k) sum += x[k];
  if (sum == 0x9e3779b9u && rounds == 1) *never = sum;
}
)";
}

std::string tensor_source(const std::string& type, bool warpgroup) {
  if (warpgroup) return warpgroup_source(type);
  return type == "e4m3" ? std::string() : warp_source(type);
}

double tensor_flops_a_round(const std::string& type, bool warpgroup) {
  const double depth = depth_of(type);
  return warpgroup ? 2.0 * kSteps * 2 * 64 * 256 * depth : 8.0 * kSteps * 2 * 16 * 8 * depth;
}

}  // namespace warplens::bench
