#!/usr/bin/env python3
"""The whole table: every counter of every launch of a launch file beside what Nsight Compute read on an H200, and the time.

Usage: counter_accuracy.py PROGRAM [SET] [--from FOLDER]     PROGRAM is warplens; SET is probe, study, defects, unseen_memory,
unseen_compute, unseen_later, or a set of pairs (finding_accuracy.py names them). Prints one row a metric, then one a launch. --from takes FOLDER/SET.json, the report that
`warplens kernel examples/SET.json --emulate --json` wrote, and runs nothing."""
import csv
import gzip
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def hardware(name):
    with gzip.open(ROOT / "tests" / "data" / "ncu" / f"{name}.csv.gz", "rt") as file:
        rows = list(csv.reader(file))
    return [dict(zip(rows[0], row)) for row in rows[2:]]


def report(program, name, folder):
    if folder:
        return json.loads((pathlib.Path(folder) / f"{name}.json").read_text())["launches"]
    done = subprocess.run([program, "kernel", ROOT / "examples" / f"{name}.json", "--emulate", "--json"], capture_output=True, text=True)
    if not done.stdout:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["launches"]


def main(program, name="probe", *arguments):
    launches = report(program, name, arguments[1] if arguments[:1] == ("--from",) else None)
    truth, tally, times = hardware(name), {}, []
    for launch, row in zip(launches, truth):
        assert launch["kernel"] == row["Kernel Name"], (launch["kernel"], row["Kernel Name"])
        for metric, got in launch.get("metrics", {}).items():
            if row.get(metric, "") == "":
                continue
            want = float(row[metric].replace(",", ""))
            error = abs(got - want) / want if want else float(got != 0)
            tally.setdefault((launch["fidelity"][metric], metric), []).append(error)
        times.append((launch["kernel"], float(row["gpu__time_duration.sum"].replace(",", "")), launch["time"]))
    print(f"{'fidelity':10} {'metric':72} equal   mean error")
    for (fidelity, metric), errors in sorted(tally.items()):
        print(f"{fidelity:10} {metric:72} {sum(e == 0 for e in errors)}/{len(errors)}  {100 * sum(errors) / len(errors):8.2f} %")
    print(f"\n{'kernel':20} {'measured ns':>12} {'estimate':>10} {'bound':>10}  limited by")
    for kernel, measured, time in times:
        above = "  BOUND ABOVE MEASURED" if time["bound_ns"] > measured else ""
        print(f"{kernel:20} {measured:12.0f} {time['estimate_ns']:10.0f} {time['bound_ns']:10.0f}  {time['limited_by']}{above}")
    error = [abs(time["estimate_ns"] / measured - 1) for _, measured, time in times]
    print(f"mean error of the estimated time {100 * sum(error) / len(error):.1f} % over {len(error)} launches")


if __name__ == "__main__":
    main(*sys.argv[1:])
