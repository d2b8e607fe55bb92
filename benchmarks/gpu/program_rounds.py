#!/usr/bin/env python3
"""A blind round of programs on a GPU: what findings promise for each slow program, then how long both halves take.

    python3 program_rounds.py FOLDER OUT SECONDS MODULE[:CASE,...]... [--mended] [--times-alone]

FOLDER is a build folder; OUT gets NAME.wlens.gz and NAME.json of each recorded program, predicted.csv, slow.csv and mended.csv. A MODULE is a script
as user_programs.py is, or the program made of program_cases.cu. Each program is recorded whole, as a user does. All import their libraries at once
and wait: one lock is the right to use the GPU, and nobody has it while another imports. No program begins after SECONDS. With --mended the other
halves are recorded last, as NAME.mended.wlens.gz; with --times-alone nothing is recorded."""
import fcntl
import sys

if sys.argv[1:2] == ["one"]:  # importing torch is what the others wait for
    importing = open(sys.argv[3] + ".importing", "w")
    fcntl.flock(importing, fcntl.LOCK_SH)

import concurrent.futures
import csv
import gzip
import importlib
import json
import os
import pathlib
import signal
import subprocess
import time

import later_pairs
import user_programs

HERE = pathlib.Path(__file__).resolve()
LIBRARIES = ("torchvision", "timm", "torchmetrics.classification", *(f"transformers.models.{m}.modeling_{m}" for m in ("bert", "gpt2", "llama")))


class Round:
    def __init__(self, folder, out, seconds, modules):
        self.folder, self.out, self.until = pathlib.Path(folder).resolve(), pathlib.Path(out), time.monotonic() + float(seconds)
        self.out.mkdir(parents=True, exist_ok=True)
        self.lock, self.cases = str(self.out / "lock"), {}  # name -> finding, the command that runs its slow half
        for module, _, chosen in (module.partition(":") for module in modules):
            if module.endswith(".py"):
                own = importlib.import_module(pathlib.Path(module).stem)
                for name in chosen.split(",") if chosen else own.CASES:
                    self.cases[name] = (own.CASES[name][0], [sys.executable, str(HERE), "one", pathlib.Path(module).stem, self.lock, name])
            else:
                for line in subprocess.run([module, "list"], capture_output=True, text=True).stdout.split():
                    name, finding = line.split(",")
                    if chosen and name not in chosen.split(","):
                        continue
                    self.cases[name] = (finding, ["flock", self.lock, module, name])

    def record(self, name, half):
        file = self.out / (f"{name}.wlens" if half == "slow" else f"{name}.mended.wlens")
        command = self.cases[name][1]
        shapes = [] if command[0] == "flock" else ["--torch-shapes"]
        self.run(name, [self.folder / "warplens", "record", *shapes, "--quiet", "-f", "-o", file, "--", *command, half])
        if not file.exists():
            return
        found = subprocess.run([self.folder / "warplens", "findings", "--json", file], capture_output=True, text=True)
        file.with_suffix(".json").write_text(found.stdout)
        file.with_suffix(".wlens.gz").write_bytes(gzip.compress(file.read_bytes()))
        file.unlink()

    def run(self, name, command):
        """Its output; errors are printed."""
        if time.monotonic() > self.until:
            return ""
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        try:
            out, errors = process.communicate(timeout=max(90, self.until - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # the program too, lest it keep the lock
            out, errors = process.communicate()[0], "takes too long"
        if process.returncode:
            print(f"{name}: {errors[-600:]}", flush=True)
        return out

    def every(self, work):
        with concurrent.futures.ThreadPoolExecutor(len(self.cases)) as pool:
            for one in [pool.submit(work, name) for name in self.cases]:
                one.result()

    def predict(self):
        with open(self.out / "predicted.csv", "w") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(("case", "finding", "place", "saving", "first", "first_saving", "step_ns"))
            for name, (finding, _) in self.cases.items():
                report = self.out / f"{name}.json"
                if report.exists() and report.stat().st_size:
                    rows.writerow((name, *later_pairs.promised(json.loads(report.read_text()), finding)))

    def time(self, name):
        finding, command = self.cases[name]
        if command[0] != "flock":
            return self.run(name, [*command, "time", str(self.out)])
        for half in ("slow", "mended"):
            took = self.run(name, [*command, half, "time"]).strip()
            with open(self.out / f"{half}.csv", "a") as file:
                file.write(f"{name},{finding},{took},CUDA C++\n")


def one(module, lock, name, what, *out):
    """The program, which waits for its turn when all that it needs is imported."""
    for library in LIBRARIES if module in ("library_programs", "everyday_programs") else ():
        importlib.import_module(library)
    user_programs.FIRST.update(importlib.import_module(module).CASES)
    fcntl.flock(importing, fcntl.LOCK_UN)
    turn = open(lock, "w")
    fcntl.flock(turn, fcntl.LOCK_EX)  # until the process ends
    fcntl.flock(importing, fcntl.LOCK_EX)  # none imports any more
    fcntl.flock(importing, fcntl.LOCK_UN)
    if what == "time":
        user_programs.time_both(name, pathlib.Path(*out))
    else:
        user_programs.run(name, what)


def main(folder, out, seconds, *rest):
    blind = Round(folder, out, seconds, [module for module in rest if not module.startswith("--")])
    began = time.monotonic()

    def told(what):
        print(f"{what} after {time.monotonic() - began:.0f} s", flush=True)

    if "--times-alone" not in rest:
        blind.every(lambda name: blind.record(name, "slow"))
        blind.predict()
        told("recorded")
    for half in ("slow", "mended"):
        later_pairs.header(blind.out / f"{half}.csv")
    blind.every(blind.time)
    told("timed")
    if "--mended" in rest:
        blind.every(lambda name: blind.record(name, "mended"))
        told("mended halves recorded")


if __name__ == "__main__":
    one(*sys.argv[2:]) if sys.argv[1] == "one" else main(*sys.argv[1:])
