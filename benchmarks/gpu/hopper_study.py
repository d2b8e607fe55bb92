#!/usr/bin/env python3
"""Launches of examples/kernels/hopper_async.cu and hopper.cu: hopper_study.py json prints the launch file, hopper_study.py
main the host program in CUDA C++, which also prints a hash of every output.

On a machine with a GPU: python3 hopper_study.py main > main.cu; nvcc -arch=sm_90a -lineinfo -o study main.cu;
ncu --clock-control none --csv --page raw --print-units base --metrics METRICS ./study > hopper_async.csv"""
import json
import sys

from kernel_study import three

WORDS = 65536
BUFFERS = ["bits", "floats", "bytes", "out", "maps", "matrix", "product"]
# kernel, grid, block, buffers, integers, cooperative
LAUNCHES = [
    ("scramble", 64, 256, "bits", [WORDS, 0xFFFFFFFF, 0], False),
    ("scramble", 64, 256, "floats", [WORDS, 0x007FFFFF, 0x3F800000], False),
    ("scramble", 64, 256, "bytes", [WORDS, 0xBFBFBFBF, 0], False),
    ("cluster_sum", 64, 256, "floats out", [], False), ("cluster_histogram", 8, 256, "bits out", [], False),
    ("cluster_send", 16, 256, "floats out", [], False), ("cluster_multicast", 16, 256, "floats out", [], False),
    ("bulk_round_trip", 32, 128, "floats out", [], False), ("bulk_add", 16, 128, "bits out", [], False),
    ("make_maps", 1, 32, "floats matrix maps", [100], False), ("tensor_round_trip", [8, 7], 128, "maps", [], False),
    ("bulk_pieces", 8, 128, "bits out", [], False), ("pipeline", 10, 128, "floats out", [12], False), ("group_fp8", 8, 128, "bytes bits out", [], False),
    ("group_fp8", 8, 128, "bytes bytes out", [], False), ("group_s8", 8, 128, "bits bytes out", [], False),
    ("group_registers", 8, 128, "bytes bytes out", [], False), ("zero_fill", 4, 256, "floats out", [3001], False),
    ("specialised", 8, 256, "floats out", [], False), ("cluster_rotate", 16, 256, "floats out", [], False),
    ("bulk_copy", 16, 128, "floats out", [4], False), ("grid_sum", 64, 256, "floats product out", [WORDS], True),
]
SOURCES = {name: "hopper.cu" for name in ("cluster_rotate", "bulk_copy", "grid_sum")}


def launch_file(source):
    buffers = {name: {"dtype": "u32", "count": WORDS, "fill": "zeros"} for name in BUFFERS}
    launches = [{"kernel": k, "grid": three(g), "block": three(b), "cooperative": together,
                 "args": [{"buffer": n} for n in names.split()] + [{"u32": v} for v in numbers]}
                for k, g, b, names, numbers, together in LAUNCHES if SOURCES.get(k, "hopper_async.cu") == source]
    return {"source": f"kernels/{source}", "arch": "sm_90a", "options": ["-lineinfo"], "buffers": buffers, "launches": launches}


def host_program():
    lines = ['#include "../../examples/kernels/hopper.cu"', '#include "../../examples/kernels/hopper_async.cu"', "#include <cstdio>", "#include <vector>",
             "static void show(const char* name, unsigned* device) { std::vector<unsigned> h(65536);",
             "  cudaMemcpy(h.data(), device, 262144, cudaMemcpyDeviceToHost); unsigned long long hash = 14695981039346656037ull;",
             '  for (unsigned w : h) hash = (hash ^ w) * 1099511628211ull; printf("%s %016llx %s\\n", name, hash, cudaGetErrorString(cudaGetLastError())); }',
             "int main() {"]
    lines += [f"  unsigned* {name}; cudaMalloc(&{name}, 262144); cudaMemset({name}, 0, 262144);" for name in BUFFERS]
    for kernel, grid, block, names, numbers, together in LAUNCHES:
        slots = "".join(f"void* a{j} = {n}; " for j, n in enumerate(names.split())) + "".join(f"unsigned s{j} = {v}u; " for j, v in enumerate(numbers))
        pointers = ", ".join([f"&a{j}" for j in range(len(names.split()))] + [f"&s{j}" for j in range(len(numbers))])
        shape = [", ".join(map(str, three(size))) for size in (grid, block)]
        call = "cudaLaunchCooperativeKernel" if together else "cudaLaunchKernel"
        output = "matrix" if kernel == "tensor_round_trip" else "out" if "out" in names.split() else names.split()[0]
        lines.append(f'  {{ {slots}void* all[] = {{{pointers}}}; {call}((const void*){kernel}, dim3({shape[0]}), dim3({shape[1]}), all, 0, 0); show("{kernel}", {output}); }}')
    lines.append('  cudaError_t error = cudaDeviceSynchronize(); printf("%s\\n", cudaGetErrorString(error)); return error != cudaSuccess; }')
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(json.dumps(launch_file(sys.argv[2])) if sys.argv[1] == "json" else host_program(), end="")
