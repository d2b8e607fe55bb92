#!/usr/bin/env python3
"""Wrong calls are answered as an H200 answers them, but for those that docs/results/error-codes.md names. Argument: the program."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MEASURED = ROOT / "docs/results/error-codes-h200.txt"
PAGE = ROOT / "docs/results/error-codes.md"


def answers(lines):
    """By call: its code and the sticky error after it; by number: the name and text of an error."""
    found = {}
    for line in lines:
        key, _, value = line.partition(": ") if line.startswith("text ") else line.partition(" ")
        if key not in ("", "#"):
            found[key] = value
    return found


def emulated(program, folder):
    """The output of both programs on an emulated H200."""
    lines = []
    for name, prefix in (("error_codes", ""), ("error_codes_driver", "driver_"), ("driver_state", "state_")):
        source = ROOT / f"benchmarks/gpu/{name}.cu"
        built = subprocess.run([program, "nvcc", "-std=c++17", "-arch=sm_90", "-o", f"{folder}/{name}", str(source)], capture_output=True, text=True)
        if built.returncode != 0:
            sys.exit(f"nvcc {name}: {built.stdout}{built.stderr}")
        done = subprocess.run([program, "emulate", "--", f"{folder}/{name}"], capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            sys.exit(f"{name}: exit code {done.returncode}\n{done.stderr[-2000:]}")
        lines += [prefix + line for line in done.stdout.splitlines()]
    return answers(lines)


def main():
    if shutil.which("nvcc") is None:
        sys.exit(77)
    want = answers(MEASURED.read_text().splitlines())
    told = {row[0]: row[1:] for row in re.findall(r"^\| `(\w+)` \| ([^|]+?) \| ([^|]+?) \|", PAGE.read_text(), re.M)}
    with tempfile.TemporaryDirectory() as folder:
        got = emulated(sys.argv[1], folder)
    differ = {key: (want[key], got.get(key, "nothing")) for key in want if got.get(key) != want[key]}
    wrong = [f"{key}: an H200 {pair[0]}, emulated {pair[1]}" for key, pair in differ.items() if told.get(key) != pair]
    wrong += [f"{key}: answered as on an H200, though the page says otherwise" for key in told if key not in differ]
    if len(want) < 500 or wrong:
        sys.exit("\n".join([f"{len(want)} answers of an H200", *wrong]))
    print(f"{len(want)} answers, {len(differ)} told to differ")


if __name__ == "__main__":
    main()
