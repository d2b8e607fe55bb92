#!/usr/bin/env python3
"""Interval sums of `warplens timeline` beside those of HolisticTraceAnalysis, with the reason for each difference.

Usage: hta_intervals.py PROGRAM TRACE...   (needs the HolisticTraceAnalysis package)
Each trace is given to HTA as it is, then with one of its habits after the other taken away by changing the trace:
  as is          HTA leaves out the last ProfilerStep
  last step      all steps; still without what was launched outside them or before the trace
  nanoseconds    times multiplied by 1000: HTA cuts starts and durations down to microseconds
  all work       ProfilerStep ranges renamed: everything that ran on the GPU counts
  GPU only       without the stream that torch.compile notes on host-side events of Triton kernels: HTA takes them for kernels
The last line must equal warplens to the nanosecond; exits with 1 where it does not.
"""
import decimal
import gzip
import json
import logging
import os
import subprocess
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
from hta.trace_analysis import TraceAnalysis  # noqa: E402

COLUMNS = ("span", "computation", "communication", "copies", "exposed_communication", "exposed_copies", "idle")


def to_ns(microseconds):
    """Exact: absolute times have more digits than a double."""
    return int(round(microseconds * 1000))


def changed(trace, nanoseconds=False, all_work=False, gpu_only=False):
    """A copy of the events with some of HTA's habits made harmless."""
    out = []
    first = min(to_ns(e["ts"]) for e in trace["traceEvents"] if e.get("ph") == "X")
    for event in trace["traceEvents"]:
        event = dict(event)
        if nanoseconds and "ts" in event:
            event["ts"] = to_ns(event["ts"]) - first
        if nanoseconds and "dur" in event:
            event["dur"] = to_ns(event["dur"])
        if all_work and str(event.get("name", "")).startswith("ProfilerStep"):
            event["name"] = "Step"
        if gpu_only and event.get("cat") == "cpu_op" and "stream" in event.get("args", {}):
            event["args"] = {key: value for key, value in event["args"].items() if key != "stream"}
        out.append(event)
    return {**trace, "traceEvents": out, "baseTimeNanoseconds": 0}


def hta_sums(path, unit_ns, last_step):
    analysis = TraceAnalysis(trace_files={0: path}, trace_dir="/", include_last_profiler_step=last_step)
    row = analysis.get_temporal_breakdown(visualize=False).iloc[0]
    kinds, _ = analysis.get_gpu_kernel_breakdown(visualize=False, include_memory_kernels=True)
    sums = {kind: total * unit_ns for kind, total in zip(kinds["kernel_type"], kinds["sum"])}

    def having(kind, without=()):
        return sum(total for name, total in sums.items() if kind in name and not any(other in name for other in without))

    return {"span": row["kernel_time(us)"] * unit_ns, "computation": row["compute_time(us)"] * unit_ns, "communication": having("COMMUNICATION"), "copies": having("MEMORY"),
            "exposed_communication": having("COMMUNICATION", ["COMPUTATION"]), "exposed_copies": having("MEMORY", ["COMPUTATION", "COMMUNICATION"]), "idle": row["idle_time(us)"] * unit_ns}


def warplens_sums(program, path):
    done = subprocess.run([program, "timeline", "--json", path], check=True, capture_output=True, text=True)
    rows = [row for row in json.loads(done.stdout)["steps"] if row["step"] == "all"]
    assert len(rows) == 1, f"{path}: {len(rows)} GPUs; give traces of one"
    return {column: rows[0][column + "_ns"] for column in COLUMNS}


def show(label, sums):
    print(f"  {label:12}" + "".join(f"{sums[column] / 1e3:22,.3f}" for column in COLUMNS))


def compare(program, path):
    print(f"\n{os.path.basename(path)} (microseconds)\n  {'':12}" + "".join(f"{column:>22}" for column in COLUMNS))
    with gzip.open(path) as packed:
        trace = json.load(packed, parse_float=decimal.Decimal)
    habits = [("as is", False, {}), ("last step", True, {}), ("nanoseconds", True, {"nanoseconds": True}), ("all work", True, {"nanoseconds": True, "all_work": True}), ("GPU only", True, {"nanoseconds": True, "all_work": True, "gpu_only": True})]
    last = None
    for label, last_step, changes in habits:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(changed(trace, **changes), file, default=float)
            file.flush()
            try:
                last = hta_sums(file.name, 1 if changes else 1000, last_step)
                show(label, last)
            except Exception as error:
                print(f"  {label:12} HTA fails: {type(error).__name__}: {str(error)[:100]}".rstrip(": "))
                last = None
    ours = warplens_sums(program, path)
    show("warplens", ours)
    if last is None:
        return True
    different = [column for column in COLUMNS if round(last[column]) != ours[column]]
    if different:
        print(f"  DIFFERENT: {', '.join(different)}")
    return not different


def main(program, *paths):
    return 0 if all([compare(program, os.path.abspath(path)) for path in paths]) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
