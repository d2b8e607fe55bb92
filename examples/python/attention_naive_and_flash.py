"""Attention written out, which keeps the matrix of scores in memory, beside a fused one that does not."""

import torch
import torch.nn.functional as F

import warplens

device = "cuda" if torch.cuda.is_available() else "cpu"
dtype = torch.float16 if device == "cuda" else torch.float32
heads, width = 8, 64
lengths = [512, 2048, 8192] if device == "cuda" else [128, 512]


def naive(q, k, v):
    return torch.softmax(q @ k.transpose(-1, -2) / width**0.5, -1) @ v


def inputs(length):
    return tuple(torch.randn(1, heads, length, width, device=device, dtype=dtype) for _ in range(3))


# FLOPs of the two products; bytes that any attention must move: q, k and v in, the output out.
results = warplens.sweep({"naive": naive, "flash": F.scaled_dot_product_attention}, axes={"length": lengths}, inputs=inputs, reference=naive,
                         flops=lambda length: 4 * heads * length**2 * width, tolerance=1e-4 if dtype == torch.float32 else 5e-3,
                         bytes=lambda length: 4 * heads * length * width * dtype.itemsize, limit_s=0.5)
print(results)
print(results.plot())
assert all(m.valid for m in results), [m.errors for m in results]

# Where the naive one's time goes.
with warplens.profile() as p:
    naive(*inputs(lengths[-1]))
print(p.result.ops(limit=6))
print(warplens.compare(naive, F.scaled_dot_product_attention, *inputs(lengths[-1]), limit_s=1, tolerance=5e-3))
