// One warp a row: products and gradients stay in registers, read once. Rows are multiples of 4 long, at most 128 * VECTORS.
extern "C" __global__ void __launch_bounds__(64) softmax_backward_registers(const float* y, const float* dy, float* dx, int rows, int columns) {
  const int row = blockIdx.x * 2 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float4* in = reinterpret_cast<const float4*>(y + (size_t)row * columns);
  const float4* gradient = reinterpret_cast<const float4*>(dy + (size_t)row * columns);
  float4* out = reinterpret_cast<float4*>(dx + (size_t)row * columns);
  float4 v[VECTORS], g[VECTORS];
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    const bool inside = lane + 32 * k < columns / 4;
    v[k] = inside ? in[lane + 32 * k] : float4{0, 0, 0, 0};
    g[k] = inside ? gradient[lane + 32 * k] : float4{0, 0, 0, 0};
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) sum += (v[k].x * g[k].x + v[k].y * g[k].y) + (v[k].z * g[k].z + v[k].w * g[k].w);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
#pragma unroll
  for (int k = 0; k < VECTORS; ++k)
    if (lane + 32 * k < columns / 4)
      out[lane + 32 * k] = {v[k].x * (g[k].x - sum), v[k].y * (g[k].y - sum), v[k].z * (g[k].z - sum), v[k].w * (g[k].w - sum)};
}
