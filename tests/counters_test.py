#!/usr/bin/env python3
"""Counters of the probe kernels against Nsight Compute's, read on an H200: counters_test.py PROGRAM

Every metric under EXACT is equal on every launch, the others within the tolerance beside them. Needs a CUDA compiler; exits with 77 where there is none."""
import csv
import gzip
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
L1, SASS = "l1tex__", "smsp__sass_thread_inst_executed_op_"
EXACT = [f"{L1}t_{what}_pipe_lsu_mem_global_op_{op}.sum" for what in ("requests", "sectors") for op in ("ld", "st")]
EXACT += [f"{SASS}{p}{op}_pred_on.sum" for p in "fdh" for op in ("add", "mul", "fma")]
EXACT += [f"{L1}t_sectors_pipe_lsu_mem_local_op_{op}.sum" for op in ("ld", "st")]
WITHIN = {f"{L1}data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum": 0.01 for op in ("ld", "st")}
WITHIN |= {f"{L1}t_sectors_pipe_lsu_mem_global_op_{op}.sum": 0.02 for op in ("atom", "red")}
WITHIN |= {"smsp__inst_executed.sum": 0.001, "smsp__thread_inst_executed_pred_on.sum": 0.001,
           "smsp__sass_branch_targets_threads_divergent.sum": 0.001}
LAUNCHES, VALUES = 28, 616  # of probe.json; of EXACT and WITHIN on them


def hardware(name):
    with gzip.open(HERE / "data" / "ncu" / f"{name}.csv.gz", "rt") as file:
        rows = list(csv.reader(file))
    launches = {}
    for row in rows[2:]:
        launches.setdefault(row[rows[0].index("Kernel Name")], []).append(dict(zip(rows[0], row)))
    return launches


def number(text):
    return float(text.replace(",", "")) if text else None


def main(program):
    truth, wrong, checked = hardware("probe"), [], 0
    done = subprocess.run([program, "kernel", HERE.parent / "examples" / "probe.json", "--emulate", "--json"], capture_output=True, text=True)
    if "no CUDA compiler" in done.stderr or "nvcc" in done.stderr and not done.stdout:
        print("skipped: no CUDA compiler here:", done.stderr.strip())
        return 77
    seen = {}
    for launch in json.loads(done.stdout)["launches"]:
        if launch.get("counted_from") != "machine code":
            print(f"{launch['kernel']}: counted from PTX: {launch.get('why_adjusted')}")
            continue
        kernel = launch["kernel"]
        row = truth[kernel][seen.get(kernel, 0)]
        seen[kernel] = seen.get(kernel, 0) + 1
        for metric in EXACT + list(WITHIN):
            want, got = number(row.get(metric, "")), launch["metrics"].get(metric)
            if want is None:
                continue
            checked += 1
            if got is None or abs(got - want) > WITHIN.get(metric, 0) * want:
                wrong.append(f"{kernel} #{seen[kernel] - 1} {metric}: {got} for {want:.0f}")
        if launch["time"]["bound_ns"] > number(row["gpu__time_duration.sum"]):
            wrong.append(f"{kernel}: bound {launch['time']['bound_ns']:.0f} ns is above the measured {row['gpu__time_duration.sum']}")
    print("\n".join(wrong))
    print(f"{checked - len(wrong)} of {checked} values right over {sum(seen.values())} launches")
    if (sum(seen.values()), checked) != (LAUNCHES, VALUES):
        print(f"expected {VALUES} values over {LAUNCHES} launches from machine code")
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
