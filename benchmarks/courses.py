#!/usr/bin/env python3
"""Which finding comes first on the kernels of public courses, beside the lesson that the course draws from each: a Markdown table.

    courses.py PROGRAM FOLDER [NAME...]

PROGRAM is warplens; FOLDER, outside this repository, holds clones of https://github.com/gpu-mode/lectures, siboehm/SGEMM_CUDA and
xlite-dev/LeetCUDA under those names. NAMEs choose kernels by a part of their name. Nothing runs on a GPU. A lesson is what the next kernel
of the course does about this one; `-`: it draws none, or there is none left."""
import json
import pathlib
import subprocess
import sys
import tempfile

# File, kernel, lesson, grid, block, arguments. N: elements of a vector, S: side of a matrix.
N, S = 1 << 22, 1024
VECTOR = f"x=f32[{N}]:uniform"
MATRICES = [f"a=f32[{S},{S}]:uniform", f"b=f32[{S},{S}]:uniform"]
PRODUCT = [f"i32={S}"] * 3 + ["f32=1", *MATRICES, "f32=0", f"c=f32[{S},{S}]"]
LARGER = [f"i32={2 * S}"] * 3 + ["f32=1", f"a=f32[{4 * S * S}]:uniform", f"b=f32[{4 * S * S}]:uniform", "f32=0", f"c=f32[{4 * S * S}]"]
LEET = [*MATRICES, f"c=f32[{S},{S}]", *[f"i32={S}"] * 3]
LEET_LARGER = [f"a=f32[{4 * S * S}]:uniform", f"b=f32[{4 * S * S}]:uniform", f"c=f32[{4 * S * S}]", *[f"i32={2 * S}"] * 3]
TURN = [f"x=f32[{S},{S}]:uniform", f"y=f32[{S},{S}]", f"i32={S}", f"i32={S}"]
SUM = ["x=f32[2048]:uniform", "y=f32[1]"]
SUMS = [VECTOR, "y=f32[1]", f"i32={N}"]
LECTURE, SGEMM, LEETCUDA = "lectures/lecture_", "SGEMM_CUDA/src/kernels/", "LeetCUDA/kernels/"
COURSES = [
    (LECTURE + "002/mean_filter/mean_filter_kernel.cu", "mean_filter_kernel", "-", "64,64", "16,16,3",
     [f"y=u8[3,{S},{S}]", f"x=u8[3,{S},{S}]:uniform", f"i32={S}", f"i32={S}", "i32=2"]),
    (LECTURE + "002/rgb_to_grayscale/grayscale_kernel.cu", "rgb_to_grayscale_kernel", "-", "64,64", "16,16",
     [f"y=u8[{S},{S}]", f"x=u8[{S},{S},3]:uniform", f"i32={S}", f"i32={S}"]),
    (LECTURE + "008/coalesce.cu", "copyDataNonCoalesced", "uncoalesced-access", 4 * N // 128, 128, [f"x=f32[{4 * N}]:uniform", f"y=f32[{4 * N}]", f"i32={4 * N}"]),
    (LECTURE + "008/coalesce.cu", "copyDataCoalesced", "-", 4 * N // 128, 128, [f"x=f32[{4 * N}]:uniform", f"y=f32[{4 * N}]", f"i32={4 * N}"]),
    (LECTURE + "008/divergence.cu", "processArrayWithDivergence", "- (compiles to no branch)", N // 256, 256, [f"x=i32[{N}]:uniform(0,100)", f"i32={N}"]),
    (LECTURE + "008/privatization2.cu", "windowSumDirect", "redundant-loads", N // 256, 256, [VECTOR, f"y=f32[{N}]", f"i32={N}", "i32=32"]),
    (LECTURE + "008/tiling.cu", "matrixMulSimple", "redundant-loads", "64,64", "16,16", [*MATRICES, f"c=f32[{S},{S}]", f"i32={S}"]),
    (LECTURE + "008/tiling.cu", "matrixMulTiled", "register-tiles", "64,64", "16,16", [*MATRICES, f"c=f32[{S},{S}]", f"i32={S}"]),
    (LECTURE + "009/simple_reduce.cu", "SimpleSumReductionKernel", "divergence, uncoalesced-access", 1, 1024, SUM),
    (LECTURE + "009/control_divergence_reduce.cu", "FixDivergenceKernel", "global-exchange", 1, 1024, SUM),
    (LECTURE + "009/shared_reduce.cu", "SharedMemoryReduction", "small-grid", 1, 1024, SUM),
    (LECTURE + "009/segment_reduce.cu", "SharedMemoryReduction", "excess-synchronization", N // 2048, 1024, SUMS),
    (SGEMM + "1_naive.cuh", "sgemm_naive", "uncoalesced-access", "32,32", "32,32", PRODUCT),
    (SGEMM + "2_kernel_global_mem_coalesce.cuh", "sgemm_global_mem_coalesce<32>", "redundant-loads", "32,32", 1024, PRODUCT),
    (SGEMM + "3_kernel_shared_mem_blocking.cuh", "sgemm_shared_mem_block<32>", "register-tiles", "32,32", 1024, PRODUCT),
    (SGEMM + "4_kernel_1D_blocktiling.cuh", "sgemm1DBlocktiling<64,64,8,8>", "register-tiles", "32,32", 512, LARGER),
    (LEETCUDA + "sgemm/sgemm.cu", "sgemm_naive_f32_kernel", "redundant-loads", "32,32", "32,32", LEET),
    (LEETCUDA + "sgemm/sgemm.cu", "sgemm_sliced_k_f32_kernel<32,32,32>", "register-tiles", "32,32", "32,32", LEET),
    (LEETCUDA + "sgemm/sgemm.cu", "sgemm_t_8x8_sliced_k_f32x4_kernel<128,128,8,8,8>", "bank-conflict", "16,16", "16,16", LEET_LARGER),
    (LEETCUDA + "mat-transpose/mat_transpose.cu", "mat_transpose_f32_col2row2d_kernel", "uncoalesced-access", "64,64", "16,16", TURN),
    (LEETCUDA + "mat-transpose/mat_transpose.cu", "mat_transpose_f32x4_shared_col2row2d_kernel", "bank-conflict", "16,64", "16,16", TURN),
    (LEETCUDA + "elementwise/elementwise.cu", "elementwise_add_f32_kernel", "unvectorised-access", N // 256, 256,
     [VECTOR, f"y=f32[{N}]:uniform", f"z=f32[{N}]", f"i32={N}"]),
    (LEETCUDA + "elementwise/elementwise.cu", "elementwise_add_f16_kernel", "unvectorised-access", N // 256, 256,
     [f"x=f16[{N}]:uniform", f"y=f16[{N}]:uniform", f"z=f16[{N}]", f"i32={N}"]),
    (LEETCUDA + "elementwise/elementwise.cu", "elementwise_add_f16x8_pack_kernel", "-", N // 2048, 256,
     [f"x=f16[{N}]:uniform", f"y=f16[{N}]:uniform", f"z=f16[{N}]", f"i32={N}"]),
    (LEETCUDA + "histogram/histogram.cu", "histogram_i32_kernel", "atomic-contention", N // 256, 256, [f"x=i32[{N}]:uniform(0,100)", "y=i32[100]", f"i32={N}"]),
]


def source(folder, name, scratch):
    """The file, or a copy beside it in `scratch` without the host's libraries, which no kernel needs."""
    path = folder / name
    text = path.read_text()
    if "cublas" not in text:
        return path
    copy = pathlib.Path(scratch) / path.name
    copy.write_text("\n".join("" if "cublas" in line and line.lstrip().startswith("#include") else line for line in text.split("\n")))
    return copy


def findings(program, path, kernel, grid, block, arguments):
    command = [program, "kernel", str(path), "-k", kernel, "--grid", str(grid), "--block", str(block), "--emulate", "--json"]
    done = subprocess.run(command + [word for a in arguments for word in ("--arg", a)], capture_output=True, text=True)
    if not done.stdout:
        return None, done.stderr.strip().split("\n")[0]
    launch = json.loads(done.stdout)["launches"][0]
    return launch["findings"], launch["time"]["estimate_ns"] / 1000


def main(program, folder, *names):
    print("| file | kernel | lesson | first finding | promises | others | model us |\n|---|---|---|---|---|---|---|")
    right = lessons = 0
    for name, kernel, lesson, grid, block, arguments in COURSES:
        if names and not any(n in name + kernel for n in names):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            found, time = findings(program, source(pathlib.Path(folder), name, scratch), kernel, grid, block, arguments)
        if found is None:
            print(f"| {name} | {kernel} | {lesson} | not run: {time} | | | |")
            continue
        first = found[0]["id"] if found else "-"
        promises = f"{found[0]['saving_fraction']:.2f}" if found and found[0]["saving_fraction"] else ""
        lessons += lesson[0] != "-"
        right += lesson[0] != "-" and first in lesson
        print(f"| {name} | `{kernel}` | {lesson} | {first} | {promises} | {', '.join(f['id'] for f in found[1:])} | {time:.1f} |", flush=True)
    print(f"\nThe lesson is the first finding on {right} of {lessons} kernels that have one.")


if __name__ == "__main__":
    main(*sys.argv[1:])
