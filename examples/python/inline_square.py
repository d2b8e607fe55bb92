"""A CUDA kernel in a string, on torch arrays: run, profiled and checked, on a GPU or emulated."""

import torch

import warplens

kernels = warplens.load_inline("""
extern "C" __global__ void square_matrix(const float* x, float* y, int width, int height) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < height && column < width) y[row * width + column] = x[row * width + column] * x[row * width + column];
}
extern "C" __global__ void square_columns(const float* x, float* y, int width, int height) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;   // neighbouring threads, distant addresses
  if (row < height)
    for (int column = 0; column < width; ++column) y[row * width + column] = x[row * width + column] * x[row * width + column];
}
""")
device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(256, 320, device=device)
y = torch.empty_like(x)
kernels.square_matrix[(20, 16), (16, 16)](x, y, 320, 256)
assert torch.equal(y, x * x)

launches = {"a thread an element": ((20, 16), (16, 16)), "a thread a row": (8, 32)}
for (what, (grid, block)), kernel in zip(launches.items(), (kernels.square_matrix, kernels.square_columns)):
    launch = kernel.profile[grid, block](x, y, 320, 256)
    print(f"{what}: {launch}")
print("defects found:", kernels.square_matrix.check[(20, 16), (16, 16)](x, y, 320, 256).reports)
if device == "cuda":
    print(warplens.compare(lambda: kernels.square_matrix[(20, 16), (16, 16)](x, y, 320, 256), lambda: kernels.square_columns[8, 32](x, y, 320, 256)))
