#!/usr/bin/env python3
"""Counters of kernels with matrix products of warps and of warp groups against Nsight Compute's, read on an H200:
hopper_counters_test.py PROGRAM. A matrix product of Triton's (asynchronous copies, warp-group products) from its PTX, and
integer products. What is called exact is equal. Needs a CUDA compiler and ptxas."""
import csv
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = HERE.parent / "examples" / "kernels"
MODEL = ("launch__waves", "sm__maximum", "launch__registers")  # computed, and not in the readings


def hardware(name, kernel):
    with gzip.open(HERE / "data" / "ncu" / f"{name}.csv.gz", "rt") as file:
        rows = list(csv.reader(file))
    return next(dict(zip(rows[0], row)) for row in rows[2:] if dict(zip(rows[0], row))["Kernel Name"] == kernel)


def check(program, name, kernel, arguments):
    done = subprocess.run([program, "kernel", *arguments, "-k", kernel, "--emulate", "--json"], capture_output=True, text=True)
    if not done.stdout:
        sys.exit(done.stderr)
    launch, truth = json.loads(done.stdout)["launches"][0], hardware(name, kernel)
    if launch["counted_from"] != "machine code":
        return [f"{kernel}: counted from PTX: {launch['why_adjusted']}"]
    wrong = []
    for metric, got in launch["metrics"].items():
        if launch["fidelity"][metric] == "exact" and truth.get(metric, "") != "" and not metric.startswith(MODEL):
            want = float(truth[metric].replace(",", ""))
            if got != want:
                wrong.append(f"{kernel} {metric}: {got} for {want:.0f}")
    return wrong


def main(program):
    ints = ["--arg", "x=i32[1048576]:arange(0,1)", "--arg", "x", "--arg", "y=i32[1048576]", "--arg", "i32=16"]
    wrong = check(program, "hopper", "integer_mma", [str(KERNELS / "hopper.cu"), "--grid", "64", "--block", "128", *ints])
    with tempfile.NamedTemporaryFile("wb", suffix=".ptx") as file:
        file.write(gzip.decompress((HERE / "data" / "ncu" / "triton_mm.ptx.gz").read_bytes()))
        file.flush()
        halves = [f"--arg={n}=f16[256,256]:normal(seed={s})" for n, s in (("a", 1), ("b", 2), ("c", 3))]
        sizes = ["--arg=i32=256"] * 6 + ["--arg=u64=0"] * 2
        wrong += check(program, "triton_mm", "mm", [file.name, "--arch", "sm_90a", "--grid", "4,4", "--block", "128", "--shared", "49152", *halves, *sizes])
    print("\n".join(wrong) or "all exact counters of 2 launches are the hardware's")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
