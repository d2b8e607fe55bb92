// One warp a row, two passes (Milakov and Gimelshein, 2018): the sum is rescaled when a larger element comes,
// once for 16 elements a lane.
// Rows are multiples of 4 long.
constexpr float kLowest = -3.402823466e38f;

extern "C" __global__ void softmax_online(const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float4* in = reinterpret_cast<const float4*>(x + (size_t)row * columns);
  float4* out = reinterpret_cast<float4*>(y + (size_t)row * columns);
  float most = kLowest, sum = 0;
  for (int first = lane; first < columns / 4; first += 128) {
    float4 v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = first + 32 * k < columns / 4 ? in[first + 32 * k] : float4{kLowest, kLowest, kLowest, kLowest};
    float larger = most;
#pragma unroll
    for (int k = 0; k < 4; ++k) larger = fmaxf(larger, fmaxf(fmaxf(v[k].x, v[k].y), fmaxf(v[k].z, v[k].w)));
    sum *= __expf(most - larger), most = larger;
#pragma unroll
    for (int k = 0; k < 4; ++k) sum += (__expf(v[k].x - most) + __expf(v[k].y - most)) + (__expf(v[k].z - most) + __expf(v[k].w - most));
  }
  for (int step = 16; step > 0; step /= 2) {
    const float other = __shfl_xor_sync(~0u, most, step), larger = fmaxf(most, other);
    const float others = __shfl_xor_sync(~0u, sum, step);
    sum = sum * __expf(most - larger) + others * __expf(other - larger);
    most = larger;
  }
  const float scale = 1 / sum;
  for (int c = lane; c < columns / 4; c += 32) {
    const float4 v = in[c];
    out[c] = {__expf(v.x - most) * scale, __expf(v.y - most) * scale, __expf(v.z - most) * scale, __expf(v.w - most) * scale};
  }
}
