"""The extra time of a kernel whose code is in no SM's cache, and the part of L2 that stays from launch to launch: code_and_l2.py OUT.json.

Code: kernels of N instructions in a row, launched repeatedly, then each after a kernel of 256 KiB of code. L2: a copy of tensors
that come round again, of growing size. Times come from CUPTI's records (torch.profiler). Needs a GPU, PyTorch and CuPy.
"""
import json
import statistics
import sys

import cupy
import torch
from torch.profiler import ProfilerActivity, profile

LENGTHS = (32, 128, 512, 1024, 2048, 4096)
FLUSH = 16384  # instructions of 16 bytes
ROUNDS = 12


def source(length):
    lines = "\n".join(f'asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a{i % 8}) : "f"(x));' for i in range(length))
    names = [f"a{i}" for i in range(8)]
    return (f'extern "C" __global__ void straight_{length}(float* out, float x) {{\nfloat {", ".join(f"{n} = x" for n in names)};\n{lines}\n'
            f"out[blockIdx.x * blockDim.x + threadIdx.x] = {' + '.join(names)};\n}}\n")


def profiled(run):
    with profile(activities=[ProfilerActivity.CUDA]) as found:
        run()
        torch.cuda.synchronize()
    times = {}
    for event in found.profiler.kineto_results.events():
        if event.device_type() == torch.autograd.DeviceType.CUDA:
            times.setdefault(event.name(), []).append(event.duration_ns())
    return {name: statistics.median(all_ns[len(all_ns) // 2:]) for name, all_ns in times.items()}


def code_times():
    kernels = {n: cupy.RawKernel(source(n), f"straight_{n}") for n in (*LENGTHS, FLUSH)}
    out = cupy.zeros(1 << 20, dtype=cupy.float32)
    rows = []
    for blocks in (1, 132, 1056):
        for length in LENGTHS:
            row = {"blocks": blocks, "instructions": length}
            for flush in (False, True):
                def run():
                    for _ in range(ROUNDS):
                        if flush:
                            kernels[FLUSH]((132,), (128,), (out, cupy.float32(1)))
                        kernels[length]((blocks,), (128,), (out, cupy.float32(1)))
                run()
                row["cold_ns" if flush else "hot_ns"] = profiled(run).get(f"straight_{length}")
            rows.append(row)
            print(row, flush=True)
    return rows


def l2_times():
    rows = []
    for mib in (8, 16, 24, 28, 32, 34, 36, 38, 40, 42, 44, 46, 48, 52, 56, 64, 96):
        x = torch.ones(mib << 17, device="cuda")  # half of it, and half for the result
        y = torch.empty_like(x)
        copied = profiled(lambda: [torch.exp(x, out=y) for _ in range(ROUNDS)])
        z = torch.ones(mib << 18, device="cuda")
        read = profiled(lambda: [torch.amax(z.view(-1, 1024), 1) for _ in range(ROUNDS)])
        rows.append({"mib": mib, "read_and_written_ns": max(copied.values()), "read_ns": max(read.values())})
        print(rows[-1], flush=True)
    return rows


def main(path):
    clock = torch.cuda.clock_rate() if hasattr(torch.cuda, "clock_rate") else None
    rows = {"device": torch.cuda.get_device_name(), "clock_mhz": clock, "code": code_times(), "l2": l2_times()}
    with open(path, "w") as file:
        json.dump(rows, file, indent=0)


if __name__ == "__main__":
    main(sys.argv[1])
