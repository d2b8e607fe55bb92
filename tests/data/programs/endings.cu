// How a checked program can end: its argument says which way.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void fill(int* x) { x[threadIdx.x] = threadIdx.x; }
__global__ void count_all(int* x) { x[0] = x[0] + 1; }
__global__ void stop(int* x) {
  if (x[0] == 0) __trap();
}
__constant__ char format[] = "thread %d says %s\n";
__constant__ char word[] = "hello";
__global__ void speak() { printf(format, int(threadIdx.x), word); }
__global__ void sizes(unsigned* out) {
  extern __shared__ int dynamic[];
  unsigned bytes, total;
  asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  asm volatile("mov.u32 %0, %%total_smem_size;" : "=r"(total));
  dynamic[0] = 0;
  out[0] = bytes;
  out[1] = total;
}

__attribute__((noinline)) void keep_six() {
  for (int i = 0; i < 6; ++i) {
    void* kept;
    cudaMalloc(&kept, 65536);
  }
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  int* x;
  cudaMallocManaged(&x, 4096);
  memset(x, 0, 4096);
  const auto is = [&](const char* name) { return strcmp(how, name) == 0; };
  if (is("refused")) fill<<<1, 2048>>>(x);
  if (is("asked")) {
    fill<<<1, 2048>>>(x);
    if (cudaGetLastError() != cudaSuccess) fill<<<1, 256>>>(x);
  }
  if (is("clean") || is("frees") || is("signal") || is("leaks")) fill<<<1, 256>>>(x);
  if (is("counter")) count_all<<<1, 32>>>(x);
  if (is("stop")) stop<<<1, 32>>>(x);
  if (is("speak")) speak<<<1, 2>>>();
  if (is("sizes")) sizes<<<1, 32, 1000>>>(reinterpret_cast<unsigned*>(x));
  if (is("leaks")) keep_six();
  cudaDeviceSynchronize();
  if (is("sizes")) printf("%u %u\n", unsigned(x[0]), unsigned(x[1]));
  if (is("signal")) abort();
  printf("output\n");
  if (is("frees")) cudaFree(x + 2);
  if (!is("leaks")) cudaFree(x);
  if (is("frees")) cudaFree(x);
  return 0;
}
