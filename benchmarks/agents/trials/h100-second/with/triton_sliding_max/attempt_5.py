import triton
import triton.language as tl


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def quarters(v, R: tl.constexpr):  # the four elements of each 16 bytes
    even, odd = tl.split(tl.reshape(v, (R, 32, 2, 2)))
    a, c = tl.split(even)
    b, d = tl.split(odd)
    return a, b, c, d


# A window of 128 that begins at element q of quad l of a group: elements q to 3 of quad l, the quads behind it in the group, the quads
# before quad l in the next group, and elements 0 to q - 1 of quad l in the next group. So scans work on maxima of quads only.
@triton.jit
def sums(here, after, before, there, R: tl.constexpr):
    low = -float('inf')
    lane = tl.arange(0, 32)[None, :]
    a, b, c, d = quarters(here, R)
    c = tl.maximum(c, d)
    b = tl.maximum(b, c)
    a = tl.maximum(a, b)
    e, f, g, h = quarters(after, R)
    m = tl.where(lane < 31, tl.maximum(tl.maximum(e, f), tl.maximum(g, h)), low)
    e, f, g, h = quarters(before, R)
    o = tl.where(lane > 0, tl.maximum(tl.maximum(e, f), tl.maximum(g, h)), low)
    both = tl.maximum(tl.associative_scan(m, 1, larger, reverse=True), tl.associative_scan(o, 1, larger))
    e, f, g, h = quarters(there, R)
    f = tl.maximum(e, f)
    g = tl.maximum(f, g)
    a = tl.maximum(a, both)
    b = tl.maximum(tl.maximum(b, both), e)
    c = tl.maximum(tl.maximum(c, both), f)
    d = tl.maximum(tl.maximum(d, both), g)
    return tl.reshape(tl.join(tl.join(a, c), tl.join(b, d)), (R, 128))


@triton.jit
def k(x, y, n, R: tl.constexpr):
    start = tl.program_id(0) * (R * 128)
    i = start + tl.arange(0, R)[:, None] * 128 + tl.arange(0, 128)[None, :]
    low = -float('inf')
    if start + (R + 1) * 128 <= n:
        tl.store(y + i, sums(tl.load(x + i), tl.load(x + i + 4), tl.load(x + i + 124), tl.load(x + i + 128), R))
    else:
        here = tl.load(x + i, mask=i < n, other=low)
        after = tl.load(x + i + 4, mask=i + 4 < n, other=low)
        before = tl.load(x + i + 124, mask=i + 124 < n, other=low)
        there = tl.load(x + i + 128, mask=i + 128 < n, other=low)
        tl.store(y + i, sums(here, after, before, there, R), mask=i < n)


def solve(x, y, n):
    R = 8
    k[(triton.cdiv(n, 128 * R),)](x, y, n, R=R, num_warps=4)
