// A call through a pointer to a function, plus a number. Prints the error.
#include <cstdio>
#include <cstdlib>
using Function = int (*)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ Function kept = twice;
__global__ void call(Function f, int* y) { y[threadIdx.x] = f(threadIdx.x); }
int main(int, char** arguments) {
  Function f = nullptr;
  int *y, out[32];
  if (arguments[1][0] == 't') cudaMemcpyFromSymbol(&f, kept, sizeof f);
  f = reinterpret_cast<Function>(reinterpret_cast<char*>(f) + strtoull(arguments[2], nullptr, 0));
  cudaMalloc(&y, sizeof out);
  call<<<1, 32>>>(f, y);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaMemcpy(out, y, sizeof out, cudaMemcpyDeviceToHost);
  printf("%d %d\n", error, error ? 0 : out[31]);
}
