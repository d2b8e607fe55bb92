// Launches whose times were predicted before they were measured: loops of barriers, clusters, tensor cores, long chains, small ones.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <mma.h>

namespace cg = cooperative_groups;

// Sums before each element, of a block's 256, over and over.
__global__ void scan_again(const float* x, float* y, int turns) {
  __shared__ float s[2][256];
  const int t = threadIdx.x, at = blockIdx.x * 256 + t;
  float mine = x[at];
  for (int turn = 0; turn < turns; ++turn) {
    s[0][t] = mine;
    __syncthreads();
    int from = 0;
    for (int step = 1; step < 256; step *= 2) {
      s[1 - from][t] = t >= step ? s[from][t] + s[from][t - step] : s[from][t];
      from = 1 - from;
      __syncthreads();
    }
    mine = s[from][t] * 0.001f;
  }
  y[at] = mine;
}

__global__ void bitonic(const unsigned* x, unsigned* y) {
  __shared__ unsigned s[1024];
  const unsigned t = threadIdx.x, base = blockIdx.x * 1024;
  s[t] = x[base + t], s[t + 512] = x[base + t + 512];
  __syncthreads();
  for (unsigned size = 2; size <= 1024; size *= 2) {
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      const unsigned low = 2 * t - (t & (stride - 1)), high = low + stride;
      const unsigned a = s[low], b = s[high];
      const bool up = (low & size) == 0;
      if ((a > b) == up) s[low] = b, s[high] = a;
      __syncthreads();
    }
  }
  y[base + t] = s[t], y[base + t + 512] = s[t + 512];
}

// Steps of the game of life on a torus of 32 x 32 cells a block.
__global__ void life(const unsigned char* x, unsigned char* y, int steps) {
  __shared__ unsigned char cells[2][32][32];
  const int i = threadIdx.x, j = threadIdx.y, at = (blockIdx.x * 32 + j) * 32 + i;
  cells[0][j][i] = x[at] & 1;
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    int around = 0;
    for (int dj = 31; dj <= 33; ++dj)
      for (int di = 31; di <= 33; ++di) around += cells[step & 1][(j + dj) & 31][(i + di) & 31];
    const int self = cells[step & 1][j][i];
    cells[1 - (step & 1)][j][i] = around == 3 || (around == 4 && self);
    __syncthreads();
  }
  y[at] = cells[steps & 1][j][i];
}

// Each block of a cluster adds what the next one holds, all around.
__global__ void __cluster_dims__(4, 1, 1) around_cluster(const float* x, float* y, int turns) {
  __shared__ float s[1024];
  cg::cluster_group cluster = cg::this_cluster();
  const int at = blockIdx.x * 1024 + threadIdx.x;
  for (int k = 0; k < 1024; k += 256) s[threadIdx.x + k] = x[at + k];
  cluster.sync();
  const float* next = cluster.map_shared_rank(s, (cluster.block_rank() + 1) % 4);
  float sum = 0;
  for (int turn = 0; turn < turns; ++turn)
    for (int k = 0; k < 1024; k += 256) sum += next[(threadIdx.x + k + 32 * turn) & 1023];
  cluster.sync();
  y[blockIdx.x * 256 + threadIdx.x] = sum;
}

// Tiles of 64 x 64 results a block, by wmma on halves, from shared memory.
__global__ void halves_product(const __half* a, const __half* b, float* c, int n) {
  using namespace nvcuda;
  __shared__ __half as[64][40], bs[32][72];
  const int warp = threadIdx.x / 32, row = warp / 2 * 32, column = warp % 2 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[2][2];
  for (auto& line : sums)
    for (auto& sum : line) wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 32) {
    for (int e = threadIdx.x; e < 64 * 4; e += 128)
      *reinterpret_cast<uint4*>(&as[e / 4][e % 4 * 8]) = *reinterpret_cast<const uint4*>(&a[(blockIdx.y * 64 + e / 4) * n + k + e % 4 * 8]);
    for (int e = threadIdx.x; e < 32 * 8; e += 128)
      *reinterpret_cast<uint4*>(&bs[e / 8][e % 8 * 8]) = *reinterpret_cast<const uint4*>(&b[(k + e / 8) * n + blockIdx.x * 64 + e % 8 * 8]);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb[2];
      for (int i = 0; i < 2; ++i) {
        wmma::load_matrix_sync(fa[i], &as[row + 16 * i][kk], 40);
        wmma::load_matrix_sync(fb[i], &bs[kk][column + 16 * i], 72);
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) wmma::mma_sync(sums[i][j], fa[i], fb[j], sums[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      wmma::store_matrix_sync(&c[(blockIdx.y * 64 + row + 16 * i) * n + blockIdx.x * 64 + column + 16 * j], sums[i][j], n, wmma::mem_row_major);
}

__global__ void julia(float* y, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float re = 3.2f * (i % width) / width - 1.6f, im = 2.4f * (i / width) / width - 1.2f;
  int k = 0;
  for (; k < 200 && re * re + im * im < 4; ++k) {
    const float next = re * re - im * im - 0.8f;
    im = 2 * re * im + 0.156f;
    re = next;
  }
  y[i] = k;
}

// Colours of three bytes to grey.
__global__ void grey(const unsigned char* x, unsigned char* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = (77 * x[3 * i] + 150 * x[3 * i + 1] + 29 * x[3 * i + 2]) >> 8;
}

// The largest element so far, of rows of 1,024, a warp each.
__global__ void running_maximum(const float* x, float* y) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float before = -1e30f;
  for (int k = lane; k < 1024; k += 32) {
    float here = x[row * 1024 + k];
    for (int step = 1; step < 32; step *= 2) {
      const float other = __shfl_up_sync(~0u, here, step);
      if (lane >= step) here = fmaxf(here, other);
    }
    here = fmaxf(here, before);
    y[row * 1024 + k] = here;
    before = __shfl_sync(~0u, here, 31);
  }
}

// A checksum of each record of 64 bytes.
__global__ void checksums(const unsigned* x, unsigned* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned h = 2166136261u;
  for (int k = 0; k < 16; ++k)
    for (int byte = 0; byte < 4; ++byte) h = (h ^ (x[16 * i + k] >> 8 * byte & 255)) * 16777619u;
  y[i] = h;
}

__global__ void jacobi(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1) return;
  y[j * n + i] = 0.25f * (x[j * n + i - 1] + x[j * n + i + 1] + x[(j - 1) * n + i] + x[(j + 1) * n + i]);
}

// The nearest of 32 centres of 4 numbers.
__global__ void nearest(const float4* x, const float4* centres, int* y) {
  __shared__ float4 s[32];
  if (threadIdx.x < 32) s[threadIdx.x] = centres[threadIdx.x];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 p = x[i];
  float best = 1e30f;
  int at = 0;
  for (int k = 0; k < 32; ++k) {
    const float4 c = s[k];
    const float d = (p.x - c.x) * (p.x - c.x) + (p.y - c.y) * (p.y - c.y) + (p.z - c.z) * (p.z - c.z) + (p.w - c.w) * (p.w - c.w);
    if (d < best) best = d, at = k;
  }
  y[i] = at;
}

// Mean and variance of each of few channels: a block walks through all of one.
__global__ void channel_statistics(const float* x, float* y, int n, int channels) {
  __shared__ float sums[2][8];
  float sum = 0, squares = 0;
  for (int k = threadIdx.x; k < n; k += blockDim.x) {
    const float v = x[(k / 1024 * channels + blockIdx.x) * 1024 + k % 1024];
    sum += v, squares += v * v;
  }
  for (int step = 16; step > 0; step /= 2) {
    sum += __shfl_xor_sync(~0u, sum, step);
    squares += __shfl_xor_sync(~0u, squares, step);
  }
  if (threadIdx.x % 32 == 0) sums[0][threadIdx.x / 32] = sum, sums[1][threadIdx.x / 32] = squares;
  __syncthreads();
  if (threadIdx.x) return;
  for (int k = 1; k < 8; ++k) sum += sums[0][k], squares += sums[1][k];
  y[2 * blockIdx.x] = sum / n, y[2 * blockIdx.x + 1] = squares / n - sum / n * (sum / n);
}

__global__ void column_sums(const float* x, float* y, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int row = blockIdx.y; row < rows; row += gridDim.y) sum += x[row * columns + column];
  atomicAdd(&y[column], sum);
}

__global__ void axpy(const float* x, float* y, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
