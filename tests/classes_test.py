#!/usr/bin/env python3
"""The class of an operator in `summary` is that of most of its GPU time, by SQL over the same profile.

Usage: classes_test.py PROGRAM
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


def main(program):
    count, wrong = 0, []
    for path in sorted([*DATA.glob("traces/*.gz"), *DATA.glob("rules/uneven_batches*"), *DATA.glob("rules/rows_one_by_one*")]):
        names, compared = contradicted(program, str(path))
        count += compared
        wrong += [f"{path.name}: {name}" for name in names]
    print(f"{count} operators, {len(wrong)} with a class that their kernels contradict", *wrong, sep="\n")
    return bool(wrong) or count < 100


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
