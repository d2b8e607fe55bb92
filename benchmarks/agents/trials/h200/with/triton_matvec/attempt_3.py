import torch
import triton
import triton.language as tl


@triton.jit
def k(x, y, part, ticket, rows, columns, R: tl.constexpr, C: tl.constexpr, S: tl.constexpr):
    c = tl.program_id(0) * C + tl.arange(0, C)
    share = tl.cdiv(rows, S)
    first = tl.program_id(1) * share
    end = tl.minimum(first + share, rows)
    s = tl.zeros((C,), tl.float32)
    for r in range(first, end, R):
        i = r + tl.arange(0, R)
        v = tl.load(x + i[:, None] * columns + c[None, :], mask=(i < end)[:, None] & (c < columns)[None, :], other=0.0)
        s += tl.sum(v * v, 0)
    tl.store(part + tl.program_id(1) * columns + c, s, mask=c < columns)
    tl.debug_barrier()
    # whoever comes last adds the parts in a fixed order, and leaves the ticket as it found it
    if tl.atomic_add(ticket + tl.program_id(0), 1, sem='acq_rel') == S - 1:
        j = tl.arange(0, S)
        p = tl.load(part + j[:, None] * columns + c[None, :], mask=(c < columns)[None, :] & (j >= 0)[:, None], other=0.0, cache_modifier='.cg')
        tl.store(y + c, tl.sum(p, 0), mask=c < columns)
        tl.atomic_xchg(ticket + tl.program_id(0), 0)


_ticket = {}


def solve(x, y, rows, columns):
    strips = triton.cdiv(columns, 32)
    t = _ticket.get(strips)
    if t is None:
        t = _ticket[strips] = torch.zeros(strips, dtype=torch.int32, device=x.device)
    part = torch.empty(16 * columns, dtype=torch.float32, device=x.device)
    k[(strips, 16)](x, y, part, t, rows, columns, R=256, C=32, S=16, num_warps=8)
