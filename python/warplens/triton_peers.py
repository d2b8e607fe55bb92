"""Kernels in Triton as its tutorials teach them, as peers of the suite: the same algorithms, tiles and schedules, our own text.

Vector add, fused softmax, matrix product, layer norm, and flash attention forward. Arguments are contiguous CUDA tensors; sizes of
products and attention are multiples of the tiles (128). Needs Triton.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


def vector_add(x: Tensor, y: Tensor) -> Tensor:
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return out


@triton.jit
def softmax_kernel(x, y, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """Persistent programs loop over the rows, and load the next rows early."""
    at = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        values = tl.load(x + row.to(tl.int64) * columns + at, mask=at < columns, other=-float("inf"))
        shares = tl.exp(values - tl.max(values, axis=0))
        tl.store(y + row.to(tl.int64) * columns + at, shares / tl.sum(shares, axis=0), mask=at < columns)


def softmax(x: Tensor) -> Tensor:
    """Along the last axis, of rows that fit into a block."""
    columns, y = x.shape[-1], torch.empty_like(x)
    rows = x.numel() // columns
    units = torch.cuda.get_device_properties(x.device).multi_processor_count if x.is_cuda else 4
    block = triton.next_power_of_2(columns)
    softmax_kernel[(min(rows, units * 8),)](x, y, rows, columns, BLOCK=block, STAGES=4, num_warps=8)  # 8 blocks of 8 warps fill an SM
    return y


@triton.jit
def layer_norm_kernel(x, y, w, b, columns, epsilon, BLOCK: tl.constexpr):
    """One program for each row: one pass for the mean, one for the variance, and one that writes."""
    x += tl.program_id(0).to(tl.int64) * columns
    y += tl.program_id(0).to(tl.int64) * columns
    total = tl.zeros([BLOCK], tl.float32)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        total += tl.load(x + at, mask=at < columns, other=0.0)
    mean = tl.sum(total, axis=0) / columns
    squares = tl.zeros([BLOCK], tl.float32)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        away = tl.where(at < columns, tl.load(x + at, mask=at < columns, other=0.0) - mean, 0.0)
        squares += away * away
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + epsilon)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        inside = at < columns
        away = tl.load(x + at, mask=inside, other=0.0) - mean
        tl.store(y + at, away * scale * tl.load(w + at, mask=inside) + tl.load(b + at, mask=inside), mask=inside)


def layer_norm(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    columns, y = x.shape[-1], torch.empty_like(x)
    block = min(65536 // x.element_size(), triton.next_power_of_2(columns))
    layer_norm_kernel[(x.numel() // columns,)](x, y, w, b, columns, 1e-5, BLOCK=block, num_warps=min(max(block // 256, 1), 8))
    return y


PRODUCT_TILES = [(128, 256, 64, 3, 8), (128, 128, 64, 4, 8), (64, 256, 32, 4, 4), (128, 128, 32, 4, 4)]


@triton.autotune(configs=[triton.Config({"M": m, "N": n, "K": k, "GROUP": 8}, num_stages=s, num_warps=w) for m, n, k, s, w in PRODUCT_TILES],
                 key=["m", "n", "k"])
@triton.jit
def matmul_kernel(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr):
    """C (m x n) = A (m x k) * B (n x k, transposed), row-major. Tiles are in bands of GROUP rows, which keeps them in
    the L2 cache.
    """
    tile, columns = tl.program_id(0), n // N
    band = tile // (GROUP * columns)
    height = min(GROUP, m // M - band * GROUP)
    inside = tile % (GROUP * columns)
    row, column = band * GROUP + inside % height, inside // height
    y, x, z = row * M + tl.arange(0, M), column * N + tl.arange(0, N), tl.arange(0, K)
    a_at, b_at = a + y[:, None] * k + z[None, :], b + x[None, :] * k + z[:, None]
    total = tl.zeros((M, N), tl.float32)
    for _ in range(0, k, K):
        total = tl.dot(tl.load(a_at), tl.load(b_at), total)
        a_at += K
        b_at += K
    tl.store(c + y[:, None] * n + x[None, :], total.to(c.dtype.element_ty))


def matmul(a: Tensor, b: Tensor, out: Tensor | None = None) -> Tensor:
    """a (m x k) times the transposed b (n x k)."""
    m, k = a.shape
    n = b.shape[0]
    out = torch.empty(m, n, dtype=a.dtype, device=a.device) if out is None else out
    matmul_kernel[lambda p: (m // p["M"] * (n // p["N"]),)](a, b, out, m, n, k)
    return out


ATTENTION_TILES = [(128, 128, 3, 8), (128, 128, 2, 8), (128, 64, 3, 8), (128, 64, 3, 4), (64, 64, 4, 4)]


@triton.jit
def attention_blocks(out, total, top, queries, keys, values, begin, end, head, row, y, j, scale,
                     M: tl.constexpr, N: tl.constexpr, D: tl.constexpr, MASKED: tl.constexpr):
    """Keys begin .. end - 1, a block of N at a time, with an online softmax in base 2."""
    for block in tl.range(begin, end, N):
        block = tl.multiple_of(block, N)
        scores = tl.dot(queries, keys.load([head + block, 0]).T)
        if MASKED:
            scores = scores * scale + tl.where(y[:, None] >= (block + j)[None, :], 0, -1.0e6)
            new = tl.maximum(top, tl.max(scores, 1))
            scores -= new[:, None]
        else:
            new = tl.maximum(top, tl.max(scores, 1) * scale)
            scores = scores * scale - new[:, None]
        weights = tl.math.exp2(scores)
        shrink = tl.math.exp2(top - new)
        total = total * shrink + tl.sum(weights, 1)
        out = tl.dot(weights.to(tl.bfloat16), values.load([head + block, 0]), out * shrink[:, None])
        top = new
    return out, total, top


def _fitting(configs: list[Any], named: dict[str, Any], **_: Any) -> list[Any]:
    """The configurations that fit in shared memory: a tile of queries, and stages of keys and values."""
    size = named["D"]
    return [c for c in configs if (c.kwargs["M"] + 2 * c.num_stages * c.kwargs["N"]) * size * 2 <= 227 * 1024]


@triton.autotune(configs=[triton.Config({"M": m, "N": n}, num_stages=s, num_warps=w) for m, n, s, w in ATTENTION_TILES],
                 key=["length", "D", "CAUSAL"], prune_configs_by={"early_config_prune": _fitting})
@triton.jit
def attention_kernel(q, k, v, o, scale, heads, length, D: tl.constexpr, CAUSAL: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """Heads (batch * heads, length, D) contiguous, tiles by tensor descriptors made here; `scale` is of base 2."""
    queries_of = tl.make_tensor_descriptor(q, shape=[heads * length, D], strides=[D, 1], block_shape=[M, D])
    keys = tl.make_tensor_descriptor(k, shape=[heads * length, D], strides=[D, 1], block_shape=[N, D])
    values = tl.make_tensor_descriptor(v, shape=[heads * length, D], strides=[D, 1], block_shape=[N, D])
    out_of = tl.make_tensor_descriptor(o, shape=[heads * length, D], strides=[D, 1], block_shape=[M, D])
    row, head = tl.program_id(0) * M, tl.program_id(1) * length
    y, j = row + tl.arange(0, M), tl.arange(0, N)
    queries = queries_of.load([head + row, 0])
    out, total = tl.zeros([M, D], tl.float32), tl.zeros([M], tl.float32) + 1.0
    top = tl.zeros([M], tl.float32) - float("inf")
    seen = row if CAUSAL else length
    out, total, top = attention_blocks(out, total, top, queries, keys, values, 0, seen, head, row, y, j, scale, M, N, D, False)
    if CAUSAL:
        out, total, top = attention_blocks(out, total, top, queries, keys, values, row, row + M, head, row, y, j, scale, M, N, D, True)
    out_of.store([head + row, 0], (out / total[:, None]).to(tl.bfloat16))


def _scratch(size: int, alignment: int, stream: int | None) -> Tensor:
    return torch.empty(size, dtype=torch.int8, device="cuda")


def attention(q: Tensor, k: Tensor, v: Tensor, causal: bool = False, out: Tensor | None = None) -> Tensor:
    """Tensors are bf16 with the shape (batch, heads, length, size); k and v have the same number of heads as q."""
    batch, heads, length, size = q.shape
    out = torch.empty_like(q) if out is None else out
    if q.is_cuda:
        triton.set_allocator(_scratch)  # where device-side descriptors lie
    scale = size ** -0.5 * 1.4426950408889634
    attention_kernel[lambda p: (length // p["M"], batch * heads)](q, k, v, out, scale, batch * heads, length, size, causal)
    return out
