import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy as cp


# 64x32 outputs a program (128 programs at n = 512). Each of the 8 warps computes the whole tile, 8x8 outputs a thread, over its own eighth
# of k: 32 shared 128-bit loads for 512 FMA. All of A's and B's parts (192 KB) are requested at once with cp.async, in NC groups of 8 k a warp.
@gluon.jit
def k(a, b, y, n, NC: gl.constexpr):
    C: gl.constexpr = gl.BlockedLayout([1, 1, 4], [1, 8, 4], [8, 1, 1], [2, 1, 0])
    DA: gl.constexpr = gl.DotOperandLayout(0, C, 0)
    DB: gl.constexpr = gl.DotOperandLayout(1, C, 0)
    LA: gl.constexpr = gl.BlockedLayout([1, 1, 4], [1, 16, 2], [8, 1, 1], [2, 1, 0])
    LB: gl.constexpr = gl.BlockedLayout([1, 1, 4], [1, 4, 8], [8, 1, 1], [2, 1, 0])
    SA: gl.constexpr = gl.SwizzledSharedLayout(4, 4, 2, [2, 1, 0])
    SB: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [2, 1, 0])
    sa = gl.allocate_shared_memory(gl.float32, [NC, 8, 64, 8], SA)
    sb = gl.allocate_shared_memory(gl.float32, [NC, 8, 8, 32], SB)
    r0 = gl.program_id(1) * 64
    c0 = gl.program_id(0) * 32
    s = gl.arange(0, 8, gl.SliceLayout(1, gl.SliceLayout(2, LA)))[:, None, None] * (NC * 8)
    r = gl.arange(0, 64, gl.SliceLayout(0, gl.SliceLayout(2, LA)))[None, :, None]
    i = gl.arange(0, 8, gl.SliceLayout(0, gl.SliceLayout(1, LA)))[None, None, :]
    pa = a + r0 * n + (r * n + s + i)
    s = gl.arange(0, 8, gl.SliceLayout(1, gl.SliceLayout(2, LB)))[:, None, None] * (NC * 8)
    i = gl.arange(0, 8, gl.SliceLayout(0, gl.SliceLayout(2, LB)))[None, :, None]
    c = gl.arange(0, 32, gl.SliceLayout(0, gl.SliceLayout(1, LB)))[None, None, :]
    pb = b + c0 + ((s + i) * n + c)
    for t in gl.static_range(NC):
        cp.async_load(sa.index(t), pa + t * 8)
        cp.async_load(sb.index(t), pb + t * 8 * n)
        cp.commit_group()
    acc = gl.zeros([8, 64, 32], gl.float32, C)
    for t in gl.static_range(NC):
        cp.wait_group(NC - 1 - t)
        acc = gl.dot_fma(sa.index(t).load(DA), sb.index(t).load(DB), acc)
    L: gl.constexpr = gl.BlockedLayout([8, 1, 4], [1, 4, 8], [1, 8, 1], [2, 1, 0])
    o = gl.sum(gl.convert_layout(acc, L), 0)
    r = r0 + gl.arange(0, 64, gl.SliceLayout(1, gl.SliceLayout(0, L)))
    c = c0 + gl.arange(0, 32, gl.SliceLayout(0, gl.SliceLayout(0, L)))
    gl.store(y + (r[:, None] * n + c[None, :]), o)


@triton.jit
def any_size(a, b, y, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, S: tl.constexpr):
    r = tl.program_id(0) * M + tl.arange(0, M)
    c = tl.program_id(1) * N + tl.arange(0, N)
    i = tl.arange(0, S)[:, None] * (n // S) + tl.arange(0, K)[None, :]
    pa = a + r[None, :, None] * n + i[:, None, :]
    pb = b + i[:, :, None] * n + c[None, None, :]
    s = tl.zeros((S, M, N), tl.float32)
    for _ in range(0, n // S, K):
        s = tl.dot(tl.load(pa), tl.load(pb), s, input_precision='ieee')
        pa += K
        pb += K * n
    tl.store(y + r[:, None] * n + c[None, :], tl.sum(s, 0))


def solve(a, b, y, n):
    if n in (64, 128, 256, 512):
        k[(n // 32, n // 64)](a, b, y, n, NC=n // 64, num_warps=8)
    else:
        M = 64 if n % 64 == 0 else 32
        S = 8 if n % 64 == 0 else 4
        any_size[(n // M, n // 32)](a, b, y, n, M=M, N=32, K=8, S=S, num_warps=8, num_stages=3)
