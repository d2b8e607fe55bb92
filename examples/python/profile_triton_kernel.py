"""A Triton kernel without a GPU: results, exact counters, problems and their lines, for two GPUs. On a GPU, its time, too."""

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


def softmax(x):
    y = torch.empty_like(x)
    row_softmax[(x.shape[0],)](x, y, x.shape[1], BLOCK=1024)
    return y


if torch.cuda.is_available():
    x = torch.randn(8192, 1000, device="cuda")
    torch.testing.assert_close(softmax(x), torch.softmax(x, -1))
    print(warplens.bench(softmax, inputs=lambda: torch.randn(8192, 1000, device="cuda"), bytes=2 * x.nbytes, reference=lambda x: torch.softmax(x, -1)))
    print(warplens.compare(lambda x: torch.softmax(x, -1), softmax, x))
else:
    x = torch.randn(512, 1000)
    for device in ("h200", "a100"):
        with warplens.emulate(device, counters=True) as gpu:
            y = softmax(x)
        torch.testing.assert_close(y, torch.softmax(x, -1))
        launch = gpu.launches[0]
        print(launch)
        print("sectors read:", launch.metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"])
