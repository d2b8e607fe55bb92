#!/usr/bin/env python3
"""Processor time of PyTorch's operators on an emulated GPU over that of one CPU core, for the same tensors, in one run.

  warplens emulate -- python3 benchmarks/operator_speed.py [--elements 1048576]
"""
import argparse
import time

import torch
import torch.nn.functional as F

OPERATORS = {
    "add": lambda x: x + x,
    "gelu": F.gelu,
    "sum": lambda x: x.sum(),
    "sum of rows": lambda x: x.sum(1),
    "transpose": lambda x: x.t().contiguous(),
    "cumsum": lambda x: x.cumsum(1),
    "softmax": lambda x: x.softmax(1),
    "layer norm": lambda x: F.layer_norm(x, x.shape[1:]),
    "sort": lambda x: x.sort(1).values,
    "gather of rows": lambda x: x[torch.arange(x.shape[0] - 1, -1, -1, device=x.device)],
    "product": lambda x: x[:256] @ x[:256].t(),
}


def seconds(work, x, least):
    """The least processor time of all threads, of one call."""
    work(x)
    best, spent = float("inf"), 0.0
    while spent < least:
        begin = time.process_time()
        work(x)
        torch.cuda.synchronize()
        took = time.process_time() - begin
        best, spent = min(best, took), spent + max(took, 1e-6)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--elements", type=int, default=1 << 20, help="of the tensor, in rows of 1024")
    given = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x = torch.randn(given.elements // 1024, 1024)
    y = x.cuda()
    print("| operator | CPU core, ms | emulated, ms | ratio |\n| --- | --- | --- | --- |")
    for name, work in OPERATORS.items():
        cpu, gpu = seconds(work, x, 0.1), seconds(work, y, 0.3)
        print(f"| {name} | {cpu * 1e3:.3g} | {gpu * 1e3:.3g} | {gpu / cpu:.3g} |", flush=True)


if __name__ == "__main__":
    main()
