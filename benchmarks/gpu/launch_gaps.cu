// What a stream takes between kernels that wait in it, alone and as nodes of a graph, and what calls cost the host, without a profiler.
//   nvcc -O2 -arch=native -o launch_gaps launch_gaps.cu && ./launch_gaps      (CSV: what, nanoseconds)
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

__global__ void wait_clocks(long long clocks) {
  const long long begin = clock64();
  while (clock64() - begin < clocks) {
  }
}
__global__ void add_one(float* p) { p[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kKernels = 400, kRounds = 21;

double ns_since(Clock::time_point begin) { return std::chrono::duration<double, std::nano>(Clock::now() - begin).count(); }

template <typename Measured>
void report(const char* what, Measured measured) {
  std::vector<double> all;
  for (int i = 0; i < kRounds; ++i) all.push_back(measured());
  std::sort(all.begin(), all.end());
  std::printf("%s,%.0f\n", what, all[kRounds / 2]);
}

/// Of each kernel behind the first, with all of them queued before the first begins.
template <typename Enqueue>
double between_events(cudaStream_t stream, Enqueue enqueue) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  wait_clocks<<<1, 1, 0, stream>>>(20'000'000);
  cudaEventRecord(begin, stream);
  enqueue();
  cudaEventRecord(end, stream);
  cudaStreamSynchronize(stream);
  float ms = 0;
  cudaEventElapsedTime(&ms, begin, end);
  return ms * 1e6 / kKernels;
}

void kernels_in_a_row(cudaStream_t stream, float* p, unsigned blocks, const char* plain, const char* graphed) {
  const auto launch = [&] {
    for (int i = 0; i < kKernels; ++i) add_one<<<blocks, 256, 0, stream>>>(p);
  };
  report(plain, [&] { return between_events(stream, launch); });
  cudaGraph_t graph;
  cudaGraphExec_t made;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  launch();
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&made, graph, 0);
  report(graphed, [&] { return between_events(stream, [&] { cudaGraphLaunch(made, stream); }); });
  report("host: launch of a graph of 400", [&] {
    cudaStreamSynchronize(stream);
    const auto begin = Clock::now();
    cudaGraphLaunch(made, stream);
    return ns_since(begin);
  });
}

/// Each of `count` calls, the stream having room.
template <typename Call>
void host(const char* what, cudaStream_t stream, int count, Call call) {
  report(what, [&] {
    cudaStreamSynchronize(stream);
    const auto begin = Clock::now();
    for (int i = 0; i < count; ++i) call();
    return ns_since(begin) / count;
  });
}

}  // namespace

int main() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  float *p, *pinned, *other, *pageable = new float[1 << 20]{};
  cudaMalloc(&p, 64 << 20), cudaMalloc(&other, 64 << 20), cudaMallocHost(&pinned, 4 << 20);
  add_one<<<1, 256, 0, stream>>>(p);
  kernels_in_a_row(stream, p, 1, "kernel of 1 block in a row", "the same in a graph");
  kernels_in_a_row(stream, p, 132, "kernel of 132 blocks in a row", "the same in a graph");
  cudaEvent_t event;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  host("host: launch", stream, 200, [&] { add_one<<<1, 256, 0, stream>>>(p); });
  host("host: cudaMemcpyAsync 4 B to the device, pageable", stream, 100, [&] { cudaMemcpyAsync(p, pageable, 4, cudaMemcpyHostToDevice, stream); });
  host("host: cudaMemcpyAsync 4 B to the device, pinned", stream, 100, [&] { cudaMemcpyAsync(p, pinned, 4, cudaMemcpyHostToDevice, stream); });
  host("host: cudaMemcpyAsync within the device", stream, 100, [&] { cudaMemcpyAsync(p, other, 4, cudaMemcpyDeviceToDevice, stream); });
  host("host: cudaMemsetAsync", stream, 100, [&] { cudaMemsetAsync(p, 0, 4, stream); });
  host("host: cudaEventRecord", stream, 200, [&] { cudaEventRecord(event, stream); });
  host("host: cudaStreamWaitEvent", stream, 200, [&] { cudaStreamWaitEvent(stream, event, 0); });
  host("host: cudaStreamSynchronize, idle", stream, 100, [&] { cudaStreamSynchronize(stream); });
  int number;
  cudaStreamCaptureStatus status;
  cudaFuncAttributes function;
  cudaPointerAttributes pointer;
  host("host: cudaGetDevice", stream, 1000, [&] { cudaGetDevice(&number); });
  host("host: cudaSetDevice", stream, 1000, [&] { cudaSetDevice(0); });
  host("host: cudaGetLastError", stream, 1000, [&] { cudaGetLastError(); });
  host("host: cudaPeekAtLastError", stream, 1000, [&] { cudaPeekAtLastError(); });
  host("host: cudaStreamIsCapturing", stream, 1000, [&] { cudaStreamIsCapturing(stream, &status); });
  host("host: cudaStreamGetCaptureInfo", stream, 1000, [&] { cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, nullptr, nullptr, nullptr); });
  host("host: cudaStreamQuery", stream, 200, [&] { cudaStreamQuery(stream); });
  host("host: cudaEventQuery", stream, 200, [&] { cudaEventQuery(event); });
  host("host: cudaDeviceGetAttribute", stream, 1000, [&] { cudaDeviceGetAttribute(&number, cudaDevAttrMultiProcessorCount, 0); });
  host("host: cudaFuncGetAttributes", stream, 200, [&] { cudaFuncGetAttributes(&function, add_one); });
  host("host: cudaOccupancyMaxActiveBlocksPerMultiprocessor", stream, 200, [&] { cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, add_one, 256, 0); });
  host("host: cudaPointerGetAttributes", stream, 200, [&] { cudaPointerGetAttributes(&pointer, p); });
  host("host: cudaEventCreate and cudaEventDestroy", stream, 100, [&] {
    cudaEvent_t made;
    cudaEventCreateWithFlags(&made, cudaEventDisableTiming), cudaEventDestroy(made);
  });
  host("host: cudaMallocAsync and cudaFreeAsync", stream, 100, [&] {
    void* made;
    cudaMallocAsync(&made, 2 << 20, stream), cudaFreeAsync(made, stream);
  });
  host("host: cudaMalloc and cudaFree of 2 MiB", stream, 20, [&] {
    void* made;
    cudaMalloc(&made, 2 << 20), cudaFree(made);
  });
  host("launch, then wait for it", stream, 50, [&] { add_one<<<1, 256, 0, stream>>>(p), cudaStreamSynchronize(stream); });
  host("launch, 4 B back to pageable memory, then wait", stream, 50, [&] {
    add_one<<<1, 256, 0, stream>>>(p);
    cudaMemcpyAsync(pageable, p, 4, cudaMemcpyDeviceToHost, stream), cudaStreamSynchronize(stream);
  });
  host("4 B back to pageable memory, then wait", stream, 50, [&] {
    cudaMemcpyAsync(pageable, p, 4, cudaMemcpyDeviceToHost, stream), cudaStreamSynchronize(stream);
  });
  host("4 B back to pinned memory, then wait", stream, 50, [&] {
    cudaMemcpyAsync(pinned, p, 4, cudaMemcpyDeviceToHost, stream), cudaStreamSynchronize(stream);
  });
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
