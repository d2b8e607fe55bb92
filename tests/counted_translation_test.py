#!/usr/bin/env python3
"""Translated code has the same counts as the interpreter, and the same results in memory: counted_translation_test.py PROGRAM

On every launch of the probe and of benchmarks/counting. Needs a CUDA compiler and benchmarks/counted_translation; exits with 77 where one is missing."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAUNCHES = {"examples/probe.json": 28, "benchmarks/counting/kernels.json": 21, "benchmarks/counting/matrices.json": 5}


def main(program):
    compare = pathlib.Path(program).resolve().parent / "counted_translation"
    if not compare.exists():
        return 77
    for file, launches in LAUNCHES.items():
        done = subprocess.run([compare, ROOT / file, "1"], capture_output=True, text=True, check=False)
        if "no CUDA compiler" in done.stderr or "nvcc" in done.stderr and not done.stdout:
            return 77
        assert done.returncode == 0, f"{file}:\n{done.stdout}{done.stderr}"
        compared = sum("ms" in line for line in done.stdout.splitlines())
        assert compared == launches, f"{file}: {compared} launches compared, {launches} expected\n{done.stdout}"
        print(f"{file}: {compared} launches count the same")
    return 0


sys.exit(main(sys.argv[1]))
