#!/usr/bin/env python3
"""Measures what size does to warplens: large_traces.py BUILD [--write] [--hundred-million]

A million kernels from the native format, a file above 4 GB, eight ranks of 100 MB; with --hundred-million also a trace of
100 million events, made while it is read, so that it needs no disk. Every figure is one run of the whole program: wall
time, CPU time, peak memory.
"""
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import time

import multiply_trace

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "tests/data"
TRAIN, TINY = DATA / "traces/gpt2_train.pt.trace.json.gz", DATA / "traces/tiny_ops.pt.trace.json.gz"
RANK = str(DATA / "defects/allreduce_after_backward.bad.rank{}.pt.trace.json.gz")
EVENTS_A_GB = 2.88e6  # in gpt2_train


def run(name, command, lines, stdin=None):
    begin = time.monotonic()
    child = subprocess.Popen([str(c) for c in command], stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    cpu = usage.ru_utime + usage.ru_stime
    failed = f"  failed: {status}" if status else ""
    lines.append(f"{name:52}{time.monotonic() - begin:9.2f}{cpu:9.2f}{usage.ru_maxrss / 1024:10.0f}{failed}")
    print(lines[-1], flush=True)


def ranks(folder):
    """Eight ranks of 100 MB from two recorded ones."""
    out = []
    for rank in range(8):
        path = folder / f"rank{rank}.json"
        multiply_trace.main(RANK.format(rank % 2), str(path), "100e6")
        with open(path, "r+b") as file:  # the number has one digit in the original and here
            head = file.read(1 << 16)
            at = re.search(rb'"rank": (\d)', head).start(1)
            file.seek(at)
            file.write(b"%d" % rank)
        out.append(path)
    return out


def main(build, *options):
    warplens = pathlib.Path(build).resolve() / "warplens"
    lines = [f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {time.strftime('%Y-%m-%d')}", "",
             f"{'':52}{'wall s':>9}{'CPU s':>9}{'peak MB':>10}"]
    print("\n".join(lines))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        raw, native = folder / "million.json", folder / "million.wlens"
        multiply_trace.main(str(TINY), str(raw), "1.6e9")
        run("convert: 1.6 GB of JSON, a million kernels", [warplens, "convert", raw, "-o", native], lines)
        raw.unlink()
        run("summary of the million kernels from .wlens", [warplens, "summary", native], lines)
        run("findings of the million kernels from .wlens", [warplens, "findings", native], lines)
        native.unlink()

        multiply_trace.main(str(TRAIN), str(raw), "4.6e9")
        run("summary: 4.7 GB of JSON, 13 million events", [warplens, "summary", raw], lines)
        run("export of all of it", [warplens, "export", raw, "-t", "chrome", "-o", folder / "all.json"], lines)
        raw.unlink()
        (folder / "all.json").unlink()

        eight = ranks(folder)
        run("summary: eight ranks of 100 MB", [warplens, "summary", *eight], lines)
        run("ranks: eight ranks of 100 MB", [warplens, "ranks", *eight], lines)
        run("findings: eight ranks of 100 MB", [warplens, "findings", *eight], lines)
        for path in eight:
            path.unlink()
        if "--hundred-million" in options:
            pipe = folder / "pipe"
            os.mkfifo(pipe)
            maker = subprocess.Popen([sys.executable, HERE / "multiply_trace.py", TRAIN, pipe, f"{100e6 / EVENTS_A_GB * 1e9}"])
            run("summary: 100 million events through a pipe", [warplens, "summary", pipe], lines)
            maker.wait()
    if "--write" in options:
        (HERE.parent / "docs/results/large-traces.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
