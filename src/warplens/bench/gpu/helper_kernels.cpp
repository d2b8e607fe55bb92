#include "warplens/bench/gpu/helper_kernels.h"

namespace warplens::bench {
namespace {

constexpr const char* kSource = R"(
typedef unsigned long long u64;
__device__ __forceinline__ u64 now() { u64 t; asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t)); return t; }

extern "C" __global__ void empty() {}

extern "C" __global__ void spin(u64 ns) {
  for (const u64 end = now() + ns; now() < end;) __nanosleep(100);
}

extern "C" __global__ void write_lines(uint4* at, u64 count) {
  const u64 step = (u64)gridDim.x * blockDim.x;
  for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) at[i] = make_uint4(i, 1, 2, 3);
}

extern "C" __global__ void read_lines(const uint4* at, u64 count, unsigned* never) {
  const u64 step = (u64)gridDim.x * blockDim.x;
  unsigned sum = 0;
  for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    const uint4 v = at[i];
    sum += v.x ^ v.y ^ v.z ^ v.w;
  }
  if (sum == 0x9e3779b9u && count == 1) *never = sum;
}

extern "C" __global__ void probe(u64* clocks) {
  unsigned sm;
  asm volatile("mov.u32 %0, %smid;" : "=r"(sm));
  const u64 time = now();
  clocks[2 * sm] = clock64();
  clocks[2 * sm + 1] = time;
}

// lowbias32 over both halves: the low 32 bits choose among 2^32 values.
__device__ __forceinline__ unsigned mix(unsigned x) {
  x ^= x >> 16; x *= 0x21f0aaadu; x ^= x >> 15; x *= 0xd35a2d97u; x ^= x >> 15;
  return x;
}

extern "C" __global__ void noise(unsigned char* at, u64 count, int type, int size, double low, double high, int normal, u64 seed) {
  const u64 step = (u64)gridDim.x * blockDim.x;
  for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    const u64 key = i + seed;
    const unsigned random = mix((unsigned)key ^ mix((unsigned)(key >> 32) + 0x9e3779b9u));
    const double u = random * (1.0 / 4294967296.0);
    double value = low + (high - low) * u;
    if (normal) value = low + high * sqrt(-2 * log(1 - u)) * cospi(2 * (mix(random + 0x51ed270bu) * (1.0 / 4294967296.0)));
    if (type == 0) ((float*)at)[i] = (float)value;
    else if (type == 1) ((double*)at)[i] = value;
    else if (type == 2) { unsigned short h; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"((float)value)); ((unsigned short*)at)[i] = h; }
    else if (type == 3) { unsigned short h; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"((float)value)); ((unsigned short*)at)[i] = h; }
    else {
      const long long whole = (long long)floor(value);
      for (int b = 0; b < size; ++b) at[i * size + b] = (unsigned char)(whole >> (8 * b));
    }
  }
}
)";

}  // namespace

Result<HelperKernels> HelperKernels::load(const cuda::Device& device) {
  WL_ASSIGN(cuda::Module module, cuda::compile_and_load(device, kSource));
  HelperKernels out(device, std::move(module));
  WL_ASSIGN(out.empty_, out.module_.function("empty"));
  WL_ASSIGN(out.spin_, out.module_.function("spin"));
  WL_ASSIGN(out.write_, out.module_.function("write_lines"));
  WL_ASSIGN(out.read_, out.module_.function("read_lines"));
  WL_ASSIGN(out.probe_, out.module_.function("probe"));
  WL_ASSIGN(out.noise_, out.module_.function("noise"));
  WL_ASSIGN(out.sms_, device.attribute(cuda::kDeviceSms));
  return out;
}

Status HelperKernels::launch(cuda::FunctionHandle function, cuda::StreamHandle stream, uint32_t blocks,
                             uint32_t threads, const cuda::Parameters& parameters) const {
  cuda::Launch launch;
  launch.grid = {blocks, 1, 1}, launch.block = {threads, 1, 1};
  launch.parameters = parameters.bytes();
  launch.stream = stream;
  return cuda::launch(*device_, function, launch);
}

Status HelperKernels::empty(cuda::StreamHandle stream) const { return launch(empty_, stream, 1, 1, {}); }

Status HelperKernels::spin(cuda::StreamHandle stream, uint64_t ns) const {
  return launch(spin_, stream, 1, 1, cuda::Parameters().add(ns));
}

Status HelperKernels::flush(cuda::StreamHandle stream, cuda::DevicePointer buffer, uint64_t read_bytes,
                            uint64_t write_bytes) const {
  const auto blocks = static_cast<uint32_t>(sms_ * 8);
  WL_TRY(launch(read_, stream, blocks, 256,
                cuda::Parameters().add(buffer + write_bytes).add(read_bytes / 16).add(buffer)));
  return launch(write_, stream, blocks, 256, cuda::Parameters().add(buffer).add(write_bytes / 16));
}

Status HelperKernels::probe(cuda::StreamHandle stream, cuda::DevicePointer clocks) const {
  return launch(probe_, stream, static_cast<uint32_t>(sms_ * 2), 1, cuda::Parameters().add(clocks));
}

Status HelperKernels::noise(cuda::StreamHandle stream, cuda::DevicePointer at, uint64_t count, int type, int size,
                            double low, double high, bool normal, uint64_t seed) const {
  return launch(
      noise_, stream, static_cast<uint32_t>(sms_ * 8), 256,
      cuda::Parameters().add(at).add(count).add(type).add(size).add(low).add(high).add(int{normal}).add(seed));
}

}  // namespace warplens::bench
