"""Triton kernels over vectors and rows, in the manner of the guides people learn from."""

import triton
import triton.language as tl


@triton.jit
def vector_add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


@triton.jit
def softmax_rows(x, y, x_stride, y_stride, rows, n, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """Persistent: each program takes every num_programs-th row."""
    i = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        v = tl.load(x + row * x_stride + i, mask=i < n, other=-float("inf"))
        e = tl.exp(v - tl.max(v, axis=0))
        tl.store(y + row * y_stride + i, e / tl.sum(e, axis=0), mask=i < n)


@triton.jit
def masked_dropout(x, keep, out, n, p, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    kept = tl.load(keep + i, mask=i < n) != 0
    tl.store(out + i, tl.where(kept, v / (1 - p), 0.0), mask=i < n)


@triton.jit
def seeded_dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.where(tl.rand(seed, i) > p, v / (1 - p), 0.0), mask=i < n)


@triton.jit
def layer_norm_forward(x, y, w, b, mean_out, rstd_out, stride, n, eps, BLOCK: tl.constexpr):
    """Rows wider than a block: three passes over the row."""
    row = tl.program_id(0)
    x += row * stride
    y += row * stride
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x + i, mask=i < n, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / n
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        v = tl.load(x + i, mask=i < n, other=0.0).to(tl.float32)
        centred = tl.where(i < n, v - mean, 0.0)
        squares += centred * centred
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / n + eps)
    tl.store(mean_out + row, mean)
    tl.store(rstd_out + row, rstd)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        mask = i < n
        v = tl.load(x + i, mask=mask, other=0.0).to(tl.float32)
        tl.store(y + i, (v - mean) * rstd * tl.load(w + i, mask=mask) + tl.load(b + i, mask=mask), mask=mask)


@triton.jit
def layer_norm_backward_x(dx, dy, dw, db, x, w, mean, rstd, lock, stride, n, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    """dx of a row; its share of dw and db is added to one of GROUPS partial sums, under that group's lock."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = i < n
    group = row % GROUPS
    lock += group
    first = lock + GROUPS
    partial_w = dw + group * n + i
    partial_b = db + group * n + i
    v = tl.load(x + row * stride + i, mask=mask, other=0).to(tl.float32)
    g = tl.load(dy + row * stride + i, mask=mask, other=0).to(tl.float32)
    weight = tl.load(w + i, mask=mask).to(tl.float32)
    scale = tl.load(rstd + row)
    hat = tl.where(mask, (v - tl.load(mean + row)) * scale, 0.0)
    wg = tl.where(mask, weight * g, 0.0)
    c1 = tl.sum(hat * wg, axis=0) / n
    c2 = tl.sum(wg, axis=0) / n
    tl.store(dx + row * stride + i, (wg - (hat * c1 + c2)) * scale, mask=mask)
    add_w = (g * hat).to(weight.dtype)
    add_b = g.to(weight.dtype)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    if tl.load(first) == 0:
        tl.atomic_xchg(first, 1)
    else:
        add_w += tl.load(partial_w, mask=mask)
        add_b += tl.load(partial_b, mask=mask)
    tl.store(partial_w, add_w, mask=mask)
    tl.store(partial_b, add_b, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def layer_norm_backward_w(partial_w, partial_b, dw, db, rows, n, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    sum_w = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    sum_b = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, rows, BLOCK_M):
        r = start + tl.arange(0, BLOCK_M)
        mask = (r[:, None] < rows) & (columns[None, :] < n)
        at = r[:, None] * n + columns[None, :]
        sum_w += tl.load(partial_w + at, mask=mask, other=0.0)
        sum_b += tl.load(partial_b + at, mask=mask, other=0.0)
    tl.store(dw + columns, tl.sum(sum_w, axis=0), mask=columns < n)
    tl.store(db + columns, tl.sum(sum_b, axis=0), mask=columns < n)
