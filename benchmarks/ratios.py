#!/usr/bin/env python3
"""Runs the benchmarks and compares their ratios with the run before: ratios.py BUILD

A ratio has its peer or limit in the same run, so that runs of another day or machine can be compared; absolute speeds cannot. Every run
is a line of BUILD/bench-data/ratios.jsonl. Ratios that differ by more than 10 % are marked. Run again on a quiet machine before you rely on them.
"""
import json
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
MARKED = 0.10

# What a benchmark prints, as a regular expression with the ratio as its group, and the name that it is kept under.
READING = {
    "summary's speed over the bare walk's": r"over those of the bare walk: ([\d.]+)",
    "summary, two cores over one": r"two cores over one: ([\d.]+)",
    "summary's peak memory over the raw file": r"warplens reads and summarises, one core.* ([\d.]+)$",
}
EMULATOR = {
    "emulator, counting PTX over not": r"^geometric mean +[\d.]+ +([\d.]+)x",
    "emulator, all threads over one": r"^geometric mean +[\d.]+ +[\d.]+x +([\d.]+)x",
    "emulator, machine code over PTX, neither counting": r"^geometric mean +[\d.]+ +[\d.]+x +[\d.]+x +([\d.]+)x",
}
COUNTING = {
    "a counted launch over an uncounted": r"([\d.]+)x  geometric mean",
    "the same, worst": r"worst ([\d.]+)x",
}
TRANSLATION = {
    "a counted launch translated over interpreted": r"^geometric mean +([\d.]+)x",
    "a counted launch over an uncounted, both translated": r"^geometric mean +[\d.]+x +([\d.]+)x",
}


def ratios(command, patterns):
    """Runs `command`, shows what it prints, and gives the ratios found in it."""
    lines = []
    with subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    if process.returncode:
        sys.exit(f"{command[0]} ended with {process.returncode}")
    text, found = "".join(lines), {}
    for name, pattern in patterns.items():
        match = re.search(pattern, text, re.MULTILINE)
        if not match:
            sys.exit(f"{pathlib.Path(str(command[0])).name} printed no '{name}': {pattern}")
        found[name] = float(match.group(1))
    return found


def compared(now, before):
    """The table of both runs, one line a ratio."""
    lines = [f"{'ratio':44}{'now':>9}{'before':>9}{'change':>9}"]
    for name, value in now.items():
        if name not in before:
            lines.append(f"{name:44}{value:9.2f}{'-':>9}")
            continue
        change = value / before[name] - 1
        lines.append(f"{name:44}{value:9.2f}{before[name]:9.2f}{change:+9.1%}{'  <' if abs(change) > MARKED else ''}")
    lines += [f"{name:44}{'-':>9}{value:9.2f}" for name, value in before.items() if name not in now]
    return "\n".join(lines)


def main(build):
    build = pathlib.Path(build).resolve()
    kept = build / "bench-data/ratios.jsonl"
    kept.parent.mkdir(parents=True, exist_ok=True)
    runs = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
    probe = HERE.parent / "examples/probe.json"
    found = ratios([sys.executable, HERE / "reading.py", build], READING)
    found |= ratios([build / "emulator_speed", probe], EMULATOR)
    found |= ratios([build / "counting_cost", probe], COUNTING)
    found |= ratios([build / "counted_translation", probe], TRANSLATION)
    commit = subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    with kept.open("a") as out:
        out.write(json.dumps({"date": time.strftime("%Y-%m-%d %H:%M"), "commit": commit, "ratios": found}) + "\n")
    before = runs[-1] if runs else {"ratios": {}}
    print("\n" + (f"before: {before['date']}, commit {before['commit']}" if runs else "the first run kept here") + f"; now: commit {commit}")
    print(compared(found, before["ratios"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
