// Softmax of rows in bf16, a warp a row, eight elements a load, sums in f32.
#include <cuda_bf16.h>
#include <math_constants.h>
extern "C" {

__global__ void softmax(const uint4* x, uint4* y, int rows, int columns) {  // columns: a multiple of 8
  int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x, chunks = columns / 8;
  if (row >= rows) return;
  float most = -CUDART_INF_F, sum = 0;
  for (int c = lane; c < chunks; c += 32) {  // the maximum and the sum in one pass
    uint4 raw = x[row * chunks + c];
    const __nv_bfloat162* pair = reinterpret_cast<const __nv_bfloat162*>(&raw);
    __nv_bfloat162 larger = __hmax2(__hmax2(pair[0], pair[1]), __hmax2(pair[2], pair[3]));
    float here = fmaxf(__low2float(larger), __high2float(larger)), before = most;
    most = fmaxf(most, here);
    sum *= __expf(before - most);
    for (int p = 0; p < 4; ++p) {
      float2 v = __bfloat1622float2(pair[p]);
      sum += __expf(v.x - most) + __expf(v.y - most);
    }
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    float other = __shfl_xor_sync(0xffffffff, most, offset), its_sum = __shfl_xor_sync(0xffffffff, sum, offset);
    float larger = fmaxf(most, other);
    if (larger == -CUDART_INF_F) continue;  // lanes without elements
    sum = sum * __expf(most - larger) + its_sum * __expf(other - larger);
    most = larger;
  }
  for (int c = lane; c < chunks; c += 32) {
    uint4 raw = x[row * chunks + c];
    __nv_bfloat162* pair = reinterpret_cast<__nv_bfloat162*>(&raw);
    for (int p = 0; p < 4; ++p) {
      float2 v = __bfloat1622float2(pair[p]);
      pair[p] = __floats2bfloat162_rn(__expf(v.x - most) / sum, __expf(v.y - most) / sum);
    }
    y[row * chunks + c] = raw;
  }
}

__global__ void softmax_plain(const __nv_bfloat16* x, __nv_bfloat16* y, int rows, int columns) {  // a thread a row
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float most = -CUDART_INF_F, sum = 0;
  for (int c = 0; c < columns; ++c) most = fmaxf(most, __bfloat162float(x[row * columns + c]));
  for (int c = 0; c < columns; ++c) sum += expf(__bfloat162float(x[row * columns + c]) - most);
  for (int c = 0; c < columns; ++c)
    y[row * columns + c] = __float2bfloat16(expf(__bfloat162float(x[row * columns + c]) - most) / sum);
}
}  // extern "C"
