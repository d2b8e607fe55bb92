"""A Triton matrix product of operands with block scales."""

import triton
import triton.language as tl


@triton.jit
def scaled_matmul(a, a_scales, b, b_scales, c, N, K, A_FORMAT: tl.constexpr, B_FORMAT: tl.constexpr, A_PACKED: tl.constexpr,
                  B_PACKED: tl.constexpr, BLOCK: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """c = a b^T; a scale for each BLOCK elements of a row, A_PACKED (B_PACKED) elements a byte."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k_a = tl.arange(0, BLOCK_K // A_PACKED)
    k_b = tl.arange(0, BLOCK_K // B_PACKED)
    k_scale = tl.arange(0, BLOCK_K // BLOCK)
    total = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    for step in range(0, K // BLOCK_K):
        a_tile = tl.load(a + m[:, None] * (K // A_PACKED) + (step * (BLOCK_K // A_PACKED) + k_a)[None, :])
        b_tile = tl.load(b + n[None, :] * (K // B_PACKED) + (step * (BLOCK_K // B_PACKED) + k_b)[:, None])
        k = (step * (BLOCK_K // BLOCK) + k_scale)[None, :]
        total = tl.dot_scaled(a_tile, tl.load(a_scales + m[:, None] * (K // BLOCK) + k), A_FORMAT,
                              b_tile, tl.load(b_scales + n[:, None] * (K // BLOCK) + k), B_FORMAT, total)
    tl.store(c + m[:, None] * N + n[None, :], total)
