#!/usr/bin/env python3
"""Barriers of the whole grid by libcudadevrt's calls, which Numba makes too: results, checks, a plain launch. Argument: the program."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent / "data/programs/grid_group.cu"
SKIPPED = 77


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


def check(right, what, done):
    if not right:
        sys.exit(f"{what}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")


def build(program, output, *options):
    done = run(program, "nvcc", "-std=c++17", "-rdc=true", *options, "-o", output, SOURCE, "-lcudadevrt")
    check(done.returncode == 0, "nvcc", done)


def test_results(program, folder):
    for arch, device in (("sm_80", "a100"), ("sm_90", "h200"), ("sm_100", "b200")):
        build(program, folder / "grid", f"-arch={arch}")
        done = run(program, "emulate", "--device", device, "--", folder / "grid", 1)
        check(done.returncode == 0 and done.stdout == "0 wrong, cudaSuccess\n", f"a cooperative grid on {device}", done)


def test_checks(program, folder):
    """The barrier orders the threads of different blocks; without the second one in each round they race."""
    for options, found in (([], False), (["-DMISSING"], True)):
        build(program, folder / "checked", "-arch=sm_90", "-lineinfo", *options)
        done = run(program, "emulate", "--check=race", "--", folder / "checked", 1)
        check(("race" in done.stdout + done.stderr and done.returncode == 4) == found, f"races with {options}", done)


def test_plain_launch(program, folder):
    """A launch that is not cooperative has no such group: the calls return errors, which the program counts."""
    build(program, folder / "plain", "-arch=sm_90")
    done = run(program, "emulate", "--", folder / "plain", 0)
    check(re.fullmatch(r"[1-9]\d* wrong, cudaSuccess\n", done.stdout), "a launch that is not cooperative", done)


def main(program):
    program = pathlib.Path(os.path.abspath(program))
    if run(program, "nvcc", "--version").returncode != 0:
        print("skipped: there is no nvcc here")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        tests = [value for key, value in globals().items() if key.startswith("test_")]
        for test in tests:
            test(program, pathlib.Path(name))
        print(f"{len(tests)} passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
