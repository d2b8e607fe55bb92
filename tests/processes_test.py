#!/usr/bin/env python3
"""Memory of several processes and memory that is mapped, under `warplens emulate`. Argument: the program."""
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
SOURCE = pathlib.Path(__file__).resolve().parent / "data/programs/processes.cu"
SKIPPED = 77
EXPECTED = {
    "parent": ["own handle: 201, a timed event: cudaErrorInvalidResourceHandle",
               "child: the same place: yes, last 70999, cudaFree: cudaErrorInvalidValue",
               "child: closed once more: cudaErrorInvalidValue",
               "parent: 70000 of 70000 right, neighbour 0x1010101",
               "after the free: cudaSuccess",
               "a stale handle: 205"],
    "mapped": ["mapped twice: 10 5 10",
               "unmapped: copy 1, free with a mapping 1",
               "a kernel where nothing is mapped: cudaErrorIllegalAddress"],
    "forms": ["forms: 0 differ"],
}


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "processes"
        built = subprocess.run([PROGRAM, "nvcc", "-std=c++17", "-arch=sm_90", "-o", program, SOURCE, "-lcuda"], capture_output=True, text=True)
        if built.returncode != 0:
            print(built.stderr)
            return SKIPPED if "nvcc" in built.stderr and "not found" in built.stderr else 1
        for part, lines in EXPECTED.items():
            done = subprocess.run([PROGRAM, "emulate", "--", program, part], capture_output=True, text=True, timeout=300)
            assert done.stdout.splitlines() == lines, f"{part}: {done.returncode}\n{done.stdout}{done.stderr}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
