import triton
import triton.language as tl


@triton.jit
def _max(a, b):
    return tl.maximum(a, b)


# v, w: [R, 32, 4], a row's 128 elements and the next row's (a row is 32 groups of four, a group is in one
# thread).  The window of element 4g+q: the rest of group g (s), groups g+1.. of this row and ..g-1 of the
# next (e), and the first q elements of the next row's group g (p).
@triton.jit
def windows(v, w, R: tl.constexpr):
    a, b = tl.split(v.reshape(R, 32, 2, 2))
    v0, v2 = tl.split(a)
    v1, v3 = tl.split(b)
    a, b = tl.split(w.reshape(R, 32, 2, 2))
    w0, w2 = tl.split(a)
    w1, w3 = tl.split(b)
    s2 = tl.maximum(v2, v3)
    s1 = tl.maximum(v1, s2)
    s0 = tl.maximum(v0, s1)
    p2 = tl.maximum(w0, w1)
    p3 = tl.maximum(p2, w2)
    p4 = tl.maximum(p3, w3)
    g = tl.arange(0, 32)[None, :] + tl.zeros((R, 32), tl.int32)
    back = tl.associative_scan(tl.gather(s0, 31 - g, 1), 1, _max)
    ahead = tl.associative_scan(p4, 1, _max)
    rest = tl.where(g < 31, tl.gather(back, (30 - g) & 31, 1), -float('inf'))
    e = tl.maximum(rest, tl.where(g > 0, tl.gather(ahead, (g - 1) & 31, 1), -float('inf')))
    y0 = tl.maximum(s0, e)
    y1 = tl.maximum(tl.maximum(s1, w0), e)
    y2 = tl.maximum(tl.maximum(s2, p2), e)
    y3 = tl.maximum(tl.maximum(v3, p3), e)
    return tl.join(tl.join(y0, y2), tl.join(y1, y3)).reshape(R, 32, 4)


@triton.jit
def k(x, y, n, R: tl.constexpr):
    first = tl.program_id(0) * (R * 128)
    i = first + tl.arange(0, R)[:, None] * 128 + tl.arange(0, 128)[None, :]
    if first + R * 128 + 128 <= n:
        v = tl.load(x + i).reshape(R, 32, 4)
        w = tl.load(x + i + 128).reshape(R, 32, 4)
        tl.store(y + i, windows(v, w, R).reshape(R, 128), cache_modifier=".cs")
    else:
        v = tl.load(x + i, mask=i < n, other=-float('inf')).reshape(R, 32, 4)
        w = tl.load(x + i + 128, mask=i + 128 < n, other=-float('inf')).reshape(R, 32, 4)
        tl.store(y + i, windows(v, w, R).reshape(R, 128), mask=i < n)


def solve(x, y, n):
    k[(triton.cdiv(n, 2048),)](x, y, n, R=16, num_warps=4)
