#!/usr/bin/env python3
"""The emulator beside numba's CUDA simulator and Triton's interpreter, on the same kernels, in one run, on one core.

emulator_peers.py WARPLENS; a peer that is not installed is left out. Prints nanoseconds an element and the ratio: squares of n
floats, and the softmax of rows of 256. Peers are given as many elements as they do in a few seconds.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

KERNELS = r'''
extern "C" __global__ void square(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * x[i];
}
extern "C" __global__ void softmax(const float* x, float* y, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  float v = x[blockIdx.x * 256 + t];
  s[t] = v;
  __syncthreads();
  for (int w = 128; w > 0; w /= 2) { if (t < w) s[t] = fmaxf(s[t], s[t + w]); __syncthreads(); }
  float e = expf(v - s[0]);
  __syncthreads();
  s[t] = e;
  __syncthreads();
  for (int w = 128; w > 0; w /= 2) { if (t < w) s[t] += s[t + w]; __syncthreads(); }
  y[blockIdx.x * 256 + t] = e / s[0];
}
'''


def emulator(program, kernel, count):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "kernels.cu"
        source.write_text(KERNELS)
        command = [program, "kernel", str(source), "-k", kernel, "--grid", str(count // 256), "--block", "256", "--emulate",
                   "--threads", "1", "--arg", f"x=f32[{count}]:uniform(0,1)", "--arg", f"y=f32[{count}]", "--arg", f"i32={count}",
                   "--json"]
        times = []
        for _ in range(3):
            result = subprocess.run(command, capture_output=True, text=True, check=True)
            times.append(json.loads(result.stdout)["launches"][0]["emulation_ns"] * 1e-9)
        return min(times)


def numba_simulator(kernel, count):
    global cuda  # which the simulator replaces in the globals of a kernel while it runs
    os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
    import math

    import numpy
    from numba import cuda, float32

    @cuda.jit
    def square(x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] = x[i] * x[i]

    @cuda.jit
    def softmax(x, y):
        s = cuda.shared.array(256, float32)
        t = cuda.threadIdx.x
        v = x[cuda.blockIdx.x * 256 + t]
        s[t] = v
        cuda.syncthreads()
        w = 128
        while w > 0:
            if t < w:
                s[t] = max(s[t], s[t + w])
            cuda.syncthreads()
            w //= 2
        e = math.exp(v - s[0])
        cuda.syncthreads()
        s[t] = e
        cuda.syncthreads()
        w = 128
        while w > 0:
            if t < w:
                s[t] += s[t + w]
            cuda.syncthreads()
            w //= 2
        y[cuda.blockIdx.x * 256 + t] = e / s[0]

    x = numpy.random.default_rng(1).random(count, numpy.float32)
    y = numpy.zeros_like(x)
    begin = time.perf_counter()
    {"square": square, "softmax": softmax}[kernel][count // 256, 256](x, y)
    return time.perf_counter() - begin


def triton_interpreter(kernel, count):
    os.environ["TRITON_INTERPRET"] = "1"
    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def square(x, y, n, B: tl.constexpr):
        i = tl.program_id(0) * B + tl.arange(0, B)
        v = tl.load(x + i, mask=i < n)
        tl.store(y + i, v * v, mask=i < n)

    @triton.jit
    def softmax(x, y, n, B: tl.constexpr):
        i = tl.program_id(0) * B + tl.arange(0, B)
        v = tl.load(x + i)
        e = tl.exp(v - tl.max(v, 0))
        tl.store(y + i, e / tl.sum(e, 0))

    x, y = torch.rand(count), torch.zeros(count)
    begin = time.perf_counter()
    {"square": square, "softmax": softmax}[kernel][(count // 256,)](x, y, count, B=256)
    return time.perf_counter() - begin


def main():
    for kernel in ("square", "softmax"):
        count = 1 << 20
        own = emulator(sys.argv[1], kernel, count) / count
        print(f"{kernel:8} {'emulator':20} {own * 1e9:12.3f} ns an element")
        for name, run, count in (("numba simulator", numba_simulator, 1 << 11), ("triton interpreter", triton_interpreter, 1 << 16)):
            try:
                peer = run(kernel, count) / count
            except ImportError as missing:
                print(f"{kernel:8} {name:20} not installed ({missing})")
                continue
            print(f"{kernel:8} {name:20} {peer * 1e9:12.3f} ns an element, {peer / own:.0f} times the emulator's")


if __name__ == "__main__":
    main()
