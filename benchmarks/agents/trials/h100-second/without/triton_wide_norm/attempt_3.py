import torch
import triton
import triton.language as tl

_space = {}   # per shape: arrival counters that only ever grow, and room for the chunks' statistics (written anew in each call)


# A row is shared by `chunks` programs with consecutive numbers (so they are resident together).  Each keeps
# its chunk in registers, publishes the chunk's mean and sum of squared deviations, waits for the row's other
# programs, and normalises what it holds: x is read once.
@triton.jit
def k(x, y, part, arrivals, columns, chunks, B: tl.constexpr, C: tl.constexpr):
    p = tl.program_id(0)
    row, chunk = p // chunks, p % chunks
    c = chunk * B + tl.arange(0, B)
    keep = c < columns
    at = row.to(tl.int64) * columns
    v = tl.load(x + at + c, mask=keep, other=0.)
    count = tl.minimum(columns - chunk * B, B).to(tl.float32)
    mean = tl.sum(v, 0) / count
    d = tl.where(keep, v - mean, 0.)
    tl.store(part + 2 * p, mean)
    tl.store(part + 2 * p + 1, tl.sum(d * d, 0))
    tl.debug_barrier()
    ticket = tl.atomic_add(arrivals + row, 1, sem="acq_rel", scope="gpu")
    target = (ticket // chunks + 1) * chunks
    seen = ticket + 1
    while seen < target:
        seen = tl.atomic_add(arrivals + row, 0, sem="acquire", scope="gpu")
    tl.debug_barrier()
    j = tl.arange(0, C)
    means = tl.load(part + 2 * (row * chunks + j), mask=j < chunks, other=0., cache_modifier=".cg")
    squares = tl.load(part + 2 * (row * chunks + j) + 1, mask=j < chunks, other=0., cache_modifier=".cg")
    counts = tl.maximum(tl.minimum(columns - j * B, B), 0).to(tl.float32)
    mean = tl.sum(means * counts, 0) / columns
    e = means - mean
    scale = 1 / tl.sqrt(tl.sum(squares + counts * e * e, 0) / columns + 1e-5)
    tl.store(y + at + c, (v - mean) * scale, mask=keep, cache_modifier=".cs")


def solve(x, y, rows, columns):
    B = 4096
    chunks = triton.cdiv(columns, B)
    key = x.device, rows, chunks
    if key not in _space:
        _space[key] = (torch.empty(2 * rows * chunks, dtype=torch.float32, device=x.device),
                       torch.zeros(rows, dtype=torch.int32, device=x.device))
    part, arrivals = _space[key]
    k[(rows * chunks,)](x, y, part, arrivals, columns, chunks, B=B, C=triton.next_power_of_2(chunks), num_warps=4)
