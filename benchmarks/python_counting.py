#!/usr/bin/env python3
"""The cost of counting a launch from Python: the same inline and Triton launches with counters and without, taking turns.

usage: PYTHONPATH=build/python python3 benchmarks/python_counting.py [--device h200] [--rounds 8] [NAME...]

Prints a Markdown table: the least time of a launch, compiled before, and where its results came from.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import torch
import triton_interpreter
import warplens

SOURCE = """
extern "C" __global__ void square(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * x[i];
}
extern "C" __global__ void rows(const float* x, float* y, int n) {
  __shared__ float sums[256];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 256) sum += x[blockIdx.x * n + i];
  sums[threadIdx.x] = sum;
  for (int half = 128; half; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) y[blockIdx.x] = sums[0];
}
"""


def inline_launches(device: str) -> dict[str, tuple[Any, Any]]:
    """Of each name: the launch without counters, and with them."""
    module = warplens.load_inline(SOURCE, functions=["square", "rows"], device=device)
    small, large = (torch.rand(256), torch.empty(256)), (torch.rand(1 << 20), torch.empty(1 << 20))
    return {
        "inline square, 256 floats": (lambda: module.square[1, 256](*small, 256), lambda: module.square.profile[1, 256](*small, 256)),
        "inline square, 1 Mi floats": (lambda: module.square[4096, 256](*large, 1 << 20), lambda: module.square.profile[4096, 256](*large, 1 << 20)),
        "inline row sums, 1024 x 1024": (lambda: module.rows[1024, 256](*large, 1024), lambda: module.rows.profile[1024, 256](*large, 1024)),
    }


def triton_launches(device: str) -> dict[str, tuple[Any, Any]]:
    out = {}
    for name, case in triton_interpreter.cases().items():
        launch = case()[0]

        def within(counters: bool, launch: Any = launch) -> Any:
            with warplens.emulate(device, counters=counters) as gpu:
                launch()
            return gpu.launches[-1]

        out[f"Triton {name}"] = (lambda run=within: run(False), lambda run=within: run(True))
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="h200")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    launches = inline_launches(arguments.device) | triton_launches(arguments.device)
    print("| launch | without counters, ms | with, ms | ratio | results from |\n|---|---|---|---|---|")
    for name in arguments.names or launches:
        best, last = [float("inf"), float("inf")], None
        for _ in range(arguments.rounds + 1):  # the first compiles, and may be the slowest
            for side, launch in enumerate(launches[name]):
                begin = time.perf_counter()
                last = launch()
                best[side] = min(best[side], 1e3 * (time.perf_counter() - begin))
        print(f"| {name} | {best[0]:.2f} | {best[1]:.2f} | {best[1] / best[0]:.2f} | {last.report.get('results_from', '?')} |", flush=True)


if __name__ == "__main__":
    main()
