#!/usr/bin/env python3
"""The emulator beside numba's CUDA simulator and Triton's interpreter, on squares of n floats, in one run.

emulator_peers.py WARPLENS; a peer that is not installed is left out. Prints seconds for one element and the ratio.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

KERNEL = 'extern "C" __global__ void square(const float* x, float* y, int n) {' \
         ' int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] * x[i]; }\n'


def emulator(program, count):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "square.cu"
        source.write_text(KERNEL)
        command = [program, "kernel", str(source), "-k", "square", "--grid", str(count // 256), "--block", "256", "--emulate",
                   "--arg", f"x=f32[{count}]:uniform(0,1)", "--arg", f"y=f32[{count}]", "--arg", f"i32={count}", "--json"]
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        launch = json.loads(result.stdout)["launches"][0]
        return launch["emulated_ns"] * 1e-9


def numba_simulator(count):
    os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
    import numpy
    from numba import cuda

    @cuda.jit
    def square(x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] = x[i] * x[i]

    x = numpy.ones(count, numpy.float32)
    y = numpy.zeros_like(x)
    begin = time.perf_counter()
    square[count // 256, 256](x, y)
    return time.perf_counter() - begin


def triton_interpreter(count):
    os.environ["TRITON_INTERPRET"] = "1"
    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def square(x, y, n, B: tl.constexpr):
        i = tl.program_id(0) * B + tl.arange(0, B)
        v = tl.load(x + i, mask=i < n)
        tl.store(y + i, v * v, mask=i < n)

    x, y = torch.ones(count), torch.zeros(count)
    begin = time.perf_counter()
    square[(count // 256,)](x, y, count, B=256)
    return time.perf_counter() - begin


def main():
    own = emulator(sys.argv[1], 1 << 20) / (1 << 20)
    print(f"{'emulator':20} {own * 1e9:12.3f} ns an element")
    for name, run, count in (("numba simulator", numba_simulator, 1 << 12), ("triton interpreter", triton_interpreter, 1 << 16)):
        try:
            peer = run(count) / count
        except ImportError as missing:
            print(f"{name:20} not installed ({missing})")
            continue
        print(f"{name:20} {peer * 1e9:12.3f} ns an element, {peer / own:.0f} times the emulator's")


if __name__ == "__main__":
    main()
