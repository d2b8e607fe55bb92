#!/usr/bin/env python3
"""Launches of examples/kernels/study.cu: kernel_study.py json prints the launch file, kernel_study.py main the host program in CUDA C++.

On a machine with a GPU: python3 kernel_study.py main > main.cu; nvcc -arch=sm_90 -lineinfo -o study main.cu;
ncu --clock-control none --csv --page raw --print-units base --metrics METRICS ./study > study.csv"""
import json
import sys

N = 1 << 22
BUFFERS = {"x": ("f32", N, "arange"), "y": ("f32", N, "zeros"), "w": ("f32", N, "ones"), "i": ("i32", N, "arange"),
           "h": ("u32", 1 << 20, "zeros"), "d": ("f64", N // 4, "ones"), "e": ("f64", N // 4, "zeros")}
# kernel, grid, block, arguments
LAUNCHES = [
    ("stencil5", N // 256, 256, "x y", [N]), ("copy4", N // 4 // 256, 256, "x y", [N // 4]),
    ("gather", N // 256, 256, "x y", [N, N]), ("gather", N // 256, 256, "x y", [N, 16384]),
    ("nbody", 64, 128, "x y", [8192]), ("bitonic", 1024, 512, "w", []), ("gemv", 256, 256, "x w y", [2048]),
    ("scan_block", N // 256, 256, "x y", []), ("half_axpy", N // 256, 256, "w y", [N]),
    ("red_random", 4096, 256, "h", [1 << 20, 0xfffff]), ("red_random", 4096, 256, "h", [1 << 20, 0xff]),
    ("red_random", 4096, 256, "h", [1 << 20, 3]), ("atom_float", 4096, 256, "y x", [1 << 20, 0xffff]),
    ("shared_atomic", 264, 256, "h", [N, 1023]), ("shared_atomic", 264, 256, "h", [N, 7]),
    ("mandelbrot", [32, 128], [32, 8], "y", [1024]), ("divide_modulo", N // 4 // 256, 256, "i h", [N // 4, 7]),
    ("async_tile", 256, 256, "x y", [16]), ("convolution", [32, 128], [32, 8], "x w y", [1024]),
    ("exponentials", N // 4 // 256, 256, "x y", [N // 4]), ("doubles", N // 4 // 256, 256, "d e", [N // 4]),
    ("wide_shared", 2048, 256, "x y", [1]), ("wide_shared", 2048, 256, "x y", [4]), ("reduce_tree", 264, 512, "x y", [N]),
    ("pointer_chase", 64, 128, "i h", [256]), ("odd_block", 10000, 100, "x y", [1000000]), ("empty", 1, 32, "", [0]),
    ("empty", 131072, 32, "", [0]), ("empty", 8192, 512, "", [0]),
]


def three(size):
    return (size if isinstance(size, list) else [size]) + [1] * (2 if isinstance(size, int) else 3 - len(size))


def launch_file():
    buffers = {n: {"dtype": t, "count": c, "fill": f} for n, (t, c, f) in BUFFERS.items()}
    launches = [{"kernel": k, "grid": three(g), "block": three(b), "args": [{"buffer": n} for n in names.split()] + [{"i32": v} for v in scalars]}
                for k, g, b, names, scalars in LAUNCHES]
    return {"source": "kernels/study.cu", "arch": "sm_90", "options": ["-lineinfo"], "buffers": buffers, "launches": launches}


def host_program():
    types = {"f32": "float", "i32": "int", "u32": "unsigned", "f64": "double"}
    fill = {"arange": "T(i)", "zeros": "T(0)", "ones": "T(1)"}
    lines = ['#include "../../examples/kernels/study.cu"', "#include <cstdio>", "#include <vector>",
             "template <class T, class F> T* make(size_t n, F f) { std::vector<T> h(n); for (size_t i = 0; i < n; ++i) h[i] = f(i);",
             "  T* d; cudaMalloc(&d, n * sizeof(T)); cudaMemcpy(d, h.data(), n * sizeof(T), cudaMemcpyHostToDevice); return d; }", "int main() {"]
    for n, (t, c, f) in BUFFERS.items():
        lines.append(f"  auto* {n} = make<{types[t]}>({c}, [](size_t i) {{ using T = {types[t]}; (void)i; return {fill[f]}; }});")
    for k, g, b, names, scalars in LAUNCHES:
        slots = "".join(f"void* a{j} = {n}; " for j, n in enumerate(names.split())) + "".join(f"int s{j} = {v}; " for j, v in enumerate(scalars))
        pointers = ", ".join([f"&a{j}" for j in range(len(names.split()))] + [f"&s{j}" for j in range(len(scalars))]) or "nullptr"
        grid, block = ", ".join(map(str, three(g))), ", ".join(map(str, three(b)))
        lines.append(f"  {{ {slots}void* all[] = {{{pointers}}}; cudaLaunchKernel((const void*){k}, dim3({grid}), dim3({block}), all, 0, 0); }}")
    lines.append('  cudaError_t error = cudaDeviceSynchronize(); printf("%s\\n", cudaGetErrorString(error)); return error != cudaSuccess; }')
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(json.dumps(launch_file()) if sys.argv[1] == "json" else host_program(), end="")
