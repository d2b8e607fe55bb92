// Kernels that hand objects with virtual functions, and pointers to functions, to each other. Built with -rdc=true of two
// units. Prints how many results are wrong.
#include <cstdio>

#include "shapes.h"

using Function = float (*)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ float thrice(float x) { return 3 * x; }
__device__ Function table[2] = {twice, thrice};

__global__ void areas(Shape** in, float* out, int n) {
  const int i = threadIdx.x;
  if (i < n) out[i] = in[i]->area(2) + 1000 * in[i]->id();
}
__global__ void drop(Shape** in, int n) {
  if (threadIdx.x < n) delete in[threadIdx.x];
}
__global__ void choose(Function* out, int which) { *out = which == 2 ? thrice : table[which]; }
__global__ void apply(Function* function, float* out, float x) { *out = (*function)(x); }

int main() {
  constexpr int kShapes = 40;
  Shape** shapes;
  float* out;
  Function* function;
  cudaMalloc(&shapes, kShapes * sizeof(Shape*));
  cudaMalloc(&function, sizeof(Function));
  cudaMallocManaged(&out, kShapes * sizeof(float));
  int wrong = 0;
  make_shapes<<<1, 64>>>(shapes, kShapes);
  areas<<<1, 64>>>(shapes, out, kShapes);
  cudaDeviceSynchronize();
  for (int i = 0; i < kShapes; ++i) wrong += out[i] != (i % 2 ? 2.0f * i * i + 7000 : 6.0f * i * i + 1000);
  drop<<<1, 64>>>(shapes, kShapes);
  for (int which = 0; which < 3; ++which) {
    choose<<<1, 1>>>(function, which);
    apply<<<1, 1>>>(function, out, 5);
    cudaDeviceSynchronize();
    wrong += out[0] != (which == 0 ? 10.0f : 15.0f);
  }
  const cudaError_t error = cudaDeviceSynchronize();
  printf("%d wrong, %s\n", wrong, cudaGetErrorString(error));
  return wrong;
}
