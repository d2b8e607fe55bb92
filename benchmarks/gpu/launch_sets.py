#!/usr/bin/env python3
"""Launches that a model is judged by, one a row: launch_sets.py json fresh_launches writes the launch file.

launch_sets.py predict fresh_launches h100=REPORT.json... > predicted.csv    from `warplens kernel FILE --emulate --device h100 --compiler nvcc --json`,
    one for each GPU
launch_sets.py main fresh_launches > main.cu             the host program: nvcc -gencode arch=compute_90a,code=sm_90a -lineinfo -I ../.. -o launches main.cu
launch_sets.py medians RUN.csv... > measured.csv         of what this prints, one a run:
    ncu --clock-control none --csv --metrics gpu__time_duration.sum ./launches once
launch_sets.py table predicted.csv GPU measured.csv      both, as Markdown (GPU: h100 or h200)"""
import csv
import json
import statistics
import sys

import pairs

M = 1 << 20
BUFFERS = {"x": ("f32", 16 * M), "y": ("f32", 16 * M), "z": ("f32", 4 * M), "w": ("f32", 65536), "o": ("f32", 65536), "p": ("f16", 4 * M), "q": ("f16", 4 * M),
           "c": ("bf16", 4 * M), "e": ("bf16", 4 * M), "d": ("f64", M), "f": ("f64", M), "g": ("f64", M), "k": ("i32", 8 * M), "l": ("i32", 8 * M), "h": ("u32", 4096)}

# kind, kernel, grid, block, arguments, then dynamic shared memory or a cluster
FIRST, PRODUCT, CLUSTER, COPY, BARRIER = "first version", "tensor cores", "cluster", "asynchronous copies", "loop of barriers"
FRESH = [
    (FIRST, "layernorm_rows", 64, 256, "x w o y", [16384, 512]), (FIRST, "layernorm_rows", 128, 128, "x w o y", [16384, 64]),
    (FIRST, "softmax_block", 4096, 256, "x y", [2048]), (FIRST, "softmax_block", 512, 256, "x y", [2048]),
    (FIRST, "transpose_plain", [64, 256], [32, 8], "x y", [2048]), (FIRST, "transpose_plain", [32, 128], [32, 8], "x y", [1024]),
    (FIRST, "matmul_rowx", [32, 32], [16, 16], "x z y", [512]), (FIRST, "matmul_rowx", [16, 16], [16, 16], "x z y", [256]),
    (FIRST, "matmul_half", [32, 32], [16, 16], "p q e", [512]), (FIRST, "matmul_half", [24, 24], [16, 16], "p q e", [384]),
    (FIRST, "histogram_global", 16384, 256, "k h", [4 * M]), (FIRST, "histogram_global", 1024, 256, "k h", [262144]),
    (FIRST, "kmeans_assign", 512, 256, "x w l", [131072, 16, 16]), (FIRST, "kmeans_assign", 64, 256, "x w l", [16384, 32, 32]),
    (FIRST, "decode_scores", 64, 256, "w x y", [2048, 64]), (FIRST, "decode_scores", 256, 256, "w x y", [512, 64]),
    (FIRST, "mse_atomic", 4096, 256, "x y o", [M]), (FIRST, "rope", 8192, 256, "y", [8192, 512]), (FIRST, "rope", 1024, 64, "y", [1024, 128]),
    (FIRST, "quantise", 16384, 256, "x l", [("f32", 0.01), 4 * M]), (FIRST, "quantise", 1024, 256, "x l", [("f32", 0.01), 262144]),
    (FIRST, "nbody", 64, 128, "x y", [8192]), (FIRST, "nbody", 16, 128, "x y", [2048]),
    (FIRST, "move", 4096, 256, "y", [("f32", 0.01), M]), (FIRST, "move", 512, 256, "y", [("f32", 0.01), 131072]),
    (FIRST, "cumsum_rows", 64, 256, "x y", [16384, 512]), (FIRST, "cumsum_rows", 32, 64, "x y", [2048, 1024]),
    (FIRST, "conv5", [64, 256], [32, 8], "x w y", [2048, 2048]), (FIRST, "conv5", [16, 64], [32, 8], "x w y", [512, 512]),
    (FIRST, "transpose_tile", [64, 64], [32, 32], "x y", [2048]), (FIRST, "transpose_tile", [128, 128], [32, 32], "x y", [4096]),
    (FIRST, "bn_stats", 64, 256, "x w o", [32, 64, 4096]), (FIRST, "bn_stats", 256, 256, "x w o", [16, 256, 1024]),
    (FIRST, "gray", 8192, 256, "x l", [2 * M]), (FIRST, "gray", 65536, 256, "x l", [16 * M]),
    (FIRST, "top8", 256, 256, "x y", [65536, 256]), (FIRST, "top8", 32, 256, "x y", [8192, 1024]),
    (FIRST, "mandel", [32, 128], [32, 8], "l", [1024, 1024, 256]), (FIRST, "mandel", [16, 64], [32, 8], "l", [512, 512, 512]),
    (FIRST, "scan_block", 8192, 512, "x y", []), (FIRST, "scan_block", 1024, 512, "x y", []),
    (FIRST, "sum_modulo", 16384, 256, "x y", []), (FIRST, "sum_modulo", 2048, 256, "x y", []),
    (FIRST, "cdist", [64, 64], [16, 16], "x z y", [1024, 1024, 64]), (FIRST, "cdist", [16, 16], [16, 16], "x z y", [256, 256, 128]),
    (FIRST, "collatz", 4096, 256, "k l", [M]), (FIRST, "collatz", 32768, 256, "k l", [8 * M]),
    (FIRST, "embed", 128, 256, "k z y", [32768, 256]), (FIRST, "gelu", 16384, 256, "x y", [4 * M]), (FIRST, "gelu", 2048, 256, "x y", [524288]),
    (FIRST, "dot_one", 1, 1024, "x y o", [M]), (FIRST, "dot_one", 1, 1024, "x y o", [65536]),
    (FIRST, "permute4", 16384, 256, "x y", [16, 32, 64, 128]), (FIRST, "permute4", 16384, 256, "x y", [64, 64, 64, 16]),
    (FIRST, "life", [64, 256], [32, 8], "x y", [2048, 2048]), (FIRST, "life", [128, 512], [32, 8], "x y", [4096, 4096]),
    (FIRST, "gemv", 64, 256, "x w o", [16384, 1024]), (FIRST, "gemv", 16, 128, "x w o", [2048, 4096]),
    (FIRST, "lstm", 4096, 256, "x z y y", [1024, 1024]),
    (PRODUCT, "wmma_global", [32, 32], 128, "p q y", [1024, 512]), (PRODUCT, "wmma_global", [16, 16], 128, "p q y", [512, 1024]),
    (PRODUCT, "wmma_bf16", [16, 8], 256, "c e y", [1024, 1024]), (PRODUCT, "wmma_bf16", [32, 16], 256, "c e y", [2048, 1024]),
    (PRODUCT, "wmma_bytes", [16, 16], 128, "k l y", [1024, 1024]), (PRODUCT, "wmma_bytes", [32, 32], 128, "k l y", [2048, 2048]),
    (PRODUCT, "wmma_double", [16, 16], 512, "d f g", [512, 512]), (PRODUCT, "wmma_double", [32, 32], 512, "d f g", [1024, 256]),
    (PRODUCT, "mma_two_stages", [8, 8], 256, "p q y", [1024, 1024]), (PRODUCT, "mma_two_stages", [16, 16], 256, "p q y", [2048, 2048]),
    (PRODUCT, "mma_two_stages", [16, 8], 256, "p q y", [2048, 512]),
    (PRODUCT, "group_product", [32, 16], 128, "p q y", [1024, 1024]), (PRODUCT, "group_product", [64, 32], 128, "p q y", [2048, 2048]),
    (PRODUCT, "scores_statistics", 128, 128, "p q y", [4096]), (PRODUCT, "scores_statistics", 512, 128, "p q y", [1024]),
    (CLUSTER, "cluster_rows", 512, 256, "x y", [131072], {"cluster": [8, 1, 1]}), (CLUSTER, "cluster_rows", 4096, 256, "x y", [32768], {"cluster": [8, 1, 1]}),
    (CLUSTER, "cluster_bins", 528, 256, "k l", [16], {"cluster": [4, 1, 1]}), (CLUSTER, "cluster_bins", 2048, 256, "k l", [8], {"cluster": [4, 1, 1]}),
    (CLUSTER, "cluster_heat", 264, 256, "x y", [64], {"cluster": [8, 1, 1]}), (CLUSTER, "cluster_heat", 2048, 256, "x y", [16], {"cluster": [8, 1, 1]}),
    (CLUSTER, "cluster_table", 264, 512, "k x y", [32], {"cluster": [4, 1, 1]}), (CLUSTER, "cluster_table", 1024, 512, "k x y", [8], {"cluster": [4, 1, 1]}),
    (COPY, "copied_stream", 264, 256, "x y", [32]), (COPY, "copied_stream", 1056, 256, "x y", [12]),
    (COPY, "engine_stream", 264, 256, "x y", [24]), (COPY, "engine_stream", 1056, 256, "x y", [7]),
    (COPY, "copied_product", [16, 16], 256, "x z y", [1024, 512]), (COPY, "copied_product", [32, 32], 256, "x z y", [2048, 256]),
    (BARRIER, "eliminate", 1056, 256, "x y", []), (BARRIER, "eliminate", 264, 128, "x y", []), (BARRIER, "eliminate", 132, 1024, "x y", []),
    (BARRIER, "ways", 264, 1024, "x y", []), (BARRIER, "ways", 1056, 1024, "x y", []),
    (BARRIER, "fourier", 2048, 512, "x y", []), (BARRIER, "fourier", 132, 512, "x y", []),
    (BARRIER, "strings", 132, 1024, "x y", [256], {"shared_bytes": 8192}), (BARRIER, "strings", 528, 256, "x y", [256], {"shared_bytes": 2048}),
    (BARRIER, "strings", 4224, 128, "x y", [64], {"shared_bytes": 1024}), (BARRIER, "strings", 1056, 512, "x y", [64], {"shared_bytes": 4096}),
    (BARRIER, "sorted_blocks", 132, 1024, "k l", []), (BARRIER, "sorted_blocks", 1056, 1024, "k l", []),
]
LATER = [
    (FIRST, "rms_rows", 1024, 256, "x w y", [512]), (FIRST, "rms_rows", 64, 256, "x w y", [256]),
    (FIRST, "bag_sums", 4096, 64, "k x y", [65536, 128]), (FIRST, "bag_sums", 1024, 64, "k x y", [32768, 512]),
    (FIRST, "sparse_rows", 2048, 256, "k x y", [4 * M]), (FIRST, "sparse_rows", 256, 256, "k x y", [65536]),
    (FIRST, "argmax_rows", 512, 256, "x l", [32000]), (FIRST, "argmax_rows", 4096, 256, "x l", [1000]),
    (FIRST, "enlarged", [80, 320], [32, 8], "x y", [1600, 2560]), (FIRST, "enlarged", [20, 80], [32, 8], "x y", [400, 640]),
    (FIRST, "depthwise", [4, 14, 128], [32, 8], "x w y", [112]), (FIRST, "depthwise", [1, 4, 512], [32, 8], "x w y", [32]),
    (FIRST, "one_query", 128, 64, "w x y", [512]), (FIRST, "one_query", 16, 256, "w x y", [1024]),
    (FIRST, "adam", 1056, 256, "x y z w", [("f32", 0.001), 65536]), (FIRST, "adam", 4096, 256, "x y z x", [("f32", 0.001), M]),
    (FIRST, "digits", 1024, 256, "k l", [8, 16]), (FIRST, "digits", 264, 256, "k l", [16, 8]),
    (PRODUCT, "product_cut", [16, 8], 256, "p q y", [1024, 1024]), (PRODUCT, "product_cut", [32, 16], 256, "p q y", [2048, 512]),
    (COPY, "copied_rows", [16, 64], 256, "x y", [4096, 32]), (COPY, "copied_rows", [8, 128], 256, "x y", [2048, 16]),
    (CLUSTER, "cluster_cut", 1024, 256, "x y", [8192]), (CLUSTER, "cluster_cut", 132, 256, "x y", [32768]),
]
NEAR = "near a limit"
NINTH = [
    (PRODUCT, "staged_product", [16, 8], 256, "p q y", [1024, 1024]), (PRODUCT, "staged_product", [32, 16], 256, "p q y", [2048, 512]),
    (PRODUCT, "attend_tiles", 128, 128, "p q y", [512]), (PRODUCT, "attend_tiles", 528, 128, "p q y", [256]),
    (PRODUCT, "group_ahead", [16, 16], 128, "p q y", [1024, 1024]), (PRODUCT, "group_ahead", [32, 32], 128, "p q y", [2048, 512]),
    (PRODUCT, "correlate", [16, 16], 128, "x z y", [1024, 512]), (PRODUCT, "correlate", [8, 8], 128, "x z y", [512, 1024]),
    (CLUSTER, "cluster_columns", 264, 256, "x y", [96, 1024]), (CLUSTER, "cluster_columns", 1024, 512, "x y", [24, 1024]),
    (CLUSTER, "cluster_rod", 264, 256, "x y", [32]), (CLUSTER, "cluster_rod", 1056, 256, "x y", [8]),
    (CLUSTER, "cluster_deal", 264, 512, "k l", [16]), (CLUSTER, "cluster_deal", 1056, 256, "k l", [16]),
    (COPY, "copied_bags", 528, 256, "k x y", [32]), (COPY, "copied_bags", 2048, 256, "k x y", [16]),
    (COPY, "engine_rows", 132, 256, "x y", [16]), (COPY, "engine_rows", 792, 256, "x y", [5]),
    (BARRIER, "edit_distance", 132, 512, "k l", [512]), (BARRIER, "edit_distance", 1056, 256, "k l", [256]),
    (BARRIER, "doubled_sums", 264, 1024, "x y", [8]), (BARRIER, "doubled_sums", 2112, 256, "x y", [8]),
    (BARRIER, "plates_of_heat", 264, [32, 32], "x y", [32]), (BARRIER, "plates_of_heat", 1584, [32, 8], "x y", [16]),
    (NEAR, "soft_rows", 4096, 256, "x y", []), (NEAR, "soft_rows", 512, 256, "x y", []),
    (NEAR, "turned_tiles", [64, 64], 256, "x y", [4096]), (NEAR, "turned_tiles", [16, 16], 256, "x y", [1024]),
    (NEAR, "largest_of", 2048, 128, "x y", [262144]), (NEAR, "largest_of", 264, 128, "x y", [33792]),
]
TENTH = [
    (PRODUCT, "held_product", [16, 16], 128, "p q y", [1024, 1024]), (PRODUCT, "held_product", [32, 32], 128, "p q y", [2048, 512]),
    (PRODUCT, "thin_product", 32, 128, "c e y", [2048, 1024]), (PRODUCT, "thin_product", 128, 128, "c e y", [8192, 256]),
    (PRODUCT, "gram_rows", 528, 128, "p y", [1024]), (PRODUCT, "gram_rows", 132, 128, "p y", [256]),
    (CLUSTER, "cluster_turn", 264, 256, "x y", [8]), (CLUSTER, "cluster_turn", 1024, 256, "x y", [4]),
    (CLUSTER, "cluster_scale", 264, 1024, "x y", [1024]), (CLUSTER, "cluster_scale", 512, 1024, "x y", [256]),
    (CLUSTER, "cluster_counts", 264, 512, "k l", [32]), (CLUSTER, "cluster_counts", 1056, 256, "k l", [16]),
    (COPY, "copied_strips", [4, 64], 256, "x y", [4096, 32]), (COPY, "copied_strips", [2, 128], 256, "x y", [2048, 16]),
    (COPY, "copied_table", 528, 512, "w k y", [16]), (COPY, "copied_table", 1056, 256, "w k y", [4]),
    (BARRIER, "common_words", 132, 256, "k l", [512]), (BARRIER, "common_words", 1056, 128, "k l", [256]),
    (BARRIER, "solved", 264, [32, 4], "x y", [2048]), (BARRIER, "solved", 2112, [32, 4], "x y", [4224]),
    (NEAR, "mixed_streams", 1056, 256, "x z y", [4 * M]), (NEAR, "mixed_streams", 264, 256, "x z y", [262144]),
    (NEAR, "tiled_floats", [16, 8], 256, "x z y", [1024, 1024]), (NEAR, "tiled_floats", [32, 16], 256, "x z y", [2048, 512]),
]
SETS = {"fresh_launches": FRESH, "later_launches": LATER, "ninth_launches": NINTH, "tenth_launches": TENTH}


def three(sizes):
    sizes = sizes if isinstance(sizes, list) else [sizes]
    return sizes + [1] * (3 - len(sizes))


def buffer(kind, count):
    return {"dtype": kind, "count": count, **({"fill": "hash", "seed": 0, "low": 0, "high": 1 << 24, "bits": 24} if kind[0] in "iu" else
                                              {"fill": "uniform", "low": 0.0, "high": 1.0, "seed": 3})}


def launch_file(name):
    launches = [{"kernel": kernel, "grid": three(grid), "block": three(block), "args": [{"buffer": b} for b in buffers.split()]
                 + [{v[0]: v[1]} if isinstance(v, tuple) else {"i32": v} for v in numbers], **(more[0] if more else {})}
                for _, kernel, grid, block, buffers, numbers, *more in SETS[name]]
    return {"source": f"kernels/{name}.cu", "arch": "sm_90a", "options": ["-lineinfo"], "buffers": {b: buffer(*of) for b, of in BUFFERS.items()},
            "launches": launches}


def predict(name, *reports):
    of_gpu = {gpu: json.load(open(file))["launches"] for gpu, file in (report.split("=", 1) for report in reports)}
    print("kernel,kind,blocks,threads," + ",".join(f"{gpu}_us,{gpu}_limited_by" for gpu in of_gpu))
    for (kind, *_), *launches in zip(SETS[name], *of_gpu.values(), strict=True):
        first = launches[0]
        said = ",".join(f"{launch['time']['estimate_ns'] / 1000:.2f},{launch['time']['limited_by']}" for launch in launches)
        print(f"{first['kernel']},{kind},{product(first['grid'])},{product(first['block'])},{said}")


def product(sizes):
    return sizes[0] * sizes[1] * sizes[2]


def host_program(name):
    lines = [f'#include "examples/kernels/{name}.cu"\n{pairs.START}']
    types = {**pairs.TYPES, "bf16": "__nv_bfloat16"}
    for b, (kind, count) in BUFFERS.items():
        lines.append(pairs.filled_buffer(b, types[kind], count, kind[0] in "fb", 8))
    lines.append('  printf("kernel,blocks,ms,read_ms\\n");')
    for _, kernel, grid, block, buffers, numbers, *more in SETS[name]:
        values = [v if isinstance(v, tuple) else ("i32", v) for v in numbers]
        call = pairs.call_of(kernel, three(grid), three(block), (more[0] if more else {}).get("shared_bytes", 0))
        lines.append(f"  {{ {pairs.slots_of(buffers.split(), values)}const double ns = time_ns(true, {call}), clean = time_ns(false, {call});"
                     f' printf("{kernel},{product(three(grid))},%.4f,%.4f\\n", ns / 1e6, clean / 1e6); }}')
    return "\n".join([*lines, pairs.END]) + "\n"


def measured_us(file):
    rows = csv.DictReader(line for line in open(file) if line.startswith('"'))
    return [(row["Kernel Name"].split("(")[0], float(row["Metric Value"].replace(",", "")) / 1000) for row in rows]


def medians(*runs):
    print("kernel,us")
    for taken in zip(*map(measured_us, runs), strict=True):
        assert len({name for name, _ in taken}) == 1, taken
        print(f"{taken[0][0]},{statistics.median(us for _, us in taken):.2f}")


def table(predicted, gpu, measured):
    off = {}
    print("| kernel | kind | blocks | predicted us | measured us | off |\n|---|---|---|---|---|---|")
    for row, truth in zip(csv.DictReader(open(predicted)), csv.DictReader(open(measured)), strict=True):
        assert truth["kernel"] == row["kernel"], (row["kernel"], truth)
        took, said = float(truth["us"]), float(row[f"{gpu}_us"])
        off.setdefault(row["kind"], []).append(said / took - 1)
        print(f"| {row['kernel']} | {row['kind']} | {int(row['blocks']):,} | {said:.1f} | {took:.1f} | {100 * (said / took - 1):+.0f} % |")
    for kind, errors in [*off.items(), ("all", sum(off.values(), []))]:
        print(f"{kind}: {100 * statistics.mean(map(abs, errors)):.1f} % off over {len(errors)} launches")


if __name__ == "__main__":
    if sys.argv[1] == "json":
        print(json.dumps(launch_file(sys.argv[2])))
    elif sys.argv[1] == "main":
        print(host_program(sys.argv[2]), end="")
    else:
        {"predict": predict, "medians": medians, "table": table}[sys.argv[1]](*sys.argv[2:])
