// Inclusive prefix sums in three kernels: of each block in shared memory (Hillis and Steele, 1986), of the blocks' sums, and added up.
extern "C" __global__ void scan_blocks(const float* x, float* y, float* sums, int n) {
  __shared__ float part[2][256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  int from = 0;
  part[0][threadIdx.x] = i < n ? x[i] : 0;
  for (int step = 1; step < 256; step *= 2, from ^= 1) {
    __syncthreads();
    const float before = threadIdx.x >= step ? part[from][threadIdx.x - step] : 0;
    part[from ^ 1][threadIdx.x] = part[from][threadIdx.x] + before;
  }
  if (i < n) y[i] = part[from][threadIdx.x];
  if (threadIdx.x == 255) sums[blockIdx.x] = part[from][255];
}
// One block walks over all sums.
extern "C" __global__ void scan_sums(float* sums, int n) {
  __shared__ float part[2][1024];
  float carry = 0;
  for (int first = 0; first < n; first += 1024) {
    int from = 0;
    part[0][threadIdx.x] = first + threadIdx.x < n ? sums[first + threadIdx.x] : 0;
    for (int step = 1; step < 1024; step *= 2, from ^= 1) {
      __syncthreads();
      const float before = threadIdx.x >= step ? part[from][threadIdx.x - step] : 0;
      part[from ^ 1][threadIdx.x] = part[from][threadIdx.x] + before;
    }
    __syncthreads();
    if (first + threadIdx.x < n) sums[first + threadIdx.x] = carry + part[from][threadIdx.x];
    carry += part[from][1023];
    __syncthreads();
  }
}
extern "C" __global__ void scan_add(float* y, const float* sums, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (blockIdx.x > 0 && i < n) y[i] += sums[blockIdx.x - 1];
}
