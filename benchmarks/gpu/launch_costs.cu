// What a launch takes beside its work, as CSV: microseconds between two events, medians, by the state that L2 is left in before it.
// nvcc -arch=sm_90 -o launch_costs launch_costs.cu; ./launch_costs > launch_costs.csv
// With an argument every launch is made once, for a profiler's own durations: ncu --metrics gpu__time_duration.sum ./launch_costs once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    const cudaError_t e = call;                                                           \
    if (e != cudaSuccess) std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e)); \
  } while (0)

constexpr size_t kFlushBytes = size_t{200} << 20, kBytes = size_t{1} << 30;
bool once = false;
float *x, *y;
char *flushed, *read_back;
cudaEvent_t from, to;

__global__ void read_all(const float4* p, size_t n, float* out) {
  float sum = 0;
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < n; i += gridDim.x * size_t{blockDim.x}) sum += p[i].x;
  if (sum == 12345.678f) *out = sum;
}
// Straight code of N instructions, run through twice: what each pass takes, by the first warp.
template <int N>
__global__ void code(float* out, float a, float b, long long* cycles) {
  float c[8] = {a, b, a, b, a, b, a, b};
  const long long begin = clock64();
  long long first = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
#pragma unroll
    for (int k = 0; k < N / 8; ++k)
#pragma unroll
      for (int j = 0; j < 8; ++j) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(c[j]) : "f"(a), "f"(b));
    if (pass == 0) first = clock64();
  }
  const long long end = clock64();
  if (c[0] + c[1] + c[2] + c[3] + c[4] + c[5] + c[6] + c[7] == 12345.678f) *out = 1;
  if (blockIdx.x == 0 && threadIdx.x == 0) cycles[0] = first - begin, cycles[1] = end - first;
}

enum L2 { kWritten, kRead, kWarm, kNewCode };  // written over, read over, left alone; written over after much other code
const char* const kStates[] = {"written", "read", "warm", "new code"};
void prepare(L2 state, int k) {
  if (state == kWarm) return;
  if (state == kNewCode) code<16384><<<132, 128>>>(y, 1.0f, 0.0f, reinterpret_cast<long long*>(flushed));
  cudaMemset(flushed, k, kFlushBytes);
  if (state == kRead) read_all<<<1056, 256>>>(reinterpret_cast<float4*>(read_back), kFlushBytes / 16, y);
}
template <class Launch>
void time_us(const char* what, const char* variant, double size, Launch launch, bool new_code = false) {
  if (once) {
    launch();
    CHECK(cudaDeviceSynchronize());
    std::printf("%s,%s,%.0f,once,0\n", what, variant, size);
    return;
  }
  for (const L2 state : {kWritten, kRead, kWarm, kNewCode}) {
    if (state == kNewCode && !new_code) continue;
    std::vector<float> t;
    for (int k = 0; k < 17; ++k) {
      prepare(state, k);
      cudaEventRecord(from);
      launch();
      cudaEventRecord(to);
      cudaEventSynchronize(to);
      float ms;
      cudaEventElapsedTime(&ms, from, to);
      if (k >= 2) t.push_back(ms);
    }
    std::sort(t.begin(), t.end());
    std::printf("%s,%s,%.0f,%s,%.3f\n", what, variant, size, kStates[state], 1000 * t[t.size() / 2]);
  }
  CHECK(cudaGetLastError());
}

__global__ void empty() {}
__global__ void compare(int n, float* out) {
  if (n == 12345) *out = 1;
}
__constant__ float table[1024];
__global__ void constant(int n, float* out) {
  if (table[n] == 12345.678f) *out = 1;
}
__global__ void store(float* out) {
  if (threadIdx.x == 0) out[blockIdx.x * 32] = 1;
}
template <int Turns>  // loads one after the other, each in another megabyte
__global__ void loads(const float* p, float* out) {
  size_t at = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  float v = 0;
#pragma unroll
  for (int t = 0; t < Turns; ++t) {
    v = p[at + static_cast<int>(v)];
    at += 262144 + 32;
  }
  if (v == 12345.678f) *out = v;
}
__global__ void copy(const float4* p, float4* q) {
  const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  q[i] = p[i];
}
__global__ void read(const float4* p, float* out) {
  const float4 v = p[blockIdx.x * size_t{blockDim.x} + threadIdx.x];
  if (v.x + v.y + v.z + v.w == 12345.678f) *out = 1;
}
__global__ void write(float4* q) { q[blockIdx.x * size_t{blockDim.x} + threadIdx.x] = make_float4(1, 2, 3, 4); }
__global__ void chain(int turns, float a, float* out) {  // of 4 cycles each
  float c = a;
#pragma unroll 16
  for (int t = 0; t < turns; ++t) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(c) : "f"(a));
  if (c == 12345.678f) *out = c;
}

__global__ void chain_and_add(int turns, float a, float* out, int apart) {  // each block adds once, at its end
  float c = a;
#pragma unroll 16
  for (int t = 0; t < turns; ++t) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(c) : "f"(a));
  if (threadIdx.x == 0) atomicAdd(out + blockIdx.x * apart, c);
}

void grids() {
  char variant[32];
  for (const int threads : {32, 128, 256, 1024}) {
    std::snprintf(variant, sizeof variant, "%d threads", threads);
    for (const int blocks : {1, 32, 132, 264, 1056, 2112, 4224, 8448, 16896, 65536, 131072})
      time_us("empty", variant, blocks, [&] { empty<<<blocks, threads>>>(); });
  }
  for (const int blocks : {1, 132, 1056}) {
    time_us("compare a parameter", "256 threads", blocks, [&] { compare<<<blocks, 256>>>(1, y); });
    time_us("compare a constant", "256 threads", blocks, [&] { constant<<<blocks, 256>>>(1, y); });
    time_us("store", "256 threads", blocks, [&] { store<<<blocks, 256>>>(y); });
    time_us("loads in turn", "1", blocks, [&] { loads<1><<<blocks, 256>>>(x, y); });
    time_us("loads in turn", "2", blocks, [&] { loads<2><<<blocks, 256>>>(x, y); });
    time_us("loads in turn", "4", blocks, [&] { loads<4><<<blocks, 256>>>(x, y); });
    time_us("loads in turn", "8", blocks, [&] { loads<8><<<blocks, 256>>>(x, y); });
    time_us("loads in turn", "16", blocks, [&] { loads<16><<<blocks, 256>>>(x, y); });
  }
  for (const int turns : {0, 500, 1000, 2000, 4000, 16000, 64000}) time_us("chain of turns", "132 blocks", turns, [&] { chain<<<132, 128>>>(turns, 0.5f, y); });
  for (const int blocks : {132, 1056, 4224, 8448})
    for (const int apart : {0, 1, 64})
      time_us("chain of 1000 and an add", apart == 0 ? "to one word" : apart == 1 ? "to neighbours" : "to lines", blocks,
              [&] { chain_and_add<<<blocks, 256>>>(1000, 0.5f, y, apart); });
  for (const int blocks : {132, 1056, 4224, 8448}) time_us("chain of 1000", "256 threads", blocks, [&] { chain<<<blocks, 256>>>(1000, 0.5f, y); });
  for (const int blocks : {132, 264, 265, 396, 528, 529, 660, 792, 1056, 1057, 2112, 2113})  // two of an SM's at once
    time_us("chain of 4000", "1024 threads", blocks, [&] { chain<<<blocks, 1024>>>(4000, 0.5f, y); });
}
void bytes() {
  for (size_t n = size_t{1} << 14; n <= kBytes / 4; n *= 2) {
    const int blocks = static_cast<int>(std::max<size_t>(1, n / 16 / 256));
    time_us("copy of bytes", "16 a thread", static_cast<double>(n), [&] { copy<<<blocks, 256>>>(reinterpret_cast<float4*>(x), reinterpret_cast<float4*>(y)); });
    time_us("read of bytes", "16 a thread", static_cast<double>(n), [&] { read<<<blocks, 256>>>(reinterpret_cast<float4*>(x), y); });
    time_us("write of bytes", "16 a thread", static_cast<double>(n), [&] { write<<<blocks, 256>>>(reinterpret_cast<float4*>(y)); });
  }
}
template <int N>
void code_of() {
  long long* cycles;
  CHECK(cudaMallocManaged(&cycles, 2 * sizeof(long long)));
  for (const int warps : {1, 4, 16})
    for (const int blocks : {1, 132}) {
      char variant[64];
      std::snprintf(variant, sizeof variant, "%d blocks of %d warps", blocks, warps);
      time_us("code of instructions", variant, N, [&] { code<N><<<blocks, 32 * warps>>>(y, 0.5f, 1.0f, cycles); }, true);
      for (const L2 state : {kWritten, kNewCode}) {
        if (!once) prepare(state, 1), code<N><<<blocks, 32 * warps>>>(y, 0.5f, 1.0f, cycles);
        CHECK(cudaDeviceSynchronize());
        for (const int pass : {0, 1})
          std::printf("cycles of pass %d of code,%s,%d,%s,%lld\n", pass + 1, variant, N, once ? "once" : kStates[state], cycles[pass]);
      }
    }
}
int main(int argc, char**) {
  once = argc > 1;
  CHECK(cudaMalloc(&x, kBytes));
  CHECK(cudaMalloc(&y, kBytes));
  CHECK(cudaMalloc(&flushed, kFlushBytes));
  CHECK(cudaMalloc(&read_back, kFlushBytes));
  CHECK(cudaMemset(x, 0, kBytes));
  CHECK(cudaMemset(y, 0, kBytes));
  CHECK(cudaMemset(read_back, 0, kFlushBytes));
  cudaEventCreate(&from);
  cudaEventCreate(&to);
  std::printf("what,variant,size,l2,us\n");
  grids();
  bytes();
  code_of<64>();
  code_of<256>();
  code_of<1024>();
  code_of<2048>();
  code_of<4096>();
  code_of<8192>();
  code_of<16384>();
}
