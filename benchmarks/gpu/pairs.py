#!/usr/bin/env python3
"""Launches of the pairs of kernels in examples/kernels, bad and fixed: pairs.py json SET [SCALE] prints the launch file (sizes
divided by SCALE), pairs.py main SET the host program in CUDA C++, which prints the median times of each pair as CSV: between two events
after L2 was written over (bad_ms, fixed_ms) and after it was read over (bad_read_ms, fixed_read_ms). SET is one of pair_sets.py. Sizes of
traffic_pairs, update_pairs, issue_pairs, rate_pairs, blind_pairs, lesson_pairs, course_pairs, workshop_pairs, picture_pairs, seminar_pairs,
textbook_pairs, blog_pairs, tutorial_pairs and those of lesson_sets.py cannot be divided.

On a machine with a GPU: python3 pairs.py main pairs > main.cu; nvcc -arch=sm_90 -lineinfo -I ../.. -o pairs main.cu; ./pairs
Counters: ncu --clock-control none --csv --page raw --print-units base --metrics METRICS ./pairs once"""
import json
import math
import sys

from pair_sets import SETS

SMALL = 4096  # elements of the buffers that do not grow with n
TYPES = {"f32": "float", "i32": "int", "u32": "unsigned", "u64": "unsigned long long", "f16": "__half", "f64": "double", "i64": "long long"}


def value(text, n):
    return text if isinstance(text, int) else int(eval(text.replace("/", "//"), {"n": n, "s": math.isqrt(n)}))


def three(sizes, n=0):
    sizes = sizes if isinstance(sizes, list) else [sizes]
    return [value(v, n) for v in sizes] + [1] * (3 - len(sizes))


def number(v, n):
    kind, v = v if isinstance(v, tuple) else ("i32", v)
    return kind, v if isinstance(v, float) else value(v, n)


def of_set(name, scale=1):
    """Buffers with their type and count, and every launch in order: pair, finding, kernel, grid, block, buffers, numbers, shared memory."""
    pairs, buffers, n, _ = SETS[name]
    n //= scale
    launches = []
    for pair, finding, *both in pairs:
        for suffix, (grid, block, names, numbers, *shared) in zip(("bad", "fixed"), both):
            launches.append((pair, finding, f"{pair}_{suffix}", three(grid, n), three(block), names.split(), [number(v, n) for v in numbers],
                             shared[0] if shared else 0))
    return {b: (kind, n // part if part else SMALL) for b, (kind, part) in buffers.items()}, launches


def launch_file(name, scale=1):
    buffers, launches = of_set(name, scale)
    bits = SETS[name][3]
    random = lambda kind: ({"fill": "uniform", "low": 0.0, "high": 1.0, "seed": 3} if kind[0] == "f" else
                           {"fill": "hash", "seed": 0, "low": 0, "high": 1 << bits, "bits": bits})
    return {"source": f"kernels/{name}.cu", "arch": "sm_90", "options": ["-lineinfo"],
            "buffers": {b: {"dtype": kind, "count": count, **random(kind)} for b, (kind, count) in buffers.items()},
            "launches": [{"kernel": kernel, "grid": grid, "block": block, **({"shared_bytes": shared} if shared else {}),
                          "args": [{"buffer": b} for b in names] + [{kind: v} for kind, v in numbers]}
                         for _, _, kernel, grid, block, names, numbers, shared in launches]}


START = r"""#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>
static char *flush_, *read_; static bool once;
__global__ void read_over(const float4* p, float* out) { const size_t n = (200 << 20) / 16; float sum = 0;
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < n; i += gridDim.x * size_t{blockDim.x}) sum += p[i].x; if (sum == 1.5f) *out = sum; }
static double time_ns(bool written, const void* f, dim3 g, dim3 b, size_t shared, void** all) {
  if (shared > 48 << 10) cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
  if (once) { if (written) { cudaLaunchKernel(f, g, b, all, shared, 0); cudaDeviceSynchronize(); } return 0; }
  std::vector<float> t; cudaEvent_t s, e; cudaEventCreate(&s); cudaEventCreate(&e);
  for (int k = 0; k < 25; ++k) { cudaMemset(flush_, k, 200 << 20); if (!written) read_over<<<1056, 256>>>((float4*)read_, (float*)flush_); cudaEventRecord(s); cudaLaunchKernel(f, g, b, all, shared, 0);
    cudaEventRecord(e); cudaEventSynchronize(e); float m; cudaEventElapsedTime(&m, s, e); if (k >= 5) t.push_back(m); }
  std::sort(t.begin(), t.end()); return 1e6 * t[t.size() / 2]; }
template <class T> std::vector<double> after(const void* f, dim3 g, dim3 b, size_t shared, void** all, T* out, size_t n) {
  cudaMemset(out, 0, n * sizeof(T)); cudaLaunchKernel(f, g, b, all, shared, 0); std::vector<T> host(n);
  cudaMemcpy(host.data(), out, n * sizeof(T), cudaMemcpyDeviceToHost); std::vector<double> d(n); for (size_t k = 0; k < n; ++k) d[k] = (double)host[k]; return d; }
int main(int argc, char**) {
  once = argc > 1; cudaMalloc(&flush_, 200 << 20); cudaMalloc(&read_, 200 << 20); cudaMemset(read_, 0, 200 << 20); unsigned s_ = 1;
  auto random = [&] { return s_ = s_ * 1664525u + 1013904223u; };
"""


END = r"""  cudaError_t error = cudaDeviceSynchronize(); fprintf(stderr, "%s\n", cudaGetErrorString(error)); return error != cudaSuccess; }"""


def filled_buffer(name, kind, count, real, shift):
    return (f"  {kind}* {name}; {{ std::vector<{kind}> host({count}); for (auto& v : host) v = "
            + (f"({kind})((random() >> 8) / 16777216.0f)" if real else f"random() >> {shift}")
            + f"; cudaMalloc(&{name}, sizeof(*{name}) * host.size()); cudaMemcpy({name}, host.data(), sizeof(*{name}) * host.size(), cudaMemcpyHostToDevice); }}")


def slots_of(buffers, numbers):
    """A launch's arguments, and `all`, which points to them."""
    slots = "".join(f"void* a{j} = {b}; " for j, b in enumerate(buffers)) + "".join(f"{TYPES[kind]} s{j} = {v}; " for j, (kind, v) in enumerate(numbers))
    pointers = ", ".join([f"&a{j}" for j in range(len(buffers))] + [f"&s{j}" for j in range(len(numbers))])
    return f"{slots}void* all[] = {{{pointers}}}; "


def call_of(kernel, grid, block, shared):
    return f"(const void*){kernel}, dim3({', '.join(map(str, grid))}), dim3({', '.join(map(str, block))}), {shared}, all"


def host_program(name):
    buffers, launches = of_set(name)
    lines = [f'#include "examples/kernels/{name}.cu"\n#include <cuda_fp16.h>\n{START}']
    for b, (kind, count) in buffers.items():
        lines.append(filled_buffer(b, TYPES[kind], count, kind[0] == "f", 32 - SETS[name][3]))
    lines.append('  printf("case,finding,bad_ms,fixed_ms,saving_fraction,bad_read_ms,fixed_read_ms\\n"); double ns[2], clean[2]; std::vector<double> got[2];')
    for k, (pair, finding, kernel, grid, block, names, numbers, shared) in enumerate(launches):
        call = call_of(kernel, grid, block, shared)
        lines.append(f"  {{ {slots_of(names, numbers)}ns[{k % 2}] = time_ns(true, {call}); clean[{k % 2}] = time_ns(false, {call});"
                     f" if (!once) got[{k % 2}] = after({call}, {names[-1]}, {min(buffers[names[-1]][1], SMALL)}); }}")
        if k % 2:
            lines.append(f'  printf("{pair},{finding},%.4f,%.4f,%.3f,%.4f,%.4f\\n", ns[0] / 1e6, ns[1] / 1e6, 1 - ns[1] / ns[0], clean[0] / 1e6, clean[1] / 1e6);')
            lines.append(f'  {{ double off = 0; for (size_t k = 0; k < got[0].size(); ++k) off = std::max(off, std::fabs(got[0][k] - got[1][k]) / (1 + '
                         f'std::fabs(got[0][k]))); fprintf(stderr, "{pair}: results differ by %.1e\\n", off); }}')
    return "\n".join([*lines, END]) + "\n"


if __name__ == "__main__":
    if sys.argv[1] == "json":
        print(json.dumps(launch_file(sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 1)))
    else:
        print(host_program(sys.argv[2]), end="")
