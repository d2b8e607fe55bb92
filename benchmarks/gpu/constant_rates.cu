// What a word of constant memory takes that all lanes want, as CSV: way, words walked through, warps, cycles of a warp
// for a word, cycles of the SM for a word. Ways: an operand of the arithmetic (`c[3][...]` in FFMA), a load of one, two
// or four words at an address in the instruction (the FFMA has an immediate already), and a load of a word that a loop
// counts to.
//
// nvcc -arch=sm_90 -O3 -o constant_rates benchmarks/gpu/constant_rates.cu && ./constant_rates > constant_rates.csv
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                 \
  do {                                                                              \
    if (const cudaError_t error = (call); error != cudaSuccess) {                   \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));           \
      std::exit(1);                                                                 \
    }                                                                               \
  } while (0)

constexpr int kTurns = 64;
__constant__ float4 table[1024];  // 16 KB

__device__ const float* words() { return reinterpret_cast<const float*>(table); }

template <int kWords>
__global__ void operands(float* out, long long* cycles, float factor) {
  float sum = threadIdx.x, other = sum;
  __syncthreads();
  const long long from = clock64();
#pragma unroll 1
  for (int turn = 0; turn < kTurns; ++turn) {
#pragma unroll
    for (int k = 0; k < kWords; k += 2) {
      sum = fmaf(sum, factor, words()[k]);
      other = fmaf(other, factor, words()[k + 1]);
    }
  }
  __syncthreads();
  const long long to = clock64();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum + other;
  if (threadIdx.x == 0 && blockIdx.x == 0) *cycles = to - from;
}

template <int kWords>
__global__ void loads(float* out, long long* cycles, float) {
  float sum = threadIdx.x, other = sum;
  __syncthreads();
  const long long from = clock64();
#pragma unroll 1
  for (int turn = 0; turn < kTurns; ++turn) {
#pragma unroll
    for (int k = 0; k < kWords; k += 2) {
      sum = fmaf(sum, 0.5f, words()[k]);
      other = fmaf(other, 0.5f, words()[k + 1]);
    }
  }
  __syncthreads();
  const long long to = clock64();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum + other;
  if (threadIdx.x == 0 && blockIdx.x == 0) *cycles = to - from;
}

template <int kWords>
__global__ void counted(float* out, long long* cycles, float factor) {
  float sum = threadIdx.x, other = sum;
  __syncthreads();
  const long long from = clock64();
#pragma unroll 1
  for (int turn = 0; turn < kTurns; ++turn) {
#pragma unroll 8
    for (int k = 0; k < kWords; k += 2) {
      sum = fmaf(sum, factor, words()[k]);
      other = fmaf(other, factor, words()[k + 1]);
    }
  }
  __syncthreads();
  const long long to = clock64();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum + other;
  if (threadIdx.x == 0 && blockIdx.x == 0) *cycles = to - from;
}

using Kernel = void (*)(float*, long long*, float);

void time_of(const char* way, Kernel kernel, int words) {
  static float* out = nullptr;
  static long long* cycles = nullptr;
  if (!out) {
    CHECK(cudaMalloc(&out, 132 * 1024 * sizeof(float)));
    CHECK(cudaMallocManaged(&cycles, sizeof(long long)));
  }
  for (const int warps : {1, 4, 8, 16, 32}) {
    for (int again = 0; again < 2; ++again) kernel<<<132, 32 * warps>>>(out, cycles, 0.5f);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    const double each = static_cast<double>(*cycles) / kTurns / words;
    std::printf("%s,%d,%d,%.3f,%.3f\n", way, words, warps, each, each / warps);
  }
}

template <int kWords>
void times() {
  time_of("operand", operands<kWords>, kWords);
  time_of("load", loads<kWords>, kWords);
  time_of("counted", counted<kWords>, kWords);
}

int main() {
  std::printf("way,words,warps,cycles_of_a_warp,cycles_of_the_sm\n");
  times<16>();
  times<32>();
  times<64>();
  times<128>();
  times<192>();
  times<256>();
  times<384>();
  times<512>();
  times<768>();
  times<1024>();
}
