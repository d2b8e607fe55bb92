#!/usr/bin/env python3
"""Findings of pairs of kernels, one with a known defect and one with it mended, against times measured on an H200.

Usage: finding_accuracy.py PROGRAM [--pairs] [--full]      PROGRAM is warplens. --pairs: the kernels of
examples/kernels/pairs.cu instead of defects.cu. Sizes are a fraction of the measured ones unless
--full: blocks that do not fill the GPU's waves often enough would tell a different story, so every pair keeps at least
a dozen waves. Exit 1 when a finding is missing on a bad kernel, stands on a fixed one, or the mean error is above 0.15."""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks" / "gpu"))
import pairs as more_pairs  # noqa: E402


def launches(n, side, matrix, work):
    """case -> (bad launch, fixed launch): kernel, grid, block, dynamic shared memory, arguments."""
    i32, b = (lambda v: {"i32": v}), 256
    x, y, s, h = ({"buffer": name} for name in "xysh")
    right = {"buffer": "x", "offset_bytes": 4 * matrix * matrix}
    tiles = [side // 32, side // 32, 1]
    return {
        "aos": (("aos_bad", n // b, b, 0, [x, y, i32(n)]), ("aos_fixed", n // b, b, 0, [s, y, i32(n)])),
        "banks": (("banks_bad", tiles, [32, 8, 1], 0, [x, y, i32(side)]), ("banks_fixed", tiles, [32, 8, 1], 0, [x, y, i32(side)])),
        "diverge": (("diverge_bad", n // b, b, 0, [x, y, i32(n)]), ("diverge_fixed", n // b, b, 0, [x, y, i32(n)])),
        "occupancy": (("occupancy_bad", n // 64, 64, 102400, [x, y, i32(n)]), ("occupancy_fixed", n // 64, 64, 0, [x, y, i32(n)])),
        "tail": (("tail_bad", 135, 1024, 153600, [x, y, i32(work)]), ("tail_bad", 540, 256, 16384, [x, y, i32(work)])),
        "double": (("double_bad", n // b, b, 0, [x, y, i32(n)]), ("double_fixed", n // b, b, 0, [x, y, i32(n)])),
        "atomics": (("atomics_bad", n // b, b, 0, [x, h, i32(n)]), ("atomics_fixed", 1056, b, 0, [x, h, i32(n)])),
        "reload": (("reload_bad", [matrix // 16, matrix // 16, 1], [16, 16, 1], 0, [x, right, y, i32(matrix)]),
                   ("reload_fixed", [matrix // 64, matrix // 64, 1], 256, 0, [x, right, y, i32(matrix)])),
        "chain": (("chain_bad", 132, 128, 0, [x, y, i32(132 * 128)]), ("chain_fixed", 132, 128, 0, [x, y, i32(132 * 128)])),
    }


def describe(pairs, n):
    three = lambda v: v if isinstance(v, list) else [v, 1, 1]
    out = [{"kernel": k, "grid": three(g), "block": three(b), "shared_bytes": m, "args": a} for pair in pairs.values() for k, g, b, m, a in pair]
    random = {"dtype": "f32", "fill": "uniform", "low": -0.5, "high": 0.5}
    return {"source": str(ROOT / "examples" / "kernels" / "defects.cu"), "arch": "sm_90", "options": ["-lineinfo"], "launches": out,
            "buffers": {"x": {**random, "count": 8 * n, "seed": 1}, "s": {**random, "count": n, "seed": 2},
                        "y": {"dtype": "f32", "count": 2 * n, "fill": "zeros"}, "h": {"dtype": "u32", "count": 16, "fill": "zeros"}}}


def description(flags):
    full = "--full" in flags
    if "--pairs" in flags:
        file = more_pairs.launch_file(1 if full else 16)
        return {**file, "source": str(ROOT / "examples" / "kernels" / "pairs.cu")}
    n = 1 << (24 if full else 20)
    return describe(launches(n, 4096 if full else 1024, 1024 if full else 512, 20000 if full else 2000), n)


def main(program, *flags):
    times = ROOT / "tests" / "data" / "ncu" / ("pairs.times.csv" if "--pairs" in flags else "defects.times.csv")
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(description(flags), file)
        file.flush()
        done = subprocess.run([program, "kernel", file.name, "--emulate", "--json"], capture_output=True, text=True)
    if not done.stdout:
        sys.exit(done.stderr)
    reports, wrong, errors = json.loads(done.stdout)["launches"], 0, []
    print("case        finding              measured  estimated  error  estimate/bad  on fixed")
    for i, row in enumerate(csv.DictReader(open(times))):
        bad, fixed = reports[2 * i], reports[2 * i + 1]
        found = {f["id"]: f for f in bad["findings"]}.get(row["finding"])
        stands = row["finding"] in {f["id"] for f in fixed["findings"]}
        measured, estimate = float(row["saving_fraction"]), found["saving_fraction"] if found else None
        errors.append(abs((estimate or 0) - measured))
        wrong += found is None or stands
        print(f"{row['case']:11} {row['finding']:20} {measured:8.3f} {estimate if estimate is None else round(estimate, 3)!s:>10} "
              f"{errors[-1]:6.3f} {bad['time']['estimate_ns'] / 1e6:12.4f}ms {'yes' if stands else 'no'}")
    mean = sum(errors) / len(errors)
    print(f"mean error {mean:.3f} of the bad kernel's time")
    return 1 if wrong or mean > 0.15 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
