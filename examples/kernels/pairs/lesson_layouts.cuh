// Double precision that nobody asked for, from integers.
__global__ void grey_bad(const unsigned char* rgb, unsigned char* grey, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) grey[i] = 0.21 * rgb[3 * i] + 0.72 * rgb[3 * i + 1] + 0.07 * rgb[3 * i + 2];
}
__global__ void grey_fixed(const unsigned char* rgb, unsigned char* grey, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) grey[i] = 0.21f * rgb[3 * i] + 0.72f * rgb[3 * i + 1] + 0.07f * rgb[3 * i + 2];
}
__global__ void samples_bad(const short* in, short* out, int n) {  // sound, made softer and cut off
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int v = in[i] * 0.7071 + 0.5;
  out[i] = max(-30000, min(30000, v));
}
__global__ void samples_fixed(const short* in, short* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int v = in[i] * 0.7071f + 0.5f;
  out[i] = max(-30000, min(30000, v));
}
__global__ void lookup_bad(const int* in, int* out, int n) {  // a logarithmic scale of counts
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 100.0 * log(1.0 + (in[i] & 65535));
}
__global__ void lookup_fixed(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 100.0f * logf(1.0f + (in[i] & 65535));
}

// Blocks that are too small: the same kernel, larger blocks.
__global__ void sum32_bad(const float* x, const float* w, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + w[i & 4095];
}
__global__ void sum32_fixed(const float* x, const float* w, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + w[i & 4095];
}
__global__ void square8_bad(const float* x, float* y, int width) {  // blocks of 8 x 8 pixels
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < width && r < width) y[r * width + c] = 1.0f - x[r * width + c];
}
__global__ void square8_fixed(const float* x, float* y, int width) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < width && r < width) y[r * width + c] = 1.0f - x[r * width + c];
}
__global__ void blur3_bad(const float* x, float* y, int width) {  // blocks of 16 x 4
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < 1 || r < 1 || c >= width - 1 || r >= width - 1) return;
  float sum = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) sum += x[(r + j) * width + c + i];
  y[r * width + c] = sum / 9;
}
__global__ void blur3_fixed(const float* x, float* y, int width) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < 1 || r < 1 || c >= width - 1 || r >= width - 1) return;
  float sum = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) sum += x[(r + j) * width + c + i];
  y[r * width + c] = sum / 9;
}

// Layouts: coalescing and banks.
__global__ void turn32_bad(const float* x, float* y, int n) {
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) y[c * n + r + j] = x[(r + j) * n + c];
}
__global__ void turn32_fixed(const float* x, float* y, int n) {
  __shared__ float t[32][33];
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = x[(r + j) * n + c];
  __syncthreads();
  for (int j = 0; j < 32; j += 8)
    y[(blockIdx.x * 32 + threadIdx.y + j) * n + blockIdx.y * 32 + threadIdx.x] = t[threadIdx.x][threadIdx.y + j];
}
__global__ void unpadded_bad(const float* x, float* y, int n) {
  __shared__ float t[32][32];
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = x[(r + j) * n + c];
  __syncthreads();
  for (int j = 0; j < 32; j += 8)
    y[(blockIdx.x * 32 + threadIdx.y + j) * n + blockIdx.y * 32 + threadIdx.x] = t[threadIdx.x][threadIdx.y + j];
}
__global__ void unpadded_fixed(const float* x, float* y, int n) {
  __shared__ float t[32][33];
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = x[(r + j) * n + c];
  __syncthreads();
  for (int j = 0; j < 32; j += 8)
    y[(blockIdx.x * 32 + threadIdx.y + j) * n + blockIdx.y * 32 + threadIdx.x] = t[threadIdx.x][threadIdx.y + j];
}
struct Body {
  float x, y, z, vx, vy, vz, mass, charge;
};
__global__ void bodies_bad(const Body* b, float* y, int n) {  // three of eight fields
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = b[i].mass * (b[i].vx * b[i].vx + b[i].vy * b[i].vy);
}
__global__ void bodies_fixed(const float* b, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = b[2 * n + i] * (b[i] * b[i] + b[n + i] * b[n + i]);
}
__global__ void chunk_bad(const float* x, float* y, int per) {  // every thread a run of its own
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < per; ++k) sum += x[t * per + k];
  y[t] = sum;
}
__global__ void chunk_fixed(const float* x, float* y, int per) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  float sum = 0;
  for (int k = 0; k < per; ++k) sum += x[k * threads + t];
  y[t] = sum;
}
__global__ void softrow_bad(const float* x, float* y, int width) {  // a thread a row
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  float most = -1e30f, sum = 0;
  for (int k = 0; k < width; ++k) most = fmaxf(most, x[r * width + k]);
  for (int k = 0; k < width; ++k) sum += __expf(x[r * width + k] - most);
  for (int k = 0; k < width; ++k) y[r * width + k] = __expf(x[r * width + k] - most) / sum;
}
__global__ void softrow_fixed(const float* x, float* y, int width) {  // a block of 128 a row
  __shared__ float t[4];
  const int r = blockIdx.x, id = threadIdx.x;
  float most = -1e30f, sum = 0;
  for (int k = id; k < width; k += 128) most = fmaxf(most, x[r * width + k]);
  for (int s = 16; s > 0; s /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, s));
  if (id % 32 == 0) t[id / 32] = most;
  __syncthreads();
  most = fmaxf(fmaxf(t[0], t[1]), fmaxf(t[2], t[3]));
  for (int k = id; k < width; k += 128) sum += __expf(x[r * width + k] - most);
  for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(~0u, sum, s);
  __syncthreads();
  if (id % 32 == 0) t[id / 32] = sum;
  __syncthreads();
  sum = t[0] + t[1] + t[2] + t[3];
  for (int k = id; k < width; k += 128) y[r * width + k] = __expf(x[r * width + k] - most) / sum;
}

// Atomics.
__global__ void letters_bad(const unsigned char* text, unsigned* bins, int n) {  // a histogram in global memory
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[(text[i] & 127) / 4], 1u);
}
__global__ void letters_fixed(const unsigned char* text, unsigned* bins, int n) {  // a block's own, added at the end
  __shared__ unsigned own[32];
  if (threadIdx.x < 32) own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[(text[i] & 127) / 4], 1u);
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
__global__ void dot_bad(const float* x, const float* z, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&y[i % 16], x[i] * z[i]);
}
__global__ void dot_fixed(const float* x, const float* z, float* y, int n) {
  __shared__ float t[16];
  const int id = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + id; i < n; i += gridDim.x * blockDim.x) sum += x[i] * z[i];
  if (id < 16) t[id] = 0;
  __syncthreads();
  sum += __shfl_down_sync(~0u, sum, 16);
  if (id % 32 < 16) atomicAdd(&t[id % 16], sum);
  __syncthreads();
  if (id < 16) atomicAdd(&y[id], t[id]);
}

// Branches.
__global__ void evenodd_bad(const float* x, float* y, int n) {  // by lanes
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  if (threadIdx.x % 2)
    for (int k = 0; k < 40; ++k) v = sinf(v) + 0.1f;
  else
    for (int k = 0; k < 40; ++k) v = __expf(-v) * v + 0.3f;
  y[i] = v;
}
__global__ void evenodd_fixed(const float* x, float* y, int n) {  // by warps
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  if (threadIdx.x / 32 % 2)
    for (int k = 0; k < 40; ++k) v = sinf(v) + 0.1f;
  else
    for (int k = 0; k < 40; ++k) v = __expf(-v) * v + 0.3f;
  y[i] = v;
}
__global__ void triangle_bad(const float* x, float* y, int n) {  // a thread's loop as long as its number
  const int i = blockIdx.x * blockDim.x + threadIdx.x, turns = (i * 37) % 128;
  float v = x[i];
  for (int k = 0; k < turns; ++k) v = v * 0.99f + sinf(v);
  y[i] = v;
}
__global__ void triangle_fixed(const float* x, float* y, int n) {  // threads of a warp have the same length
  const int i = blockIdx.x * blockDim.x + threadIdx.x, turns = (i / 32 * 37) % 128;
  float v = x[i];
  for (int k = 0; k < turns; ++k) v = v * 0.99f + sinf(v);
  y[i] = v;
}
