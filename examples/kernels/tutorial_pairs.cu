// What tutorials teach, as pairs once more: NAME_bad before the lesson and NAME_fixed after it.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
template <int N>
static __device__ void keep(const int* k, const float* x, float* y, int count) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float kept[N];
#pragma unroll
  for (int q = 0; q < N; ++q) kept[q] = x[id + q];
  int at = id;
  for (int t = 0; t < count; ++t) {
    at = k[at] & 0xfffff;
#pragma unroll
    for (int q = 0; q < N; ++q) kept[q] = kept[q] * 0.5f + at;
  }
  float sum = 0;
#pragma unroll
  for (int q = 0; q < N; ++q) sum += kept[q];
  y[id] = sum;
}
extern "C" {
__global__ void logistic_bad(const float* x, float* y, int count) {  // losses of a logistic regression, functions to the last bit
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id], sum = 0;
  for (int k = 0; k < count; ++k) {
    const float p = 1 / (1 + expf(-v * k));
    sum -= logf(p + 1e-6f) / (1 + k);
  }
  y[id] = sum;
}
__global__ void logistic_fixed(const float* x, float* y, int count) {  // quick ones
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id], sum = 0;
  for (int k = 0; k < count; ++k) {
    const float p = __fdividef(1, 1 + __expf(-v * k));
    sum -= __fdividef(__logf(p + 1e-6f), 1 + k);
  }
  y[id] = sum;
}
static __device__ float all_of_block(float v, float* shared) {
  for (int s = 16; s > 0; s /= 2) v += __shfl_xor_sync(~0u, v, s);
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = v;
  __syncthreads();
  v = 0;
  for (int k = 0; k < blockDim.x / 32; ++k) v += shared[k];
  return v;
}
__global__ void rms_bad(const float* x, const float* w, float* y, int width) {  // a row for its squares, then again for the result
  __shared__ float shared[32];
  const float* row = x + (size_t)blockIdx.x * width;
  float sum = 0;
  for (int c = threadIdx.x; c < width; c += blockDim.x) sum += row[c] * row[c];
  const float scale = rsqrtf(all_of_block(sum, shared) / width + 1e-6f);
  for (int c = threadIdx.x; c < width; c += blockDim.x) y[(size_t)blockIdx.x * width + c] = row[c] * scale * w[c & 4095];
}
__global__ void rms_fixed(const float* x, const float* w, float* y, int width) {  // once
  __shared__ float shared[32];
  const float* row = x + (size_t)blockIdx.x * width;
  float v[32], sum = 0;
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    v[k] = row[threadIdx.x + k * 512];
    sum += v[k] * v[k];
  }
  const float scale = rsqrtf(all_of_block(sum, shared) / width + 1e-6f);
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    const int c = threadIdx.x + k * 512;
    y[(size_t)blockIdx.x * width + c] = v[k] * scale * w[c & 4095];
  }
}
static __device__ float steps(float v, int count) {
  for (int k = 0; k < count; ++k) v = v * 0.99f + 0.5f / (k + 2);
  return v;
}
__global__ void fourth_bad(const float* x, float* y, int count) {  // every fourth thread works
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id % 4 == 0) y[id / 4] = steps(x[id / 4], count);
}
__global__ void fourth_fixed(const float* x, float* y, int count) {  // all threads do
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  y[id] = steps(x[id], count);
}
__global__ void hgemv_bad(const __half* p, const float* w, float* y, int width) {  // a matrix of halves times a vector, a thread a row
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int c = 0; c < width; ++c) sum += __half2float(p[(size_t)row * width + c]) * w[c];
  y[row] = sum;
}
__global__ void hgemv_fixed(const __half* p, const float* w, float* y, int width) {  // a warp a row
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int c = lane; c < width; c += 32) sum += __half2float(p[(size_t)row * width + c]) * w[c];
  for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(~0u, sum, s);
  if (lane == 0) y[row] = sum;
}
__global__ void bgemm_bad(const __half* p, __half* q, int side) {  // a product of bfloat16 in tiles, by ordinary arithmetic
  __shared__ __nv_bfloat16 a[16][16], b[16][16];
  const __nv_bfloat16* m = (const __nv_bfloat16*)p;
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < side; t += 16) {
    a[threadIdx.y][threadIdx.x] = m[row * side + t + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = m[(t + threadIdx.y) * side + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += __bfloat162float(a[threadIdx.y][k]) * __bfloat162float(b[k][threadIdx.x]);
    __syncthreads();
  }
  ((__nv_bfloat16*)q)[row * side + col] = __float2bfloat16(sum);
}
__global__ void bgemm_fixed(const __half* p, __half* q, int side) {  // tensor cores
  using namespace nvcuda;
  __shared__ float out[4][256];
  const __nv_bfloat16* m = (const __nv_bfloat16*)p;
  const int warp = threadIdx.x / 32, row = blockIdx.y * 32 + warp / 2 * 16, col = blockIdx.x * 32 + warp % 2 * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.f);
  for (int t = 0; t < side; t += 16) {
    wmma::load_matrix_sync(a, m + row * side + t, side);
    wmma::load_matrix_sync(b, m + t * side + col, side);
    wmma::mma_sync(c, a, b, c);
  }
  wmma::store_matrix_sync(out[warp], c, 16, wmma::mem_row_major);
  __syncwarp();
  for (int k = threadIdx.x % 32; k < 256; k += 32) ((__nv_bfloat16*)q)[(row + k / 16) * side + col + k % 16] = __float2bfloat16(out[warp][k]);
}
__global__ void relax_bad(const float* x, float* y, int count) {  // 32 numbers of a row relax in shared memory, barriers of the block
  __shared__ float t[256];
  const int id = threadIdx.x, lane = id & 31;
  t[id] = x[blockIdx.x * 256 + id];
  __syncthreads();
  for (int k = 0; k < count; ++k) {
    const float left = lane ? t[id - 1] : 0, right = lane < 31 ? t[id + 1] : 0;
    __syncthreads();
    t[id] = 0.5f * (left + right);
    __syncthreads();
  }
  y[blockIdx.x * 256 + id] = t[id];
}
__global__ void relax_fixed(const float* x, float* y, int count) {  // a warp hands values over by shuffles
  const int lane = threadIdx.x & 31;
  float v = x[blockIdx.x * 256 + threadIdx.x];
  for (int k = 0; k < count; ++k) {
    const float left = __shfl_up_sync(~0u, v, 1), right = __shfl_down_sync(~0u, v, 1);
    v = 0.5f * ((lane ? left : 0) + (lane < 31 ? right : 0));
  }
  y[blockIdx.x * 256 + threadIdx.x] = v;
}
__global__ void dots_bad(const float* x, const float* w, float* y, int length) {  // templates in shared memory, their length told when launched
  extern __shared__ float t[];
  for (int k = threadIdx.x; k < length; k += blockDim.x) t[k] = w[k];
  __syncthreads();
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id];
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < length; ++k) sum += fabsf(v - t[k]);
  y[id] = sum;
}
__global__ void dots_fixed(const float* x, const float* w, float* y, int length) {  // told when compiled
  __shared__ float t[64];
  if (threadIdx.x < 64) t[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id];
  float sum = length < 0;
#pragma unroll
  for (int k = 0; k < 64; ++k) sum += fabsf(v - t[k]);
  y[id] = sum;
}
__global__ void luma3_bad(const int* k, int* j, int n) {  // grey from three bytes a pixel, a pixel a thread
  const unsigned char* from = (const unsigned char*)k;
  unsigned char* to = (unsigned char*)j;
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) to[id] = (from[3 * id] * 77 + from[3 * id + 1] * 150 + from[3 * id + 2] * 29) >> 8;
}
__global__ void luma3_fixed(const int* k, int* j, int n) {  // four pixels: three words in, one out
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * id >= n) return;
  unsigned word[3], out = 0;
#pragma unroll
  for (int c = 0; c < 3; ++c) word[c] = k[3 * id + c];
#pragma unroll
  for (int p = 0; p < 4; ++p) {
    unsigned sum = 0;
#pragma unroll
    for (int c = 0; c < 3; ++c) sum += (word[(3 * p + c) / 4] >> (3 * p + c) % 4 * 8 & 255) * (c == 0 ? 77 : c == 1 ? 150 : 29);
    out |= (sum >> 8) << 8 * p;
  }
  j[id] = out;
}
__global__ void butterfly_bad(const float* x, float* y, int rounds) {  // steps of a transform on pairs that lie 32 words apart
  __shared__ float re[2048];
  for (int k = threadIdx.x; k < 2048; k += 256) re[k] = x[blockIdx.x * 2048 + k];
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    const int at = (threadIdx.x & 31) * 32 + (threadIdx.x >> 5);
    const float a = re[at], b = re[at + 1024];
    __syncthreads();
    re[at] = a + b;
    re[at + 1024] = (a - b) * 0.5f;
    __syncthreads();
  }
  for (int k = threadIdx.x; k < 2048; k += 256) y[blockIdx.x * 2048 + k] = re[k];
}
__global__ void butterfly_fixed(const float* x, float* y, int rounds) {  // a word left out after 32
  __shared__ float re[2048 + 64];
  for (int k = threadIdx.x; k < 2048; k += 256) re[k + k / 32] = x[blockIdx.x * 2048 + k];
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    const int at = (threadIdx.x & 31) * 33 + (threadIdx.x >> 5);
    const float a = re[at], b = re[at + 1056];
    __syncthreads();
    re[at] = a + b;
    re[at + 1056] = (a - b) * 0.5f;
    __syncthreads();
  }
  for (int k = threadIdx.x; k < 2048; k += 256) y[blockIdx.x * 2048 + k] = re[k + k / 32];
}
__global__ void groups_bad(const int* k, const float* x, float* o, int n) {  // sums of 16 groups, every thread adds to its own
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) atomicAdd(&o[k[id] & 15], x[id]);
}
__global__ void groups_fixed(const int* k, const float* x, float* o, int n) {  // a block's sums first
  __shared__ float sums[16];
  if (threadIdx.x < 16) sums[threadIdx.x] = 0;
  __syncthreads();
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) atomicAdd(&sums[k[id] & 15], x[id]);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&o[threadIdx.x], sums[threadIdx.x]);
}
__global__ void heavy_bad(const int* k, const float* x, float* y, int count) { keep<200>(k, x, y, count); }  // 200 numbers a thread
__global__ void heavy_fixed(const int* k, const float* x, float* y, int count) { keep<20>(k, x, y, count); }  // 20
__global__ void seventy_bad(const float* x, float* y, int count) {  // seventy blocks, half of the SMs
  const int id = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  float sum = 0;
  for (int k = 0; k < count; ++k) sum += x[id + k * step] * 0.5f;
  y[id] = sum;
}
__global__ void seventy_fixed(const float* x, float* y, int count) {  // eight times as many, each an eighth
  const int id = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  float sum = 0;
  for (int k = 0; k < count; ++k) sum += x[id + k * step] * 0.5f;
  y[id] = sum;
}
}
