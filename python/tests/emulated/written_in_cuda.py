"""CUDA C++ in a string, built by load_inline as PyTorch's guides show it."""
import torch
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
__global__ void scale_kernel(const float* x, float* y, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}
torch::Tensor scale(torch::Tensor x, double factor) {
  auto y = torch::empty_like(x);
  int n = x.numel();
  scale_kernel<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), factor, n);
  return y;
}
"""
built = load_inline("warplens_scaled", "torch::Tensor scale(torch::Tensor x, double factor);", SOURCE, functions=["scale"], with_cuda=True)
x = torch.randn(1000, device="cuda")
assert torch.equal(built.scale(x, 2.0).cpu(), 2 * x.cpu())
print("equal")
