"""Decode attention on a paged cache beside SDPA on a contiguous one."""
import struct

import torch

from attention import BACKENDS, measure, sdpa
from driver import Kernel

PAGE = 16


def decode(batch, heads, group, length, head, cubins, rounds):
    kv_heads, splits = heads // group, max(1, 264 * group // (heads * batch))
    q = torch.randn(batch, heads, 1, head, device="cuda", dtype=torch.bfloat16)
    k, v = (torch.randn(batch, kv_heads, length, head, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    width = length // PAGE
    table = torch.randperm(batch * width, device="cuda").to(torch.int32).view(batch, width)
    pages = []
    for x in (k, v):
        paged = torch.empty(batch * width, PAGE, kv_heads, head, device="cuda", dtype=torch.bfloat16)
        paged[table.view(-1).long()] = x.transpose(1, 2).reshape(batch * width, PAGE, kv_heads, head)
        pages.append(paged)
    lengths = torch.full((batch,), length, device="cuda", dtype=torch.int32)
    parts, tops, sums = torch.empty(batch * heads * splits, head, device="cuda"), *(torch.empty(batch * heads * splits, device="cuda") for _ in range(2))
    o = torch.empty_like(q)
    cache = struct.pack("<QQQQii", pages[0].data_ptr(), pages[1].data_ptr(), table.data_ptr(), lengths.data_ptr(), width, PAGE)
    cubin = cubins / f"paged-size{head}.cubin"
    main = Kernel(cubin, "paged_decode", 4 * 3 * 2 * 32 * head * 2).launcher(
        (splits, kv_heads, batch), (128,), q, cache, parts, tops, sums, group, head ** -0.5)
    combine = Kernel(cubin, "paged_decode_combine").launcher((heads, batch), (head,), parts, tops, sums, o, splits)

    def paged(keep=(pages, table, lengths)):
        main()
        combine()
    calls = {"01_paged": paged}
    for name, backend in BACKENDS.items(): calls[name + ", contiguous"] = lambda backend=backend: sdpa(backend, q, k, v, False)
    kg, vg = (x.double().repeat_interleave(group, 1) for x in (k, v))
    want = (q.double() @ kg.transpose(2, 3) * head ** -0.5).softmax(-1) @ vg
    del kg, vg

    def error(call):
        o.fill_(float("nan"))
        got = call()
        return (((o if got is None else got).double() - want).norm() / want.norm()).item()
    results = measure(calls, error, 4 * batch * heads * length * head, rounds)
    for r in results.values():
        if "ms" in r: r["gb_s"] = 4 * batch * kv_heads * length * head / r["ms"] / 1e6
    return results
