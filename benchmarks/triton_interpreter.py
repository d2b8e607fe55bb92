#!/usr/bin/env python3
"""Triton kernels in the emulator beside Triton's own interpreter (TRITON_INTERPRET=1): the same kernels, arguments and moment.

usage: PYTHONPATH=build/python python3 benchmarks/triton_interpreter.py [--device h200] [--rounds 3] [--threads N] [NAME...]

Prints a Markdown table. Times are of launches, without compiling, the least of the rounds; both sides take turns, each in a
process of its own, as the interpreter replaces Triton's compiler when Triton is imported. Results are compared with torch.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

KERNELS = pathlib.Path(__file__).resolve().parent.parent / "python" / "tests"


def cases() -> dict[str, Callable[[], tuple[Callable[[], None], Any, Any]]]:
    """Of each name: makes (launch, result, expected)."""
    sys.path.insert(0, str(KERNELS))
    import matmul_kernels
    import row_kernels
    import torch

    def vector_add() -> Any:
        n = 1 << 22
        x, y, out = torch.rand(n), torch.rand(n), torch.empty(n)
        return lambda: row_kernels.vector_add[(n // 1024,)](x, y, out, n, BLOCK=1024), out, x + y

    def softmax() -> Any:
        x, y = torch.randn(8192, 1000), torch.empty(8192, 1000)
        return lambda: row_kernels.softmax_rows[(8192,)](x, y, 1000, 1000, 8192, 1000, BLOCK=1024, STAGES=1), y, torch.softmax(x, 1)

    def layer_norm() -> Any:
        rows, n = 1024, 4096
        x, y, w, b, mean, rstd = torch.randn(rows, n), torch.empty(rows, n), torch.rand(n), torch.rand(n), torch.empty(rows), torch.empty(rows)
        return (lambda: row_kernels.layer_norm_forward[(rows,)](x, y, w, b, mean, rstd, n, n, 1e-5, BLOCK=1024), y,
                torch.nn.functional.layer_norm(x, (n,), w, b))

    def matmul() -> Any:
        n = 512
        a, b, c = torch.randn(n, n).half(), torch.randn(n, n).half(), torch.empty(n, n)
        return (lambda: matmul_kernels.matmul[(64,)](a, b, c, n, n, n, n, 1, n, 1, n, 1, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, GROUP_M=8,
                                                     ACTIVATION="", PRECISION="tf32"), c, a.float() @ b.float())

    return {"vector add, 4 Mi floats": vector_add, "softmax, 8192 x 1000": softmax, "layer norm, 1024 x 4096": layer_norm,
            "matmul, 512 x 512 x 512, f16": matmul}


def measure(name: str, device: str, side: str) -> None:
    """In the process of one side: prints the seconds of one launch after another had compiled it."""
    import contextlib

    import torch

    torch.manual_seed(0)
    launch, got, want = cases()[name]()
    if side == "emulator":
        import warplens

        where: Any = warplens.emulate(device)
    else:
        where = contextlib.nullcontext()
    with where:
        seconds = []
        for _ in range(2 if side == "emulator" else 1):  # the interpreter compiles nothing
            begin = time.perf_counter()
            launch()
            seconds.append(time.perf_counter() - begin)
    torch.testing.assert_close(got, want, rtol=1e-2, atol=1e-2)
    print(json.dumps(seconds[-1]))


def run_side(name: str, side: str, arguments: argparse.Namespace) -> float:
    environment = dict(os.environ, TRITON_INTERPRET="1" if side == "interpreter" else "0", OMP_NUM_THREADS=str(arguments.threads))
    done = subprocess.run([sys.executable, __file__, "--side", side, "--device", arguments.device, name], env=environment,
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{name} ({side}): {done.stderr.strip()}")
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="h200")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--side", choices=["emulator", "interpreter"], help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.side:
        return measure(arguments.names[0], arguments.device, arguments.side)
    print("| kernel | Triton's interpreter, s | emulator, s | times as fast |\n|---|---|---|---|")
    for name in arguments.names or cases():
        best = {"interpreter": float("inf"), "emulator": float("inf")}
        for _ in range(arguments.rounds):
            for side in best:
                best[side] = min(best[side], run_side(name, side, arguments))
        print(f"| {name} | {best['interpreter']:.3f} | {best['emulator']:.4f} | {best['interpreter'] / best['emulator']:.0f} |", flush=True)


if __name__ == "__main__":
    main()
