// What every step is compared with: a thread an element, sums in double precision.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

/// C (m x n) = A (m x k) * B, which is k x n, or n x k where `kTransposed`. Blocks of 32 x 8.
template <class T, class Out, bool kTransposed>
__device__ void multiply(const T* a, const T* b, Out* c, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  double sum = 0;
  for (int i = 0; i < k; ++i)
    sum += double(float(a[size_t(row) * k + i])) * double(float(b[kTransposed ? size_t(column) * k + i : size_t(i) * n + column]));
  c[size_t(row) * n + column] = Out(float(sum));
}

extern "C" __global__ void reference_f32(const float* a, const float* b, float* c, int m, int n, int k) {
  multiply<float, float, false>(a, b, c, m, n, k);
}
extern "C" __global__ void reference_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m, int n, int k) {
  multiply<__nv_bfloat16, __nv_bfloat16, true>(a, b, c, m, n, k);
}
extern "C" __global__ void reference_fp16(const __half* a, const __half* b, __half* c, int m, int n, int k) {
  multiply<__half, __half, true>(a, b, c, m, n, k);
}
extern "C" __global__ void reference_fp8(const __nv_fp8_e4m3* a, const __nv_fp8_e4m3* b, __nv_bfloat16* c, int m, int n, int k) {
  multiply<__nv_fp8_e4m3, __nv_bfloat16, true>(a, b, c, m, n, k);
}
