import triton
import triton.language as tl


@triton.jit
def k(a, b, y, n, B: tl.constexpr):
    s = tl.program_id(0) * B
    i = s + tl.arange(0, B)
    if s + B <= n:  # whole blocks need no mask: 16-byte accesses
        tl.store(y + i, tl.load(a + i) + tl.load(b + i))
    else:
        tl.store(y + i, tl.load(a + i, mask=i < n) + tl.load(b + i, mask=i < n), mask=i < n)


def solve(a, b, y, n):
    k[(triton.cdiv(n, 2048),)](a, b, y, n, B=2048, num_warps=8)
