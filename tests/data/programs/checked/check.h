// What the self-checking programs share: checks, digests, device arrays.
#pragma once
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#define OK(x)                                                                   \
  do {                                                                          \
    cudaError_t e_ = (x);                                                       \
    if (e_ != cudaSuccess) {                                                    \
      printf("%s:%d %s -> %s\n", __FILE__, __LINE__, #x, cudaGetErrorName(e_)); \
      exit(2);                                                                  \
    }                                                                           \
  } while (0)
static int g_bad = 0;
inline uint64_t digest(const void* p, size_t n) {
  uint64_t h = 1469598103934665603ull;
  for (size_t i = 0; i < n; ++i) h = (h ^ ((const unsigned char*)p)[i]) * 1099511628211ull;
  return h;
}
#define EXPECT(name, cond)                           \
  do {                                               \
    bool c_ = (cond);                                \
    if (!c_) ++g_bad;                                \
    printf("%-40s %s\n", name, c_ ? "ok" : "WRONG"); \
  } while (0)
template <class T>
void show(const char* name, const T* p, size_t n) {
  printf("%-40s %016llx\n", name, (unsigned long long)digest(p, n * sizeof(T)));
}
template <class T>
void show(const char* name, const std::vector<T>& v) {
  show(name, v.data(), v.size());
}
template <class T>
struct Dev {
  T* p;
  size_t n;
  Dev(size_t n_, int fill = 0) : n(n_) {
    OK(cudaMalloc(&p, n * sizeof(T)));
    OK(cudaMemset(p, fill, n * sizeof(T)));
  }
  Dev(const std::vector<T>& v) : n(v.size()) {
    OK(cudaMalloc(&p, n * sizeof(T)));
    OK(cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Dev() { cudaFree(p); }
  operator T*() { return p; }
  std::vector<T> get() {
    std::vector<T> v(n);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
  }
};
inline uint32_t rnd(uint32_t& s) {
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  return s;
}
inline int done() {
  cudaError_t e = cudaDeviceSynchronize();
  if (e) {
    printf("at the end: %s\n", cudaGetErrorName(e));
    g_bad++;
  }
  puts(g_bad ? "FAILED" : "PASSED");
  return g_bad != 0;
}
