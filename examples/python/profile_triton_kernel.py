"""A Triton kernel without a GPU: results, exact counters, what is wrong and where, on two GPUs."""

import torch
import triton
import triton.language as tl

import warplens


@triton.jit
def row_softmax(x, y, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + row * columns + i, e / tl.sum(e, 0), mask=i < columns)


x = torch.randn(512, 1000)
for device in ("h200", "a100"):
    y = torch.empty_like(x)
    with warplens.emulate(device, counters=True) as gpu:
        row_softmax[(512,)](x, y, 1000, BLOCK=1024)
    torch.testing.assert_close(y, torch.softmax(x, -1))
    launch = gpu.launches[0]
    print(launch)
    print("sectors read:", launch.metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"])
