#include <cstdio>
__device__ double add(double* address, double value) {
  auto* word = reinterpret_cast<unsigned long long*>(address);
  unsigned long long old = *word, seen;
  do {
    seen = old;
    old = atomicCAS(word, seen, __double_as_longlong(value + __longlong_as_double(seen)));
  } while (seen != old);
  return __longlong_as_double(old);
}
__device__ void most(float* address, float value) {
  int old = __float_as_int(*address);
  while (__int_as_float(old) < value) {
    const int seen = old;
    if ((old = atomicCAS(reinterpret_cast<int*>(address), seen, __float_as_int(value))) == seen) break;
  }
}
__global__ void loops(double* sum, float* largest) { add(sum, threadIdx.x + blockIdx.x * 128), most(largest, threadIdx.x); }
__global__ void few(int* count) { if (*count < 5) atomicAdd(count, 1); }
int main() {
  double *x, sum;
  float largest;
  cudaMalloc(&x, 24);
  cudaMemset(x, 0, 24);
  loops<<<32, 128>>>(x, reinterpret_cast<float*>(x + 1));
  few<<<2, 64>>>(reinterpret_cast<int*>(x + 2));
  cudaMemcpy(&sum, x, 8, cudaMemcpyDeviceToHost);
  cudaMemcpy(&largest, x + 1, 4, cudaMemcpyDeviceToHost);
  std::printf("%.0f %.0f\n", sum, largest);
  cudaFree(x);
}
