"""Triton matrix products: tiled, with activation, grouped, persistent, and through tensor descriptors."""

import triton
import triton.language as tl


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.jit
def matmul(a, b, c, M, N, K, a_row, a_column, b_row, b_column, c_row, c_column, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
           BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr, ACTIVATION: tl.constexpr, PRECISION: tl.constexpr):
    """c = a b; programs walk GROUP_M rows of tiles at a time, so that what they read stays in L2."""
    program = tl.program_id(0)
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    in_group = GROUP_M * tiles_n
    first_m = program // in_group * GROUP_M
    group_m = min(tiles_m - first_m, GROUP_M)
    tile_m = first_m + program % in_group % group_m
    tile_n = program % in_group // group_m
    m = (tile_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    n = (tile_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    k = tl.arange(0, BLOCK_K)
    a_tile = a + (m[:, None] * a_row + k[None, :] * a_column)
    b_tile = b + (k[:, None] * b_row + n[None, :] * b_column)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - step * BLOCK_K
        total = tl.dot(tl.load(a_tile, mask=k[None, :] < left, other=0.0), tl.load(b_tile, mask=k[:, None] < left, other=0.0), total,
                       input_precision=PRECISION)
        a_tile += BLOCK_K * a_column
        b_tile += BLOCK_K * b_row
    if ACTIVATION == "leaky_relu":
        total = leaky_relu(total)
    m = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    tl.store(c + c_row * m[:, None] + c_column * n[None, :], total.to(c.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def grouped_matmul(a_pointers, b_pointers, c_pointers, sizes, strides, groups, PROGRAMS: tl.constexpr, BLOCK_M: tl.constexpr,
                   BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Several products of different sizes in one launch: PROGRAMS programs share the tiles of all of them."""
    tile = tl.program_id(0)
    before = 0
    for g in range(groups):
        M = tl.load(sizes + g * 3)
        N = tl.load(sizes + g * 3 + 1)
        K = tl.load(sizes + g * 3 + 2)
        tiles_n = tl.cdiv(N, BLOCK_N)
        tiles = tl.cdiv(M, BLOCK_M) * tiles_n
        while tile >= before and tile < before + tiles:
            lda = tl.load(strides + g * 3)
            ldb = tl.load(strides + g * 3 + 1)
            ldc = tl.load(strides + g * 3 + 2)
            a = tl.load(a_pointers + g).to(tl.pointer_type(tl.float16))
            b = tl.load(b_pointers + g).to(tl.pointer_type(tl.float16))
            c = tl.load(c_pointers + g).to(tl.pointer_type(tl.float16))
            m = (tile - before) // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)
            n = (tile - before) % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)
            k = tl.arange(0, BLOCK_K)
            a_tile = a + m[:, None] * lda + k[None, :]
            b_tile = b + k[:, None] * ldb + n[None, :]
            total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
            for _ in range(0, tl.cdiv(K, BLOCK_K)):
                total += tl.dot(tl.load(a_tile), tl.load(b_tile))
                a_tile += BLOCK_K
                b_tile += BLOCK_K * ldb
            tl.store(c + ldc * m[:, None] + n[None, :], total.to(tl.float16))
            tile += PROGRAMS
        before += tiles


@triton.jit
def descriptor_matmul(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """c = a b^T, tiles copied through tensor descriptors that the host made; persistent."""
    tiles_n = tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BLOCK_M) * tiles_n, tl.num_programs(0)):
        m = tile // tiles_n * BLOCK_M
        n = tile % tiles_n * BLOCK_N
        total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(0, K, BLOCK_K):
            total = tl.dot(a.load([m, k]), b.load([n, k]).T, total)
        c.store([m, n], total.to(c.dtype))


@triton.jit
def device_descriptor_matmul(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """The same with descriptors made on the device."""
    a = tl.make_tensor_descriptor(a, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    b = tl.make_tensor_descriptor(b, shape=[N, K], strides=[K, 1], block_shape=[BLOCK_N, BLOCK_K])
    c = tl.make_tensor_descriptor(c, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    descriptor_matmul(a, b, c, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K)


@triton.jit
def specialised_matmul(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """descriptor_matmul whose copies, products and stores run in warps of their own."""
    tiles_n = tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BLOCK_M) * tiles_n, tl.num_programs(0), flatten=True, warp_specialize=True):
        m = tile // tiles_n * BLOCK_M
        n = tile % tiles_n * BLOCK_N
        total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(0, K, BLOCK_K):
            total = tl.dot(a.load([m, k]), b.load([n, k]).T, total)
        c.store([m, n], total.to(c.dtype))
