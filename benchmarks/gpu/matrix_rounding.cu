// What tensor cores compute for random operands, for comparison with the emulator bit by bit: matrix_rounding.py.
// Each warp takes 10 words a lane (A, B, C registers) and leaves 4 (D); wgmma takes its operands from shared memory.
// With HOST defined this is a program: matrix_rounding FOLDER writes inputs and results of every kernel.
#include <cstdint>

#define MMA(name, shape, types, a_registers)                                                                          \
  extern "C" __global__ void name(const uint32_t* in, uint32_t* out) {                                                \
    const uint32_t* r = in + (blockIdx.x * 32 + threadIdx.x) * 10;                                                    \
    uint32_t d[4] = {r[6], r[7], r[8], r[9]};                                                                         \
    asm volatile("mma.sync.aligned." shape ".row.col." types " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                                     \
                 : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]));                                 \
    for (int i = 0; i < 4; ++i) out[(blockIdx.x * 32 + threadIdx.x) * 4 + i] = d[i];                                  \
  }
MMA(mma_f16, "m16n8k16", "f32.f16.f16.f32", 4)
MMA(mma_bf16, "m16n8k16", "f32.bf16.bf16.f32", 4)
MMA(mma_tf32, "m16n8k8", "f32.tf32.tf32.f32", 4)
MMA(mma_e4m3, "m16n8k32", "f32.e4m3.e4m3.f32", 4)
MMA(mma_e5m2, "m16n8k32", "f32.e5m2.e5m2.f32", 4)

extern "C" __global__ void mma_f16_f16(const uint32_t* in, uint32_t* out) {
  const uint32_t* r = in + (blockIdx.x * 32 + threadIdx.x) * 10;
  uint32_t d[4] = {r[6], r[7], 0, 0};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
               : "+r"(d[0]), "+r"(d[1]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]));
  for (int i = 0; i < 4; ++i) out[(blockIdx.x * 32 + threadIdx.x) * 4 + i] = d[i];
}

// A: 64 rows of 32 bytes, B: 8 rows of 32 bytes, both in core matrices of 8 rows of 16 bytes without swizzle.
#define WGMMA(name, shape, types, transposes)                                                                         \
  extern "C" __global__ void name(const uint32_t* in, uint32_t* out) {                                                \
    __shared__ alignas(128) uint32_t tile[512 + 64];                                                                  \
    for (int i = threadIdx.x; i < 576; i += 128) tile[i] = in[blockIdx.x * 1280 + i];                                 \
    uint32_t d[4];                                                                                                    \
    for (int i = 0; i < 4; ++i) d[i] = in[blockIdx.x * 1280 + 576 + threadIdx.x * 4 + i];                             \
    __syncthreads();                                                                                                  \
    const uint64_t base = __cvta_generic_to_shared(tile), layout = (128ull >> 4) << 16 | (256ull >> 4) << 32;         \
    const uint64_t a = base >> 4 | layout, b = (base + 2048) >> 4 | layout;                                           \
    asm volatile("fence.proxy.async;\nwgmma.fence.sync.aligned;\n"                                                    \
                 "wgmma.mma_async.sync.aligned." shape "." types " {%0,%1,%2,%3}, %4, %5, 1, 1, 1" transposes ";\n"   \
                 "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"                                 \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "l"(a), "l"(b) : "memory");                       \
    for (int i = 0; i < 4; ++i) out[blockIdx.x * 512 + threadIdx.x * 4 + i] = d[i];                                   \
  }
WGMMA(wgmma_f16, "m64n8k16", "f32.f16.f16", ", 0, 0")
WGMMA(wgmma_bf16, "m64n8k16", "f32.bf16.bf16", ", 0, 0")
WGMMA(wgmma_tf32, "m64n8k8", "f32.tf32.tf32", "")
WGMMA(wgmma_e4m3, "m64n8k32", "f32.e4m3.e4m3", "")
WGMMA(wgmma_e5m2, "m64n8k32", "f32.e5m2.e5m2", "")

#ifdef HOST
#include <cstdio>
#include <string>
#include <vector>

static uint64_t state = 1;
static uint32_t random_bits() {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return static_cast<uint32_t>(state >> 32);
}

/// A value of `bits` bits with `fraction` fraction bits: near one, anywhere, subnormal or zero; no NaN, no infinity.
static uint32_t value(int bits, int fraction, int wide) {
  const int exponent_bits = bits - 1 - fraction, bias = (1 << (exponent_bits - 1)) - 1;
  const uint32_t sign = (random_bits() & 1) << (bits - 1), mantissa = random_bits() & ((1u << fraction) - 1);
  const uint32_t kind = random_bits() % 16;
  if (kind == 0) return sign;
  if (kind == 1 && wide) return sign | mantissa;
  const uint32_t span = wide ? (1u << exponent_bits) - 2 : 6;
  const uint32_t first = wide ? 1 : bias - 3;
  uint32_t exponent = first + random_bits() % span;
  if (bits == 32 && wide) exponent = bias - 40 + random_bits() % 80;
  return sign | exponent << fraction | mantissa;
}

static uint32_t word(int bits, int fraction, int wide) {
  uint32_t out = 0;
  for (int at = 0; at < 32; at += bits) out |= value(bits, fraction, wide) << at;
  return out;
}

template <typename Kernel>
static void measure(const char* folder, const char* name, Kernel kernel, int bits, int fraction, int acc_bits, bool group) {
  const int blocks = 512, threads = group ? 128 : 32;
  const int inputs = group ? 1280 : 320, outputs = group ? 512 : 128, operands = group ? 576 : 6;
  std::vector<uint32_t> in(blocks * inputs), out(blocks * outputs);
  for (int i = 0; i < blocks * inputs; ++i) {
    const bool operand = group ? i % inputs < operands : i % 10 < operands;
    const int wide = i / inputs % 2;
    in[i] = operand ? word(bits, fraction, wide) : acc_bits == 32 ? word(32, 23, wide) : word(16, 10, wide);
  }
  uint32_t *from, *to;
  cudaMalloc(&from, in.size() * 4);
  cudaMalloc(&to, out.size() * 4);
  cudaMemcpy(from, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
  kernel<<<blocks, threads>>>(from, to);
  const cudaError_t error = cudaMemcpy(out.data(), to, out.size() * 4, cudaMemcpyDeviceToHost);
  printf("%s: %s\n", name, cudaGetErrorString(error));
  for (const auto& [suffix, data] : {std::pair{".in", &in}, std::pair{".out", &out}}) {
    FILE* file = fopen((std::string(folder) + "/" + name + suffix).c_str(), "wb");
    fwrite(data->data(), 4, data->size(), file);
    fclose(file);
  }
}

int main(int, char** arguments) {
  const char* folder = arguments[1];
  measure(folder, "mma_f16", mma_f16, 16, 10, 32, false);
  measure(folder, "mma_bf16", mma_bf16, 16, 7, 32, false);
  measure(folder, "mma_tf32", mma_tf32, 32, 23, 32, false);
  measure(folder, "mma_e4m3", mma_e4m3, 8, 3, 32, false);
  measure(folder, "mma_e5m2", mma_e5m2, 8, 2, 32, false);
  measure(folder, "mma_f16_f16", mma_f16_f16, 16, 10, 16, false);
  measure(folder, "wgmma_f16", wgmma_f16, 16, 10, 32, true);
  measure(folder, "wgmma_bf16", wgmma_bf16, 16, 7, 32, true);
  measure(folder, "wgmma_tf32", wgmma_tf32, 32, 23, 32, true);
  measure(folder, "wgmma_e4m3", wgmma_e4m3, 8, 3, 32, true);
  measure(folder, "wgmma_e5m2", wgmma_e5m2, 8, 2, 32, true);
}
#endif
