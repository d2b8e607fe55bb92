#!/usr/bin/env python3
"""Every kernel of examples/probe.json, emulated, must give the checksums that an H200 printed (tests/data/probe.out.txt)
to six digits; the Triton softmax must give softmax. Usage: probe_test.py PROGRAM
"""
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DIGITS = 1e-6


def emulate(program, *arguments):
    done = subprocess.run([program, "kernel", *map(str, arguments), "--emulate", "--no-counters", "--format", "json"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"exit code {done.returncode}: {done.stderr[-2000:]}")
    return json.loads(done.stdout)


def hardware_checksums():
    """(kernel, sum, sum of squares) a launch, in their order."""
    for line in (ROOT / "tests/data/probe.out.txt").read_text().splitlines():
        kernel, _, total, _, squares = line.split()
        yield kernel, float(total), float(squares)


def check_probe(program):
    result = emulate(program, ROOT / "examples/probe.json")
    buffers = {b["name"]: b for b in result["buffers"]}
    description = json.loads((ROOT / "examples/probe.json").read_text())
    launches, wrong = list(zip(description["launches"], hardware_checksums(), strict=True)), 0
    for launch, (kernel, total, squares) in launches:
        assert launch["kernel"] == kernel, f"{launch['kernel']} stands where the hardware ran {kernel}"
        name = next(a["buffer"] for a in launch["args"] if a.get("buffer", "").startswith("y_"))
        got = buffers[name]
        scale = math.sqrt(squares * got["count"])  # a sum of terms of both signs is judged by their size
        if abs(got["sum"] - total) > DIGITS * max(abs(total), 1e-3 * scale) or abs(got["sum_squares"] - squares) > 2 * DIGITS * squares:  # a square doubles the error
            print(f"{kernel} ({name}): sum {got['sum']:.9g} for {total:.9g}, squares {got['sum_squares']:.9g} for {squares:.9g}")
            wrong += 1
    print(f"{len(launches) - wrong} of {len(launches)} launches of probe.cu agree with the hardware")
    return wrong


def check_softmax(program):
    with tempfile.TemporaryDirectory() as folder:
        description = json.loads((ROOT / "examples/softmax_triton.json").read_text())
        description["source"] = str(ROOT / "examples" / description["source"])
        description["save"] = {"x": "x.npy", "y": "y.npy"}
        path = pathlib.Path(folder, "softmax.json")
        path.write_text(json.dumps(description))
        emulate(program, path)
        x, y = (pathlib.Path(folder, name).read_bytes()[128:] for name in ("x.npy", "y.npy"))
    cols, wrong = 1000, 0
    for row in range(0, len(x) // 4 // cols, 256):
        xs, ys = (struct.unpack_from(f"<{cols}f", data, row * cols * 4) for data in (x, y))
        exps = [math.exp(v - max(xs)) for v in xs]
        wrong += any(abs(e / sum(exps) - v) > 1e-6 for e, v in zip(exps, ys))
    print(f"{wrong} of the rows of Triton's softmax that were looked at are wrong")
    return wrong


if __name__ == "__main__":
    sys.exit(bool(check_probe(sys.argv[1]) + check_softmax(sys.argv[1])))
