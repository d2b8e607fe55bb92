#include <cuda_runtime.h>
// eight rows a block: their elements are one run of memory that begins at a sector. cp.async of 16 bytes in, 16-byte stores out.
__global__ void __launch_bounds__(256) k(const float* __restrict__ x, float* __restrict__ y, int rows, int columns) {
  extern __shared__ __align__(16) float s[];
  int tid = threadIdx.x, first = blockIdx.x * 8, count = min(8, rows - first) * columns, nv = count >> 2;
  const float* p = x + (long)first * columns;
  float* q = y + (long)first * columns;
  unsigned sa = (unsigned)__cvta_generic_to_shared(s);
#pragma unroll 9
  for (int v = tid; v < nv; v += 256) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(sa + v * 16), "l"(p + v * 4));
  for (int e = nv * 4 + tid; e < count; e += 256) s[e] = p[e];
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  int turn = (tid >> 3) & 3, end = columns, base = columns - 1;
#pragma unroll 2
  for (int v = tid; v < nv; v += 256) {
    int e = v * 4;
    while (e >= end) { end += columns; base += 2 * columns; }
    float f[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      int i = e + ((j + turn) & 3);
      f[j] = s[(i >= end ? base + 2 * columns : base) - i];
    }
    bool odd = turn & 1, half = turn & 2;
    float a = odd ? f[3] : f[0], b = odd ? f[0] : f[1], c = odd ? f[1] : f[2], d = odd ? f[2] : f[3];
    *(float4*)(q + e) = make_float4(half ? c : a, half ? d : b, half ? a : c, half ? b : d);
  }
  for (int e = nv * 4 + tid; e < count; e += 256) { int r = e / columns; q[e] = s[(2 * r + 1) * columns - 1 - e]; }
}
__global__ void __launch_bounds__(256) any(const float* __restrict__ x, float* __restrict__ y, int rows, int columns) {
  for (int r = blockIdx.x; r < rows; r += gridDim.x)
    for (int c = threadIdx.x; c < columns; c += 256) y[(long)r * columns + c] = x[(long)r * columns + columns - 1 - c];
}
extern "C" void solve(const float* x, float* y, int rows, int columns) {
  if (columns >= 4 && columns <= 1500 && (((size_t)x | (size_t)y) & 15) == 0)
    k<<<(rows + 7) / 8, 256, 32 * columns>>>(x, y, rows, columns);
  else
    any<<<min(rows, 65535), 256>>>(x, y, rows, columns);
}
