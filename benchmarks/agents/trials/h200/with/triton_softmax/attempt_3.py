import triton
import triton.language as tl


@triton.jit
def k(x, y, columns, MAIN: tl.constexpr, TAIL: tl.constexpr, FULL: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    base = row - (row & 7)  # a sector boundary, so that requests cover whole sectors; not as a multiple, which would make Triton give a lane four neighbours
    skip = (row - base).to(tl.int32)
    end = skip + columns
    i = tl.arange(0, MAIN)
    j = MAIN + tl.arange(0, TAIL)
    inside = i >= skip
    if not FULL:
        inside = inside & (i < end)
    rest = (j >= skip) & (j < end)
    a = tl.load(x + base + i, mask=inside, other=-float('inf'))
    b = tl.load(x + base + j, mask=rest, other=-float('inf'))
    high = tl.maximum(tl.max(a, 0), tl.max(b, 0))
    a = tl.exp(a - high)
    b = tl.exp(b - high)
    scale = 1.0 / (tl.sum(a, 0) + tl.sum(b, 0))
    tl.store(y + base + i, a * scale, mask=inside)
    tl.store(y + base + j, b * scale, mask=rest)


def solve(x, y, rows, columns):
    main = 1 << ((columns + 7).bit_length() - 1)
    tail = triton.next_power_of_2(max(columns + 7 - main, 1))
    k[(rows,)](x, y, columns, MAIN=main, TAIL=tail, FULL=columns >= main, num_warps=max(1, min(16, main // 1024)))
