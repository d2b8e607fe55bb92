// When a program hears of a kernel's error; what pointers to device variables are; an instruction that only machine code has.
#include <cstdio>
#include <cstdlib>
#include <cstring>
__device__ int variable[4];
__constant__ int constant[4];
__managed__ int managed;
__global__ void write_far(int* x) { x[1ll << 38] = 1; }
__global__ void add_up(const int* x, int* y) {
  int sum;
  asm("vadd.s32.s32.s32.sat %0, %1, %2;" : "=r"(sum) : "r"(x[threadIdx.x]), "r"(2000000000));
  y[threadIdx.x] = sum;
}
void kind(const void* pointer) {
  cudaPointerAttributes is{};
  const cudaError_t error = cudaPointerGetAttributes(&is, pointer);
  printf("%d %d %d %d\n", error, is.type, is.device, is.devicePointer == pointer);
}
int main(int, char** arguments) {
  int* x = nullptr;
  cudaMalloc(&x, 512);
  if (!strcmp(arguments[1], "kinds")) {
    void *at = nullptr, *fixed = nullptr;
    cudaGetSymbolAddress(&at, variable);
    cudaGetSymbolAddress(&fixed, constant);
    for (const void* pointer : {static_cast<const void*>(x), static_cast<const void*>(at), static_cast<const void*>(fixed),
                                static_cast<const void*>(&managed), static_cast<const void*>(&x)})
      kind(pointer);
  } else if (!strcmp(arguments[1], "sums")) {
    int h[64];
    for (int i = 0; i < 64; ++i) h[i] = i * 10000000;
    cudaMemcpy(x, h, 256, cudaMemcpyHostToDevice);
    add_up<<<1, 64>>>(x, x + 64);
    printf("%d\n", cudaMemcpy(h, x + 64, 256, cudaMemcpyDeviceToHost));
    printf("%d %d\n", h[1], h[63]);
  } else {
    write_far<<<1, 1>>>(x);
    printf("%d\n", cudaGetLastError());
    printf("%d\n", cudaDeviceSynchronize());
    printf("%d\n", cudaGetLastError());
  }
  return cudaFree(x);
}
