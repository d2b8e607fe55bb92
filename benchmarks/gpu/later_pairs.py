#!/usr/bin/env python3
"""Times pairs of PyTorch programs (later_cases.py) without a recorder, and records their slow halves: what findings promise from the
recordings is committed before the other halves run.

    python3 later_pairs.py record FOLDER OUT [CASE...]   FOLDER is a build's; OUT/CASE.wlens.gz and OUT/slow.csv
    python3 later_pairs.py fixed OUT [CASE...]           OUT/mended.csv
    python3 later_pairs.py predict FOLDER OUT            what the findings of each recording promise, as CSV
    python3 later_pairs.py table PREDICTED SLOW MENDED    all beside each other, as Markdown"""
import csv
import gzip
import json
import os
import pathlib
import subprocess
import sys
import time
import traceback

CHILD_SECONDS = 60


def forked(work):
    """Runs `work` in a process of its own, with torch at hand; kills it where it hangs."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            work()
            sys.stdout.flush()
            os._exit(0)
        except Exception:
            traceback.print_exc()
            os._exit(1)
    until = time.monotonic() + CHILD_SECONDS
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        if time.monotonic() > until:
            os.kill(child, 9)
        time.sleep(0.02)


def timed(name, bad, out):
    import torch
    from later_cases import CASES
    from record_defects import measure

    def work():
        torch.manual_seed(0)
        median, least, largest = measure(CASES[name][1](bad))
        with open(out, "a") as file:
            file.write(f"{name},{CASES[name][0]},{median:.0f},{least:.0f},{largest:.0f},{torch.cuda.get_device_name()}\n")

    forked(work)


def header(out):
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("case,finding,step_ns,least_ns,largest_ns,device\n")


def record(folder, out, *names):
    import torch
    from later_cases import CASES
    from record_cost import Recorder
    from record_findings import by_recorder
    folder, out = pathlib.Path(folder).resolve(), pathlib.Path(out)
    header(out / "slow.csv")
    for name in names or CASES:
        timed(name, True, out / "slow.csv")
        file = out / f"{name}.wlens"

        def work():
            recorder = Recorder("record --torch-shapes", folder, file)
            torch.manual_seed(0)
            by_recorder(CASES[name][1](True), recorder)

        forked(work)
        if file.exists():
            file.with_suffix(".wlens.gz").write_bytes(gzip.compress(file.read_bytes()))
            file.unlink()


def fixed(out, *names):
    from later_cases import CASES
    out = pathlib.Path(out)
    header(out / "mended.csv")
    for name in names or CASES:
        timed(name, False, out / "mended.csv")


def promised(report, finding):
    """The columns of a prediction after its name."""
    ids = [f["id"] for f in report["findings"]]
    place = ids.index(finding) + 1 if finding in ids else 0
    saving = lambda at: (report["findings"][at]["saving_fraction"] or 0) if len(ids) > at >= 0 else 0
    return finding, place, f"{saving(place - 1):.3f}", ids[0] if ids else "", f"{saving(0):.3f}", f"{report['step_ns']:.0f}"


def predict(folder, out):
    print("case,finding,place,saving,first,first_saving,step_ns")
    for row in csv.DictReader(open(pathlib.Path(out) / "slow.csv")):
        file = pathlib.Path(out) / f"{row['case']}.wlens.gz"
        report = json.loads(subprocess.run([f"{folder}/warplens", "findings", "--json", file], capture_output=True, text=True).stdout)
        print(row["case"], *promised(report, row["finding"]), sep=",")


def table(predicted, bad, mended):
    bad, mended = ({row["case"]: row for row in csv.DictReader(open(file)) if row["step_ns"]} for file in (bad, mended))
    errors, without = [], []
    print("| program | finding | place | first finding | promised | measured | step us | recorded us | fixed us |\n|---|---|---|---|---|---|---|---|---|")
    for row in csv.DictReader(open(predicted)):
        if row["case"] not in bad or row["case"] not in mended:
            without.append(row["case"])
            continue
        slow, quick = (float(rows[row["case"]]["step_ns"]) for rows in (bad, mended))
        saved = max(0.0, 1 - quick / slow)
        errors.append(abs(saved - float(row["saving"])))
        print(f"| {row['case']} | {row['finding']} | {row['place'] if row['place'] != '0' else '-'} | {row['first']} | {float(row['saving']):.2f} "
              f"| {saved:.2f} | {slow / 1e3:.0f} | {float(row['step_ns']) / 1e3:.0f} | {quick / 1e3:.0f} |")
    print(f"\nmean error of savings {sum(errors) / len(errors):.3f} over {len(errors)} programs" + (f"; not timed: {', '.join(without)}" if without else ""))


if __name__ == "__main__":
    {"record": record, "fixed": fixed, "predict": predict, "table": table}[sys.argv[1]](*sys.argv[2:])
