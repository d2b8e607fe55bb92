// Step 2: neighbours in a warp along a row: B and C move in whole lines, A's element is one for the warp.
// C (m x n) = A (m x k) * B (k x n), fp32, row-major. Blocks of 32 x 32.
extern "C" __global__ void matmul_coalesced(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[size_t(row) * k + i] * b[size_t(i) * n + column];
  c[size_t(row) * n + column] = sum;
}
