// One warp a row, three passes; lanes combine what they found by shuffles.
constexpr float kLowest = -3.402823466e38f;

extern "C" __global__ void softmax_warp(const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float* in = x + (size_t)row * columns;
  float most = kLowest, sum = 0;
  for (int c = lane; c < columns; c += 32) most = fmaxf(most, in[c]);
  for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
  for (int c = lane; c < columns; c += 32) sum += __expf(in[c] - most);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  for (int c = lane; c < columns; c += 32) y[(size_t)row * columns + c] = __expf(in[c] - most) / sum;
}
