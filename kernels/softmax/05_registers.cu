// One warp a row that stays in registers: read once, written once. A lane keeps VECTORS times 16 bytes, so rows are
// multiples of 4 long and at most 128 * VECTORS.
constexpr float kLowest = -3.402823466e38f;

extern "C" __global__ void __launch_bounds__(64) softmax_registers(const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * 2 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float4* in = reinterpret_cast<const float4*>(x + (size_t)row * columns);
  float4* out = reinterpret_cast<float4*>(y + (size_t)row * columns);
  float4 v[VECTORS];
#pragma unroll
  for (int k = 0; k < VECTORS; ++k)
    v[k] = lane + 32 * k < columns / 4 ? in[lane + 32 * k] : float4{kLowest, kLowest, kLowest, kLowest};
  float most = kLowest, sum = 0;
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) most = fmaxf(most, fmaxf(fmaxf(v[k].x, v[k].y), fmaxf(v[k].z, v[k].w)));
  for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    v[k] = {__expf(v[k].x - most), __expf(v[k].y - most), __expf(v[k].z - most), __expf(v[k].w - most)};
    sum += v[k].x + v[k].y + v[k].z + v[k].w;
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  const float scale = 1 / sum;
#pragma unroll
  for (int k = 0; k < VECTORS; ++k)
    if (lane + 32 * k < columns / 4) out[lane + 32 * k] = {v[k].x * scale, v[k].y * scale, v[k].z * scale, v[k].w * scale};
}
