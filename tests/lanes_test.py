#!/usr/bin/env python3
"""Every instruction set that lanes can run on gives the same bits and counts: AVX-512, AVX2, and plain x86-64.

The instructions of tests/instructions, launches of examples/probe.json and those of benchmarks/counting. Sets that this machine lacks fall back to the
best one that it has, which then is compared with itself. Argument: the program.
"""
import functools
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNELS = {"gelu", "transpose_padded", "matmul_tiled", "softmax_warp", "histogram_shared", "attention_flash", "wmma_gemm", "spill"}
sys.path.insert(0, str(ROOT / "tests/instructions"))
import generate  # noqa: E402


def emulate(program, isa, *arguments, folder):
    done = subprocess.run([program, "kernel", *arguments, "--emulate", "-f", "--format", "json"], cwd=folder, capture_output=True,
                          text=True, env={**os.environ, "WARPLENS_ISA": isa}, check=False)
    if done.returncode:
        sys.exit(f"{isa}: {done.stderr[-2000:]}")
    return json.loads(done.stdout)


def instructions(program, isa, folder):
    emulate(program, isa, "instructions.json", "--no-counters", folder=folder)
    return hashlib.sha256((folder / "out.npy").read_bytes()).hexdigest()


def launches(program, isa, folder, file):
    result = emulate(program, isa, f"{file}.json", folder=folder)
    # Estimates of caches stop after a time, which depends on how fast the lanes are.
    exact = [{m: v for m, v in launch["metrics"].items() if launch["fidelity"].get(m) == "exact"} for launch in result["launches"]]
    assert all(exact), "no exact counters"
    return exact + [
        hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.glob("y_*.npy"))]


def describe(path, folder):
    """Writes the launches of a file that save what they give; returns the new file's name."""
    description = json.loads(path.read_text())
    description["source"] = str(path.parent / description["source"])
    if path.stem == "probe":
        description["launches"] = [launch for launch in description["launches"] if launch["kernel"] in KERNELS]
    outputs = {a["buffer"] for launch in description["launches"] for a in launch["args"] if a.get("buffer", "").startswith("y_")}
    description["save"] = {buffer: f"{buffer}.npy" for buffer in outputs}
    (folder / path.name).write_text(json.dumps(description))
    return path.stem


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sys.argv[1:] = [name]
        generate.main()
        runs = [("instructions", instructions)]
        for path in ("examples/probe.json", "benchmarks/counting/kernels.json", "benchmarks/counting/matrices.json"):
            file = describe(ROOT / path, folder)
            runs.append((path, functools.partial(launches, file=file)))
        for kind, run in runs:
            best = run(program, "avx512", folder)
            for isa in ("avx2", "baseline"):
                assert run(program, isa, folder) == best, f"{kind}: {isa} differs from the best instruction set"
            print(f"{kind}: the same on all instruction sets")


main()
