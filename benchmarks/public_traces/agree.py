#!/usr/bin/env python3
"""Compares warplens with the expectations of TraceLens and HolisticTraceAnalysis for their own traces, and prints the comparison.

    agree.py PROGRAM TRACES TRACELENS > docs/results/public-traces-agreement.md

TRACES is what extract.py wrote, TRACELENS a checkout or a bare repository of AMD-AGI/TraceLens, whose tests hold reports
(CSV) beside traces. HolisticTraceAnalysis's numbers come from its tests/test_trace_analysis.py.
"""

import argparse
import collections
import csv
import io
import json
import pathlib
import re
import subprocess

WITHIN = 0.01
TIMELINE = {"computation_time": "computation_ns", "exposed_comm_time": "exposed_communication_ns",
            "exposed_memcpy_time": "exposed_copies_ns", "busy_time": "busy_ns", "idle_time": "idle_ns",
            "total_time": "span_ns"}
# Of HolisticTraceAnalysis's test_mtia_temporal_breakdown, in microseconds.
HTA = {"HolisticTraceAnalysis/tests/data/mtia_trace_single_rank/mtia_rank_0.json.gz":
       {"idle": 5648827, "computation": 7305596, "other": 373924, "span": 13328347}}


def run(program: str, *arguments: str) -> str:
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True, timeout=300).stdout


def near(a: float, b: float, absolute: float) -> bool:
    return abs(a - b) <= max(WITHIN * max(abs(a), abs(b)), absolute)


class TraceLens:
    """The reports of TraceLens's repository."""

    def __init__(self, repository: pathlib.Path):
        self.repository = repository
        listed = self.git("ls-tree", "-r", "--name-only", "HEAD", "tests/traces").splitlines()
        self.folders = sorted({str(pathlib.PurePosixPath(path).parent) for path in listed if path.endswith("/gpu_timeline.csv")})

    def git(self, *arguments: str) -> str:
        return subprocess.run(["git", "-C", self.repository, *arguments], capture_output=True, text=True, check=False).stdout

    def rows(self, folder: str, name: str) -> list[dict[str, str]]:
        csv.field_size_limit(1 << 30)
        return list(csv.DictReader(io.StringIO(self.git("show", f"HEAD:{folder}/{name}.csv"))))

    def trace(self, folder: str, traces: pathlib.Path) -> pathlib.Path | None:
        """The trace a report is of: beside it, of its name."""
        path = pathlib.PurePosixPath(folder)
        stem = re.sub(r"(_recompute)?_perf_report_csvs$", "", path.name)
        beside = sorted((traces / "TraceLens" / path.parent).glob(f"{stem}.json.gz" if stem != "perf_csvs" else "*.json.gz"))
        beside = [file for file in beside if not re.match(r"[0-9a-f]{8}_", file.name)]
        return beside[0] if len(beside) == 1 else None


def timeline(program: str, trace: pathlib.Path, rows: list[dict[str, str]]) -> list[tuple[str, float, float]]:
    """(name, theirs, ours) in milliseconds; of several devices' rows the sum."""
    steps = json.loads(run(program, "timeline", "--json", str(trace)))["steps"]
    ours = [row for row in steps if row["step"] == "all"]
    theirs = {row["type"]: float(row["time ms"]) for row in rows if row.get("is_recompute", "False") in ("False", "")}
    return [(name, theirs[name], sum(row[key] for row in ours) / 1e6) for name, key in TIMELINE.items() if name in theirs]


def captures(trace: pathlib.Path) -> list[str]:
    """Flags that name the traces of the capture of this trace's graphs, which are beside it."""
    return [word for path in sorted(trace.parent.glob("capture_traces/*.json.gz")) for word in ("--capture", str(path))]


def operators(program: str, trace: pathlib.Path, rows: list[dict[str, str]]) -> list[tuple[str, float, float]]:
    """Kernel time that the ten costliest operators launch themselves, in milliseconds; names once."""
    ours: dict[str, float] = collections.defaultdict(float)
    theirs: dict[str, float] = collections.defaultdict(float)
    for row in json.loads(run(program, "ops", "--json", str(trace), *captures(trace)))["rows"]:
        ours[row["name"].partition(" > ")[0]] += row["self_device_time_total_ns"] / 1e6
    for row in rows:
        theirs[row["name"]] += float(row["total_direct_kernel_time_ms"])
    costliest = sorted(theirs, key=lambda name: -theirs[name])[:10]
    return [(name, theirs[name], ours[name]) for name in costliest]


def work(program: str, trace: pathlib.Path, rows: list[dict[str, str]]) -> tuple[list, list]:
    """Operations (GFLOP) and bytes (MiB) of one call, by operator and shapes, where both count them."""
    shown = subprocess.run([program, "ops", "--roofline", "--json", str(trace), *captures(trace)], capture_output=True, text=True, check=False)
    if shown.returncode:
        return [], []
    ours = {(row["name"], numbers(row["input_shapes"])): row for row in json.loads(shown.stdout)["rows"]}
    flops, moved = [], []
    for row in rows:
        found = ours.get((row["name"], numbers(row["Input Dims"])))
        if not found or not row.get("GFLOPS"):
            continue
        label = f"{row['name']} {row['Input Dims']}"
        if found["flops"]:
            flops.append((label, float(row["GFLOPS"]), found["flops"] / found["count"] / 1e9))
        moved.append((label, float(row["Data Moved (MB)"] or 0), found["bytes"] / found["count"] / 2**20))
    return flops, moved


def numbers(shapes: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\d+", shapes))


def told(pairs: list[tuple[str, float, float]], absolute: float, others: list[str], trace: str, unit: str) -> str:
    agree = [pair for pair in pairs if near(pair[1], pair[2], absolute)]
    for name, theirs, ours in pairs:
        if not near(theirs, ours, absolute):
            others.append(f"| {trace} | {name[:90]} | {theirs:.4g} {unit} | {ours:.4g} {unit} |")
    return f"{len(agree)} of {len(pairs)}" if pairs else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("traces", type=pathlib.Path)
    parser.add_argument("tracelens", type=pathlib.Path)
    arguments = parser.parse_args()
    reports = TraceLens(arguments.tracelens)
    others: list[str] = []
    print("| trace | timeline | time of operators | FLOPs | bytes |\n| --- | --- | --- | --- | --- |")
    for folder in reports.folders:
        trace = reports.trace(folder, arguments.traces)
        if trace is None:
            continue
        name = folder.removeprefix("tests/traces/").removesuffix("_perf_report_csvs").removesuffix("/perf_csvs")
        cells = [told(timeline(arguments.program, trace, reports.rows(folder, "gpu_timeline")), 0.05, others, name, "ms"),
                 told(operators(arguments.program, trace, reports.rows(folder, "ops_summary")), 0.01, others, name, "ms")]
        flops, moved = work(arguments.program, trace, reports.rows(folder, "unified_perf_summary"))
        cells += [told(flops, 0, others, name, "GFLOP"), told(moved, 0.01, others, name, "MiB")]
        print(f"| {name} | {' | '.join(cells)} |")
    for path, expected in HTA.items():
        trace = arguments.traces / path
        if not trace.exists():
            continue
        row = next(r for r in json.loads(run(arguments.program, "timeline", "--json", str(trace)))["steps"] if r["step"] == "all")
        ours = {"idle": row["idle_ns"], "computation": row["computation_ns"],
                "other": row["busy_ns"] - row["computation_ns"], "span": row["span_ns"]}
        pairs = [(name, value / 1e3, ours[name] / 1e6) for name, value in expected.items()]
        print(f"| {path.removeprefix('HolisticTraceAnalysis/tests/data/')} | {told(pairs, 20, others, 'HTA mtia', 'ms')} | - | - | - |")
    if others:
        print("\n| trace | quantity | theirs | warplens |\n| --- | --- | --- | --- |")
        print("\n".join(others))


if __name__ == "__main__":
    main()
