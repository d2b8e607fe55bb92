#!/usr/bin/env python3
"""How long the first steps of a program take, bare and recorded: a process that has just begun runs slower than one that is warm.

    python3 first_steps.py FOLDER SECONDS MODULE:CASE,...

FOLDER is a build folder, a MODULE a script as user_programs.py is. Each way of recording runs each slow program in a process of its own; all
import their libraries at once and then take turns. Told are medians of steps 2 to 5, 6 to 20, 21 to 60 and 61 to 100, in milliseconds. None of the
programs begins after SECONDS."""
import fcntl
import sys

if sys.argv[1:2] == ["one"]:  # importing torch is what the others wait for
    importing = open(sys.argv[3] + ".importing", "w")
    fcntl.flock(importing, fcntl.LOCK_SH)

import concurrent.futures
import importlib
import pathlib
import statistics
import subprocess
import tempfile
import time

STEPS = 100
WAYS = {"bare": None, "bare again": None, "record": [], "record --torch": ["--torch"], "record --torch-shapes": ["--torch-shapes"]}
RANGES = ((1, 5), (5, 20), (20, 60), (60, 100))


def one(module, lock, name, until):
    cases = importlib.import_module(pathlib.Path(module).stem).CASES
    import torch

    fcntl.flock(importing, fcntl.LOCK_UN)
    turn = open(lock, "w")
    fcntl.flock(turn, fcntl.LOCK_EX)
    fcntl.flock(importing, fcntl.LOCK_EX)  # none imports any more
    fcntl.flock(importing, fcntl.LOCK_UN)
    if time.time() > float(until):
        return
    torch.manual_seed(0)
    step, took = cases[name][2](True), []
    for _ in range(STEPS):
        began = time.perf_counter()
        step()
        took.append((time.perf_counter() - began) * 1e3)
    torch.cuda.synchronize()
    print(*(f"{statistics.median(took[a:b]):.2f}" for a, b in RANGES), sep=",")


def run(folder, module, lock, name, way, flags, until):
    command = [sys.executable, __file__, "one", module, lock, name, str(until)]
    if flags is not None:
        file = f"{lock}.{name}.{way.replace(' ', '')}.wlens"
        command = [folder / "warplens", "record", *flags, "--quiet", "-f", "-o", file, "--", *command]
    done = subprocess.run(command, capture_output=True, text=True)
    return name, way, done.stdout.strip() or done.stderr[-200:].replace("\n", " ")


def main(folder, seconds, *modules):
    folder, until = pathlib.Path(folder).resolve(), time.time() + float(seconds)
    with tempfile.TemporaryDirectory() as out, concurrent.futures.ThreadPoolExecutor(64) as pool:
        waiting = []
        for module, _, names in (each.partition(":") for each in modules):
            for name in names.split(","):
                for way, flags in WAYS.items():
                    waiting.append(pool.submit(run, folder, module, f"{out}/lock", name, way, flags, until))
        print("case,way,2_to_5,6_to_20,21_to_60,61_to_100")
        for each in waiting:
            print(*each.result(), sep=",", flush=True)


if __name__ == "__main__":
    one(*sys.argv[2:]) if sys.argv[1] == "one" else main(*sys.argv[1:])
