// More kernels that wait mostly for one thing: the comment at the line says the kernel and the stall reason. Run by counters.py.
#include "counters_data.cuh"
#include <mma.h>

constexpr int kSteps = 2000;
__constant__ float table[16384];

// Reads far apart, each needed at once.
__global__ void gather(const float* x, float* out, int n) {
  float sum = 0;
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x)
    sum += x[(k * 7919LL * 32) % n];  // here: gather long_scoreboard
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// A stack of its own in local memory, whose next place comes from the one before.
__global__ void local_chain(int* out, int turns) {
  volatile int stack[512];
  for (int k = 0; k < 512; ++k) stack[k] = (k * 5 + 1) & 511;
  int at = threadIdx.x;
  for (int k = 0; k < turns; ++k) at = stack[at];  // here: local_chain long_scoreboard
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

// Each atomic needs what the one before returned.
__global__ void atomic_chain(int* out) {
  int at = threadIdx.x;
  for (int k = 0; k < kSteps / 10; ++k) at = atomicAdd(out + ((at + blockIdx.x * 37) & 0xffff), 1) & 1023;  // here: atomic_chain long_scoreboard
  out[65536 + blockIdx.x * blockDim.x + threadIdx.x] = at;
}

// The same in shared memory.
__global__ void shared_atomic_chain(int* out) {
  __shared__ int bins[1024];
  bins[threadIdx.x] = 0;
  __syncthreads();
  int at = threadIdx.x;
  for (int k = 0; k < kSteps; ++k) at = atomicExch(bins + (at & 1023), at + 1);  // here: shared_atomic_chain short_scoreboard
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

// A chain of special functions.
__global__ void reciprocals(float* out) {
  float x = threadIdx.x + 2;
  for (int k = 0; k < kSteps * 2; ++k) x = __frsqrt_rn(x);  // here: reciprocals short_scoreboard
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// A chain of integer products, one warp a scheduler.
__global__ void integer_chain(unsigned* out) {
  unsigned x = threadIdx.x;
#pragma unroll 64
  for (int k = 0; k < kSteps * 4; ++k) x = x * (x | 3) + 7;  // here: integer_chain wait
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// One warp reads memory, the others are at the barrier.
__global__ void reader_and_waiters(const int* next, int* out) {
  __shared__ int found;
  int at = blockIdx.x * 97;
  for (int k = 0; k < 60; ++k) {
    if (threadIdx.x < 32)
      for (int j = 0; j < 10; ++j) at = next[(at + threadIdx.x) & 0x3ffffff];
    if (threadIdx.x == 0) found = at;
    __syncthreads();  // here: reader_and_waiters barrier
    at += found;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

// A different case every time, one warp a scheduler.
__global__ void jumps(unsigned* out) {
  unsigned x = blockIdx.x * 9781 + 1;
  for (int k = 0; k < kSteps * 2; ++k) {
    switch (x & 15) {  // here: jumps branch_resolving
      case 0: x = x * 5 + 1; break;
      case 1: x ^= x >> 3; break;
      case 2: x += 0x9e3779b9; break;
      case 3: x = x * 3 + 7; break;
      case 4: x ^= x << 5; break;
      case 5: x -= 12345; break;
      case 6: x = ~x + 9; break;
      case 7: x = x * 9 + 11; break;
      case 8: x ^= 0x5bd1e995; break;
      case 9: x += x >> 7; break;
      case 10: x = x * 17 + 3; break;
      case 11: x -= x << 2; break;
      case 12: x ^= x >> 11; break;
      case 13: x += 77; break;
      case 14: x = x * 33 + 5; break;
      default: x ^= 0x1234567; break;
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

template <int kDepth>
__device__ __forceinline__ void straight(float& a, float& b, float& c, float& d) {
  if constexpr (kDepth > 0) {
    a = a * 1.0001f + b, b = b * 1.0002f + c, c = c * 1.0003f + d, d = d * 1.0004f + a;  // here: long_code no_instruction
    straight<kDepth - 1>(a, b, c, d);
  }
}

// Code that no instruction cache holds, without a loop to come back to it soon.
__global__ void long_code(float* out, int turns) {
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  for (int k = 0; k < turns; ++k) {
    straight<500>(a, b, c, d), straight<500>(a, b, c, d), straight<500>(a, b, c, d), straight<500>(a, b, c, d);
    straight<500>(a, b, c, d), straight<500>(a, b, c, d), straight<500>(a, b, c, d), straight<500>(a, b, c, d);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

template <int kFrom, int kTo>
__device__ __forceinline__ float constants(float x) {
  if constexpr (kTo - kFrom == 1) {
    return x * table[kFrom * 16] + 1;  // here: cold_constants imc_miss
  } else {
    return constants<(kFrom + kTo) / 2, kTo>(constants<kFrom, (kFrom + kTo) / 2>(x));
  }
}

// Operands from constants that no cache holds all of.
__global__ void cold_constants(float* out, int turns) {
  float x = threadIdx.x;
  for (int k = 0; k < turns; ++k) x = constants<0, 1024>(x);
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// Many texture reads at once.
__global__ void textures(cudaTextureObject_t image, float* out) {
  float a = 0, b = 0, c = 0, d = 0;
  const int at = threadIdx.x;
  for (int k = 0; k < kSteps; k += 4) {
    a += tex1Dfetch<float>(image, at + k), b += tex1Dfetch<float>(image, at + k + 512), c += tex1Dfetch<float>(image, at + k + 1024), d += tex1Dfetch<float>(image, at + k + 1536);  // here: textures tex_throttle
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

// Products of tiles from registers alone, by many warps.
__global__ void tiles(float* out) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> a;
  fragment<matrix_b, 16, 16, 16, __half, col_major> b;
  fragment<accumulator, 16, 16, 16, float> c, d, e, f;
  fill_fragment(a, __float2half(0.5f)), fill_fragment(b, __float2half(0.25f));
  fill_fragment(c, 0.f), fill_fragment(d, 1.f), fill_fragment(e, 2.f), fill_fragment(f, 3.f);
  for (int k = 0; k < kSteps; ++k) {
    mma_sync(c, a, b, c), mma_sync(d, a, b, d), mma_sync(e, a, b, e), mma_sync(f, a, b, f);  // here: tiles math_pipe_throttle
  }
  for (int k = 0; k < c.num_elements; ++k) c.x[k] += d.x[k] + e.x[k] + f.x[k];
  store_matrix_sync(out + (blockIdx.x % 64) * 256, c, 16, mem_row_major);
}

// Independent shuffles from many warps.
__global__ void shuffles(int* out) {
  int a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5;
  for (int k = 0; k < kSteps; ++k) {
    a = __shfl_xor_sync(~0u, a, 1), b = __shfl_xor_sync(~0u, b, 2), c = __shfl_xor_sync(~0u, c, 4), d = __shfl_xor_sync(~0u, d, 8), e = __shfl_xor_sync(~0u, e, 16), f = __shfl_xor_sync(~0u, f, 3);  // here: shuffles mio_throttle
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d + e + f;
}

// Adds whose result nobody wants, from many warps.
__global__ void reductions(int* out) {
  int* to = out + (blockIdx.x * blockDim.x + threadIdx.x) % 65536 * 32;
  for (int k = 0; k < kSteps / 10; ++k) {
    atomicAdd(to, k), atomicAdd(to + 1, k), atomicAdd(to + 2, k), atomicAdd(to + 3, k);  // here: reductions lg_throttle
  }
}

// Stores spread over memory, and the end right after them.
__global__ void last_stores(int* out, int n) {
  const long at = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 16; ++k) out[(at * 32 + k * 4099L * 64) % n] = k;  // here: last_stores drain
}

int main() {
  int *data, *out;
  if (!make_data(&data, &out)) return 1;
  cudaResourceDesc what{};
  what.resType = cudaResourceTypeLinear;
  what.res.linear.devPtr = data;
  what.res.linear.desc = cudaCreateChannelDesc<float>();
  what.res.linear.sizeInBytes = 1 << 20;
  cudaTextureDesc how{};
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t image;
  if (cudaCreateTextureObject(&image, &what, &how, nullptr) != cudaSuccess) return 1;
  float* floats = reinterpret_cast<float*>(out);
  gather<<<264, 256>>>(reinterpret_cast<float*>(data), floats, 1 << 26);
  local_chain<<<264, 128>>>(out, kSteps);
  atomic_chain<<<264, 128>>>(out);
  shared_atomic_chain<<<132, 1024>>>(out);
  reciprocals<<<132, 128>>>(floats);
  integer_chain<<<132, 128>>>(reinterpret_cast<unsigned*>(out));
  reader_and_waiters<<<264, 512>>>(data, out);
  jumps<<<132, 128>>>(reinterpret_cast<unsigned*>(out));
  long_code<<<132, 128>>>(floats, 4);
  cold_constants<<<132, 128>>>(floats, 20);
  textures<<<528, 512>>>(image, floats);
  tiles<<<528, 256>>>(floats);
  shuffles<<<264, 1024>>>(out);
  reductions<<<528, 512>>>(out);
  last_stores<<<8192, 256>>>(out, 1 << 26);
  return finish();
}
