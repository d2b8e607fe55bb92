// What blogs teach of launches, functions, rows, loops, structures and reductions, as pairs: NAME_bad before the lesson and NAME_fixed
// after it.
struct Body {
  float x, y, z, mass, vx, vy, vz, charge;
};
extern "C" {
// Launches.
__global__ void easier_bad(const float* x, float* y, int n) {  // one block for everything
  const int step = blockDim.x * gridDim.x;
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += step) y[k] = x[k] + y[k] * 0.5f;
}
__global__ void easier_fixed(const float* x, float* y, int n) {  // enough blocks
  const int step = blockDim.x * gridDim.x;
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += step) y[k] = x[k] + y[k] * 0.5f;
}
__global__ void oneper_bad(const float* x, float* y, int n) {  // a block a number
  const int k = blockIdx.x;
  if (k < n) y[k] = x[k] + 1;
}
__global__ void oneper_fixed(const float* x, float* y, int n) {  // a thread a number
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) y[k] = x[k] + 1;
}
__global__ void shape_bad(const float* x, float* y, int width) {  // blocks of 2 x 128 threads over a picture
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  y[r * width + c] = 1 - x[r * width + c];
}
__global__ void shape_fixed(const float* x, float* y, int width) {  // of 64 x 4
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  y[r * width + c] = 1 - x[r * width + c];
}
static __device__ float visits(const int* k, const float* x, int id, int count) {
  float sum = 0;
  int at = id;
  for (int t = 0; t < count; ++t) {
    at = k[at] & 0x3fffff;
    sum += x[at];
  }
  return sum;
}
__global__ void __launch_bounds__(1024) wide_bad(const int* k, const float* x, float* y, int count) {  // a block that needs half an SM's shared memory and more
  extern __shared__ float own[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  own[threadIdx.x] = visits(k, x, id, count);
  y[id] = own[threadIdx.x];
}
__global__ void wide_fixed(const int* k, const float* x, float* y, int count) {  // what it needs and no more
  extern __shared__ float own[];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  own[threadIdx.x] = visits(k, x, id, count);
  y[id] = own[threadIdx.x];
}

// Functions.
__global__ void sines_bad(const float* x, float* y, int count) {  // to the last bit
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id], sum = 0;
  for (int k = 0; k < count; ++k) sum += sinf(v + k) * cosf(v - k) * expf(-v);
  y[id] = sum;
}
__global__ void sines_fixed(const float* x, float* y, int count) {  // as the hardware has them
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[id], sum = 0;
  for (int k = 0; k < count; ++k) sum += __sinf(v + k) * __cosf(v - k) * __expf(-v);
  y[id] = sum;
}
__global__ void unit_bad(const float* x, float* y, int n) {  // vectors of length one: a root and three divisions
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const float a = x[id], b = x[id + n], c = x[id + 2 * n], length = sqrtf(a * a + b * b + c * c);
  y[id] = a / length;
  y[id + n] = b / length;
  y[id + 2 * n] = c / length;
}
__global__ void unit_fixed(const float* x, float* y, int n) {  // one root's inverse
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const float a = x[id], b = x[id + n], c = x[id + 2 * n], inverse = rsqrtf(a * a + b * b + c * c);
  y[id] = a * inverse;
  y[id + n] = b * inverse;
  y[id + 2 * n] = c * inverse;
}
__global__ void cubes_bad(const float* x, float* y, int n, float three) {  // powers by the function for any exponent
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) y[id] = powf(x[id], three) + powf(1 - x[id], three);
}
__global__ void cubes_fixed(const float* x, float* y, int n, float) {  // by multiplication
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const float a = x[id], b = 1 - a;
  y[id] = a * a * a + b * b * b;
}

// Rows.
static __device__ float block_sum(float v, float* shared) {
  for (int s = 16; s > 0; s /= 2) v += __shfl_xor_sync(~0u, v, s);
  __syncthreads();
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x % 32 < blockDim.x / 32 ? shared[threadIdx.x % 32] : 0;
  for (int s = 16; s > 0; s /= 2) v += __shfl_xor_sync(~0u, v, s);
  return v;
}
__global__ void passes_bad(const float* x, float* y, int width) {  // mean, variance, result: a row is read three times
  __shared__ float shared[32];
  const float* row = x + (size_t)blockIdx.x * width;
  float sum = 0, squares = 0;
  for (int c = threadIdx.x; c < width; c += blockDim.x) sum += row[c];
  const float mean = block_sum(sum, shared) / width;
  for (int c = threadIdx.x; c < width; c += blockDim.x) squares += (row[c] - mean) * (row[c] - mean);
  const float scale = rsqrtf(block_sum(squares, shared) / width + 1e-5f);
  for (int c = threadIdx.x; c < width; c += blockDim.x) y[(size_t)blockIdx.x * width + c] = (row[c] - mean) * scale;
}
__global__ void passes_fixed(const float* x, float* y, int width) {  // once, into registers
  __shared__ float shared[32];
  const float* row = x + (size_t)blockIdx.x * width;
  float v[32], sum = 0, squares = 0;
#pragma unroll
  for (int k = 0; k < 32; ++k) sum += v[k] = row[threadIdx.x + k * 256];
  const float mean = block_sum(sum, shared) / width;
#pragma unroll
  for (int k = 0; k < 32; ++k) squares += (v[k] - mean) * (v[k] - mean);
  const float scale = rsqrtf(block_sum(squares, shared) / width + 1e-5f);
#pragma unroll
  for (int k = 0; k < 32; ++k) y[(size_t)blockIdx.x * width + threadIdx.x + k * 256] = (v[k] - mean) * scale;
}
__global__ void rowsum_bad(const float* x, float* y) {  // a row of 128 a block, summed up in shared memory
  __shared__ float t[128];
  t[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  for (int s = 64; s > 0; s /= 2) {
    if (threadIdx.x < s) t[threadIdx.x] += t[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = t[0];
}
__global__ void rowsum_fixed(const float* x, float* y) {  // a row a warp, by shuffles
  const int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) sum += x[row * 128 + k * 32 + lane];
  for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(~0u, sum, s);
  if (lane == 0) y[row] = sum;
}

// Loops and numbers.
__constant__ float taps[32];
__global__ void fir_bad(const float* x, float* y, int n, int length) {  // a filter whose length is told when launched
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < length; ++k) sum += taps[k] * x[id + k];
  y[id] = sum;
}
__global__ void fir_fixed(const float* x, float* y, int n, int length) {  // told when compiled
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  float sum = length < 0;
#pragma unroll
  for (int k = 0; k < 32; ++k) sum += taps[k] * x[id + k];
  y[id] = sum;
}
__global__ void crop_bad(const float* x, float* y, long long n, long long width, long long pitch) {  // row and column by 64-bit division
  const long long id = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (id >= n) return;
  const long long row = id / width, col = id % width;
  y[id] = x[row * pitch + col];
}
__global__ void crop_fixed(const float* x, float* y, long long, long long width, long long pitch) {  // from the grid
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (col < width) y[row * width + col] = x[row * pitch + col];
}
__global__ void bytes_bad(const int* k, int* j, int n) {  // a picture of bytes turned to its negative, one at a time
  const unsigned char* from = (const unsigned char*)k;
  unsigned char* to = (unsigned char*)j;
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) to[id] = 255 - from[id];
}
__global__ void bytes_fixed(const int* k, int* j, int n) {  // sixteen
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (16 * id >= n) return;
  const uint4 v = ((const uint4*)k)[id];
  ((uint4*)j)[id] = make_uint4(~v.x, ~v.y, ~v.z, ~v.w);
}

// Structures.
__global__ void energy_bad(const float* x, float* y, int n) {  // two of a structure's eight numbers
  const Body* bodies = (const Body*)x;
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) y[id] = bodies[id].mass * bodies[id].vx * bodies[id].vx;
}
__global__ void energy_fixed(const float* x, float* y, int n) {  // an array each
  const float *mass = x + 3 * n, *vx = x + 4 * n;
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) y[id] = mass[id] * vx[id] * vx[id];
}

// Reductions.
static __device__ void largest(float v, float* to) {
  int old = *(int*)to;
  while (v > __int_as_float(old)) {
    const int seen = atomicCAS((int*)to, old, __float_as_int(v));
    if (seen == old) break;
    old = seen;
  }
}
__global__ void swaps_bad(const float* x, float* o, int n) {  // sums by compare-and-swap, all threads on eight numbers
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) largest(x[id] + id * 1e-3f, &o[id & 7]);
}
__global__ void swaps_fixed(const float* x, float* o, int n) {  // a block's largest first
  __shared__ float most[256];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  most[threadIdx.x] = id < n ? x[id] + id * 1e-3f : 0;
  __syncthreads();
  for (int s = 128; s >= 8; s /= 2) {
    if (threadIdx.x < s) most[threadIdx.x] = fmaxf(most[threadIdx.x], most[threadIdx.x + s]);
    __syncthreads();
  }
  if (threadIdx.x < 8) largest(most[threadIdx.x], &o[threadIdx.x]);
}
__global__ void votes_bad(const int* k, unsigned* h, int n) {  // a block counts in one word of shared memory
  __shared__ unsigned count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) atomicAdd(&count, (unsigned)k[id] >> 12);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&h[0], count);
}
__global__ void votes_fixed(const int* k, unsigned* h, int n) {  // in registers, then by warps
  unsigned count = 0;
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < n; id += gridDim.x * blockDim.x) count += (unsigned)k[id] >> 12;
  count = __reduce_add_sync(~0u, count);
  if (threadIdx.x % 32 == 0) atomicAdd(&h[0], count);
}
}
