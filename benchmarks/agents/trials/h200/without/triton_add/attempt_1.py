import triton
import triton.language as tl


@triton.jit
def k(a, b, y, n, B: tl.constexpr):
    s = tl.program_id(0) * B
    i = s + tl.arange(0, B)
    if s + B <= n:  # no mask: 128-bit loads and stores although n is not a multiple of 4
        tl.store(y + i, tl.load(a + i) + tl.load(b + i))
    else:
        tl.store(y + i, tl.load(a + i, mask=i < n) + tl.load(b + i, mask=i < n), mask=i < n)


def solve(a, b, y, n):
    k[(triton.cdiv(n, 1024),)](a, b, y, n, B=1024, num_warps=4)
