// An eleventh round, of kernels that ordinary people write (images, graphs, hashing, statistics, attention), as pairs: NAME_bad has one
// defect and NAME_fixed does not. Written before the model's answers were seen.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" {
__global__ void rgbhist_bad(const int* rgb, unsigned* bins, int pixels) {  // three histograms of an image, straight to memory
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pixels) {
    int p = rgb[i];
    atomicAdd(&bins[p & 255], 1u);
    atomicAdd(&bins[256 + (p >> 8 & 255)], 1u);
    atomicAdd(&bins[512 + (p >> 16 & 255)], 1u);
  }
}
__global__ void rgbhist_fixed(const int* rgb, unsigned* bins, int pixels) {
  __shared__ unsigned s[768];
  for (int b = threadIdx.x; b < 768; b += blockDim.x) s[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += gridDim.x * blockDim.x) {
    int p = rgb[i];
    atomicAdd(&s[p & 255], 1u);
    atomicAdd(&s[256 + (p >> 8 & 255)], 1u);
    atomicAdd(&s[512 + (p >> 16 & 255)], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 768; b += blockDim.x) atomicAdd(&bins[b], s[b]);
}

__global__ void prefix_bad(const float* x, float* y) {  // a scan of a block with two barriers a step
  __shared__ float s[512];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 512 + t];
  __syncthreads();
  for (int d = 1; d < 512; d *= 2) {
    float v = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  y[blockIdx.x * 512 + t] = s[t];
}
__global__ void prefix_fixed(const float* x, float* y) {  // in warps, then over the warps
  __shared__ float sums[16];
  int t = threadIdx.x, lane = t % 32;
  float v = x[blockIdx.x * 512 + t];
  for (int d = 1; d < 32; d *= 2) {
    float u = __shfl_up_sync(0xffffffff, v, d);
    if (lane >= d) v += u;
  }
  if (lane == 31) sums[t / 32] = v;
  __syncthreads();
  for (int w = 0; w < t / 32; ++w) v += sums[w];
  y[blockIdx.x * 512 + t] = v;
}

__global__ void to_nhwc_bad(const float* in, float* out, int channels, int area) {  // planes of a picture to pixels with channels
  int at = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y, n = blockIdx.z;
  if (at < area) out[((size_t)n * area + at) * channels + c] = in[((size_t)n * channels + c) * area + at];
}
__global__ void to_nhwc_fixed(const float* in, float* out, int channels, int area) {
  __shared__ float tile[32][33];
  int at = blockIdx.x * 32, c = blockIdx.y * 32, n = blockIdx.z;
  for (int k = threadIdx.y; k < 32; k += 8) tile[k][threadIdx.x] = in[((size_t)n * channels + c + k) * area + at + threadIdx.x];
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8) out[((size_t)n * area + at + k) * channels + c + threadIdx.x] = tile[threadIdx.x][k];
}

__global__ void product_t_bad(const float* a, const float* b, float* c, int n) {  // a times b transposed, a thread a result
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[col * n + k];
  c[row * n + col] = sum;
}
__global__ void product_t_fixed(const float* a, const float* b, float* c, int n) {  // tiles of both in shared memory
  __shared__ float s[16][17], u[16][17];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    s[y][x] = a[row * n + k + x];
    u[y][x] = b[(blockIdx.x * 16 + y) * n + k + x];
    __syncthreads();
    for (int e = 0; e < 16; e++) sum += s[y][e] * u[x][e];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

__global__ void oneadds_bad(const float* x, float* y) {  // means of rows of 256: one thread adds all up
  __shared__ float s[256];
  __shared__ float mean;
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 256 + t];
  __syncthreads();
  if (t == 0) {
    float sum = 0;
    for (int i = 0; i < 256; i++) sum += s[i];
    mean = sum / 256;
  }
  __syncthreads();
  y[blockIdx.x * 256 + t] = s[t] - mean;
}
__global__ void oneadds_fixed(const float* x, float* y) {
  __shared__ float warps[8];
  int t = threadIdx.x;
  float own = x[blockIdx.x * 256 + t], v = own;
  for (int m = 16; m; m /= 2) v += __shfl_xor_sync(0xffffffff, v, m);
  if (t % 32 == 0) warps[t / 32] = v;
  __syncthreads();
  float sum = 0;
  for (int w = 0; w < 8; w++) sum += warps[w];
  y[blockIdx.x * 256 + t] = own - sum / 256;
}

__global__ void heat_bad(const float* now, float* next, int n) {  // a plate: threads of x are rows
  int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row > 0 && row < n - 1 && col > 0 && col < n - 1)
    next[row * n + col] = 0.25f * (now[(row - 1) * n + col] + now[(row + 1) * n + col] + now[row * n + col - 1] + now[row * n + col + 1]);
}
__global__ void heat_fixed(const float* now, float* next, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row > 0 && row < n - 1 && col > 0 && col < n - 1)
    next[row * n + col] = 0.25f * (now[(row - 1) * n + col] + now[(row + 1) * n + col] + now[row * n + col - 1] + now[row * n + col + 1]);
}

__global__ void dots_bad(const float* a, const float* b, float* sum, int n) {  // a dot product, an atomic a thread
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, a[i] * b[i]);
}
__global__ void dots_fixed(const float* a, const float* b, float* sum, int n) {
  __shared__ float s[8];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += a[i] * b[i];
  for (int m = 16; m; m /= 2) v += __shfl_xor_sync(0xffffffff, v, m);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; w++) v += s[w];
    atomicAdd(sum, v);
  }
}

__global__ void digits4_bad(const int* keys, int* counts) {  // a sort's counts of 16 digits, each thread its own in a row
  __shared__ int c[128][16];
  int t = threadIdx.x;
  for (int d = 0; d < 16; d++) c[t][d] = 0;
  for (int k = 0; k < 64; k++) c[t][keys[(blockIdx.x * 64 + k) * 128 + t] & 15]++;
  __syncthreads();
  if (t < 16) {
    int sum = 0;
    for (int k = 0; k < 128; k++) sum += c[k][t];
    counts[blockIdx.x * 16 + t] = sum;
  }
}
__global__ void digits4_fixed(const int* keys, int* counts) {  // the thread's number last
  __shared__ int c[16][128];
  int t = threadIdx.x;
  for (int d = 0; d < 16; d++) c[d][t] = 0;
  for (int k = 0; k < 64; k++) c[keys[(blockIdx.x * 64 + k) * 128 + t] & 15][t]++;
  __syncthreads();
  int digit = t / 8, sum = 0;
  for (int k = t % 8; k < 128; k += 8) sum += c[digit][k];
  for (int m = 4; m; m /= 2) sum += __shfl_xor_sync(0xffffffff, sum, m);
  if (t % 8 == 0) counts[blockIdx.x * 16 + digit] = sum;
}

__global__ void pagerank_bad(const int* edges, const float* rank, float* next, int degree) {  // a thread a page
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int e = 0; e < degree; e++) sum += rank[edges[v * degree + e] & 0xfffff];
  next[v] = 0.15f + 0.85f * sum / degree;
}
__global__ void pagerank_fixed(const int* edges, const float* rank, float* next, int degree) {  // a warp a page
  int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int e = lane; e < degree; e += 32) sum += rank[edges[v * degree + e] & 0xfffff];
  for (int m = 16; m; m /= 2) sum += __shfl_xor_sync(0xffffffff, sum, m);
  if (lane == 0) next[v] = 0.15f + 0.85f * sum / degree;
}

__global__ void dark8_bad(const int* in, int* out, int n) {  // bytes of an image, each halved, one a thread
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ((unsigned char*)out)[i] = ((const unsigned char*)in)[i] / 2 + 16;
}
__global__ void dark8_fixed(const int* in, int* out, int n) {  // sixteen a thread
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 16) {
    uint4 v = ((const uint4*)in)[i];
    unsigned* p = &v.x;
    for (int k = 0; k < 4; k++) p[k] = (p[k] >> 1 & 0x7f7f7f7fu) + 0x10101010u;
    ((uint4*)out)[i] = v;
  }
}

__global__ void mean9_bad(const float* in, float* out, int width) {  // the mean of 9 by 9 pixels
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int i = 0; i < 9; i++)
    for (int j = 0; j < 9; j++) sum += in[(r + i) * width + c + j];
  out[r * width + c] = sum / 81;
}
__global__ void mean9_fixed(const float* in, float* out, int width) {  // rows first, then columns
  __shared__ float tile[40][41], rows[40][33];
  int c0 = blockIdx.x * 32, r0 = blockIdx.y * 32, id = threadIdx.y * 32 + threadIdx.x;
  for (int k = id; k < 1600; k += 256) tile[k / 40][k % 40] = in[(r0 + k / 40) * width + c0 + k % 40];
  __syncthreads();
  for (int k = id; k < 1280; k += 256) {
    float sum = 0;
    for (int j = 0; j < 9; j++) sum += tile[k / 32][k % 32 + j];
    rows[k / 32][k % 32] = sum;
  }
  __syncthreads();
  for (int k = id; k < 1024; k += 256) {
    float sum = 0;
    for (int i = 0; i < 9; i++) sum += rows[k / 32 + i][k % 32];
    out[(r0 + k / 32) * width + c0 + k % 32] = sum / 81;
  }
}

__global__ void charges_bad(const float* x, float* y, int bodies) {  // potentials of charges on a line
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float here = x[i], sum = 0;
  for (int j = 0; j < bodies; j++) {
    float d = here - x[j];
    sum += 1.0 / sqrt(d * d + 1e-6);
  }
  y[i] = sum;
}
__global__ void charges_fixed(const float* x, float* y, int bodies) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float here = x[i], sum = 0;
  for (int j = 0; j < bodies; j++) {
    float d = here - x[j];
    sum += rsqrtf(d * d + 1e-6f);
  }
  y[i] = sum;
}

__constant__ int kLetters[256] = {1, 2, 3, 5, 8, 13, 21, 34};
__global__ void letters_bad(const int* text, int* out) {  // a table for each byte of a text, in constant memory
  int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (int k = 0; k < 8; k++) {
    int v = text[k * gridDim.x * blockDim.x + i];
    sum += kLetters[v & 255] + kLetters[v >> 8 & 255];
  }
  out[i] = sum;
}
__global__ void letters_fixed(const int* text, int* out) {  // in shared memory
  __shared__ int table[256];
  table[threadIdx.x] = kLetters[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (int k = 0; k < 8; k++) {
    int v = text[k * gridDim.x * blockDim.x + i];
    sum += table[v & 255] + table[v >> 8 & 255];
  }
  out[i] = sum;
}

__global__ void frontier_bad(const int* level, unsigned* count, int* queue, int n) {  // vertices of the next round of a search
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n && (level[v] & 3) != 0) queue[atomicAdd(count, 1u)] = v;
}
__global__ void frontier_fixed(const int* level, unsigned* count, int* queue, int n) {  // one atomic a block
  __shared__ unsigned warps[8], base;
  int v = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  bool in = v < n && (level[v] & 3) != 0;
  unsigned mask = __ballot_sync(0xffffffff, in);
  if (lane == 0) warps[threadIdx.x / 32] = __popc(mask);
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned sum = 0;
    for (int w = 0; w < 8; w++) {
      unsigned each = warps[w];
      warps[w] = sum, sum += each;
    }
    base = atomicAdd(count, sum);
  }
  __syncthreads();
  if (in) queue[base + warps[threadIdx.x / 32] + __popc(mask & ((1u << lane) - 1))] = v;
}

__global__ void slots_bad(const int* keys, int* out, int slots) {  // eight probes of a hash table whose size is a prime
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned key = keys[i], sum = 0;
  for (int k = 0; k < 32; k++) {
    key = key * 2654435761u + k;
    sum += key % (unsigned)slots;
  }
  out[i] = sum;
}
__global__ void slots_fixed(const int* keys, int* out, int slots) {  // a power of two
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned key = keys[i], sum = 0, mask = slots - 1;
  for (int k = 0; k < 32; k++) {
    key = key * 2654435761u + k;
    sum += key >> 7 & mask;
  }
  out[i] = sum;
}

__global__ void rowdot_bad(const float* m, const float* v, float* out, int columns) {  // a matrix times a vector, a thread a row
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int c = 0; c < columns; c++) sum += m[row * columns + c] * v[c];
  out[row] = sum;
}
__global__ void rowdot_fixed(const float* m, const float* v, float* out, int columns) {  // a warp a row
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int c = lane; c < columns; c += 32) sum += m[row * columns + c] * v[c];
  for (int k = 16; k; k /= 2) sum += __shfl_xor_sync(0xffffffff, sum, k);
  if (lane == 0) out[row] = sum;
}

__global__ void bstats_bad(const float* x, float* out, int channels, int area, int images) {  // a block a channel
  __shared__ float s[256], q[256];
  int c = blockIdx.x, t = threadIdx.x;
  float sum = 0, squares = 0;
  for (int n = 0; n < images; n++)
    for (int i = t; i < area; i += 256) {
      float v = x[((size_t)n * channels + c) * area + i];
      sum += v, squares += v * v;
    }
  s[t] = sum, q[t] = squares;
  __syncthreads();
  for (int d = 128; d; d /= 2) {
    if (t < d) s[t] += s[t + d], q[t] += q[t + d];
    __syncthreads();
  }
  if (t == 0) atomicAdd(&out[c], s[0]), atomicAdd(&out[channels + c], q[0]);
}
__global__ void bstats_fixed(const float* x, float* out, int channels, int area, int images) {  // a block an image and channel
  __shared__ float s[256], q[256];
  int c = blockIdx.x, t = threadIdx.x;
  float sum = 0, squares = 0;
  for (int i = t; i < area; i += 256) {
    float v = x[((size_t)blockIdx.y * channels + c) * area + i];
    sum += v, squares += v * v;
  }
  s[t] = sum, q[t] = squares;
  __syncthreads();
  for (int d = 128; d; d /= 2) {
    if (t < d) s[t] += s[t + d], q[t] += q[t + d];
    __syncthreads();
  }
  if (t == 0) atomicAdd(&out[c], s[0]), atomicAdd(&out[channels + c], q[0]);
}

__global__ void scores16_bad(const __half* q, const __half* k, float* s, int n, int depth) {  // attention's scores, a thread each
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  __shared__ __half a[16][66], b[16][66];
  for (int e = threadIdx.x; e < depth; e += 16) {
    a[threadIdx.y][e] = q[row * depth + e];
    b[threadIdx.y][e] = k[(blockIdx.x * 16 + threadIdx.y) * depth + e];
  }
  __syncthreads();
  float sum = 0;
  for (int e = 0; e < depth; e++) sum += __half2float(a[threadIdx.y][e]) * __half2float(b[threadIdx.x][e]);
  s[row * n + col] = sum * 0.125f;
}
__global__ void scores16_fixed(const __half* q, const __half* k, float* s, int n, int depth) {  // a warp 16 by 16 of them
  int warp = threadIdx.x / 32, row = (blockIdx.y * 2 + warp / 2) * 16, col = (blockIdx.x * 2 + warp % 2) * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int e = 0; e < depth; e += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
    wmma::load_matrix_sync(a, q + row * depth + e, depth);
    wmma::load_matrix_sync(b, k + col * depth + e, depth);
    wmma::mma_sync(sum, a, b, sum);
  }
  for (int i = 0; i < sum.num_elements; i++) sum.x[i] *= 0.125f;
  wmma::store_matrix_sync(s + row * n + col, sum, n, wmma::mem_row_major);
}

__global__ void top5_bad(const float* x, float* y, int each) {  // the five largest of a thread's numbers, kept in an array
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float best[5] = {0, 0, 0, 0, 0};
  for (int k = 0; k < each; k++) {
    float v = x[k * gridDim.x * blockDim.x + i];
    int at = 5;
    while (at > 0 && best[at - 1] < v) at--;
    for (int m = 4; m > at; m--) best[m] = best[m - 1];
    if (at < 5) best[at] = v;
  }
  y[i] = best[0] + best[1] + best[2] + best[3] + best[4];
}
__global__ void top5_fixed(const float* x, float* y, int each) {  // in registers
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float best[5] = {0, 0, 0, 0, 0};
  for (int k = 0; k < each; k++) {
    float v = x[k * gridDim.x * blockDim.x + i];
#pragma unroll
    for (int m = 0; m < 5; m++) {
      float larger = fmaxf(best[m], v);
      v = fminf(best[m], v);
      best[m] = larger;
    }
  }
  y[i] = best[0] + best[1] + best[2] + best[3] + best[4];
}

__global__ void lcg_bad(const float* x, float* y, int steps) {  // pi by random points, one stream a thread
  int i = blockIdx.x * blockDim.x + threadIdx.x, inside = 0;
  unsigned s = i * 747796405u + 1;
#pragma unroll 4
  for (int k = 0; k < steps; k++) {
    s = s * 1664525u + 1013904223u;
    unsigned a = s >> 8 & 4095;
    s = s * 1664525u + 1013904223u;
    unsigned b = s >> 8 & 4095;
    inside += a * a + b * b < 4096 * 4096;
  }
  y[i] = x[i] + inside;
}
__global__ void lcg_fixed(const float* x, float* y, int steps) {  // four streams
  int i = blockIdx.x * blockDim.x + threadIdx.x, inside = 0;
  unsigned s[4];
  for (int j = 0; j < 4; j++) s[j] = (i * 4 + j) * 747796405u + 1;
  for (int k = 0; k < steps / 4; k++)
#pragma unroll
    for (int j = 0; j < 4; j++) {
      s[j] = s[j] * 1664525u + 1013904223u;
      unsigned a = s[j] >> 8 & 4095;
      s[j] = s[j] * 1664525u + 1013904223u;
      unsigned b = s[j] >> 8 & 4095;
      inside += a * a + b * b < 4096 * 4096;
    }
  y[i] = x[i] + inside;
}

__global__ void kinds_bad(const float* x, float* y, int n) {  // every second particle moves by another law
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  if (i % 2 == 0)
    for (int k = 0; k < 24; k++) v = v * 0.99f + __sinf(v);
  else
    for (int k = 0; k < 24; k++) v = v * 0.98f + __expf(-v);
  y[i] = v;
}
__global__ void kinds_fixed(const float* x, float* y, int n) {  // whole warps of each kind
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int i = t / 64 * 64 + t % 32 * 2 + t / 32 % 2;
  if (i >= n) return;
  float v = x[i];
  if (t / 32 % 2 == 0)
    for (int k = 0; k < 24; k++) v = v * 0.99f + __sinf(v);
  else
    for (int k = 0; k < 24; k++) v = v * 0.98f + __expf(-v);
  y[i] = v;
}

__global__ void onewarp_bad(const float* x, float* y, int n) {  // blocks of 32 threads
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + __expf(-x[i]));
}
__global__ void onewarp_fixed(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + __expf(-x[i]));
}

__global__ void forty_bad(const float* x, float* y, int steps) {  // records of 40 numbers, a block each
  int i = blockIdx.x * 40 + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < steps; k++) v = v * 0.999f + __cosf(v);
  y[i] = v;
}
__global__ void forty_fixed(const float* x, float* y, int steps) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < steps; k++) v = v * 0.999f + __cosf(v);
  y[i] = v;
}

__global__ void wave_bad(const float* x, float* y, int steps) {  // a string of 512 points a block, in device memory
  int t = threadIdx.x;
  float* now = y + blockIdx.x * 1024;
  now[t] = x[blockIdx.x * 512 + t], now[512 + t] = 0;
  __syncthreads();
  for (int k = 0; k < steps; k++) {
    const float* from = now + (k & 1) * 512;
    float* to = now + (~k & 1) * 512;
    to[t] = 0.25f * from[t ? t - 1 : 511] + 0.5f * from[t] + 0.25f * from[t < 511 ? t + 1 : 0];
    __syncthreads();
  }
}
__global__ void wave_fixed(const float* x, float* y, int steps) {
  __shared__ float now[2][512];
  int t = threadIdx.x;
  now[0][t] = x[blockIdx.x * 512 + t];
  __syncthreads();
  for (int k = 0; k < steps; k++) {
    const float* from = now[k & 1];
    now[~k & 1][t] = 0.25f * from[t ? t - 1 : 511] + 0.5f * from[t] + 0.25f * from[t < 511 ? t + 1 : 0];
    __syncthreads();
  }
  y[blockIdx.x * 1024 + t] = now[steps & 1][t], y[blockIdx.x * 1024 + 512 + t] = now[~steps & 1][t];
}

__global__ void roomy_bad(const float* x, const int* at, float* y) {  // lookups, with far too much shared memory a block
  extern __shared__ float room[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  room[threadIdx.x] = x[i];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 8; k++) sum += x[at[k * gridDim.x * blockDim.x + i] & 0x3fffff];
  y[i] = sum + room[threadIdx.x ^ 1];
}
__global__ void roomy_fixed(const float* x, const int* at, float* y) {
  extern __shared__ float room[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  room[threadIdx.x] = x[i];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 8; k++) sum += x[at[k * gridDim.x * blockDim.x + i] & 0x3fffff];
  y[i] = sum + room[threadIdx.x ^ 1];
}

__global__ void lastones_bad(const float* x, float* y, int steps) {  // a few blocks more than SMs
  extern __shared__ float unused[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < steps; k++) v = fmaf(v, 0.999f, 0.5f);
  y[i] = v;
}
__global__ void lastones_fixed(const float* x, float* y, int steps) {
  extern __shared__ float unused[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < steps; k++) v = fmaf(v, 0.999f, 0.5f);
  y[i] = v;
}

__global__ void pricing_bad(const float* x, float* y, int days) {  // compound growth with precise functions
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i], sum = 0;
  for (int d = 1; d <= days; d++) sum += expf(-0.01f * d * v) * sinf(v * d) / (1.0f + v * d);
  y[i] = sum;
}
__global__ void pricing_fixed(const float* x, float* y, int days) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i], sum = 0;
  for (int d = 1; d <= days; d++) sum += __fdividef(__expf(-0.01f * d * v) * __sinf(v * d), 1.0f + v * d);
  y[i] = sum;
}

__global__ void centroids_bad(const float* points, const float* centres, int* out, int k, int n) {  // the nearest of k centres
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float best = 1e30f, x = points[i], y = points[n + i];
  int which = 0;
  for (int c = 0; c < k; c++) {
    float dx = x - centres[2 * c], dy = y - centres[2 * c + 1], d = dx * dx + dy * dy;
    if (d < best) best = d, which = c;
  }
  out[i] = which;
}
__constant__ float kCentres[512];
__global__ void centroids_fixed(const float* points, const float* centres, int* out, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float best = 1e30f, x = points[i], y = points[n + i];
  int which = 0;
  for (int c = 0; c < k; c++) {
    float dx = x - kCentres[2 * c], dy = y - kCentres[2 * c + 1], d = dx * dx + dy * dy;
    if (d < best) best = d, which = c;
  }
  out[i] = which;
}
}
