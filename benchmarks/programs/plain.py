#!/usr/bin/env python3
"""Public repositories, built by plain nvcc or their own Makefiles with no flag of ours, and run as they are by `warplens emulate`.

plain.py FOLDER [--warplens PROGRAM] [--fetch] [--build] [--run] [--table FILE] [--seconds N] [REPOSITORY...]

FOLDER gets a clone of each repository of repositories.json, and results.json. nvcc links the CUDA runtime into the program, as it does by default. The
makefiles of 2013 name GPUs that nvcc 13 no longer knows: NVCC_OPTS leaves them out. A program passes where its own check says so.
"""
import argparse
import json
import pathlib
import shlex
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from run import lacks_data, verdict  # noqa: E402

REPOSITORIES = json.loads((HERE / "repositories.json").read_text())
REASONS = json.loads((HERE / "plain_reasons.json").read_text())  # why a program does not pass, where that was looked into


def fetch(repository, folder):
    if not folder.exists():
        subprocess.run(["git", "clone", "-q", f"https://github.com/{repository}", str(folder)], check=True)
        subprocess.run(["git", "-C", str(folder), "checkout", "-q", REPOSITORIES[repository]["commit"]], check=True)


def shell(command, folder, seconds):
    try:
        done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, timeout=seconds, check=False, stdin=subprocess.DEVNULL)
        return done.returncode, (done.stdout + done.stderr).decode(errors="replace")
    except subprocess.TimeoutExpired:
        return 124, ""


def build(program, folder):
    code, text = shell(program["build"], folder, 900)
    if code == 0:
        return None
    wrong = next((line for line in text.splitlines() if "error" in line or "Error" in line), text.strip().splitlines()[-1] if text.strip() else "")
    return {"verdict": "does not build: " + wrong.strip()[:140], "wall_s": 0}


def run(program, folder, warplens, seconds):
    begin = time.time()
    code, text = shell(f"ulimit -t {seconds}; exec {shlex.quote(warplens)} emulate -- bash -c {shlex.quote(program['run'])}", folder, 12 * seconds)
    said = verdict(code, text)
    if said.startswith(("fails", "exit code")) and (missing := lacks_data(program["run"], folder, text)):
        said = "lacks data: " + missing
    return {"verdict": said, "wall_s": round(time.time() - begin, 1), "output": text[-2000:]}


def table(results):
    groups = {}
    for name, result in sorted(results.items()):
        groups.setdefault(result["verdict"].partition(":")[0], []).append((name, result))
    repositories = {name.partition(" ")[0] for name, result in results.items() if not result["verdict"].startswith("does not build")}
    ran = sum(len(rows) for group, rows in groups.items() if group != "does not build")
    right = sum(len(rows) for group, rows in groups.items() if group in ("pass", "does not say"))
    lines = [f"**{len(repositories)} repositories, {ran} programs that nvcc builds: {len(groups.get('pass', []))} pass their own checks, "
             f"{right - len(groups.get('pass', []))} more end well and do not check themselves.**", "", "| program | result | |", "|---|---|---|"]
    unbuilt = len(groups.pop("does not build", []))
    lines[1:1] = ["", f"{unbuilt} more do not build: CUDA 13 lacks what they call, or a header or library is missing."]
    for group in sorted(groups, key=lambda g: (g != "pass", g != "does not say", g)):
        for name, result in groups[group]:
            remark = REASONS.get(name) or result["verdict"].partition(": ")[2]
            lines.append(f"| {name} | {group} | {remark.replace('|', '/')} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("repositories", nargs="*")
    parser.add_argument("--warplens", default=str(HERE.parent.parent / "build/warplens"))
    parser.add_argument("--fetch", action="store_true")
    parser.add_argument("--build", action="store_true")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=60, help="of processor time for a program")
    options = parser.parse_intermixed_args()
    kept = options.folder / "results.json"
    results = json.loads(kept.read_text()) if kept.exists() else {}
    for repository in options.repositories or REPOSITORIES:
        root = options.folder / repository.replace("/", "+")
        if options.fetch:
            fetch(repository, root)
        for program in REPOSITORIES[repository]["programs"]:
            name, folder = f"{repository} {program['folder']}/{program['run'].removeprefix('./')}", root / program["folder"]
            if options.build and (failed := build(program, folder)):
                results[name] = failed
            elif options.run:
                results[name] = run(program, folder, options.warplens, options.seconds)
            else:
                continue
            kept.write_text(json.dumps(results, indent=1))
            print(name, results[name]["verdict"], results[name]["wall_s"], sep="\t", flush=True)
    if options.table:
        options.table.write_text(table(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
