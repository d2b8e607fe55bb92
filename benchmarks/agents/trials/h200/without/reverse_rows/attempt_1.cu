#include <cuda_runtime.h>
// A warp a row, aligned float4 both ways. With columns = 1 mod 4 the reversed row is always off by one or three elements from the source's
// alignment, so each output vector is three elements of one lane and one of its neighbour: one shuffle.
template <int NV>
__global__ void __launch_bounds__(128) k(const float* __restrict__ x, float* __restrict__ y, int rows, int columns) {
  int lane = threadIdx.x & 31, r = blockIdx.x * 4 + (threadIdx.x >> 5);
  if (r >= rows) return;
  long start = (long)r * columns;
  const float* row = x + start;
  float* out = y + start;
  int h = (int)(-start & 3);
  const float4* v4 = (const float4*)(row + h) + lane;
  float4 v[NV];
#pragma unroll
  for (int i = 0; i < NV; ++i) v[i] = v4[i * 32];
  bool even = !(h & 1);
  int cs = even ? h + 1 : h - 1;                      // first source element that the vectors write
  float edge = row[even ? h + NV * 128 : h - 1];      // the one beyond the vectors
  int j = lane < cs ? lane : lane + NV * 128;
  float e = 0;
  if (j < columns) e = row[j];
  float4* o4 = (float4*)(out + columns - 4 - cs) - lane;
  if (even) {
#pragma unroll
    for (int i = 0; i < NV; ++i) {
      float next = i + 1 < NV ? v[i + 1 < NV ? i + 1 : i].x : edge;
      float f = __shfl_sync(~0u, lane == 0 ? next : v[i].x, (lane + 1) & 31);
      o4[-i * 32] = make_float4(f, v[i].w, v[i].z, v[i].y);
    }
  } else {
#pragma unroll
    for (int i = 0; i < NV; ++i) {
      float before = i ? v[i ? i - 1 : 0].w : edge;
      float f = __shfl_sync(~0u, lane == 31 ? before : v[i].w, (lane + 31) & 31);
      o4[-i * 32] = make_float4(v[i].z, v[i].y, v[i].x, f);
    }
  }
  if (j < columns) out[columns - 1 - j] = e;
}
__global__ void __launch_bounds__(128) any(const float* __restrict__ x, float* __restrict__ y, int rows, int columns) {
  int lane = threadIdx.x & 31, r = blockIdx.x * 4 + (threadIdx.x >> 5);
  if (r >= rows) return;
  long start = (long)r * columns;
  for (int c = lane; c < columns; c += 32) y[start + c] = x[start + columns - 1 - c];
}
extern "C" void solve(const float* x, float* y, int rows, int columns) {
  int grid = (rows + 3) / 4;
  // columns = 128 NV + 5 .. 128 NV + 32, and 1 mod 4
  if (columns % 4 == 1 && columns >= 1029 && columns <= 1049) k<8><<<grid, 128>>>(x, y, rows, columns);
  else if (columns % 4 == 1 && columns >= 133 && columns <= 153) k<1><<<grid, 128>>>(x, y, rows, columns);
  else any<<<grid, 128>>>(x, y, rows, columns);
}
