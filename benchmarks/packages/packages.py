#!/usr/bin/env python3
"""Test suites of Python packages that use CUDA, as their projects write them, under `warplens emulate`.

packages.py FOLDER [--warplens PROGRAM] [--install] [--run] [--table FILE] [--test-seconds N] [--file-seconds N] [PACKAGE...]

--install makes an environment and a clone of the tests in FOLDER for each package of packages.json; --run runs each file of tests in a process of its own, and
goes on behind a test that ends the process (watched.py); --table counts what passes and lists the rest, with the causes of reasons.json.
PyCUDA is built from its sources, which needs a CUDA toolkit.
"""
import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = json.loads((HERE / "packages.json").read_text())
REASONS = json.loads((HERE / "reasons.json").read_text())  # "PACKAGE FILE::TEST", or any beginning of it: why it does not pass
MOST_CRASHES = 6  # of one file


def python_of(folder, name):
    return folder / name / "env/bin/python"


def install(folder, name):
    about, home = PACKAGES[name], folder / name
    home.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "-m", "venv", home / "env"], check=True)
    subprocess.run([python_of(folder, name), "-m", "pip", "install", "-q", "pytest", *about["requirements"]], check=True)
    if not (home / "source").exists():
        subprocess.run(["git", "clone", "-q", about["repository"], home / "source"], check=True)
        subprocess.run(["git", "-C", home / "source", "checkout", "-q", about["commit"]], check=True)


def files_of(folder, name):
    """Files of tests, or modules where the package ships its tests."""
    about = PACKAGES[name]
    if "files" in about:
        return about["files"]
    path, module = about["modules"]
    root = next((folder / name / "env/lib").glob("python3*/site-packages")) / path
    return [".".join([module, *test.relative_to(root).with_suffix("").parts]) for test in sorted(root.rglob("test_*.py"))]


def run_file(folder, name, file, options):
    about, home = PACKAGES[name], folder / name
    results = home / "results" / (file.replace("/", ".") + ".jsonl")
    results.parent.mkdir(exist_ok=True)
    environment = {**os.environ, **about.get("environment", {}), "PYTHONPATH": str(HERE), "WARPLENS_RESULTS": str(results.resolve()),
                   "WARPLENS_TEST_SECONDS": str(options.test_seconds)}
    command = [options.warplens, "emulate", "--", python_of(folder, name).absolute(), "-m", "pytest", "-q", "-p", "watched", "-p", "no:cacheprovider",
               *about["arguments"], file]
    for _ in range(MOST_CRASHES):
        try:
            with (results.with_suffix(".log")).open("w") as log:
                done = subprocess.run(list(map(str, command)), cwd=home / "source" / about["folder"], env=environment, stdout=log,
                                      stderr=subprocess.STDOUT, timeout=options.file_seconds, check=False)
        except subprocess.TimeoutExpired:
            return "did not end"
        if 0 <= done.returncode <= 5:  # pytest's own
            return "ended"
    return "crashed repeatedly"


def outcomes(path):
    """The worst that a test came to, by name."""
    rows = {}
    for line in path.read_text().splitlines():
        row = json.loads(line)
        known = rows.setdefault(row["id"], {"outcome": "ended the process", "why": ""})
        if "outcome" in row and known["outcome"] != "failed":
            rows[row["id"]] = row
    return rows


def reason_of(name, test):
    return next((why for key, why in REASONS.items() if f"{name} {test}".startswith(key)), None)


def table(folder, names):
    lines = ["| package | version | tests run | pass | share | leave themselves out |", "|---|---|---|---|---|---|"]
    rest = []
    for name in names:
        counts = {}
        for path in sorted((folder / name / "results").glob("*.jsonl")):
            for test, row in outcomes(path).items():
                counts[row["outcome"]] = counts.get(row["outcome"], 0) + 1
                if row["outcome"] not in ("passed", "skipped"):
                    label = f"{path.stem}::{test.rpartition('::')[2]}"
                    rest.append(f"| {name} | {label} | {row['outcome']} | {(reason_of(name, label) or row['why'][:120]).replace('|', '/')} |")
        ran = sum(counts.values()) - counts.get("skipped", 0)
        version = next((r for r in PACKAGES[name]["requirements"] if r.startswith(name + "==")), PACKAGES[name]["commit"])
        share = f"{100 * counts.get('passed', 0) / ran:.1f} %" if ran else ""
        lines.append(f"| {name} | {version.partition('==')[2] or version} | {ran} | {counts.get('passed', 0)} | {share} | {counts.get('skipped', 0)} |")
    return "\n".join([*lines, "", "| package | test | | cause |", "|---|---|---|---|", *rest]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("packages", nargs="*")
    parser.add_argument("--warplens", default=str(HERE.parent.parent / "build/warplens"))
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--test-seconds", type=int, default=300)
    parser.add_argument("--file-seconds", type=int, default=3600)
    options = parser.parse_intermixed_args()
    names = options.packages or list(PACKAGES)
    for name in names:
        if options.install:
            install(options.folder, name)
        for file in files_of(options.folder, name) if options.run else []:
            print(name, shlex.quote(file), run_file(options.folder, name, file, options), sep="\t", flush=True)
    if options.table:
        options.table.write_text(table(options.folder, names))
    return 0


if __name__ == "__main__":
    sys.exit(main())
