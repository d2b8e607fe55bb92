"""Peers written in Triton: a tiled matmul with grouped blocks, and flash attention forward."""
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"M": 128, "N": n, "K": 64, "GROUP": 8}, num_warps=8, num_stages=s) for n, s in ((256, 3), (128, 4))],
                 key=["m", "n", "k"])
@triton.jit
def matmul_kernel(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr):
    """C (m x n) = A (m x k) * B (n x k, transposed), row-major; m, n and k multiples of the tile."""
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


def matmul(a, b, out):
    m, k = a.shape
    n = b.shape[0]
    matmul_kernel[lambda p: (m // p["M"] * (n // p["N"]),)](a, b, out, m, n, k)


@triton.autotune(configs=[triton.Config({"M": 128, "N": n}, num_warps=w, num_stages=s) for n, w, s in
                          ((128, 8, 2), (64, 8, 3))], key=["length", "D", "CAUSAL"])
@triton.jit
def attention_kernel(q, k, v, o, scale, length, D: tl.constexpr, CAUSAL: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """Heads (batch * heads, length, D) contiguous; scale is of base 2."""
    first, d, j = tl.program_id(0) * M, tl.arange(0, D), tl.arange(0, N)
    at = tl.program_id(1).to(tl.int64) * length * D
    y = first + tl.arange(0, M)
    queries = tl.load(q + at + y[:, None] * D + d[None, :])
    top, total, out = tl.full((M,), float("-inf"), tl.float32), tl.zeros((M,), tl.float32), tl.zeros((M, D), tl.float32)
    clear = first // N * N if CAUSAL else length
    for phase in tl.static_range(2 if CAUSAL else 1):
        for block in range(clear if phase else 0, min(first + M, length) if phase else clear, N):
            keys = tl.load(k + at + (block + j)[None, :] * D + d[:, None])
            scores = tl.dot(queries, keys) * scale
            if phase:
                scores = tl.where(y[:, None] >= (block + j)[None, :], scores, float("-inf"))
            new = tl.maximum(top, tl.max(scores, 1))
            weights, shrink = tl.exp2(scores - new[:, None]), tl.exp2(top - new)
            total = total * shrink + tl.sum(weights, 1)
            values = tl.load(v + at + (block + j)[:, None] * D + d[None, :])
            out = tl.dot(weights.to(tl.bfloat16), values, out * shrink[:, None])
            top = new
    tl.store(o + at + y[:, None] * D + d[None, :], (out / total[:, None]).to(tl.bfloat16))


def attention(q, k, v, out, causal):
    """(batch, heads, length, D), contiguous, as many heads of k and v as of q."""
    batch, heads, length, d = q.shape
    attention_kernel[lambda p: (length // p["M"], batch * heads)](q, k, v, out, d ** -0.5 * 1.4426950408889634, length, d, causal)
