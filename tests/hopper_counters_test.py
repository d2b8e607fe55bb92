#!/usr/bin/env python3
"""Counters of what Hopper added against Nsight Compute's, read on an H200: hopper_counters_test.py PROGRAM. A matrix
product of Triton's (asynchronous copies, warp-group products) from its PTX, integer products, and the launches of
examples/hopper_async.json and hopper.json: clusters, bulk and tensor copies, mbarriers, products of bytes by warp groups.
What is called exact is equal. Needs a CUDA compiler and ptxas."""
import csv
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = HERE.parent / "examples" / "kernels"
MODEL = ("launch__waves", "sm__maximum", "launch__registers")  # computed, and not in the readings


def readings(name):
    with gzip.open(HERE / "data" / "ncu" / f"{name}.csv.gz", "rt") as file:
        rows = list(csv.reader(file))
    return [dict(zip(rows[0], row)) for row in rows[2:]]


def hardware(name, kernel):
    return next(row for row in readings(name) if row["Kernel Name"] == kernel)


def differences(launch, truth):
    if launch["counted_from"] != "machine code":
        return [f"{launch['kernel']}: counted from PTX: {launch['why_adjusted']}"]
    wrong = []
    for metric, got in launch["metrics"].items():
        if launch["fidelity"][metric] == "exact" and truth.get(metric, "") != "" and not metric.startswith(MODEL):
            want = float(truth[metric].replace(",", ""))
            if got != want:
                wrong.append(f"{launch['kernel']} {metric}: {got} for {want:.0f}")
    return wrong


def check_file(program, name):
    """All launches of a file, from the PTX that nvcc made, which the readings are of."""
    description = json.loads((KERNELS.parent / f"{name}.json").read_text())
    description["source"] = str(HERE / "data" / "sass" / "hopper" / f"{name}.ptx")
    description["options"] = []
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(description, file)
        file.flush()
        done = subprocess.run([program, "kernel", file.name, "--emulate", "--json"], capture_output=True, text=True)
    if not done.stdout:
        sys.exit(done.stderr)
    left, wrong = readings("hopper_async"), []
    for launch in json.loads(done.stdout)["launches"]:
        at = next(k for k, row in enumerate(left) if row["Kernel Name"] == launch["kernel"])
        wrong += differences(launch, left.pop(at))
    return wrong


# Passes of stores to shared memory, which the hardware repeats while copies arrive there: up to 9 % more.
REPEATED = ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum")


def check_triton(program):
    """Products of bytes, and those that copy tensors, the last with warps of different work."""
    bytes_ = [f"--arg={name}=i8[1048576]" for name in "abc"]
    sizes = ["--arg=i32=256"] * 6 + ["--arg=u64=0"] * 2
    edges = ["--arg=i32=200", "--arg=i32=136", "--arg=i32=160", "--arg=scratch=u8[1048576]", "--arg=u64=0"]
    wrong = []
    for name, kernel, grid, shared, rest in (("mm_fp8", "mm", "4,4", 100000, sizes), ("mm_i8", "mm_i8", "4,4", 100000, sizes),
                                             ("mm_tma", "mm_tma", "3", 200000, edges), ("mm_tma_ws", "mm_tma_ws", "3", 200000, edges)):
        text = gzip.decompress((HERE / "data" / "ptx" / f"{name}.sm90.ptx.gz").read_bytes()).decode()
        text = re.sub(r", function_name .*", "", text).replace(".version 9.4", ".version 9.0")  # as older assemblers take it
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
            file.write(text)
            file.flush()
            wrong += check(program, "triton_hopper", kernel, [file.name, "--arch", "sm_90a", "--grid", grid, "--block", "128", "--shared", str(shared), *bytes_, *rest])
    return [line for line in wrong if not any(metric in line for metric in REPEATED)]


def check(program, name, kernel, arguments):
    done = subprocess.run([program, "kernel", *arguments, "-k", kernel, "--emulate", "--json"], capture_output=True, text=True)
    if not done.stdout:
        sys.exit(done.stderr)
    return differences(json.loads(done.stdout)["launches"][0], hardware(name, kernel))


def main(program):
    ints = ["--arg", "x=i32[1048576]:arange(0,1)", "--arg", "x", "--arg", "y=i32[1048576]", "--arg", "i32=16"]
    wrong = check(program, "hopper", "integer_mma", [str(KERNELS / "hopper.cu"), "--grid", "64", "--block", "128", *ints])
    with tempfile.NamedTemporaryFile("wb", suffix=".ptx") as file:
        file.write(gzip.decompress((HERE / "data" / "ncu" / "triton_mm.ptx.gz").read_bytes()))
        file.flush()
        halves = [f"--arg={n}=f16[256,256]:normal(seed={s})" for n, s in (("a", 1), ("b", 2), ("c", 3))]
        sizes = ["--arg=i32=256"] * 6 + ["--arg=u64=0"] * 2
        wrong += check(program, "triton_mm", "mm", [file.name, "--arch", "sm_90a", "--grid", "4,4", "--block", "128", "--shared", "49152", *halves, *sizes])
    for name in ("hopper", "hopper_async"):
        wrong += check_file(program, name)
    wrong += check_triton(program)
    print("\n".join(wrong) or "all exact counters are the hardware's")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
