#!/usr/bin/env python3
"""`summary` says what other views of the same profile say: an operator's class is that of most of its GPU time by SQL, and the busy share
of one step is that of `timeline`.

Usage: views_test.py PROGRAM
"""
import collections
import json
import pathlib
import subprocess
import sys

DATA = pathlib.Path(__file__).resolve().parent / "data"
SQL = "select operator, class, sum(duration_ns) as ns from kernels group by operator, class"


def ask(program, *words):
    return json.loads(subprocess.run([program, *words, "--json"], capture_output=True, text=True, check=True).stdout)


def contradicted(program, path):
    """Operators whose class is not that of most of their kernels' time, and how many were compared."""
    times = collections.defaultdict(collections.Counter)
    for row in ask(program, "query", path, SQL)["rows"]:
        times[row["operator"]][row["class"]] += row["ns"]
    operators = [row for row in ask(program, "summary", path, "--limit", "1000", "--no-findings")["operators"] if row["name"] in times]
    return [row["name"] for row in operators if times[row["name"]][row["class"]] < max(times[row["name"]].values())], len(operators)


def unlike_steps(program, path):
    """Steps whose busy share is not the timeline's, within a percent."""
    wrong = []
    for step in ask(program, "timeline", path)["steps"]:
        if step["step"] == "all":
            continue
        (rank,) = ask(program, "summary", path, "--step", step["step"], "--no-findings")["ranks"]
        if abs(rank["busy_share"] - step["busy_ns"] / step["span_ns"]) > 0.01:
            wrong.append(f"step {step['step']}: busy {rank['busy_share']:.3f}, in the timeline {step['busy_ns'] / step['span_ns']:.3f}")
    return wrong


def main(program):
    count, wrong = 0, unlike_steps(program, str(DATA / "traces/gpt2_train.pt.trace.json.gz"))
    for path in sorted([*DATA.glob("traces/*.gz"), *DATA.glob("rules/uneven_batches*"), *DATA.glob("rules/rows_one_by_one*")]):
        names, compared = contradicted(program, str(path))
        count += compared
        wrong += [f"{path.name}: {name}" for name in names]
    print(f"{count} operators; {len(wrong)} contradictions", *wrong, sep="\n")
    return bool(wrong) or count < 100


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
