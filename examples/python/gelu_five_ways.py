"""GELU five ways: eager, by hand, fused into CUDA, Triton, torch.compile; each checked, kernels counted."""

import torch
import torch.nn.functional as F
import triton
import triton.language as tl

import warplens


def by_hand(x):
    return 0.5 * x * (1 + torch.tanh(0.79788456 * (x + 0.044715 * x * x * x)))


@triton.jit
def gelu_kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    inner = 0.79788456 * (v + 0.044715 * v * v * v)
    tl.store(y + i, v * tl.sigmoid(2 * inner), mask=i < n)


x = torch.randn(1 << 16)
want = F.gelu(x, approximate="tanh")
torch.testing.assert_close(by_hand(x), want)

fused = warplens.fuse(by_hand)
torch.testing.assert_close(fused(x), want)
print(fused.source(x).splitlines()[0])

with warplens.emulate("h200", counters=True) as gpu:
    y = torch.empty_like(x)
    gelu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
torch.testing.assert_close(y, want)
print(gpu.launches[0])

print(warplens.explain(by_hand, x))
