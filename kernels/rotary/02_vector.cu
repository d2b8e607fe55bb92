// Four pairs, 16 bytes, a thread and head; a thread keeps its cosines and sines for HEADS heads of a position. The size of a head is a
// constant, so that no division is left. The size is a multiple of 8, the number of heads one of HEADS.
__device__ float4 turn(float4 a, float4 c, float4 b, float4 s) {
  return {a.x * c.x + b.x * s.x, a.y * c.y + b.y * s.y, a.z * c.z + b.z * s.z, a.w * c.w + b.w * s.w};
}

extern "C" __global__ void __launch_bounds__(256)
    rotary_vector(const float4* x, const float4* cosine, const float4* sine, float4* y, int heads, int groups) {
  constexpr int kHalf = SIZE / 8;
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= groups) return;
  const int k = i % kHalf, first_row = i / kHalf * HEADS, position = first_row / heads;
  const float4 c = cosine[position * kHalf + k], s = sine[position * kHalf + k];
  float4 a[HEADS], b[HEADS];
#pragma unroll
  for (int h = 0; h < HEADS; ++h) {
    const size_t at = (size_t)(first_row + h) * 2 * kHalf + k;
    a[h] = x[at], b[h] = x[at + kHalf];
  }
#pragma unroll
  for (int h = 0; h < HEADS; ++h) {
    const size_t at = (size_t)(first_row + h) * 2 * kHalf + k;
    y[at] = turn(a[h], c, b[h], {-s.x, -s.y, -s.z, -s.w});
    y[at + kHalf] = turn(b[h], c, a[h], s);
  }
}
