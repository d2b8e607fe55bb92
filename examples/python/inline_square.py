"""A CUDA kernel in a string: run, profiled and checked, with numpy or torch arrays, without a GPU."""

import torch

import warplens

kernels = warplens.load_inline("""
extern "C" __global__ void square(const float* x, float* y, int width, int height) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < height && column < width) y[row * width + column] = x[row * width + column] * x[row * width + column];
}
extern "C" __global__ void square_columns(const float* x, float* y, int width, int height) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;   // neighbouring threads, distant addresses
  if (row < height)
    for (int column = 0; column < width; ++column) y[row * width + column] = x[row * width + column] * x[row * width + column];
}
""")
x = torch.randn(256, 320)
y = torch.empty_like(x)
kernels.square[(20, 16), (16, 16)](x, y, 320, 256)
assert torch.equal(y, x * x)
for kernel, grid, block in ((kernels.square, (20, 16), (16, 16)), (kernels.square_columns, 8, 32)):
    print(kernel.profile[grid, block](x, y, 320, 256))
print("defects found:", kernels.square.check[(20, 16), (16, 16)](x, y, 320, 256).reports)
