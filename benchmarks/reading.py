#!/usr/bin/env python3
"""Measures reading and summarising against peers on the same files in the same run: reading.py BUILD [MEGABYTES [--write]]

Every figure is the best of several runs. Peers that are not installed are left out and named: pandas and
HolisticTraceAnalysis come from the venv in BUILD/bench-venv (made with --peers).
"""
import os
import pathlib
import platform
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TRACE = HERE.parent / "tests/data/traces/gpt2_train.pt.trace.json.gz"


def run(command, cores=None, repeat=5):
    """Best wall seconds, its CPU seconds and peak bytes."""
    best = None
    for _ in range(repeat):
        env = dict(os.environ)
        if cores:
            env["WARPLENS_THREADS"] = str(len(cores))
        begin = time.monotonic()
        child = subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env,
                                 preexec_fn=(lambda: os.sched_setaffinity(0, cores)) if cores else None)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - begin
        if status != 0:
            return None
        if best is None or wall < best[0]:
            best = (wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
    return best


def python(build, code, path, repeat=1):
    peers = build / "bench-venv/bin/python"
    return run([peers if peers.exists() else sys.executable, "-c", code, path], repeat=repeat)


def make_peers(build):
    venv = build / "bench-venv"
    if not venv.exists():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin/pip", "install", "-q", "pandas", "HolisticTraceAnalysis"], check=True)


PEERS = [
    ("json.load", "import json, sys; json.load(open(sys.argv[1]))"),
    ("pandas", "import json, sys, pandas; pandas.json_normalize(json.load(open(sys.argv[1]))['traceEvents'])"),
    ("HolisticTraceAnalysis", "import sys, os; from hta.trace_analysis import TraceAnalysis; "
     "a = TraceAnalysis(trace_files={0: sys.argv[1]}); a.get_gpu_kernel_breakdown(visualize=False)"),
]


def main(build, megabytes="200", *options):
    build = pathlib.Path(build).resolve()
    data = build / "bench-data"
    data.mkdir(exist_ok=True)
    raw, packed, native = (data / f"{megabytes}mb{ending}" for ending in (".json", ".json.gz", ".wlens"))
    if not raw.exists():
        subprocess.run([sys.executable, HERE / "multiply_trace.py", TRACE, raw, f"{megabytes}e6"], check=True)
    if not packed.exists():
        subprocess.run(f"gzip -6 -c {raw} > {packed}", shell=True, check=True)
    if "--peers" in options:
        make_peers(build)
    size = raw.stat().st_size
    warplens = build / "warplens"
    subprocess.run([warplens, "convert", raw, "-o", native, "-f"], check=True, stderr=subprocess.DEVNULL)

    lines = [f"{size / 1e6:.0f} MB of raw JSON ({raw.name} from {TRACE.name}); {platform.machine()}, {os.cpu_count()} cores, "
             f"load {os.getloadavg()[0]:.1f}, {time.strftime('%Y-%m-%d')}", "",
             f"{'':44}{'wall s':>8}{'CPU s':>8}{'MB/s':>8}{'MB per CPU s':>14}{'peak / raw':>12}"]

    def report(name, result):
        if result is None:
            lines.append(f"{name:44}  not here")
            return None
        wall, cpu, peak = result
        lines.append(f"{name:44}{wall:8.3f}{cpu:8.3f}{size / 1e6 / wall:8.0f}{size / 1e6 / cpu:14.0f}{peak / size:12.2f}")
        return wall

    one, two = {0}, set(range(min(2, os.cpu_count())))
    summary = lambda path: [warplens, "summary", path]
    report("simdjson reads the file and walks it", run([build / "simdjson_walk", raw], one))
    walks = [subprocess.run(["taskset", "-c", "0", build / "simdjson_walk", raw], capture_output=True, text=True).stdout for _ in range(5)]
    walk = min(float(text.split()[0]) for text in walks)
    lines.append(f"{'  of it the walk alone, in memory':44}{walk:8.3f}{'':8}{size / 1e6 / walk:8.0f}")
    reading = report("warplens reads, one core", run([build / "read_bench", raw], one))
    single = report("warplens reads and summarises, one core", run(summary(raw), one))
    both = report("warplens reads and summarises, two cores", run(summary(raw), two))
    report("the same from .gz, one core", run(summary(packed), one))
    report("the same from .gz, two cores", run(summary(packed), two))
    report("the same from .wlens, one core", run(summary(native), one))
    findings = report("all findings, one core", run([warplens, "findings", raw], one))
    peers = {name: report(name, python(build, code, raw)) for name, code in PEERS}
    start = run([warplens, "--help"], one, repeat=10)
    lines += ["", f"the summary's MB/s over those of the bare walk: {walk / single:.2f}", f"two cores over one: {single / both:.2f}; start-up (warplens --help): {start[0] * 1e3:.1f} ms",
              f"findings beyond reading: {findings - reading:.3f} s"]
    lines += [f"times faster than {name}: {wall / both:.0f}" for name, wall in peers.items() if wall]
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if "--write" in options:
        results = HERE.parent / "docs/results"
        results.mkdir(parents=True, exist_ok=True)
        (results / "reading.txt").write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
