"""Flash attention in Triton, forward and backward, causal or not; one head a program row."""

import triton
import triton.language as tl


@triton.jit
def attention_forward(q, k, v, out, log_sum, scale, length, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                      CAUSAL: tl.constexpr):
    """(heads, length, D) tensors. Keeps running maxima and sums of each row, base 2; log_sum is what backward needs."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.arange(0, BLOCK_N)
    d = tl.arange(0, D)
    head = tl.program_id(1) * length * D
    query = tl.load(q + head + m[:, None] * D + d[None, :])
    peak = tl.full([BLOCK_M], -float("inf"), tl.float32)
    total = tl.zeros([BLOCK_M], tl.float32)
    sums = tl.zeros([BLOCK_M, D], tl.float32)
    scale *= 1.4426950408889634
    end = (tl.program_id(0) + 1) * BLOCK_M if CAUSAL else length
    for start in tl.range(0, end, BLOCK_N):
        key = tl.load(k + head + (start + n)[None, :] * D + d[:, None])
        s = tl.dot(query, key) * scale
        if CAUSAL:
            s = tl.where(m[:, None] >= (start + n)[None, :], s, -1.0e6)
        higher = tl.maximum(peak, tl.max(s, 1))
        p = tl.math.exp2(s - higher[:, None])
        fade = tl.math.exp2(peak - higher)
        total = total * fade + tl.sum(p, 1)
        value = tl.load(v + head + (start + n)[:, None] * D + d[None, :])
        sums = tl.dot(p.to(value.dtype), value, sums * fade[:, None])
        peak = higher
    tl.store(log_sum + tl.program_id(1) * length + m, peak + tl.math.log2(total))
    tl.store(out + head + m[:, None] * D + d[None, :], (sums / total[:, None]).to(out.dtype.element_ty))


@triton.jit
def attention_delta(out, d_out, delta, D: tl.constexpr, BLOCK: tl.constexpr):
    """Row sums of out * d_out."""
    i = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))[:, None] * D + tl.arange(0, D)[None, :]
    product = tl.load(out + i).to(tl.float32) * tl.load(d_out + i).to(tl.float32)
    tl.store(delta + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.sum(product, 1))


@triton.jit
def attention_backward_kv(q, k, v, d_out, d_k, d_v, log_sum, delta, scale, length, D: tl.constexpr, BLOCK_M: tl.constexpr,
                          BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr):
    head = tl.program_id(1) * length * D
    rows = tl.program_id(1) * length
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    d = tl.arange(0, D)
    key = tl.load(k + head + n[:, None] * D + d[None, :])
    value = tl.load(v + head + n[:, None] * D + d[None, :])
    sum_k = tl.zeros([BLOCK_N, D], tl.float32)
    sum_v = tl.zeros([BLOCK_N, D], tl.float32)
    first = tl.program_id(0) * BLOCK_N if CAUSAL else 0
    for start in range(first, length, BLOCK_M):
        m = start + tl.arange(0, BLOCK_M)
        query = tl.load(q + head + m[:, None] * D + d[None, :])
        s = tl.dot(key, tl.trans(query)) * (scale * 1.4426950408889634)
        p = tl.math.exp2(s - tl.load(log_sum + rows + m)[None, :])
        if CAUSAL:
            p = tl.where(m[None, :] >= n[:, None], p, 0.0)
        gradient = tl.load(d_out + head + m[:, None] * D + d[None, :])
        sum_v += tl.dot(p.to(gradient.dtype), gradient)
        dp = tl.dot(value, tl.trans(gradient)) - tl.load(delta + rows + m)[None, :]
        sum_k += tl.dot((p * dp).to(query.dtype), query)
    tl.store(d_v + head + n[:, None] * D + d[None, :], sum_v.to(d_v.dtype.element_ty))
    tl.store(d_k + head + n[:, None] * D + d[None, :], (sum_k * scale).to(d_k.dtype.element_ty))


@triton.jit
def attention_backward_q(q, k, v, d_out, d_q, log_sum, delta, scale, length, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                         CAUSAL: tl.constexpr):
    head = tl.program_id(1) * length * D
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    query = tl.load(q + head + m[:, None] * D + d[None, :])
    gradient = tl.load(d_out + head + m[:, None] * D + d[None, :])
    peak = tl.load(log_sum + tl.program_id(1) * length + m)
    row_delta = tl.load(delta + tl.program_id(1) * length + m)
    sum_q = tl.zeros([BLOCK_M, D], tl.float32)
    end = (tl.program_id(0) + 1) * BLOCK_M if CAUSAL else length
    for start in range(0, end, BLOCK_N):
        n = start + tl.arange(0, BLOCK_N)
        key = tl.load(k + head + n[:, None] * D + d[None, :])
        value = tl.load(v + head + n[:, None] * D + d[None, :])
        s = tl.dot(query, tl.trans(key)) * (scale * 1.4426950408889634)
        p = tl.math.exp2(s - peak[:, None])
        if CAUSAL:
            p = tl.where(m[:, None] >= n[None, :], p, 0.0)
        dp = tl.dot(gradient, tl.trans(value)) - row_delta[:, None]
        sum_q += tl.dot((p * dp).to(key.dtype), key)
    tl.store(d_q + head + m[:, None] * D + d[None, :], (sum_q * scale).to(d_q.dtype.element_ty))
