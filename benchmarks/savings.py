#!/usr/bin/env python3
"""Savings that `warplens findings` predicts from each bad trace alone against those measured without a profiler.

Usage: savings.py PROGRAM FOLDER...   each FOLDER holds NAME.{bad,fixed}.pt.trace.json.gz (or .rankN.) and NAME.truth.json,
as benchmarks/gpu/record_defects.py writes them. Exits with 1 where a finding is missing, ranks too low in the bad trace
or too high in the fixed one.
"""
import glob
import json
import os
import subprocess
import sys

FAR_DOWN = 0.1  # a finding of a fixed program that would still save this much counts as not gone


def findings(program, folder, name, kind):
    files = sorted(glob.glob(f"{folder}/{name}.{kind}.pt.trace.json.gz") + glob.glob(f"{folder}/{name}.{kind}.rank*.pt.trace.json.gz"))
    report = json.loads(subprocess.run([program, "findings", "--json", *files], check=True, capture_output=True, text=True).stdout)
    return report, {f["id"]: (place, f) for place, f in enumerate(report["findings"], 1)}


def main(program, *folders):
    errors, unknown, missed, step_errors = [], 0, 0, []
    print(f"{'case':28} {'finding':22} {'place':>5} {'predicted':>9} {'measured':>8} {'error':>6} {'step':>6} {'fixed':>6}  before it / left")
    for truth_file in sorted(f for folder in folders for f in glob.glob(f"{folder}/*.truth.json")):
        folder, truth = os.path.dirname(truth_file), json.load(open(truth_file))
        report, bad = findings(program, folder, truth["case"], "bad")
        _, fixed = findings(program, folder, truth["case"], "fixed")
        step = report["step_ns"] / truth["bad_step_ns"]
        step_errors.append(abs(step - 1))
        if not truth["finding"]:  # recorded to see what the profiler costs
            print(f"{truth['case']:28} {'-':22} {'':>5} {'':>9} {'':>8} {'':>6} {step:6.2f}")
            continue
        place, finding = bad.get(truth["finding"], (0, None))
        predicted = finding["saving_fraction"] if finding else None
        left_place, left = fixed.get(truth["finding"], (0, None))
        gone = not left or (left["saving_fraction"] or 0) < FAR_DOWN
        good = place in (1, 2) and gone
        missed += not good
        if predicted is None:
            unknown += 1
        else:
            errors.append(abs(predicted - truth["saving_fraction"]))
        others = ", ".join(f"{i} {f['saving_fraction'] or 0:.2f}" for i, (p, f) in bad.items() if p < max(place, 3) and i != truth["finding"])
        show = lambda value, form: "-" if value is None else format(value, form)
        print(f"{truth['case']:28} {truth['finding']:22} {place or '-':>5} {show(predicted, '9.3f'):>9} {truth['saving_fraction']:8.3f} "
              f"{show(None if predicted is None else predicted - truth['saving_fraction'], '+6.3f'):>6} {step:6.2f} "
              f"{'gone' if not left else format(left['saving_fraction'] or 0, '.2f'):>6}  {'' if good else 'MISSED '}{others}")
    mean = sum(errors) / max(len(errors), 1)
    print(f"\n{len(errors)} estimated, {unknown} without estimate, {missed} missed; mean absolute error {mean:.3f}; "
          f"step time without the profiler off by {sum(step_errors) / max(len(step_errors), 1):.3f} on average")
    return missed != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
