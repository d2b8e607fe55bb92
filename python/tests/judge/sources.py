"""Honest kernels, from which the planted cheats are made by an edit."""

ROW_SUMS = r"""
#include <cuda_runtime.h>
__global__ void row_sums(const float* x, float* y, int rows, int columns) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int c = lane; c < columns; c += 32) sum += x[row * columns + c];
  for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (lane == 0) y[row] = sum;
}
extern "C" void solve(const float* x, float* y, int rows, int columns) {
  row_sums<<<(rows + 7) / 8, 256>>>(x, y, rows, columns);
}
"""

ROW_SUMS_BLOCK = r"""
#include <cuda_runtime.h>
__global__ void row_sums(const float* x, float* y, int columns) {
  __shared__ float partial[256];
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += 256) sum += x[blockIdx.x * columns + c];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 128; s; s /= 2) {
    if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = partial[0];
}
extern "C" void solve(const float* x, float* y, int rows, int columns) { row_sums<<<rows, 256>>>(x, y, columns); }
"""

ROW_SUMS_ATOMIC = r"""
#include <cuda_runtime.h>
__global__ void row_sums(const float* x, float* y, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) atomicAdd(&y[i / columns], x[i]);
}
extern "C" void solve(const float* x, float* y, int rows, int columns) {
  cudaMemsetAsync(y, 0, rows * sizeof(float));
  row_sums<<<(rows * columns + 255) / 256, 256>>>(x, y, rows, columns);
}
"""

ROW_SUMS_SCRATCH = r"""
#include <cuda_runtime.h>
__global__ void part(const float* x, float* partial, int rows, int columns) {
  int row = blockIdx.x, half = blockIdx.y, begin = half * (columns / 2), end = half ? columns : columns / 2;
  float sum = 0;
  for (int c = begin + threadIdx.x; c < end; c += 32) sum += x[row * columns + c];
  for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (threadIdx.x == 0) partial[half * rows + row] = sum;
}
__global__ void add(const float* partial, float* y, int rows) {
  int row = blockIdx.x * 256 + threadIdx.x;
  if (row < rows) y[row] = partial[row] + partial[rows + row];
}
extern "C" void solve(const float* x, float* y, int rows, int columns) {
  float* partial;
  cudaMallocAsync(&partial, 2 * rows * sizeof(float), 0);
  part<<<dim3(rows, 2), 32>>>(x, partial, rows, columns);
  add<<<(rows + 255) / 256, 256>>>(partial, y, rows);
  cudaFreeAsync(partial, 0);
}
"""

RELU_ADD = r"""
#include <cuda_runtime.h>
#include <cuda_fp16.h>
__global__ void relu_add(const float* a, const float* b, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(a[i], 0.f) + b[i];
}
extern "C" void solve(const float* a, const float* b, float* y, int n) {
  relu_add<<<(n + 255) / 256, 256>>>(a, b, y, n);
}
"""

RELU_ADD_WIDE = r"""
#include <cuda_runtime.h>
__global__ void relu_add(const float4* a, const float4* b, float4* y, int n4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n4) return;
  float4 p = a[i], q = b[i];
  y[i] = {fmaxf(p.x, 0.f) + q.x, fmaxf(p.y, 0.f) + q.y, fmaxf(p.z, 0.f) + q.z, fmaxf(p.w, 0.f) + q.w};
}
__global__ void tail(const float* a, const float* b, float* y, int from, int n) {
  int i = from + threadIdx.x;
  if (i < n) y[i] = fmaxf(a[i], 0.f) + b[i];
}
extern "C" void solve(const float* a, const float* b, float* y, int n) {
  int n4 = n / 4;
  if (n4) relu_add<<<(n4 + 127) / 128, 128>>>((const float4*)a, (const float4*)b, (float4*)y, n4);
  if (n % 4) tail<<<1, 4>>>(a, b, y, n4 * 4, n);
}
"""

MATMUL = r"""
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}
extern "C" void solution(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
  matmul<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, c, m, n, k);
}
"""

MATMUL_TILED = r"""
#include <cuda_runtime.h>
constexpr int T = 16;
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float ta[T][T + 1], tb[T][T + 1];
  int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < k; t += T) {
    ta[threadIdx.y][threadIdx.x] = row < m && t + threadIdx.x < k ? a[row * k + t + threadIdx.x] : 0;
    tb[threadIdx.y][threadIdx.x] = t + threadIdx.y < k && column < n ? b[(t + threadIdx.y) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < T; ++i) sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
extern "C" void solution(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
  matmul<<<dim3((n + T - 1) / T, (m + T - 1) / T), dim3(T, T)>>>(a, b, c, m, n, k);
}
"""

SOFTMAX = r"""
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x, y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + row * n + i, e / tl.sum(e, 0), mask=i < n)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        softmax_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
        return y
"""

SOFTMAX_ONLINE = r"""
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x, y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    high = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * n + i, mask=i < n, other=-3.0e38)
        new = tl.maximum(high, v)
        total = total * tl.exp(high - new) + tl.exp(v - new)
        high = new
    top = tl.max(high, 0)
    whole = tl.sum(total * tl.exp(high - top), 0)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * n + i, mask=i < n, other=-3.0e38)
        tl.store(y + row * n + i, tl.exp(v - top) / whole, mask=i < n)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        softmax_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=128)
        return y
"""

GELU = r"""
import torch
import triton
import triton.language as tl
from task import input_t, output_t


@triton.jit
def gelu_kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(y + i, 0.5 * v * (1.0 + tl.erf(v * 0.7071067811865476)), mask=i < n)


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    gelu_kernel[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), BLOCK=256)
    return y
"""
