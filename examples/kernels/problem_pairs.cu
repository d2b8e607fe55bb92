// What problem sets and blogs teach of arithmetic, reuse, grids and registers, as pairs: NAME_bad before the lesson and NAME_fixed after it.
__constant__ float samples[1024];
static __device__ float all_of_block(float v, float* shared) {
  for (int s = 16; s > 0; s /= 2) v += __shfl_xor_sync(~0u, v, s);
  __syncthreads();
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = v;
  __syncthreads();
  v = 0;
  for (int k = 0; k < blockDim.x / 32; ++k) v += shared[k];
  return v;
}
template <int N>
static __device__ float mixed(const float* x, int id, int turns) {  // N numbers of a thread
  float v[N], sum = 0;
#pragma unroll
  for (int k = 0; k < N; ++k) v[k] = x[id + k * 1024];
  for (int t = 0; t < turns; ++t) {
#pragma unroll
    for (int k = 0; k < N; ++k) v[k] = v[k] * 0.9f + v[(k + 7) % N] * 0.1f;
  }
#pragma unroll
  for (int k = 0; k < N; ++k) sum += v[k];
  return sum;
}
extern "C" {
__global__ void onesoft_bad(const float* x, float* y, int n) {  // a softmax over all, by one block
  __shared__ float shared[32];
  float sum = 0;
  for (int k = threadIdx.x; k < n; k += blockDim.x) sum += __expf(x[k]);
  sum = all_of_block(sum, shared);
  for (int k = threadIdx.x; k < n; k += blockDim.x) y[k] = __expf(x[k]) / sum;
}
__global__ void onesoft_fixed(const float* x, float* y, int n) {  // every block has its part, with a sum that is known
  __shared__ float shared[32];
  float sum = 0;
  const int first = blockIdx.x * (n / gridDim.x), last = first + n / gridDim.x;
  for (int k = first + threadIdx.x; k < last; k += blockDim.x) sum += __expf(x[k]);
  sum = all_of_block(sum, shared);
  for (int k = first + threadIdx.x; k < last; k += blockDim.x) y[k] = __expf(x[k]) / sum;
}
__global__ void gram_bad(const float* x, float* o, int rows) {  // products of 16 columns with each other, a thread for each
  const int a = threadIdx.x / 16, b = threadIdx.x % 16;
  float sum = 0;
  for (int r = 0; r < rows; ++r) sum += x[r * 16 + a] * x[r * 16 + b];
  o[threadIdx.x] = sum;
}
__global__ void gram_fixed(const float* x, float* o, int rows) {  // blocks share the rows
  const int a = threadIdx.x / 16, b = threadIdx.x % 16;
  float sum = 0;
  for (int r = blockIdx.x; r < rows; r += gridDim.x) sum += x[r * 16 + a] * x[r * 16 + b];
  atomicAdd(&o[threadIdx.x], sum);
}
__global__ void topk_bad(const float* x, float* y, int count, int k) {  // the k largest of a thread's numbers, k told when launched
  const int id = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  float best[8];
  for (int t = 0; t < k; ++t) best[t] = -1e30f;
  for (int c = 0; c < count; ++c) {
    float v = x[c * all + id];
    for (int t = 0; t < k; ++t) {
      const float kept = best[t];
      best[t] = fmaxf(kept, v);
      v = fminf(kept, v);
    }
  }
  float sum = 0;
  for (int t = 0; t < k; ++t) sum += best[t] * (t + 1);
  y[id] = sum;
}
__global__ void topk_fixed(const float* x, float* y, int count, int k) {  // eight
  const int id = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  float best[8];
#pragma unroll
  for (int t = 0; t < 8; ++t) best[t] = -1e30f;
  for (int c = 0; c < count; ++c) {
    float v = x[c * all + id];
#pragma unroll
    for (int t = 0; t < 8; ++t) {
      const float kept = best[t];
      best[t] = fmaxf(kept, v);
      v = fminf(kept, v);
    }
  }
  float sum = k > 8;
#pragma unroll
  for (int t = 0; t < 8; ++t) sum += best[t] * (t + 1);
  y[id] = sum;
}
__global__ void walsh_bad(float* y) {  // a transform of 1,024 numbers in place, in global memory
  float* at = y + (size_t)blockIdx.x * 1024;
  for (int s = 1; s < 1024; s *= 2) {
    const int i = threadIdx.x / s * 2 * s + threadIdx.x % s;
    const float a = at[i], b = at[i + s];
    at[i] = (a + b) * 0.7071f;
    at[i + s] = (a - b) * 0.7071f;
    __syncthreads();
  }
}
__global__ void walsh_fixed(float* y) {  // in shared memory
  __shared__ float kept[1024];
  float* at = y + (size_t)blockIdx.x * 1024;
  kept[threadIdx.x] = at[threadIdx.x];
  kept[threadIdx.x + 512] = at[threadIdx.x + 512];
  __syncthreads();
  for (int s = 1; s < 1024; s *= 2) {
    const int i = threadIdx.x / s * 2 * s + threadIdx.x % s;
    const float a = kept[i], b = kept[i + s];
    kept[i] = (a + b) * 0.7071f;
    kept[i + s] = (a - b) * 0.7071f;
    __syncthreads();
  }
  at[threadIdx.x] = kept[threadIdx.x];
  at[threadIdx.x + 512] = kept[threadIdx.x + 512];
}
__global__ void estrin_bad(const float* x, float* y, int turns) {  // one polynomial after another, each step on the one before
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id];
  float sum = v;
  for (int t = 0; t < turns; ++t) sum = (((sum * v + 0.1f) * v + 0.2f) * v + 0.3f) * v + 0.4f;
  y[id] = sum;
}
__global__ void estrin_fixed(const float* x, float* y, int turns) {  // four at a time
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id];
  float a = v, b = v + 0.1f, c = v + 0.2f, d = v + 0.3f;
  for (int t = 0; t < turns / 4; ++t) {
    a = (((a * v + 0.1f) * v + 0.2f) * v + 0.3f) * v + 0.4f;
    b = (((b * v + 0.1f) * v + 0.2f) * v + 0.3f) * v + 0.4f;
    c = (((c * v + 0.1f) * v + 0.2f) * v + 0.3f) * v + 0.4f;
    d = (((d * v + 0.1f) * v + 0.2f) * v + 0.3f) * v + 0.4f;
  }
  y[id] = a + b + c + d;
}
__global__ void torus_bad(const int* k, float* y, int width, int height) {  // neighbours on a torus, by remainders
  const int id = blockIdx.x * blockDim.x + threadIdx.x, c = id % width, r = id / width;
  int alive = 0;
  for (int a = -1; a <= 1; ++a)
    for (int b = -1; b <= 1; ++b) alive += k[(r + a + height) % height * width + (c + b + width) % width] & 1;
  y[id] = alive;
}
__global__ void torus_fixed(const int* k, float* y, int width, int height) {  // by comparing
  const int id = blockIdx.x * blockDim.x + threadIdx.x, c = id % width, r = id / width;
  const int up = r ? r - 1 : height - 1, down = r + 1 < height ? r + 1 : 0, left = c ? c - 1 : width - 1, right = c + 1 < width ? c + 1 : 0;
  const int *a = k + up * width, *b = k + r * width, *d = k + down * width;
  y[id] = (a[left] & 1) + (a[c] & 1) + (a[right] & 1) + (b[left] & 1) + (b[c] & 1) + (b[right] & 1) + (d[left] & 1) + (d[c] & 1) + (d[right] & 1);
}
__global__ void permute_bad(const float* x, float* y, int a, int b, int c, int d) {  // (a, b, c, d) to (a, c, b, d), places by division
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int l = id % d, j = id / d % b, k = id / (d * b) % c, i = id / (d * b * c) % a;
  y[id] = x[((i * b + j) * c + k) * d + l];
}
__global__ void permute_fixed(const float* x, float* y, int a, int b, int c, int d) {  // places from the grid
  const int l = threadIdx.x, j = blockIdx.x * blockDim.y + threadIdx.y, k = blockIdx.y, i = blockIdx.z;
  y[((i * c + k) * b + j) * d + l] = x[((i * b + j) * c + k) * d + l];
}
__global__ void hue_bad(const float* x, float* y, int n) {  // from red, green and blue to hue, with constants in double
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float r = x[id], g = x[n + id], b = x[2 * n + id], most = fmaxf(r, fmaxf(g, b)), range = most - fminf(r, fminf(g, b)) + 1e-6;
  const float h = most == r ? (g - b) / range : most == g ? 2.0 + (b - r) / range : 4.0 + (r - g) / range;
  y[id] = h * 60.0 + 0.5 * range / (most + 0.001);
}
__global__ void hue_fixed(const float* x, float* y, int n) {  // in single
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float r = x[id], g = x[n + id], b = x[2 * n + id], most = fmaxf(r, fmaxf(g, b)), range = most - fminf(r, fminf(g, b)) + 1e-6f;
  const float h = most == r ? (g - b) / range : most == g ? 2.0f + (b - r) / range : 4.0f + (r - g) / range;
  y[id] = h * 60.0f + 0.5f * range / (most + 0.001f);
}
__global__ void scholes_bad(const float* x, float* y, int strikes) {  // prices of options at several strikes, functions to the last bit
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float price = 20 + 10 * x[id], years = 0.25f + x[id + 1024], root = 0.3f * sqrtf(years);
  float sum = 0;
  for (int s = 1; s <= strikes; ++s) {
    const float d = (logf(price / (20 + s)) + (0.02f + 0.045f) * years) / root;
    sum += price / (1 + expf(-1.6f * d)) - (20 + s) * expf(-0.02f * years) / (1 + expf(-1.6f * (d - root)));
  }
  y[id] = sum;
}
__global__ void scholes_fixed(const float* x, float* y, int strikes) {  // quick ones
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float price = 20 + 10 * x[id], years = 0.25f + x[id + 1024], root = 0.3f * sqrtf(years);
  float sum = 0;
  for (int s = 1; s <= strikes; ++s) {
    const float d = __fdividef(__logf(__fdividef(price, 20 + s)) + (0.02f + 0.045f) * years, root);
    sum += __fdividef(price, 1 + __expf(-1.6f * d)) - __fdividef((20 + s) * __expf(-0.02f * years), 1 + __expf(-1.6f * (d - root)));
  }
  y[id] = sum;
}
__global__ void bmm_bad(const float* x, float* y) {  // products of matrices of 64 x 64, a thread an element, from global memory
  const float *a = x + (size_t)blockIdx.z * 8192, *b = a + 4096;
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < 64; ++k) sum += a[row * 64 + k] * b[k * 64 + col];
  y[(size_t)blockIdx.z * 4096 + row * 64 + col] = sum;
}
__global__ void bmm_fixed(const float* x, float* y) {  // from tiles in shared memory
  __shared__ float s[16][16], t[16][16];
  const float *a = x + (size_t)blockIdx.z * 8192, *b = a + 4096;
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int first = 0; first < 64; first += 16) {
    s[threadIdx.y][threadIdx.x] = a[row * 64 + first + threadIdx.x];
    t[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * 64 + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += s[threadIdx.y][k] * t[k][threadIdx.x];
    __syncthreads();
  }
  y[(size_t)blockIdx.z * 4096 + row * 64 + col] = sum;
}
__global__ void fhd_bad(const float* x, const float* w, float* y, int count) {  // sums over samples, kept in global memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < count; ++k) {
    const float angle = 6.2831853f * (w[2 * k] * x[id] + w[2 * k + 1]);
    y[id] += __cosf(angle) * w[k];
  }
}
__global__ void fhd_fixed(const float* x, const float* w, float* y, int count) {  // in a register
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id];
  float sum = y[id];
  for (int k = 0; k < count; ++k) {
    const float angle = 6.2831853f * (w[2 * k] * v + w[2 * k + 1]);
    sum += __cosf(angle) * w[k];
  }
  y[id] = sum;
}
__global__ void logsoft_bad(const float* x, float* y, int width) {  // logarithms of a softmax, the row read twice from memory
  __shared__ float shared[32];
  const float* row = x + (size_t)blockIdx.x * width;
  float sum = 0;
  for (int c = threadIdx.x; c < width; c += blockDim.x) sum += __expf(row[c]);
  const float log = __logf(all_of_block(sum, shared));
  for (int c = threadIdx.x; c < width; c += blockDim.x) y[(size_t)blockIdx.x * width + c] = row[c] - log;
}
__global__ void logsoft_fixed(const float* x, float* y, int width) {  // kept in registers
  __shared__ float shared[32];
  const float* row = x + (size_t)blockIdx.x * width;
  float v[32], sum = 0;
#pragma unroll
  for (int k = 0; k < 32; ++k) sum += __expf(v[k] = row[threadIdx.x + 512 * k]);
  const float log = __logf(all_of_block(sum, shared));
#pragma unroll
  for (int k = 0; k < 32; ++k) y[(size_t)blockIdx.x * width + threadIdx.x + 512 * k] = v[k] - log;
}
__global__ void cosine_bad(const float* x, float* y, int width) {  // how alike two rows are: three sums, a loop for each
  __shared__ float shared[32];
  const float *a = x + (size_t)blockIdx.x * 2 * width, *b = a + width;
  float ab = 0, aa = 0, bb = 0;
  for (int c = threadIdx.x; c < width; c += blockDim.x) ab += a[c] * b[c];
  ab = all_of_block(ab, shared);
  for (int c = threadIdx.x; c < width; c += blockDim.x) aa += a[c] * a[c];
  aa = all_of_block(aa, shared);
  for (int c = threadIdx.x; c < width; c += blockDim.x) bb += b[c] * b[c];
  bb = all_of_block(bb, shared);
  if (threadIdx.x == 0) y[blockIdx.x] = ab * rsqrtf(aa * bb);
}
__global__ void cosine_fixed(const float* x, float* y, int width) {  // in one loop
  __shared__ float shared[32];
  const float *a = x + (size_t)blockIdx.x * 2 * width, *b = a + width;
  float ab = 0, aa = 0, bb = 0;
  for (int c = threadIdx.x; c < width; c += blockDim.x) {
    const float v = a[c], u = b[c];
    ab += v * u;
    aa += v * v;
    bb += u * u;
  }
  ab = all_of_block(ab, shared);
  aa = all_of_block(aa, shared);
  bb = all_of_block(bb, shared);
  if (threadIdx.x == 0) y[blockIdx.x] = ab * rsqrtf(aa * bb);
}
__global__ void fifteen_bad(const float* x, float* y, int side) {  // 15 neighbours of a row, all from global memory
  const int col = blockIdx.x * 256 + threadIdx.x, row = blockIdx.y;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 15; ++k) sum += (1 + k) * x[row * side + col + k];
  y[row * side + col] = sum;
}
__global__ void fifteen_fixed(const float* x, float* y, int side) {  // a tile, and eight results a thread from one window in registers
  __shared__ float tile[2048 + 16];
  const int left = blockIdx.x * 2048, row = blockIdx.y;
  for (int k = threadIdx.x; k < 2048 + 16; k += 256) tile[k] = x[row * side + left + k];
  __syncthreads();
  float v[24];
#pragma unroll
  for (int k = 0; k < 6; ++k) *(float4*)&v[4 * k] = *(const float4*)&tile[threadIdx.x * 8 + 4 * k];
#pragma unroll
  for (int r = 0; r < 8; ++r) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 15; ++k) sum += (1 + k) * v[r + k];
    v[r] = sum;
  }
#pragma unroll
  for (int k = 0; k < 2; ++k) *(float4*)&y[row * side + left + threadIdx.x * 8 + 4 * k] = *(float4*)&v[4 * k];
}
__global__ void taps_bad(const float* x, const float* w, float* y, int side, int size) {  // a filter over a tile, its size told when launched
  extern __shared__ float tile[];
  const int width = 16 + size - 1, left = blockIdx.x * 16, top = blockIdx.y * 16;
  for (int k = threadIdx.y * 16 + threadIdx.x; k < width * width; k += 256) tile[k] = x[(top + k / width) * side + left + k % width];
  __syncthreads();
  float sum = 0;
  for (int r = 0; r < size; ++r)
    for (int c = 0; c < size; ++c) sum += w[r * size + c] * tile[(threadIdx.y + r) * width + threadIdx.x + c];
  y[(top + threadIdx.y) * side + left + threadIdx.x] = sum;
}
__global__ void taps_fixed(const float* x, const float* w, float* y, int side, int size) {  // a constant
  __shared__ float tile[20 * 20];
  const int left = blockIdx.x * 16, top = blockIdx.y * 16;
  for (int k = threadIdx.y * 16 + threadIdx.x; k < 400; k += 256) tile[k] = x[(top + k / 20) * side + left + k % 20];
  __syncthreads();
  float sum = size - 5;
#pragma unroll
  for (int r = 0; r < 5; ++r)
#pragma unroll
    for (int c = 0; c < 5; ++c) sum += w[r * 5 + c] * tile[(threadIdx.y + r) * 20 + threadIdx.x + c];
  y[(top + threadIdx.y) * side + left + threadIdx.x] = sum;
}
__global__ void kspace_bad(const float* x, const float* w, float* y, int count) {  // sums over samples of four numbers, from global memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float a = x[id], b = x[id + 4096];
  float sum = 0;
  for (int k = 0; k < count; ++k) sum += w[k + 768] * __cosf(w[k] * a + w[k + 256] * b + w[k + 512]);
  y[id] = sum;
}
__global__ void kspace_fixed(const float* x, const float* w, float* y, int count) {  // from constant memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float a = x[id], b = x[id + 4096];
  float sum = w ? 0 : 1;
  for (int k = 0; k < count; ++k) sum += samples[k + 768] * __cosf(samples[k] * a + samples[k + 256] * b + samples[k + 512]);
  y[id] = sum;
}
__global__ void reserve_bad(const int* k, const float* x, float* y) {  // chains of three lookups; shared memory for a table that is hardly used
  extern __shared__ float table[];
  if (threadIdx.x < 32) table[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  const int id = blockIdx.x * blockDim.x + threadIdx.x, a = k[id] & 0xffff, b = k[a] & 0xffff;
  y[id] = x[b] + table[id & 31];
}
__global__ void reserve_fixed(const int* k, const float* x, float* y) {  // as much as is used
  __shared__ float table[32];
  if (threadIdx.x < 32) table[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  const int id = blockIdx.x * blockDim.x + threadIdx.x, a = k[id] & 0xffff, b = k[a] & 0xffff;
  y[id] = x[b] + table[id & 31];
}
__global__ void __launch_bounds__(256, 8) squeeze_bad(const float* x, float* y, int turns) {  // 64 numbers a thread in 32 registers
  const int id = blockIdx.x * 256 + threadIdx.x;
  y[id] = mixed<64>(x, id, turns);
}
__global__ void __launch_bounds__(256) squeeze_fixed(const float* x, float* y, int turns) {  // in as many as it takes
  const int id = blockIdx.x * 256 + threadIdx.x;
  y[id] = mixed<64>(x, id, turns);
}
__global__ void waves_bad(const float* x, float* y, int turns) {  // 272 blocks where the GPU holds 264
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int k = 0; k < turns; ++k) v = v * 0.999f + 0.001f * k;
  y[id] = v;
}
__global__ void waves_fixed(const float* x, float* y, int turns) {  // smaller ones
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id];
  for (int k = 0; k < turns; ++k) v = v * 0.999f + 0.001f * k;
  y[id] = v;
}
__global__ void horner_bad(const float* x, float* y, int turns) {  // products and sums by functions that never fuse
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id];
  float a = v, b = v + 1;
  for (int k = 0; k < turns; ++k) {
    a = __fadd_rn(__fmul_rn(a, v), 0.25f);
    b = __fadd_rn(__fmul_rn(b, v), 0.5f);
  }
  y[id] = a + b;
}
__global__ void horner_fixed(const float* x, float* y, int turns) {  // fused
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id];
  float a = v, b = v + 1;
  for (int k = 0; k < turns; ++k) {
    a = fmaf(a, v, 0.25f);
    b = fmaf(b, v, 0.5f);
  }
  y[id] = a + b;
}
}
