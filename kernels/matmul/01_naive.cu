// Step 1: a thread an element, neighbours in a warp down a column: each load of A and store of C touches 32 rows.
// C (m x n) = A (m x k) * B (k x n), fp32, row-major. Blocks of 32 x 32.
extern "C" __global__ void matmul_naive(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[size_t(row) * k + i] * b[size_t(i) * n + column];
  c[size_t(row) * n + column] = sum;
}
