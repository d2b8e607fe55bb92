"""GELU five ways: eager, by hand, inline CUDA, Triton, torch.compile. Each is checked, then timed on a GPU or counted without one."""

import torch
import torch.nn.functional as F
import triton
import triton.language as tl

import warplens

device = "cuda" if torch.cuda.is_available() else "cpu"
n = 1 << 26 if device == "cuda" else 1 << 16


def eager(x):
    return F.gelu(x, approximate="tanh")


def by_hand(x):
    return 0.5 * x * (1 + torch.tanh(0.79788456 * (x + 0.044715 * x * x * x)))


cuda = warplens.load_inline("""
extern "C" __global__ void gelu(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { float v = x[i]; y[i] = 0.5f * v * (1 + tanhf(0.79788456f * (v + 0.044715f * v * v * v))); }
}""")


@triton.jit
def gelu_kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    inner = 0.79788456 * (v + 0.044715 * v * v * v)
    tl.store(y + i, v * tl.sigmoid(2 * inner), mask=i < n)


def inline(x):
    y = torch.empty_like(x)
    cuda.gelu[triton.cdiv(x.numel(), 256), 256](x, y, x.numel())
    return y


def in_triton(x):
    y = torch.empty_like(x)
    gelu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y


x = torch.randn(n, device=device)
want = eager(x)
torch.testing.assert_close(by_hand(x), want)
torch.testing.assert_close(inline(x), want)
torch.testing.assert_close(warplens.fuse(by_hand)(x), want)
if device == "cuda":
    ways = {"eager": eager, "by hand": by_hand, "inline CUDA": inline, "Triton": in_triton, "compiled": torch.compile(by_hand),
            "fused": warplens.fuse(by_hand)}
    print(warplens.sweep(ways, axes={"n": [n]}, inputs=lambda n: torch.randn(n, device=device), reference=eager, bytes=lambda n: 8 * n,
                         tolerance=1e-4, limit_s=1))
else:
    print(cuda.gelu.profile[n // 256, 256](x, torch.empty_like(x), n))
    with warplens.emulate("h200", counters=True) as gpu:
        torch.testing.assert_close(in_triton(x), want)
    print(gpu.launches[0])
    print(warplens.explain(by_hand, x))
