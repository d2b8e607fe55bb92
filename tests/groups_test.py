#!/usr/bin/env python3
"""Whole programs that compare themselves with the host, as several GPUs and under checks: masks and tiles of lanes,
textures and halves, answers about graphs and kernels as an H200 gives them. Argument: the program."""
import pathlib
import subprocess
import sys
import tempfile

PROGRAMS = pathlib.Path(__file__).resolve().parent / "data/programs"
SKIPPED = 77
GPUS = ("a100", "h200", "b200")
CODE = ("-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=sm_90",
        "-gencode", "arch=compute_90,code=compute_90")
ANSWERS = """\
captured: 5 nodes, 5 edges, 1 root, the last one waits for 2
60,000 bytes without consent: 0 blocks
100,000 bytes with it: 2 blocks, 100000 bytes for two
clusters that the grid does not consist of: cudaErrorInvalidClusterSize, cudaErrorInvalidClusterSize
"""


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


def check(right, what, done):
    if not right:
        sys.exit(f"{what}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")


def build(program, name, folder):
    done = run(program, "nvcc", "-std=c++17", *CODE, "-o", folder / name, PROGRAMS / f"{name}.cu")
    check(done.returncode == 0, f"nvcc {name}.cu", done)
    return folder / name


def main(program):
    if run(program, "nvcc", "--version").returncode != 0:
        print("skipped: there is no nvcc")
        return SKIPPED
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for name in ("groups", "samples"):
            built = build(program, name, folder)
            for gpu in GPUS:
                done = run(program, "emulate", "--device", gpu, "--", built)
                check(done.stdout == "0 wrong, cudaSuccess\n", f"{name}.cu as {gpu}", done)
        done = run(program, "emulate", "--check=race,sync,memory", "--", folder / "groups")
        check(done.returncode == 0 and done.stdout == "0 wrong, cudaSuccess\n", "groups.cu under checks", done)
        done = run(program, "emulate", "--", build(program, "answers", folder))
        check(done.stdout == ANSWERS, "answers.cu", done)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
