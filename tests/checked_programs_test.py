#!/usr/bin/env python3
"""Programs that check themselves print what an H100 printed (driver 580.159.04, CUDA 13.0), as machine code and, under
--check, as PTX. pace.cu prints what its checks allow alone. Argument: the program."""
import pathlib
import subprocess
import sys
import tempfile

PROGRAMS = pathlib.Path(__file__).resolve().parent / "data/programs/checked"
SKIPPED = 77


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


def check(program, source, folder):
    built = folder / source.stem
    made = run(program, "nvcc", "-std=c++20", "-arch=sm_90a", "-w", "-o", built, source)
    if made.returncode != 0:
        sys.exit(f"nvcc {source.name}: {made.stdout}{made.stderr}")
    expected = source.with_suffix(".h100.txt").read_text().splitlines()
    for mode in ([], ["--check=memory"]):
        done = run(program, "emulate", *mode, "--", built)
        got = done.stdout.splitlines()
        if got == expected:
            continue
        different = [f"  H100 {a}\n  here {b}" for a, b in zip(expected, got) if a != b]
        sys.exit(f"{source.name} {mode}: exit code {done.returncode}, {len(got)} lines of {len(expected)}\n"
                 + "\n".join(different[:10]) + f"\n{done.stderr}")


def main():
    program = sys.argv[1]
    if run(program, "nvcc", "--version").returncode != 0:
        print("no CUDA compiler")
        sys.exit(SKIPPED)
    sources = sorted(PROGRAMS.glob("*.cu"))
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            check(program, source, pathlib.Path(folder))
    print(f"{len(sources)} programs print what an H100 prints, as machine code and as PTX")


if __name__ == "__main__":
    main()
