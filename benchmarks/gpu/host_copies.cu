// What copies between host and device take, pinned and pageable, both ways, by size: the host's time of the call, and
// events around it.
//   nvcc -O2 -arch=native -o host_copies host_copies.cu && ./host_copies
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#define CHECK(c)                                                          \
  do {                                                                    \
    cudaError_t e = (c);                                                  \
    if (e != cudaSuccess) {                                               \
      std::printf("%s: %s line %d\n", #c, cudaGetErrorName(e), __LINE__); \
      return 1;                                                           \
    }                                                                     \
  } while (0)
int main() {
  const size_t most = 256u << 20;
  char *d, *pinned, *pageable = (char*)aligned_alloc(4096, most);
  CHECK(cudaMalloc(&d, most));
  CHECK(cudaMallocHost(&pinned, most));
  std::memset(pageable, 1, most);
  std::memset(pinned, 1, most);
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  cudaEvent_t a, b;
  CHECK(cudaEventCreate(&a));
  CHECK(cudaEventCreate(&b));
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  std::printf("%s\n", p.name);
  for (size_t n = 1024; n <= most; n *= 4)
    for (int page = 0; page < 2; ++page)
      for (int out = 0; out < 2; ++out)
        for (int async = 0; async < 2; ++async) {
          char* h = page ? pageable : pinned;
          std::vector<double> host, event;
          const int times = n > (32u << 20) ? 4 : 9;
          for (int i = 0; i < times; ++i) {
            CHECK(cudaStreamSynchronize(s));
            CHECK(cudaEventRecord(a, s));
            auto t = std::chrono::steady_clock::now();
            if (async)
              CHECK(cudaMemcpyAsync(out ? h : d, out ? d : h, n, out ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice,
                                    s));
            else CHECK(cudaMemcpy(out ? h : d, out ? d : h, n, out ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice));
            host.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - t).count());
            CHECK(cudaEventRecord(b, s));
            CHECK(cudaEventSynchronize(b));
            float ms;
            CHECK(cudaEventElapsedTime(&ms, a, b));
            event.push_back(ms * 1e3);
          }
          std::sort(host.begin(), host.end());
          std::sort(event.begin(), event.end());
          double us = event[times / 2];
          std::printf("%9zu %s %s %s host %.2f us, events %.2f us, %.2f GB/s\n", n, page ? "pageable" : "pinned  ",
                      out ? "out" : "in ", async ? "async" : "sync ", host[times / 2], us, n / us / 1e3);
        }
}
