#!/usr/bin/env python3
"""Counters of the kernels in examples/kernels/unseen_*.cu against Nsight Compute's, read on an H200: unseen_counters_test.py PROGRAM

Exact counters are equal, except for those that OFTEN, REPEATED, UNKNOWN and TIME name. Needs nvcc, as the readings are of its code."""
import csv
import gzip
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PASSES = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_"
SERIALISED = ("l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum")
REPEATED = {"producer_consumer": 0.11}  # passes of stores while global data arrive
TIME = {  # what the order of warps, blocks or lanes decides; in the hardware it differs from run to run
    "compact": "blocks take places in the order in which they come",
    "recursion": "how lanes meet again after a call",
    "pointers": "the same",
    "specials": "an approximation is one unit in the last place off, and one thread takes another branch",
    "odd_warps": "a shuffle reads lanes that do not take part",
    "divisions": "an approximation is one unit in the last place off",
    "adam": "the same",
    "frontier": "whether a node was reached already depends on the others",
}
# cp.async to rows that share banks fetches a sector again for every pass over them, which is not modelled.
UNKNOWN = {("gemm_pipelined", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")}
OFTEN = 0.03  # the hardware repeats passes of shared memory now and then, and lanes that wait at one place may continue as one


def number(text):
    return float(text.replace(",", "")) if text else None


def readings(name):
    with gzip.open(HERE / "data" / "ncu" / f"{name}.csv.gz", "rt") as file:
        rows = list(csv.reader(file))
    return [dict(zip(rows[0], row)) for row in rows[2:]]


def slack(kernel, metric, want):
    if metric.startswith(PASSES) and kernel in REPEATED:
        return REPEATED[kernel] * want
    if metric.startswith(PASSES) or metric.startswith("smsp__inst_executed.sum") or metric.startswith("smsp__thread_inst_executed"):
        return OFTEN * want
    return 0.02 * want if metric in SERIALISED else 0


def check(program, name):
    done = subprocess.run([program, "kernel", HERE.parent / "examples" / f"{name}.json", "--emulate", "--json"], capture_output=True, text=True)
    if not done.stdout:
        sys.exit(done.stderr)
    report, wrong, checked = json.loads(done.stdout), [], 0
    if report["compiler"] != "nvcc":
        print("skipped: nvcc is not here, and other compilers make other code")
        sys.exit(77)
    for launch, row in zip(report["launches"], readings(name), strict=True):
        assert launch["kernel"] == row["Kernel Name"], (launch["kernel"], row["Kernel Name"])
        if launch["counted_from"] != "machine code":
            wrong.append(f"{launch['kernel']}: counted from PTX: {launch['why_adjusted']}")
            continue
        for metric, got in launch["metrics"].items():
            want = number(row.get(metric, ""))
            if want is None or launch["fidelity"][metric] != "exact" or launch["kernel"] in TIME or metric.startswith(CONFLICTS) \
                    or (launch["kernel"], metric) in UNKNOWN:
                continue
            checked += 1
            if abs(got - want) > slack(launch['kernel'], metric, want):
                wrong.append(f"{launch['kernel']} {metric}: {got} for {want:.0f}")
    return wrong, checked


def main(program):
    wrong, checked = [], 0
    for name in ("unseen_memory", "unseen_compute", "unseen_later"):
        bad, n = check(program, name)
        wrong, checked = wrong + bad, checked + n
    print("\n".join(wrong))
    print(f"{checked - len(wrong)} of {checked} values right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
