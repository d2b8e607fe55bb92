// One warp a row that stays in registers, 16 bytes a lane: read once, written once. Rows are multiples of 4 long, at most 128 * VECTORS.
__device__ float total(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  return value;
}

extern "C" __global__ void __launch_bounds__(256)
    layer_norm_registers(const float* x, const float4* w, const float4* b, float* y, int rows, int columns) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float4* in = reinterpret_cast<const float4*>(x + (size_t)row * columns);
  float4* out = reinterpret_cast<float4*>(y + (size_t)row * columns);
  float4 v[VECTORS];
  float sum = 0, squares = 0;
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) v[k] = lane + 32 * k < columns / 4 ? in[lane + 32 * k] : float4{0, 0, 0, 0};
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) sum += (v[k].x + v[k].y) + (v[k].z + v[k].w);
  const float mean = total(sum) / columns;
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    v[k] = {v[k].x - mean, v[k].y - mean, v[k].z - mean, v[k].w - mean};
    if (lane + 32 * k < columns / 4) squares += v[k].x * v[k].x + v[k].y * v[k].y + v[k].z * v[k].z + v[k].w * v[k].w;
  }
  const float scale = rsqrtf(total(squares) / columns + 1e-5f);
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    if (lane + 32 * k >= columns / 4) continue;
    const float4 g = w[lane + 32 * k], o = b[lane + 32 * k];
    out[lane + 32 * k] = {v[k].x * scale * g.x + o.x, v[k].y * scale * g.y + o.y, v[k].z * scale * g.z + o.z, v[k].w * scale * g.w + o.w};
  }
}
