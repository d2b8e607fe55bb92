"""Records pairs of PyTorch programs, one with a known defect and one with it fixed (defect_cases.py): step times measured
without a profiler, and a trace of each. benchmarks/savings.py compares them with what `warplens findings` predicts.

Usage: record_defects.py OUT [CASE...]   writes OUT/NAME.{bad,fixed}.pt.trace.json.gz and OUT/NAME.truth.json
"""
import gzip
import json
import os
import pathlib
import statistics
import sys
import time

import torch

from defect_cases import CASES

LONG_NS = 1_500_000_000

def measure(step):
    """Median, least and largest time of a step over 7 batches of 6 (3 where they take seconds), as a program sees it that runs step after step."""
    for _ in range(8):
        step()
    torch.cuda.synchronize()
    times = []
    for _ in range(7):
        begin = time.perf_counter()
        for _ in range(6):
            step()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - begin) / 6 * 1e9)
        if len(times) >= 3 and sum(times) * 6 > LONG_NS:
            break
    return statistics.median(times), min(times), max(times)


def trace(step, path, options):
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    schedule = torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=1)
    with torch.profiler.profile(activities=activities, schedule=schedule, **{"record_shapes": True, **options}) as profiler:
        for _ in range(4):
            step()
            profiler.step()
    profiler.export_chrome_trace(path)
    text = pathlib.Path(path).read_bytes()
    with gzip.open(path + ".gz", "wb", 9) as packed:
        packed.write(text)
    os.remove(path)


def record(out, name, finding, make, options):
    truth = {"case": name, "finding": finding, "device": torch.cuda.get_device_name(), "torch": torch.__version__}
    for kind in ("bad", "fixed"):
        torch.cuda.empty_cache()
        torch.manual_seed(0)
        step = make(kind == "bad")
        median, least, largest = measure(step)
        trace(step, f"{out}/{name}.{kind}.pt.trace.json", options)
        truth |= {f"{kind}_step_ns": round(median), f"{kind}_step_min_ns": round(least), f"{kind}_step_max_ns": round(largest)}
        del step
    truth["saving_fraction"] = round(1 - truth["fixed_step_ns"] / truth["bad_step_ns"], 4)
    pathlib.Path(f"{out}/{name}.truth.json").write_text(json.dumps(truth, indent=1))
    print(f"{name:30} {finding or '-':20} bad {truth['bad_step_ns'] / 1e3:9.1f} us  fixed {truth['fixed_step_ns'] / 1e3:9.1f} us"
          f"  saving {truth['saving_fraction']:.3f}", flush=True)


def main(out, *only):
    os.makedirs(out, exist_ok=True)
    failed = 0
    for name, (finding, make, options) in CASES.items():
        if only and name not in only:
            continue
        try:
            record(out, name, finding, make, options)
        except RuntimeError as error:  # one case that does not run here leaves the others their turn
            print(f"{name}: {error}", file=sys.stderr)
            failed += 1
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
