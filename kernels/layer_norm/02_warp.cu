// One warp a row, sums by shuffles, three passes.
__device__ float total(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  return value;
}

extern "C" __global__ void layer_norm_warp(const float* x, const float* w, const float* b, float* y, int rows, int columns) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float* in = x + (size_t)row * columns;
  float sum = 0, squares = 0;
  for (int c = lane; c < columns; c += 32) sum += in[c];
  const float mean = total(sum) / columns;
  for (int c = lane; c < columns; c += 32) squares += (in[c] - mean) * (in[c] - mean);
  const float scale = rsqrtf(total(squares) / columns + 1e-5f);
  for (int c = lane; c < columns; c += 32) y[(size_t)row * columns + c] = (in[c] - mean) * scale * w[c] + b[c];
}
