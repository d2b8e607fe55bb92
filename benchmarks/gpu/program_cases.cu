// CUDA C++ programs as users write them, each slow by one cause and mended: nvcc -O3 -arch=sm_90 -o program_cases
// program_cases.cu
//   program_cases list                   their names and the finding that each is about
//   program_cases CASE [mended] [time]   runs 20 steps; with `time`, prints the median, least and largest time of a
//   step in ns
#include <cuda_runtime.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    const cudaError_t error = (call);                                                     \
    if (error != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      std::exit(1);                                                                       \
    }                                                                                     \
  } while (0)

using Step = std::function<void()>;

template <typename T>
T* device(size_t count) {
  T* p = nullptr;
  CHECK(cudaMalloc(&p, count * sizeof(T)));
  CHECK(cudaMemset(p, 0, count * sizeof(T)));
  return p;
}

__global__ void heat(const float* from, float* to, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x >= n - 1 || y >= n - 1) return;
  const int at = y * n + x;
  to[at] = 0.25f * (from[at - 1] + from[at + 1] + from[at - n] + from[at + n]);
}

__global__ void change_of(const float* a, const float* b, float* most, int n) {
  float mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    mine = fmaxf(mine, fabsf(a[i] - b[i]));
  for (int step = 16; step > 0; step /= 2) mine = fmaxf(mine, __shfl_down_sync(~0u, mine, step));
  if (threadIdx.x % 32 == 0) atomicMax(reinterpret_cast<int*>(most), __float_as_int(mine));
}

__global__ void filter(const float* in, float* out, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  for (int k = 0; k < rounds; ++k) x = x * 0.999f + 0.001f * __sinf(x);
  out[i] = x;
}

__global__ void move_particles(float4* at, float4* speed, int n, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = at[i], v = speed[i];
  v.x -= dt * p.x, v.y -= dt * p.y, v.z -= dt * p.z;
  p.x += dt * v.x, p.y += dt * v.y, p.z += dt * v.z;
  at[i] = p, speed[i] = v;
}

__global__ void grey(const uchar4* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (0.299f * in[i].x + 0.587f * in[i].y + 0.114f * in[i].z) / 255;
}

__global__ void total_of(const float* in, float* out, int n) {
  __shared__ float part[1024];
  float mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += in[i];
  part[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, part[0]);
}

// Signals lie in pinned memory; each chunk is uploaded, filtered and brought back on one stream, or on four in turn.
Step chunks_in_turn(bool bad) {
  constexpr int kChunks = 16, kEach = 1 << 20;
  float *in = nullptr, *out = nullptr;
  CHECK(cudaMallocHost(&in, sizeof(float) * kChunks * kEach));
  CHECK(cudaMallocHost(&out, sizeof(float) * kChunks * kEach));
  std::fill(in, in + kChunks * kEach, 0.5f);
  float *a = device<float>(kChunks * kEach), *b = device<float>(kChunks * kEach);
  std::vector<cudaStream_t> streams(bad ? 1 : 4);
  for (cudaStream_t& stream : streams) CHECK(cudaStreamCreate(&stream));
  return [=] {
    for (int k = 0; k < kChunks; ++k) {
      const size_t at = size_t(k) * kEach;
      cudaStream_t stream = streams[k % streams.size()];
      CHECK(cudaMemcpyAsync(a + at, in + at, sizeof(float) * kEach, cudaMemcpyHostToDevice, stream));
      filter<<<kEach / 256, 256, 0, stream>>>(a + at, b + at, kEach, 400);
      CHECK(cudaMemcpyAsync(out + at, b + at, sizeof(float) * kEach, cudaMemcpyDeviceToHost, stream));
    }
    for (cudaStream_t stream : streams) CHECK(cudaStreamSynchronize(stream));
  };
}

// Heat on a plate: whether it is still changing is asked after every turn, or after the last of fifty.
Step residual_each_turn(bool bad) {
  constexpr int n = 512, kTurns = 50;
  float *a = device<float>(n * n), *b = device<float>(n * n), *most = device<float>(1);
  return [=]() mutable {
    const dim3 block(32, 8), grid(n / 32, n / 8);
    for (int turn = 0; turn < kTurns; ++turn) {
      heat<<<grid, block>>>(a, b, n);
      if (bad || turn + 1 == kTurns) {
        float change = 0;
        CHECK(cudaMemset(most, 0, sizeof(float)));
        change_of<<<64, 256>>>(a, b, most, n * n);
        CHECK(cudaMemcpy(&change, most, sizeof(float), cudaMemcpyDeviceToHost));
        if (change > 1e30f) return;
      }
      std::swap(a, b);
    }
  };
}

// Frames of a camera come from a std::vector, or from pinned memory.
Step frames_in_vectors(bool bad) {
  constexpr int kPixels = 1920 * 1080;
  std::vector<uchar4> frame(kPixels, uchar4{9, 9, 9, 9});
  uchar4* pinned = nullptr;
  CHECK(cudaMallocHost(&pinned, sizeof(uchar4) * kPixels));
  std::memcpy(pinned, frame.data(), sizeof(uchar4) * kPixels);
  uchar4* in = device<uchar4>(kPixels);
  float *out = device<float>(kPixels), *sum = device<float>(1);
  return [=] {
    CHECK(cudaMemcpyAsync(in, bad ? frame.data() : pinned, sizeof(uchar4) * kPixels, cudaMemcpyHostToDevice));
    grey<<<(kPixels + 255) / 256, 256>>>(in, out, kPixels);
    filter<<<(kPixels + 255) / 256, 256>>>(out, out, kPixels, 200);
    total_of<<<132, 1024>>>(out, sum, kPixels);
  };
}

// A small simulation takes 300 short turns; they are launched one by one, or as a graph.
Step short_turns(bool bad) {
  constexpr int n = 8192, kTurns = 300;
  float4 *at = device<float4>(n), *speed = device<float4>(n);
  static cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  const auto turns = [=] {
    for (int k = 0; k < kTurns; ++k) move_particles<<<n / 128, 128, 0, stream>>>(at, speed, n, 0.001f);
  };
  if (bad) return turns;
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  turns();
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  return [=] { CHECK(cudaGraphLaunch(ready, stream)); };
}

// Each turn takes its scratch memory from the driver and gives it back.
Step scratch_each_turn(bool bad) {
  constexpr int n = 1 << 22, kTurns = 8;
  float *x = device<float>(n), *kept = device<float>(n);
  return [=] {
    for (int k = 0; k < kTurns; ++k) {
      float* scratch = kept;
      if (bad) CHECK(cudaMalloc(&scratch, sizeof(float) * n));
      filter<<<n / 256, 256>>>(x, scratch, n, 20);
      filter<<<n / 256, 256>>>(scratch, x, n, 20);
      if (bad) CHECK(cudaFree(scratch));
    }
  };
}

// A macro from debugging waits for the device after every launch.
Step waits_after_launches(bool bad) {
  constexpr int n = 1 << 18, kTurns = 60;
  float *x = device<float>(n), *y = device<float>(n);
  return [=] {
    for (int k = 0; k < kTurns; ++k) {
      filter<<<n / 256, 256>>>(k % 2 ? y : x, k % 2 ? x : y, n, 100);
      CHECK(cudaGetLastError());
      if (bad) CHECK(cudaDeviceSynchronize());
    }
  };
}

// The sum of a large array is taken by one block, or by as many as the device has SMs.
Step summed_by_one_block(bool bad) {
  constexpr int n = 1 << 22;
  float *x = device<float>(n), *sum = device<float>(1);
  return [=] {
    filter<<<n / 256, 256>>>(x, x, n, 50);
    total_of<<<bad ? 1 : 264, 1024>>>(x, sum, n);
  };
}

__global__ void count_bright(const float* in, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned bright = __ballot_sync(~0u, i < n && in[i] > 0.5f);
  if (threadIdx.x % 32 == 0) atomicAdd(count, __popc(bright));
}

// How many pixels of each frame are bright goes to the host frame by frame, or for all frames at the end.
Step counts_fetched(bool bad) {
  constexpr int n = 640 * 480, kFrames = 24;
  float *in = device<float>(n), *out = device<float>(n);
  int *counts = device<int>(kFrames), *host = nullptr;
  CHECK(cudaMallocHost(&host, sizeof(int) * kFrames));
  return [=] {
    CHECK(cudaMemsetAsync(counts, 0, sizeof(int) * kFrames));
    for (int frame = 0; frame < kFrames; ++frame) {
      filter<<<n / 256, 256>>>(in, out, n, 4);
      count_bright<<<n / 256, 256>>>(out, counts + frame, n);
      if (bad) CHECK(cudaMemcpy(host + frame, counts + frame, sizeof(int), cudaMemcpyDeviceToHost));
    }
    CHECK(cudaMemcpyAsync(host, counts, sizeof(int) * kFrames, cudaMemcpyDeviceToHost));
  };
}

// The particles of each of many groups are moved by a launch of their own, or by one for all groups.
Step groups_launched(bool bad) {
  constexpr int kGroups = 120, kEach = 1024;
  float4 *at = device<float4>(kGroups * kEach), *speed = device<float4>(kGroups * kEach);
  return [=] {
    if (!bad) move_particles<<<kGroups * kEach / 256, 256>>>(at, speed, kGroups * kEach, 1e-3f);
    for (int group = 0; bad && group < kGroups; ++group)
      move_particles<<<kEach / 256, 256>>>(at + group * kEach, speed + group * kEach, kEach, 1e-3f);
  };
}

// Each result is copied to pinned memory before the next one is computed, or beside it on a second stream.
Step results_fetched(bool bad) {
  constexpr int n = 1 << 21, kResults = 8;
  float *in = device<float>(n), *out = device<float>(n * kResults), *host = nullptr;
  CHECK(cudaMallocHost(&host, sizeof(float) * n * kResults));
  cudaStream_t compute, copy;
  CHECK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking));
  cudaEvent_t computed, fetched;
  CHECK(cudaEventCreateWithFlags(&computed, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&fetched, cudaEventDisableTiming));
  return [=] {
    for (int k = 0; k < kResults; ++k) {
      filter<<<n / 256, 256, 0, compute>>>(in, out + k * n, n, 120);
      if (!bad) CHECK(cudaEventRecord(computed, compute));
      if (!bad) CHECK(cudaStreamWaitEvent(copy, computed));
      CHECK(
          cudaMemcpyAsync(host + k * n, out + k * n, sizeof(float) * n, cudaMemcpyDeviceToHost, bad ? compute : copy));
    }
    if (bad) return;
    CHECK(cudaEventRecord(fetched, copy));
    CHECK(cudaStreamWaitEvent(compute, fetched));
  };
}

struct Setting {
  float gain, offset;
  int begin, count;
};

__global__ void apply_setting(float* x, const Setting* setting) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < setting->count) x[setting->begin + i] = x[setting->begin + i] * setting->gain + setting->offset;
}

// 64 regions of a field have settings of their own: each goes to the device before its kernel, or all before the first.
Step settings_each(bool bad) {
  constexpr int kRegions = 64, kEach = 16384;
  float* x = device<float>(kRegions * kEach);
  Setting* there = device<Setting>(kRegions);
  std::vector<Setting> here(kRegions);
  for (int k = 0; k < kRegions; ++k) here[k] = {0.99f, 0.01f, k * kEach, kEach};
  return [=] {
    if (!bad) CHECK(cudaMemcpy(there, here.data(), sizeof(Setting) * kRegions, cudaMemcpyHostToDevice));
    for (int k = 0; k < kRegions; ++k) {
      if (bad) CHECK(cudaMemcpy(there + k, &here[k], sizeof(Setting), cudaMemcpyHostToDevice));
      apply_setting<<<kEach / 256, 256>>>(x, there + k);
    }
  };
}

template <typename T>
__global__ void wave(const T* before, const T* now, T* next, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x >= n - 1 || y >= n - 1) return;
  const int at = y * n + x;
  next[at] = 2 * now[at] - before[at] + T(0.2) * (now[at - 1] + now[at + 1] + now[at - n] + now[at + n] - 4 * now[at]);
}

// Waves on a pond of 4096 x 4096 points, in 64 bits or in 32.
template <typename T>
Step waves_of() {
  constexpr int n = 4096;
  T *a = device<T>(n * n), *b = device<T>(n * n), *c = device<T>(n * n);
  return [=]() mutable {
    for (int turn = 0; turn < 8; ++turn) {
      wave<T><<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, c, n);
      T* oldest = a;
      a = b, b = c, c = oldest;
    }
    CHECK(cudaDeviceSynchronize());
  };
}

Step waves_in_64_bits(bool bad) { return bad ? waves_of<double>() : waves_of<float>(); }

// Sixteen pinned signals in turn go up, are filtered and come back on four streams; a counter of those done is raised on the
// default stream, which waits for the others and they for it, or on the signal's own stream.
__global__ void raise_counter(int* done) { atomicAdd(done, 1); }

Step signals_beside_a_counter(bool bad) {
  constexpr int kSignals = 16, kEach = 1 << 20;
  float *in = nullptr, *out = nullptr;
  CHECK(cudaMallocHost(&in, sizeof(float) * kSignals * kEach));
  CHECK(cudaMallocHost(&out, sizeof(float) * kSignals * kEach));
  std::fill(in, in + kSignals * kEach, 0.25f);
  float *a = device<float>(kSignals * kEach), *b = device<float>(kSignals * kEach);
  int* done = device<int>(1);
  std::vector<cudaStream_t> streams(4);
  for (cudaStream_t& stream : streams) CHECK(cudaStreamCreate(&stream));
  return [=] {
    for (int k = 0; k < kSignals; ++k) {
      const size_t at = size_t(k) * kEach;
      cudaStream_t stream = streams[k % streams.size()];
      CHECK(cudaMemcpyAsync(a + at, in + at, sizeof(float) * kEach, cudaMemcpyHostToDevice, stream));
      filter<<<kEach / 256, 256, 0, stream>>>(a + at, b + at, kEach, 600);
      CHECK(cudaMemcpyAsync(out + at, b + at, sizeof(float) * kEach, cudaMemcpyDeviceToHost, stream));
      raise_counter<<<1, 1, 0, bad ? nullptr : stream>>>(done);
    }
    CHECK(cudaDeviceSynchronize());
  };
}

// The largest of 16 million measured values, as the last of all sorted ones or by a reduction.
Step largest_by_sort(bool bad) {
  constexpr int n = 1 << 24;
  float *values = device<float>(n), *sorted = device<float>(n), *largest = device<float>(1);
  size_t bytes = 0, other_bytes = 0;
  CHECK(cub::DeviceRadixSort::SortKeys(nullptr, bytes, values, sorted, n));
  CHECK(cub::DeviceReduce::Max(nullptr, other_bytes, values, largest, n));
  char* scratch = device<char>(std::max(bytes, other_bytes));
  return [=]() mutable {
    filter<<<n / 256, 256>>>(values, values, n, 4);
    float answer = 0;
    if (bad) {
      CHECK(cub::DeviceRadixSort::SortKeys(scratch, bytes, values, sorted, n));
    } else {
      CHECK(cub::DeviceReduce::Max(scratch, other_bytes, values, largest, n));
    }
    CHECK(cudaMemcpy(&answer, bad ? sorted + n - 1 : largest, sizeof answer, cudaMemcpyDeviceToHost));
  };
}

// A pipeline of 40 short filters: each is timed by two events that the host waits for, or only the first and the last.
Step kernels_timed(bool bad) {
  constexpr int n = 1 << 16, kFilters = 40;
  float *a = device<float>(n), *b = device<float>(n);
  cudaEvent_t began, ended;
  CHECK(cudaEventCreate(&began));
  CHECK(cudaEventCreate(&ended));
  return [=]() mutable {
    float took = 0, sum = 0;
    for (int k = 0; k < kFilters; ++k) {
      if (bad || k == 0) CHECK(cudaEventRecord(began));
      filter<<<n / 256, 256>>>(a, b, n, 20);
      std::swap(a, b);
      if (!bad && k + 1 < kFilters) continue;
      CHECK(cudaEventRecord(ended));
      CHECK(cudaEventSynchronize(ended));
      CHECK(cudaEventElapsedTime(&took, began, ended));
      sum += took;
    }
    if (sum < 0) std::exit(1);
  };
}

struct Case {
  const char *name, *finding;
  Step (*make)(bool bad);
};

constexpr Case kCases[] = {{"chunks_in_turn", "exposed-copy", chunks_in_turn},
                           {"residual_each_turn", "host-sync", residual_each_turn},
                           {"frames_in_vectors", "pageable-copy", frames_in_vectors},
                           {"short_turns", "launch-bound", short_turns},
                           {"scratch_each_turn", "allocator-churn", scratch_each_turn},
                           {"waits_after_launches", "host-sync", waits_after_launches},
                           {"summed_by_one_block", "small-grid", summed_by_one_block},
                           {"counts_fetched", "host-sync", counts_fetched},
                           {"groups_launched", "launch-bound", groups_launched},
                           {"results_fetched", "serial-copies", results_fetched},
                           {"settings_each", "many-small-copies", settings_each},
                           {"waves_in_64_bits", "double-precision", waves_in_64_bits},
                           {"signals_beside_a_counter", "exposed-copy", signals_beside_a_counter},
                           {"largest_by_sort", "full-sort", largest_by_sort},
                           {"kernels_timed", "host-sync", kernels_timed}};

void time_steps(const Step& step) {
  for (int k = 0; k < 8; ++k) step();
  CHECK(cudaDeviceSynchronize());
  std::vector<double> took;
  for (int batch = 0; batch < 7; ++batch) {
    const auto began = std::chrono::steady_clock::now();
    for (int k = 0; k < 6; ++k) step();
    CHECK(cudaDeviceSynchronize());
    took.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - began).count() / 6);
  }
  std::sort(took.begin(), took.end());
  std::printf("%.0f,%.0f,%.0f\n", took[3], took.front(), took.back());
}

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto has = [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  for (const Case& one : kCases) {
    if (has("list")) std::printf("%s,%s\n", one.name, one.finding);
    if (words.empty() || words[0] != one.name) continue;
    const Step step = one.make(!has("mended"));
    if (has("time")) time_steps(step);
    else
      for (int k = 0; k < 20; ++k) step();
    CHECK(cudaDeviceSynchronize());
  }
}
