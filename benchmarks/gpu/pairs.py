#!/usr/bin/env python3
"""Launches of examples/kernels/pairs.cu, bad and fixed: pairs.py json [SCALE] prints the launch file (sizes divided by
SCALE), pairs.py main the host program in CUDA C++, which prints the median time of each pair as CSV.

On a machine with a GPU: python3 pairs.py main > main.cu; nvcc -arch=sm_90 -lineinfo -I ../.. -o pairs main.cu; ./pairs"""
import json
import sys

N = 1 << 23
# name, finding, bad launch, fixed launch: grid, block, buffers, numbers; a string is an expression of n
PAIRS = [
    ("column", "uncoalesced-access", ("n/256", 256, "x y", ["n"]), ("n/256", 256, "x y", ["n"])),
    ("scatter", "uncoalesced-access", ("n/256", 256, "x y", ["n"]), ("n/256", 256, "x y", ["n"])),
    ("rowsum", "bank-conflict", ("n/2048", 256, "x y", [16]), ("n/2048", 256, "x y", [16])),
    ("parity", "divergence", ("n/256", 256, "x y", ["n"]), ("n/256", 256, "x y", ["n"])),
    ("trips", "divergence", ("n/256", 256, "x y", ["n"]), ("n/256", 256, "x y", ["n"])),
    ("hoard", "low-occupancy", ("n/64", 64, "x y", ["n"]), ("n/64", 64, "x y", ["n"])),
    ("few", "small-grid", (16, 256, "x y", ["n"]), (1056, 256, "x y", ["n"])),
    ("last", "tail-effect", (300, 1024, "x y", [4000]), (2400, 128, "x y", [4000])),
    ("celsius", "accidental-double", ("n/256", 256, "x y", ["n"]), ("n/256", 256, "x y", ["n"])),
    ("polynomial", "unfused-multiply-add", ("n/256", 256, "x y", ["n"]), ("n/256", 256, "x y", ["n"])),
    ("hold", "spills", ("n/8192", 1024, "x y", [20]), ("n/1024", 128, "x y", [20])),
    ("pick", "local-array", ("n/1024", 256, "x y", ["n/4", 100]), ("n/1024", 256, "x y", ["n/4", 100])),
    ("total", "atomic-contention", ("n/256", 256, "x o", ["n"]), (1056, 256, "x o", ["n"])),
    ("bins", "atomic-contention", ("n/256", 256, "x h", ["n"]), (1056, 256, "x h", ["n"])),
    ("window", "redundant-loads", ("n/256", 256, "x y", ["n"]), ("n/1024", 256, "x y", ["n"])),
    ("narrow", "unvectorised-access", ("n*2/256", 256, "x y", ["n*2"]), ("n*2/4096", 256, "x y", ["n*2"])),
    ("odd", "partial-warps", ("n/33", 33, "x y", ["n"]), ("n/256", 256, "x y", ["n"])),
    ("wait", "excess-synchronization", ("n/4096", 1024, "x y", [256]), ("n/4096", 1024, "x y", [256])),
    ("serial", "dependence-chain", (132, 32, "x y", [4096]), (132, 32, "x y", [4096])),
    ("digits", "integer-division", ("n/1024", 256, "i j", ["n/4", 10]), ("n/1024", 256, "i j", ["n/4", 10])),
    ("power", "accidental-double", ("n/256", 256, "x y", ["n"]), ("n/256", 256, "x y", ["n"])),
    ("tree", "bank-conflict", ("n/4096", 512, "x y", [8]), ("n/4096", 512, "x y", [8])),
    ("rows", "uncoalesced-access", ("n/64/256", 256, "x y", ["n"]), ("n/512", 256, "x y", ["n"])),
    ("weights", "broadcast-loads", ("n/256", 256, "x w y", ["n"]), ("n/256", 256, "x w y", ["n"])),
]
BUFFERS = {"x": ("f32", 1), "y": ("f32", 1), "i": ("i32", 4), "j": ("i32", 4), "w": ("f32", 0), "o": ("f32", 0), "h": ("u32", 0)}


def size(text, n):
    return text if isinstance(text, int) else int(eval(text.replace("/", "//"), {"n": n}))


def launch_file(scale):
    n, launches = N // scale, []
    for name, _, *both in PAIRS:
        for suffix, (grid, block, names, numbers) in zip(("bad", "fixed"), both):
            launches.append({"kernel": f"{name}_{suffix}", "grid": [size(grid, n), 1, 1], "block": [block, 1, 1],
                             "args": [{"buffer": b} for b in names.split()] + [{"i32": size(v, n)} for v in numbers]})
    buffers = {name: {"dtype": kind, "count": n // part if part else 256, "fill": "hash", "low": 0, "high": 1 << 20, "bits": 20}
               if kind != "f32" else {"dtype": kind, "count": n // part if part else 256, "fill": "uniform", "low": 0.0, "high": 1.0, "seed": 3}
               for name, (kind, part) in BUFFERS.items()}
    return {"source": "kernels/pairs.cu", "arch": "sm_90", "options": ["-lineinfo"], "buffers": buffers, "launches": launches}


def host_program():
    types = {"f32": "float", "i32": "int", "u32": "unsigned"}
    lines = ['#include "examples/kernels/pairs.cu"', "#include <algorithm>", "#include <cstdio>", "#include <cstring>", "#include <vector>",
             "static char* flush_; static bool once;",
             "static double time_ns(const void* f, dim3 g, dim3 b, void** all) {",
             "  if (once) { cudaLaunchKernel(f, g, b, all, 0, 0); cudaDeviceSynchronize(); return 0; }",
             "  std::vector<float> t; cudaEvent_t s, e; cudaEventCreate(&s); cudaEventCreate(&e);",
             "  for (int k = 0; k < 25; ++k) { cudaMemset(flush_, k, 200 << 20); cudaEventRecord(s); cudaLaunchKernel(f, g, b, all, 0, 0);",
             "    cudaEventRecord(e); cudaEventSynchronize(e); float m; cudaEventElapsedTime(&m, s, e); if (k >= 5) t.push_back(m); }",
             "  std::sort(t.begin(), t.end()); return 1e6 * t[t.size() / 2]; }",
             "int main(int argc, char**) {", "  once = argc > 1; cudaMalloc(&flush_, 200 << 20); unsigned s_ = 1;"]
    for name, (kind, part) in BUFFERS.items():
        t, count = types[kind], N // part if part else 256
        value = "(s_ >> 8) / 16777216.0f" if kind == "f32" else "s_ >> 12"
        lines.append(f"  {t}* {name}; {{ std::vector<{t}> host({count}); for (auto& v : host) {{ s_ = s_ * 1664525u + 1013904223u; v = {value}; }}"
                     f" cudaMalloc(&{name}, 4ull * host.size()); cudaMemcpy({name}, host.data(), 4ull * host.size(), cudaMemcpyHostToDevice); }}")
    lines.append('  printf("case,finding,bad_ms,fixed_ms,saving_fraction\\n");')
    for name, finding, *both in PAIRS:
        lines.append("  { double ns[2];")
        for which, (suffix, (grid, block, names, numbers)) in enumerate(zip(("bad", "fixed"), both)):
            slots = "".join(f"void* a{k} = {b}; " for k, b in enumerate(names.split())) + "".join(f"int s{k} = {size(v, N)}; " for k, v in enumerate(numbers))
            pointers = ", ".join([f"&a{k}" for k in range(len(names.split()))] + [f"&s{k}" for k in range(len(numbers))])
            lines.append(f"  {{ {slots}void* all[] = {{{pointers}}}; ns[{which}] = time_ns((const void*){name}_{suffix}, dim3({size(grid, N)}), dim3({block}), all); }}")
        lines.append(f'  printf("{name},{finding},%.4f,%.4f,%.3f\\n", ns[0] / 1e6, ns[1] / 1e6, 1 - ns[1] / ns[0]); }}')
    lines.append('  cudaError_t error = cudaDeviceSynchronize(); fprintf(stderr, "%s\\n", cudaGetErrorString(error)); return error != cudaSuccess; }')
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if sys.argv[1] == "json":
        print(json.dumps(launch_file(int(sys.argv[2]) if len(sys.argv) > 2 else 1)))
    else:
        print(host_program(), end="")
