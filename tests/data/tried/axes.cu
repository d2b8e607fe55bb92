// A stencil whose threads follow the slowest index.
extern "C" __global__ void stencil(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y,
            k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i < 1 || j < 1 || k < 1 || i >= n - 1 || j >= n - 1 || k >= n - 1) return;
  float sum = 0;
  for (int a = -1; a <= 1; ++a)
    for (int b = -1; b <= 1; ++b)
      for (int c = -1; c <= 1; ++c) sum += in[((i + a) * n + j + b) * n + k + c] / (1 + a * a + b * b + c * c);
  out[(i * n + j) * n + k] = sum;
}
