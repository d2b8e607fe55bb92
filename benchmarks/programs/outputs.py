#!/usr/bin/env python3
"""Keeps and compares the output and files of programs: on a GPU and without one.

outputs.py keep FOLDER OUT.json.xz [--emulate WARPLENS] [--jobs N] [--seconds N] [--times N] [--only NAME...]
outputs.py compare GPU.json.xz EMULATED.json.xz [--json FILE]

FOLDER holds a folder for each program and manifest.json: [{"name", "command"}...]. Each program runs in a copy of its folder. A number
that differs from one run on the GPU to the next is no result, nor is one in a line that tells times or what the device is; every other
must be equal, to a unit of the last digit printed or 2 in 100,000. Lines whose order differs are compared sorted. Files must be equal byte for byte, texts as output.
"""
import argparse
import base64
import collections
import concurrent.futures
import hashlib
import json
import lzma
import math
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ENDED_BY_LIMIT = (124, 137, 152, -9, -24)
KEPT_TEXT, KEPT_FILE = 2_000_000, 1_000_000
TOLERANCE = 2e-5
NUMBER = re.compile(r"[-+]?(?:0x[0-9a-fA-F]{6,}|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\bnan\b|\binf\b)")
TIMES = re.compile(r"(?i)time|elapsed|\bsec|\b[mun]s\b|[mu]sec|[GMKT]i?B/s|[GMTP]?flop|bandwidth|throughput|speedup|perf|latency|\bfps\b|/s\b|"
                   r"per second|clock|cycles?|overhead|[GT]OPS|duration|average kernel|\(s\)|takes|took|Device name|warplens|GPU \d|using device|"
                   r"gap|efficiency|seed|\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|size |"
                   r"FreeMem|ECC (En|Dis)abled|global memory:|bus width|pciBusID|^(Copy|Mul|Add|Triad|Dot|Nstream) ")
NAME = re.compile(r"NVIDIA \w+( SXM)?( \(emulated by warplens\))?|warplens: .*")
ADDRESS = re.compile(r"\bpid \d+|0x[0-9a-f]{8,}")


def files_of(folder):
    return {str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.stat().st_size)
            for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}


def run_once(command, folder, top, seconds, warplens):
    """Exit code, output, errors and seconds of one run."""
    script = f"ulimit -t {seconds}; exec {shlex.quote(warplens)} emulate -- bash -c {shlex.quote(command)}" if warplens else command
    begin = time.time()
    with open(top / ".out", "wb") as out, open(top / ".err", "wb") as err, \
            subprocess.Popen(["bash", "-c", script], cwd=folder, stdout=out, stderr=err, stdin=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            code = process.wait(timeout=seconds * (4 if warplens else 1))  # on a loaded machine processor time passes slowly
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            code = 124
    text = [(top / name).read_bytes()[:KEPT_TEXT].decode(errors="replace").replace(str(top), "TOP") for name in (".out", ".err")]
    return {"code": code, "out": text[0], "err": text[1], "wall": round(time.time() - begin, 2)}


def keep_one(program, options):
    with tempfile.TemporaryDirectory() as made:
        top = pathlib.Path(made)
        folder = top / program["name"]
        shutil.copytree(options.folder / program["name"], folder)
        before, rows = files_of(top), []
        for _ in range(options.times):
            row = run_once(program["command"], folder, top, options.seconds, options.emulate)
            row["files"] = {}
            for name, state in files_of(top).items():
                if name in (".out", ".err") or before.get(name) == state:
                    continue
                content = (top / name).read_bytes()
                kept = base64.b64encode(content).decode() if len(content) <= KEPT_FILE else None
                row["files"][name] = {"size": len(content), "sha": hashlib.sha256(content).hexdigest()[:16], "data": kept}
                if name not in before:
                    (top / name).unlink()
            rows.append(row)
            if row["code"] in ENDED_BY_LIMIT:
                break
        return rows


def keep(options):
    programs = json.loads((options.folder / "manifest.json").read_text())
    programs = [program for program in programs if not options.names or program["name"] in options.names]
    kept = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for program, rows in zip(programs, pool.map(lambda program: keep_one(program, options), programs)):
            kept[program["name"]] = rows
            print(program["name"], [row["code"] for row in rows], [row["wall"] for row in rows], flush=True)
    with lzma.open(options.out, "wt") as out:
        json.dump(kept, out)


def lines_of(text):
    text = ADDRESS.sub("ADDRESS", NAME.sub("GPU", text.replace("\r", "\n")))
    return [" ".join(line.split()) for line in text.split("\n") if line.strip()]


def last_digit(text):
    """The value of one unit of the last digit of a printed number; 0 for a whole number."""
    found = re.match(r"[-+]?\d*\.(\d*)(?:[eE]([-+]?\d+))?$", text)
    return 10.0 ** (int(found[2] or 0) - len(found[1])) if found else 0.0


def near(one, other):
    x, y = (float(int(text, 16)) if "x" in text else float(text) for text in (one, other))
    if not (math.isfinite(x) and math.isfinite(y)):
        return x == y or (math.isnan(x) and math.isnan(y))
    return abs(x - y) <= max(TOLERANCE * max(abs(x), abs(y)), 1.01 * max(last_digit(one), last_digit(other)))


def compare_lines(runs, other):
    """Of the GPU's runs, line by line: (results compared, texts compared, differences)."""
    first, differences, results, texts = runs[0], [], 0, 0
    if len(first) != len(other):
        shapes = [collections.Counter(NUMBER.sub("#", line) for line in lines) for lines in (first, other)]
        missing = [("only on the GPU", line) for line in shapes[0] - shapes[1]] + [("only emulated", line) for line in shapes[1] - shapes[0]]
        return 0, 0, missing[:6] or [("lines", f"{len(first)} and {len(other)}")]
    for i, (line, emulated) in enumerate(zip(first, other)):
        shape = NUMBER.sub("#", line)
        alike = [NUMBER.findall(run[i]) if i < len(run) and NUMBER.sub("#", run[i]) == shape else None for run in runs]
        if NUMBER.sub("#", emulated) != shape:
            if all(len(run) > i and run[i] == line for run in runs) and not TIMES.search(line):
                differences.append((line, emulated))
            continue
        pairs = list(zip(NUMBER.findall(line), NUMBER.findall(emulated)))
        texts += not pairs
        for k, (one, two) in enumerate(pairs):
            stable = all(numbers and numbers[k] == one for numbers in alike)
            if near(one, two):
                results += stable
            elif stable and not TIMES.search(line):
                differences.append((line, emulated))
                break
    return results, texts, differences


def compare_texts(runs, other):
    """As they come, or sorted where that differs less."""
    best = None
    for order in (list, lambda lines: sorted(lines, key=lambda line: (NUMBER.sub("#", line), line))):
        found = compare_lines([order(lines_of(run)) for run in runs], order(lines_of(other)))
        if best is None or len(found[2]) < len(best[2]):
            best = found
    return best


def compare_file(name, runs, other):
    """"equal", "varies" from run to run on the GPU, or what differs."""
    first = runs[0]["files"][name]
    if other is None:
        return "missing"
    if other["sha"] == first["sha"]:
        return "equal"
    if any(run["files"].get(name, {}).get("sha") != first["sha"] for run in runs):
        return "varies"
    if first["data"] is None or other["data"] is None:
        return "differs, too large to be kept"
    contents = [base64.b64decode(file["data"]) for file in (first, other)]
    try:
        differences = compare_texts([contents[0].decode()], contents[1].decode())[2]
        return "equal" if not differences else f"differs: {differences[0]}"
    except UnicodeDecodeError:
        apart = [abs(x - y) for x, y in zip(*contents)]
        return f"{sum(difference > 0 for difference in apart)} of {len(apart)} bytes differ, by {max(apart, default=0)} at most"


def compare_program(runs, emulated):
    """{"state", "results", "files", "differences"} of a program; state: equal, text, times, differs, slow."""
    if emulated["code"] in ENDED_BY_LIMIT or runs[0]["code"] in ENDED_BY_LIMIT:
        return {"state": "slow", "results": 0, "files": 0, "differences": []}
    results, texts, differences = compare_texts([run["out"] for run in runs], emulated["out"])
    if runs[0]["code"] != emulated["code"]:
        differences.append(("exit codes", f"{runs[0]['code']} and {emulated['code']}"))
    files = {name: compare_file(name, runs, emulated["files"].get(name)) for name in runs[0]["files"]}
    differences += [item for item in files.items() if item[1] not in ("equal", "varies")]
    equal = sum(found == "equal" for found in files.values())
    state = "differs" if differences else "equal" if results or equal else "text" if texts else "times"
    return {"state": state, "results": results, "files": equal, "differences": differences}


def compare(options):
    gpu, emulated = (json.load(lzma.open(path)) for path in (options.gpu, options.emulated))
    found = {name: compare_program(runs, emulated[name][0]) for name, runs in sorted(gpu.items()) if name in emulated}
    for name, row in found.items():
        if row["differences"]:
            print(name, *row["differences"][:3], sep="\n  ")
    print(dict(collections.Counter(row["state"] for row in found.values())))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    keeps = verbs.add_parser("keep")
    keeps.add_argument("folder", type=pathlib.Path)
    keeps.add_argument("out", type=pathlib.Path)
    keeps.add_argument("--only", dest="names", nargs="*", metavar="NAME")
    keeps.add_argument("--emulate", metavar="WARPLENS")
    for flag, usual in (("--jobs", 1), ("--seconds", 20), ("--times", 1)):
        keeps.add_argument(flag, type=int, default=usual)
    compares = verbs.add_parser("compare")
    compares.add_argument("gpu", type=pathlib.Path)
    compares.add_argument("emulated", type=pathlib.Path)
    compares.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    {"keep": keep, "compare": compare}[options.verb](options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
