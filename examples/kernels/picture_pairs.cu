// What seminars teach of layers, pictures and grids, as pairs: NAME_bad before the lesson and NAME_fixed after it.
extern "C" {
// Layers.
__global__ void pool_bad(const float* x, float* y, int n) {  // the largest of two by two
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, half = n / 2;
  if (i >= half || j >= half) return;
  const float* at = x + 2 * j * n + 2 * i;
  y[j * half + i] = fmaxf(fmaxf(at[0], at[1]), fmaxf(at[n], at[n + 1]));
}
__global__ void pool_fixed(const float* x, float* y, int n) {  // two results from four numbers of either row
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, half = n / 2;
  if (2 * i >= half || j >= half) return;
  const float4 a = ((const float4*)(x + 2 * j * n))[i], b = ((const float4*)(x + (2 * j + 1) * n))[i];
  ((float2*)(y + j * half))[i] = make_float2(fmaxf(fmaxf(a.x, a.y), fmaxf(b.x, b.y)), fmaxf(fmaxf(a.z, a.w), fmaxf(b.z, b.w)));
}
// Sum and sum of squares of a channel; pictures * channels planes, each channel's pictures dealt out to gridDim.y blocks.
static __device__ void channel_sums(const float* x, float* o, int channels, int area, int pictures) {
  __shared__ float a[512], b[512];
  const int c = blockIdx.x, t = threadIdx.x;
  float sum = 0, squares = 0;
  for (int p = blockIdx.y; p < pictures; p += gridDim.y)
    for (int k = t; k < area; k += blockDim.x) {
      const float v = x[(p * channels + c) * area + k];
      sum += v;
      squares += v * v;
    }
  a[t] = sum;
  b[t] = squares;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) {
      a[t] += a[t + s];
      b[t] += b[t + s];
    }
    __syncthreads();
  }
  if (t == 0) {
    atomicAdd(&o[2 * c], a[0]);
    atomicAdd(&o[2 * c + 1], b[0]);
  }
}
__global__ void batchnorm_bad(const float* x, float* o, int channels, int area, int pictures) { channel_sums(x, o, channels, area, pictures); }
__global__ void batchnorm_fixed(const float* x, float* o, int channels, int area, int pictures) { channel_sums(x, o, channels, area, pictures); }
__global__ void layerconv_bad(const float* x, const float* w, float* y, int n) {  // 16 channels to 16, three by three, a result a thread
  __shared__ float t[18][19], f[9];
  const int i = blockIdx.x * 16, j = blockIdx.y * 16, out = blockIdx.z, id = threadIdx.y * 16 + threadIdx.x;
  float sum = 0;
  for (int c = 0; c < 16; ++c) {
    for (int k = id; k < 18 * 18; k += 256)
      t[k / 18][k % 18] = x[(c * n + min(max(j + k / 18 - 1, 0), n - 1)) * n + min(max(i + k % 18 - 1, 0), n - 1)];
    if (id < 9) f[id] = w[(out * 16 + c) * 9 + id];
    __syncthreads();
    for (int r = 0; r < 3; ++r)
      for (int q = 0; q < 3; ++q) sum += t[threadIdx.y + r][threadIdx.x + q] * f[3 * r + q];
    __syncthreads();
  }
  y[(out * n + j + threadIdx.y) * n + i + threadIdx.x] = sum;
}
__global__ void layerconv_fixed(const float* x, const float* w, float* y, int n) {  // eight channels' results a thread
  __shared__ float t[18][19], f[8][9];
  const int i = blockIdx.x * 16, j = blockIdx.y * 16, out = blockIdx.z * 8, id = threadIdx.y * 16 + threadIdx.x;
  float sum[8] = {};
  for (int c = 0; c < 16; ++c) {
    for (int k = id; k < 18 * 18; k += 256)
      t[k / 18][k % 18] = x[(c * n + min(max(j + k / 18 - 1, 0), n - 1)) * n + min(max(i + k % 18 - 1, 0), n - 1)];
    if (id < 72) f[id / 9][id % 9] = w[((out + id / 9) * 16 + c) * 9 + id % 9];
    __syncthreads();
    for (int r = 0; r < 3; ++r)
      for (int q = 0; q < 3; ++q) {
        const float v = t[threadIdx.y + r][threadIdx.x + q];
        for (int o = 0; o < 8; ++o) sum[o] += v * f[o][3 * r + q];
      }
    __syncthreads();
  }
  for (int o = 0; o < 8; ++o) y[((out + o) * n + j + threadIdx.y) * n + i + threadIdx.x] = sum[o];
}
__global__ void heads_bad(const float* x, float* y, int batch, int heads, int length, int width) {  // batch, heads, length, width: the middle two change places
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= batch * heads * length * width) return;
  const int d = id % width, s = id / width % length, h = id / width / length % heads, b = id / width / length / heads;
  y[((b * length + s) * heads + h) * width + d] = x[id];
}
__global__ void heads_fixed(const float* x, float* y, int batch, int heads, int length, int width) {  // a dimension of the grid for each
  const int d = threadIdx.x, s = blockIdx.x * blockDim.y + threadIdx.y, h = blockIdx.y, b = blockIdx.z;
  if (s < length && b < batch) y[((b * length + s) * heads + h) * width + d] = x[((b * heads + h) * length + s) * width + d];
}
__global__ void softmax32_bad(const float* x, float* y) {  // rows of 32, a block each
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id];
  float most = v;
  for (int s = 16; s > 0; s /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, s));
  const float e = __expf(v - most);
  float sum = e;
  for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(~0u, sum, s);
  y[id] = e / sum;
}
__global__ void softmax32_fixed(const float* x, float* y) {  // eight of them a block
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[id];
  float most = v;
  for (int s = 16; s > 0; s /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, s));
  const float e = __expf(v - most);
  float sum = e;
  for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(~0u, sum, s);
  y[id] = e / sum;
}

// Pictures.
__global__ void median_bad(const float* x, float* y, int n) {  // of three by three, the smallest picked five times
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1) return;
  float v[9];
  for (int k = 0; k < 9; ++k) v[k] = x[(j + k / 3 - 1) * n + i + k % 3 - 1];
  for (int a = 0; a < 5; ++a) {
    int least = a;
    for (int b = a + 1; b < 9; ++b)
      if (v[b] < v[least]) least = b;
    const float t = v[a];
    v[a] = v[least];
    v[least] = t;
  }
  y[j * n + i] = v[4];
}
static __device__ void in_order(float& a, float& b) {
  const float t = fminf(a, b);
  b = fmaxf(a, b);
  a = t;
}
__global__ void median_fixed(const float* x, float* y, int n) {  // a network of exchanges in registers
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1) return;
  float v[9];
#pragma unroll
  for (int k = 0; k < 9; ++k) v[k] = x[(j + k / 3 - 1) * n + i + k % 3 - 1];
#pragma unroll
  for (int a = 0; a < 5; ++a)
#pragma unroll
    for (int b = a + 1; b < 9; ++b) in_order(v[a], v[b]);
  y[j * n + i] = v[4];
}
__global__ void bilateral_bad(const float* x, float* y, int n, float near, float alike) {  // exp of double, with constants of double
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 2 || j < 2 || i >= n - 2 || j >= n - 2) return;
  const float own = x[j * n + i];
  float sum = 0, weights = 0;
  for (int r = -2; r <= 2; ++r)
    for (int c = -2; c <= 2; ++c) {
      const float v = x[(j + r) * n + i + c], d = v - own;
      const float weight = exp(-0.5 * (r * r + c * c) * near - 0.5 * d * d * alike);
      sum += weight * v;
      weights += weight;
    }
  y[j * n + i] = sum / weights;
}
__global__ void bilateral_fixed(const float* x, float* y, int n, float near, float alike) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 2 || j < 2 || i >= n - 2 || j >= n - 2) return;
  const float own = x[j * n + i];
  float sum = 0, weights = 0;
  for (int r = -2; r <= 2; ++r)
    for (int c = -2; c <= 2; ++c) {
      const float v = x[(j + r) * n + i + c], d = v - own;
      const float weight = expf(-0.5f * (r * r + c * c) * near - 0.5f * d * d * alike);
      sum += weight * v;
      weights += weight;
    }
  y[j * n + i] = sum / weights;
}
__global__ void upsample_bad(const float* x, float* y, int n) {  // twice as wide and high, four stores a number
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  const float v = x[j * n + i];
  float* at = y + 4 * j * n + 2 * i;
  at[0] = v;
  at[1] = v;
  at[2 * n] = v;
  at[2 * n + 1] = v;
}
__global__ void upsample_fixed(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  const float v = x[j * n + i];
  float2* at = (float2*)(y + 4 * j * n) + i;
  at[0] = make_float2(v, v);
  at[n] = make_float2(v, v);
}
__constant__ float colours[256];
__global__ void colourmap_bad(const int* k, float* y, int n) {  // each lane another word of constant memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const int v = k[id];
  y[id] = colours[v & 255] + colours[v >> 8 & 255] + colours[v >> 16 & 255];
}
__global__ void colourmap_fixed(const int* k, float* y, int n) {  // of shared memory
  __shared__ float own[256];
  own[threadIdx.x & 255] = colours[threadIdx.x & 255];
  __syncthreads();
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const int v = k[id];
  y[id] = own[v & 255] + own[v >> 8 & 255] + own[v >> 16 & 255];
}

// Grids.
__global__ void life_bad(const int* k, float* y, int n) {  // a generation, in blocks of six by six
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1) return;
  int around = 0;
  for (int r = -1; r <= 1; ++r)
    for (int c = -1; c <= 1; ++c) around += k[(j + r) * n + i + c] & 1;
  const int own = k[j * n + i] & 1;
  y[j * n + i] = around == 3 || (around == 4 && own);
}
__global__ void life_fixed(const int* k, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1) return;
  int around = 0;
  for (int r = -1; r <= 1; ++r)
    for (int c = -1; c <= 1; ++c) around += k[(j + r) * n + i + c] & 1;
  const int own = k[j * n + i] & 1;
  y[j * n + i] = around == 3 || (around == 4 && own);
}
__global__ void rod_bad(const float* x, float* y, int n, int steps) {  // heat in rods of 512 cells, a step from one half of y to the other
  const int id = blockIdx.x * 512 + threadIdx.x, t = threadIdx.x;
  y[id] = x[id];
  __syncthreads();
  for (int s = 0; s < steps; ++s) {
    const float* from = y + (s & 1) * n;
    const float a = from[t > 0 ? id - 1 : id], b = from[id], c = from[t < 511 ? id + 1 : id];
    y[(1 - (s & 1)) * n + id] = b + 0.25f * (a - 2 * b + c);
    __syncthreads();
  }
}
__global__ void rod_fixed(const float* x, float* y, int n, int steps) {  // in shared memory
  __shared__ float v[2][512];
  const int id = blockIdx.x * 512 + threadIdx.x, t = threadIdx.x;
  v[0][t] = x[id];
  __syncthreads();
  for (int s = 0; s < steps; ++s) {
    const float* from = v[s & 1];
    const float a = from[t > 0 ? t - 1 : t], b = from[t], c = from[t < 511 ? t + 1 : t];
    v[1 - (s & 1)][t] = b + 0.25f * (a - 2 * b + c);
    __syncthreads();
  }
  y[id] = v[steps & 1][t];
  if (n < 0) y[0] = 0;
}
__global__ void coulomb_bad(const float* w, float* y, int atoms, int width) {  // potentials on a plane, atoms in global memory
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float px = 0.01f * (id % width), py = 0.01f * (id / width);
  float energy = 0;
  for (int a = 0; a < atoms; ++a) {
    const float dx = px - w[4 * a], dy = py - w[4 * a + 1], dz = 2 - w[4 * a + 2];
    energy += w[4 * a + 3] * rsqrtf(dx * dx + dy * dy + dz * dz);
  }
  y[id] = energy;
}
__global__ void coulomb_fixed(const float* w, float* y, int atoms, int width) {  // an atom a load, from shared memory
  __shared__ float4 own[256];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const float px = 0.01f * (id % width), py = 0.01f * (id / width);
  float energy = 0;
  for (int first = 0; first < atoms; first += 256) {
    own[threadIdx.x] = ((const float4*)w)[first + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int a = 0; a < 256; ++a) {
      const float dx = px - own[a].x, dy = py - own[a].y, dz = 2 - own[a].z;
      energy += own[a].w * rsqrtf(dx * dx + dy * dy + dz * dz);
    }
    __syncthreads();
  }
  y[id] = energy;
}
}
