// One pair a thread; cosines and sines come from tables, which stay in the caches over the heads of a position.
extern "C" __global__ void rotary_table(const float* x, const float* cosine, const float* sine, float* y, int heads, int size, int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, half = size / 2;
  if (i >= pairs) return;
  const int k = i % half, row = i / half, position = row / heads;
  const float c = cosine[position * half + k], s = sine[position * half + k];
  const float a = x[(size_t)row * size + k], b = x[(size_t)row * size + half + k];
  y[(size_t)row * size + k] = a * c - b * s;
  y[(size_t)row * size + half + k] = b * c + a * s;
}
