#!/usr/bin/env python3
"""Counts every launch whose duration Nsight Compute read on an H200, and keeps the counts beside the duration in
tests/data/launches/SET.jsonl.gz, a line of JSON each. `make accuracy` judges what the model says; this file makes it a matter of a second
to judge it again.

Usage: keep_launches.py KEPT_LAUNCHES [SET...]     KEPT_LAUNCHES is build/kept_launches; SET as counter_accuracy.py has them
       keep_launches.py again KEPT_LAUNCHES SET KERNEL...  counts these kernels of a set that is kept once more
       keep_launches.py price KEPT_LAUNCHES FOLDER prices all that is kept into FOLDER/SET.json, which finding_accuracy.py --from takes"""
import gzip
import json
import pathlib
import subprocess
import sys

import counter_accuracy
import finding_accuracy

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = ROOT / "tests" / "data" / "launches"
SETS = finding_accuracy.SETS + ["probe", "study", "unseen_memory", "unseen_compute", "unseen_later"]
CHANGING = "swaps"  # its sums have another state each time that it is measured


def with_durations(name, lines):
    truth = counter_accuracy.hardware(name)
    for line, row in zip(lines, truth, strict=True):
        launch = json.loads(line)
        assert launch["kernel"] == row["Kernel Name"], (launch["kernel"], row["Kernel Name"])
        if not launch["kernel"].startswith(CHANGING):
            launch["measured_ns"] = float(row["gpu__time_duration.sum"].replace(",", ""))
        yield json.dumps(launch, separators=(",", ":"))


def write(name, lines):
    (KEPT / f"{name}.jsonl.gz").write_bytes(gzip.compress("".join(line + "\n" for line in lines).encode(), mtime=0))


def keep(program, names):
    KEPT.mkdir(exist_ok=True)
    for name in names or SETS:
        lines = subprocess.run([program, "count", ROOT / "examples" / f"{name}.json"], check=True, capture_output=True, text=True).stdout.splitlines()
        write(name, with_durations(name, lines))


def again(program, name, *kernels):
    """Their durations stay; every other launch stays as it is. A launch must not depend on what those before it leave."""
    file = KEPT / f"{name}.jsonl.gz"
    lines = gzip.decompress(file.read_bytes()).decode().splitlines()
    numbers = [k for k, line in enumerate(lines) if json.loads(line)["kernel"] in kernels]
    counted = subprocess.run([program, "count", ROOT / "examples" / f"{name}.json", *map(str, numbers)], check=True, capture_output=True, text=True).stdout.splitlines()
    for k, line in zip(numbers, counted, strict=True):
        before, now = json.loads(lines[k]), json.loads(line)
        assert now["kernel"] == before["kernel"], (now["kernel"], before["kernel"])
        lines[k] = json.dumps(now | {key: before[key] for key in ("measured_ns",) if key in before}, separators=(",", ":"))
    write(name, lines)


def price(program, folder):
    for file in sorted(KEPT.glob("*.jsonl.gz")):
        done = subprocess.run([program, "price", file], check=True, capture_output=True, text=True)
        (pathlib.Path(folder) / f"{file.name.split('.')[0]}.json").write_text(done.stdout)


if __name__ == "__main__":
    if sys.argv[1] in ("price", "again"):
        {"price": price, "again": again}[sys.argv[1]](*sys.argv[2:])
    else:
        keep(sys.argv[1], sys.argv[2:])
