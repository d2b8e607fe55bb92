// Pairs of kernels, NAME_bad and NAME_fixed: one with a defect that a finding of `warplens kernel` names, one with it mended.
extern "C" {

__global__ void column_bad(const float* x, float* y, int n) {  // walks columns of a matrix of 1024 to the row
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[(i % (n / 1024)) * 1024 + i / (n / 1024)] + 1.0f;
}
__global__ void column_fixed(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + 1.0f;
}

__global__ void scatter_bad(const float* x, float* y, int n) {  // stores eight apart
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = i % (n / 8) * 8 + i / (n / 8);
  if (i < n) y[j] = x[i] * 2.0f;
}
__global__ void scatter_fixed(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * 2.0f;
}

__global__ void rowsum_bad(const float* x, float* y, int rounds) {  // a thread a row of a tile
  __shared__ float t[32][32];
  int lane = threadIdx.x % 32, row = threadIdx.x / 32;
  for (int k = row; k < 32; k += 8) t[k][lane] = x[blockIdx.x * 1024 + k * 32 + lane];
  __syncthreads();
  float s = 0;
  for (int r = 0; r < rounds; ++r) for (int k = 0; k < 32; k += 4) s += t[lane][(k + row + r) % 32];
  y[blockIdx.x * 256 + threadIdx.x] = s;
}
__global__ void rowsum_fixed(const float* x, float* y, int rounds) {
  __shared__ float t[32][33];
  int lane = threadIdx.x % 32, row = threadIdx.x / 32;
  for (int k = row; k < 32; k += 8) t[k][lane] = x[blockIdx.x * 1024 + k * 32 + lane];
  __syncthreads();
  float s = 0;
  for (int r = 0; r < rounds; ++r) for (int k = 0; k < 32; k += 4) s += t[lane][(k + row + r) % 32];
  y[blockIdx.x * 256 + threadIdx.x] = s;
}

__global__ void parity_bad(const float* x, float* y, int n) {  // odd and even threads do different things
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  if (i % 2) { for (int k = 0; k < 96; ++k) v = v * 0.99f + __expf(-v); } else { for (int k = 0; k < 96; ++k) v = v * 0.98f - __cosf(v); }
  y[i] = v;
}
__global__ void parity_fixed(const float* x, float* y, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  int i = t / 64 * 64 + t % 32 * 2 + t / 32 % 2;
  float v = x[i];
  if (i % 2) { for (int k = 0; k < 96; ++k) v = v * 0.99f + __expf(-v); } else { for (int k = 0; k < 96; ++k) v = v * 0.98f - __cosf(v); }
  y[i] = v;
}

__global__ void trips_bad(const float* x, float* y, int n) {  // neighbours loop a different number of times
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < i % 32 * 16; ++k) v = v * 1.0001f + 0.5f;
  y[i] = v;
}
__global__ void trips_fixed(const float* x, float* y, int n) {  // the same loops, sorted by their length
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < i / 32 % 32 * 16; ++k) v = v * 1.0001f + 0.5f;
  y[i] = v;
}

__global__ void hoard_bad(const float* x, float* y, int n) {  // holds 48 KB that it does not need
  __shared__ float t[12000];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  t[threadIdx.x] = x[i];
  __syncthreads();
  y[i] = t[threadIdx.x ^ 1] + x[(i + n / 2) % n] + x[(i + n / 4) % n];
}
__global__ void hoard_fixed(const float* x, float* y, int n) {
  __shared__ float t[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  t[threadIdx.x] = x[i];
  __syncthreads();
  y[i] = t[threadIdx.x ^ 1] + x[(i + n / 2) % n] + x[(i + n / 4) % n];
}

__global__ void few_bad(const float* x, float* y, int n) {  // launched with 16 blocks
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = sqrtf(x[i]);
}
__global__ void few_fixed(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = sqrtf(x[i]);
}

__global__ void __launch_bounds__(1024) last_bad(const float* x, float* y, int rounds) {  // 2 blocks an SM, 1.14 waves
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < rounds; ++k) v = v * 0.999f + 0.25f;
  y[i] = v;
}
__global__ void last_fixed(const float* x, float* y, int rounds) {  // the same in blocks of 128
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < rounds; ++k) v = v * 0.999f + 0.25f;
  y[i] = v;
}

__global__ void celsius_bad(const float* x, float* y, int n) {  // constants without f
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < 32; ++k) v = (v - 32.0) * 0.5555 + 31.7 / (v * v + 1.5);
  y[i] = v;
}
__global__ void celsius_fixed(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < 32; ++k) v = (v - 32.0f) * 0.5555f + 31.7f / (v * v + 1.5f);
  y[i] = v;
}

__global__ void polynomial_bad(const float* x, float* y, int n) {  // products and sums rounded apart
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = x[i], b = a + 1, c = a + 2, d = a + 3;
  for (int k = 0; k < 128; ++k) {
    a = __fadd_rn(__fmul_rn(a, 0.999f), 0.1f); b = __fadd_rn(__fmul_rn(b, 0.999f), 0.1f);
    c = __fadd_rn(__fmul_rn(c, 0.999f), 0.1f); d = __fadd_rn(__fmul_rn(d, 0.999f), 0.1f);
  }
  y[i] = a + b + c + d;
}
__global__ void polynomial_fixed(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = x[i], b = a + 1, c = a + 2, d = a + 3;
  for (int k = 0; k < 128; ++k) {
    a = fmaf(a, 0.999f, 0.1f); b = fmaf(b, 0.999f, 0.1f); c = fmaf(c, 0.999f, 0.1f); d = fmaf(d, 0.999f, 0.1f);
  }
  y[i] = a + b + c + d;
}

#define HOLD_MANY                                                                                    \
  int i = blockIdx.x * blockDim.x + threadIdx.x;                                                     \
  float a[48];                                                                                       \
  for (int k = 0; k < 48; ++k) a[k] = x[i] + k;                                                      \
  for (int r = 0; r < rounds; ++r)                                                                   \
    for (int k = 0; k < 48; ++k) a[k] = a[k] * 0.9f + a[(k + 7) % 48] * 0.1f;                        \
  float s = 0;                                                                                       \
  for (int k = 0; k < 48; ++k) s += a[k];                                                            \
  y[i] = s;
__global__ void __launch_bounds__(1024, 2) hold_bad(const float* x, float* y, int rounds) { HOLD_MANY }  // 32 registers
__global__ void hold_fixed(const float* x, float* y, int rounds) { HOLD_MANY }

__global__ void pick_bad(const float* x, float* y, int n, int turns) {  // an array indexed at run time
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a[16], s = 0;
  for (int k = 0; k < 16; ++k) a[k] = x[i] * k;
  for (int k = 0; k < turns; ++k) s += a[(k + i) % 16];
  y[i] = s;
}
__global__ void pick_fixed(const float* x, float* y, int n, int turns) {  // the same array in shared memory
  __shared__ float a[16][256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0;
  for (int k = 0; k < 16; ++k) a[k][threadIdx.x] = x[i] * k;
  for (int k = 0; k < turns; ++k) s += a[(k + i) % 16][threadIdx.x];
  y[i] = s;
}

__global__ void total_bad(const float* x, float* out, int n) {  // an atomic a thread, on one address
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, x[i]);
}
__global__ void total_fixed(const float* x, float* out, int n) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i];
  for (int o = 16; o; o /= 2) s += __shfl_down_sync(0xffffffff, s, o);
  if (threadIdx.x % 32 == 0) atomicAdd(out, s);
}

__global__ void bins_bad(const float* x, unsigned* h, int n) {  // 64 bins in global memory
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&h[(int)(x[i] * 64) & 63], 1u);
}
__global__ void bins_fixed(const float* x, unsigned* h, int n) {
  __shared__ unsigned t[64];
  if (threadIdx.x < 64) t[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&t[(int)(x[i] * 64) & 63], 1u);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&h[threadIdx.x], t[threadIdx.x]);
}

__global__ void window_bad(const float* x, float* y, int n) {  // every value is loaded 65 times
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 64 >= n) return;
  float s = 0;
  for (int k = 0; k <= 64; ++k) s += x[i + k] * (k * 0.01f);
  y[i] = s;
}
__global__ void window_fixed(const float* x, float* y, int n) {  // four results a thread, from a tile
  __shared__ float t[1024 + 64];
  int base = blockIdx.x * 1024;
  for (int k = threadIdx.x; k < 1024 + 64; k += 256) t[k] = base + k < n ? x[base + k] : 0;
  __syncthreads();
  float s[4] = {}, v[4];
  const float* mine = t + threadIdx.x * 4;
  for (int j = 0; j < 3; ++j) v[j] = mine[j];
  for (int k = 0; k <= 64; ++k) {
    v[(k + 3) % 4] = mine[k + 3];
    for (int j = 0; j < 4; ++j) s[j] += v[(k + j) % 4] * (k * 0.01f);
  }
  for (int j = 0; j < 4; ++j) if (base + threadIdx.x * 4 + j + 64 < n) y[base + threadIdx.x * 4 + j] = s[j];
}

__global__ void narrow_bad(const unsigned char* x, unsigned char* y, int n) {  // a byte a thread
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] ^ 0x55;
}
__global__ void narrow_fixed(const uint4* x, uint4* y, int n) {  // sixteen
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 16) return;
  uint4 v = x[i];
  v.x ^= 0x55555555; v.y ^= 0x55555555; v.z ^= 0x55555555; v.w ^= 0x55555555;
  y[i] = v;
}

__global__ void odd_bad(const float* x, float* y, int n) {  // launched with 33 threads a block
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < 64; ++k) v = v * 0.99f + __expf(v * 0.1f);
  y[i] = v;
}
__global__ void odd_fixed(const float* x, float* y, int n) {  // with 256
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < 64; ++k) v = v * 0.99f + __expf(v * 0.1f);
  y[i] = v;
}

__global__ void wait_bad(const float* x, float* y, int rounds) {  // a barrier a step, where a warp keeps to itself
  __shared__ float t[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < rounds; ++k) {
    t[threadIdx.x] = v;
    __syncthreads();
    v = v * 0.5f + t[threadIdx.x ^ 1];
    __syncthreads();
  }
  y[i] = v;
}
__global__ void wait_fixed(const float* x, float* y, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < rounds; ++k) v = v * 0.5f + __shfl_xor_sync(0xffffffff, v, 1);
  y[i] = v;
}

__global__ void serial_bad(const float* x, float* y, int n) {  // a warp an SM, one sum each
  float s = x[threadIdx.x];
  for (int k = 0; k < n; ++k) s = __expf(s * -0.5f) + 0.25f;
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void serial_fixed(const float* x, float* y, int n) {  // four
  float s[4];
  for (int j = 0; j < 4; ++j) s[j] = x[threadIdx.x] + j;
  for (int k = 0; k < n / 4; ++k) for (int j = 0; j < 4; ++j) s[j] = __expf(s[j] * -0.5f) + 0.25f;
  y[blockIdx.x * blockDim.x + threadIdx.x] = s[0] + s[1] + s[2] + s[3];
}

__global__ void digits_bad(const int* x, int* y, int n, int base) {  // divides by a number that only the launch knows
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = x[i], s = 0;
  for (int k = 0; k < 24; ++k) { s += v % base; v = v / base + i; }
  y[i] = s;
}
__global__ void digits_fixed(const int* x, int* y, int n, int) {  // by one that the compiler knows
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = x[i]; int s = 0;
  for (int k = 0; k < 24; ++k) { s += v % 16; v = v / 16 + i; }
  y[i] = s;
}

__constant__ float table[256];
__global__ void weights_bad(const float* x, const float* w, float* y, int n) {  // weights, the same for all threads, from global memory
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = x[i], t = s;
#pragma unroll
  for (int k = 0; k < 256; k += 2) { s = s * 0.5f + w[k]; t = t * 0.5f + w[k + 1]; }
  y[i] = s + t;
}
__global__ void weights_fixed(const float* x, const float*, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = x[i], t = s;
#pragma unroll
  for (int k = 0; k < 256; k += 2) { s = s * 0.5f + table[k]; t = t * 0.5f + table[k + 1]; }
  y[i] = s + t;
}

__global__ void power_bad(const float* x, float* y, int n) {  // functions of double
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = exp((double)-x[i]) / (1.0 + sqrt((double)x[i]));
}
__global__ void power_fixed(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = expf(-x[i]) / (1.0f + sqrtf(x[i]));
}

__global__ void tree_bad(const float* x, float* y, int rounds) {  // a sum as a tree whose threads move apart
  __shared__ float t[512];
  float all = 0;
  for (int r = 0; r < rounds; ++r) {
    t[threadIdx.x] = x[(blockIdx.x * rounds + r) * 512 + threadIdx.x];
    __syncthreads();
    for (int step = 1; step < 512; step *= 2) {
      int at = 2 * step * threadIdx.x;
      if (at < 512) t[at] += t[at + step];
      __syncthreads();
    }
    all += t[0];
    __syncthreads();
  }
  y[blockIdx.x * 512 + threadIdx.x] = all;
}
__global__ void tree_fixed(const float* x, float* y, int rounds) {
  __shared__ float t[512];
  float all = 0;
  for (int r = 0; r < rounds; ++r) {
    t[threadIdx.x] = x[(blockIdx.x * rounds + r) * 512 + threadIdx.x];
    __syncthreads();
    for (int step = 256; step > 0; step /= 2) {
      if (threadIdx.x < step) t[threadIdx.x] += t[threadIdx.x + step];
      __syncthreads();
    }
    all += t[0];
    __syncthreads();
  }
  y[blockIdx.x * 512 + threadIdx.x] = all;
}

__global__ void rows_bad(const float* x, float* y, int n) {  // a thread a row of 64
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n / 64) return;
  float s = 0;
  for (int k = 0; k < 64; ++k) s += x[row * 64 + k] * x[row * 64 + k];
  y[row] = s;
}
__global__ void rows_fixed(const float* x, float* y, int n) {  // a warp a row
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= n / 64) return;
  float a = x[row * 64 + lane], b = x[row * 64 + lane + 32], s = a * a + b * b;
  for (int o = 16; o; o /= 2) s += __shfl_xor_sync(0xffffffff, s, o);
  if (lane == 0) y[row] = s;
}
}  // extern "C"
