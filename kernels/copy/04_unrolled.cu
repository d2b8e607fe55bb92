// Each thread copies four times 16 bytes, a block apart: all loads are on their way before the first store waits.
extern "C" __global__ void __launch_bounds__(256) copy_unrolled(const float4* x, float4* y, int n4) {
  const int first = blockIdx.x * 1024 + threadIdx.x;
  float4 v[4];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (first + k * 256 < n4) v[k] = x[first + k * 256];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (first + k * 256 < n4) y[first + k * 256] = v[k];
}
