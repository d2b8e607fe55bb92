#!/usr/bin/env python3
"""Launches of examples/kernels/unseen_memory.cu, unseen_compute.cu and unseen_later.cu: unseen.py json SET prints a launch file,
unseen.py main SET... the host program in CUDA C++. SET is memory, compute or later.

On a machine with a GPU: python3 unseen.py main memory > main.cu; nvcc -arch=sm_90 -lineinfo -I ../.. -o unseen main.cu;
ncu --clock-control none --csv --page raw --print-units base --metrics METRICS ./unseen > unseen_memory.csv"""
import json
import sys

from kernel_study import three

M, K = 1 << 20, 1 << 16
BUFFERS = {"x": ("f32", M, 0), "b": ("f32", M, 77777), "y": ("f32", M, None), "u": ("u32", M, 0), "i": ("i32", M, "arange"), "v": ("u32", M, None),
           "d": ("f64", M // 4, 0), "e": ("f64", M // 4, None), "h": ("f16", M, 0), "g": ("f16", M, None), "rows": ("i32", K, None),
           "bins": ("u32", K, None), "table": ("u32", K, None), "keys": ("u64", K, 0)}
TYPES = {"f32": "float", "i32": "int", "u32": "unsigned", "f64": "double", "u64": "unsigned long long", "i64": "long long", "f16": "__half"}
# kernel, grid, block, buffers, numbers (i32, or type and value), bytes of dynamic shared memory
MEMORY = [
    ("stencil2d", [32, 32], [16, 16], "x y", [512]), ("stencil3d", [2, 8], [32, 8], "x y", [64]), ("blelloch", 256, 256, "u v", []),
    ("scan_shuffle", 1024, 256, "x y", []), ("sort_keys", 128, 512, "keys", []), ("make_rows", 65, 256, "rows", [16384]),
    ("spmv_scalar", 64, 256, "rows u b x y", [16384]), ("spmv_vector", 2048, 256, "rows u b x y", [16384]), ("triples", 1024, 256, "x y", [262144]),
    ("particles", 800, 256, "y", [200000, ("f32", 0.25)]), ("mixed", 391, 256, "x e", [100000]), ("bytes", 4096, 256, "u v", [M]),
    ("rgb_to_grey", 1172, 256, "u v", [300000]), ("sobel", [32, 128], [32, 8], "u v", [1024, 1024]),
    ("bilinear", [16, 64], [32, 8], "u v", [512, 512, ("f32", 0.37)]), ("bilinear", [16, 64], [32, 8], "u v", [512, 512, ("f32", 1.7)]),
    ("rows1001", 250, 128, "x y", [1000]), ("wide_strided", 256, 256, "d e", [65536, 1]), ("wide_strided", 256, 256, "d e", [65536, 3]),
    ("shared_wide", 64, 256, "e", [1]), ("shared_wide", 64, 256, "e", [2]), ("shared_wide", 64, 256, "e", [5]), ("shared_bytes", 256, 256, "u v", []),
    ("constants", 256, 256, "u y", [16]), ("hints", 1024, 256, "x b y", [262144]), ("volatile_flags", 256, 256, "v", [65536]),
    ("local_stack", 256, 256, "u v", [65536]), ("async_two_stage", 64, 128, "x y", [8]), ("dynamic_parts", 300, 192, "x y", [50000], 2308),
    ("atomics_global", 256, 256, "u bins keys e", [65536]), ("atomics_returned", 256, 256, "u bins v", [65536]),
    ("atomics_half", 256, 256, "u g y", [65536]), ("atomics_shared", 32, 256, "u y", [65536]), ("match_histogram", 1024, 256, "u bins", [262144]),
    ("compact", 1024, 256, "u v bins", [262144]), ("radix_count", 512, 256, "u v", [4]), ("last_block", 64, 256, "x e y", [262144]),
    ("binary_search", 256, 256, "u i v", [M]), ("hash_insert", 128, 256, "u table v", [32768]), ("transpose_bytes", [32, 32], [8, 32], "u v", [1024]),
]
COMPUTE = [
    ("half_math", 1024, 256, "h g", [262144]), ("half_scalar", 1024, 256, "h g", [262144]), ("bf16_math", 256, 256, "h g", [65536]),
    ("dot_bytes", 64, 256, "u i v", [262144]), ("murmur", 512, 256, "u v", [4]), ("wmma_shapes", 8, 128, "h h y", [8]), ("wmma_types", 8, 128, "u u y", [4]),
    ("mma_shared", 64, 32, "h h y", [4]), ("mma_kinds", 32, 64, "u v", [3]), ("collatz", 256, 256, "u v", [65536]), ("machine", 256, 256, "u y", [65536]),
    ("recursion", 64, 256, "u v", [16384]), ("pointers", 64, 256, "u y", [16384]), ("virtuals", 64, 256, "u y", [16384]), ("bits_ptx", 256, 256, "u v", [65536]),
    ("cubes", [7, 7, 13], [8, 8, 4], "x y", [50]), ("doubles_many", 128, 256, "d e", [32768]), ("specials", 256, 256, "x y", [65536]),
    ("big_angles", 256, 256, "x y", [65536]), ("divisions", 256, 256, "x b y", [65536]), ("votes", 256, 256, "u v", [65536]),
    ("groups", 128, 256, "x u y v", []), ("long_division", 256, 256, "u e", [65536, ("i64", 12345)]), ("mandelbrot64", [8, 32], [32, 8], "v", [256]),
    ("queens", 2, 32, "v", [8]), ("philox", 256, 256, "v", [("u32", 7)]), ("insertion", 64, 128, "u v", []), ("edit_distance", 128, 128, "u v", []),
    ("fft256", 256, 128, "x y", []), ("lu16", 256, [16, 16], "x y", []), ("nearest", 256, 256, "x b v", [65536, 16]), ("life", [1, 32], [32, 8], "u v", [32, 256]),
    ("tridiagonal", 16, 256, "x b y", [4096, 32]), ("conversions", 256, 256, "x d v", [65536]), ("odd_warps", 100, 50, "x y", []),
]
LATER = [
    ("gemm_registers", [4, 4], 256, "x b y", [256]), ("softmax_block", 128, 256, "x y", [1000]), ("rms_norm", 128, 128, "h x g", [512]),
    ("rotary", 512, 256, "h g", [64]), ("embedding", 256, 256, "u x y", [96]), ("cross_entropy", 128, 128, "x u y", [1000]),
    ("adam", 132, 256, "y x b e", [100000, ("f32", 0.001)]), ("max_pool", [16, 64], [32, 8], "x y v", [1000, 1000]), ("arg_max", 64, 256, "x y v", [200000]),
    ("top_four", 16, 256, "x y", [200]), ("quantise", 256, 256, "x v y", [65536]), ("dequantise4", 256, 256, "u g", [65536]),
    ("transpose_swizzled", [16, 16], [8, 32], "x y", [128]), ("attention_wmma", 16, 32, "h h h y", [256]), ("gemm_pipelined", [8, 8], 128, "h h y", [256]),
    ("producer_consumer", 64, 128, "x y", [9]), ("float_max", 256, 256, "x y", [65536]), ("warp_max", 128, 32, "x y", []),
    ("conv1d", 400, 256, "x b y", [100000, 31], 2048), ("depthwise", [4, 12, 8], [32, 8], "x b y", [96]), ("crc", 64, 256, "u v", [16]),
    ("base64", 300, 256, "u v", [70000]), ("search_text", 512, 256, "u v", [131072]), ("morton", 256, 256, "u v", [65536]), ("inverse3", 128, 256, "x y", [32000]),
    ("spheres", [4, 16], [32, 8], "x y", [24, 128]), ("monte_carlo", 64, 256, "v", [100]), ("relax", [16, 64], [32, 8], "x", [512, 0]),
    ("relax", [16, 64], [32, 8], "x", [512, 1]), ("frontier", 64, 256, "u bins", [16384, ("u32", 3)]), ("complex_product", 256, 256, "d d e", [65536]),
    ("segments", 400, 96, "x y", [38000]), ("lookup", 64, 256, "u x y", [65536]), ("scatter_wide", 256, 256, "u x y g", [65536]),
] + [(kernel, 16, 32, "e" if kernel[-1] == "8" else "y", [kind]) for kernel in ("load8", "store8", "load16", "store16") for kind in (0, 1, 2, 3, 4, 6, 8, 9)]
SETS = {"memory": MEMORY, "compute": COMPUTE, "later": LATER}


def numbers_of(row):
    return [v if isinstance(v, tuple) else ("i32", v) for v in row[4]]


def fill_of(kind, how):
    if how is None or how == "arange":
        return {"fill": how or "zeros"}
    return {"fill": "hash", "seed": how, **({"bits": 16, "low": -0.5, "high": 0.5} if kind[0] == "f" else {})}


def launch_file(name):
    rows = SETS[name]
    used = {b for row in rows for b in row[3].split()}
    return {"source": f"kernels/unseen_{name}.cu", "arch": "sm_90", "compiler": "nvcc", "options": ["-lineinfo"],
            "buffers": {b: {"dtype": kind, "count": count, **fill_of(kind, how)} for b, (kind, count, how) in BUFFERS.items() if b in used},
            "launches": [{"kernel": row[0], "grid": three(row[1]), "block": three(row[2]), **({"shared_bytes": row[5]} if len(row) > 5 else {}),
                          "args": [{"buffer": b} for b in row[3].split()] + [{kind: v} for kind, v in numbers_of(row)]} for row in rows]}


START = """#include <cstdio>
#include <vector>
static unsigned hash32(unsigned x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; return x ^ (x >> 16); }
template <class T, class F> T* make(size_t n, F f) { std::vector<T> h(n); for (size_t i = 0; i < n; ++i) h[i] = f(i);
  T* d; cudaMalloc(&d, n * sizeof(T)); cudaMemcpy(d, h.data(), n * sizeof(T), cudaMemcpyHostToDevice); return d; }
int main() {"""


def host_buffers(again):
    lines = []
    for b, (kind, count, how) in BUFFERS.items():
        value = "0.0f" if how is None else "i" if how == "arange" else f"(hash32(unsigned(i) + {how}u) & 0xffff) / 65536.0f - 0.5f" if kind[0] == "f" else f"hash32(unsigned(i) + {how}u)"
        lines.append(f"  {'' if again else 'auto* '}{b} = make<{TYPES[kind]}>({count}, [](size_t i) {{ (void)i; return ({TYPES[kind]})({value}); }});")
    return lines


def host_program(names):
    lines = [f'#include "examples/kernels/unseen_{name}.cu"' for name in names] + [START]
    for name in names:
        lines += host_buffers(name != names[0])  # each launch file begins with fresh buffers
        for row in SETS[name]:
            slots = "".join(f"void* a{j} = {n}; " for j, n in enumerate(row[3].split())) + "".join(
                f"{TYPES[kind]} s{j} = {v}; " for j, (kind, v) in enumerate(numbers_of(row)))
            pointers = ", ".join([f"&a{j}" for j in range(len(row[3].split()))] + [f"&s{j}" for j in range(len(row[4]))])
            shape = [", ".join(map(str, three(size))) for size in row[1:3]]
            lines.append(f"  {{ {slots}void* all[] = {{{pointers}}}; cudaLaunchKernel((const void*){row[0]}, dim3({shape[0]}), dim3({shape[1]}), all, {row[5] if len(row) > 5 else 0}, 0);"
                         f' cudaError_t e = cudaDeviceSynchronize(); if (e != cudaSuccess) {{ printf("{row[0]}: %s\\n", cudaGetErrorString(e)); return 1; }} }}')
    return "\n".join(lines) + '\n  printf("done\\n"); return 0; }\n'


if __name__ == "__main__":
    print(json.dumps(launch_file(sys.argv[2])) if sys.argv[1] == "json" else host_program(sys.argv[2:]), end="")
