"""The cost that each level of recording adds to the launch-bound loop, within one process: turns of 2,500 launches with recording off and on.

    python3 record_levels.py FOLDER [--seconds S] [--pairs N] [--json FILE]

FOLDER is a build's folder, as for record_cost.py, which compares with processes that never saw a recorder; here machines and cores that differ
cancel wholly, and what stays while recording is off is not seen. A cost is the median over pairs of turns; told are the median over
processes and their least and most. `observers alone`: PyTorch tells operators with their inputs, nothing is recorded: the floor of shapes.
"""
import argparse
import ctypes
import glob
import json
import os
import pathlib
import random
import statistics
import sys
import time
import traceback

import torch

LAUNCHES = 2500
# level -> what is recorded (WARPLENS_RECORD_LEVELS), operators, further settings
LEVELS = {
    "off and off": None,
    "--kernels-only": ("", None, {}),
    "(none)": ("calls", None, {}),
    "--memory": ("calls,memory", None, {}),
    "--stacks": ("calls", None, {"WARPLENS_RECORD_STACKS": "1000"}),
    "--torch": ("calls", "names", {}),
    "--torch-shapes": ("calls", "shapes", {}),
    "operators without kernels": ("host", "shapes", {}),
    "observers alone": ("alone", "shapes", {}),
}


def prepare(level, folder):
    """Switches for on and off."""
    levels, operators, more = LEVELS[level] or ("calls", None, {})
    library = str(folder / "libwarplens_collect.so")
    cupti = glob.glob(str(pathlib.Path(torch.__file__).parents[1] / "nvidia/*/lib/libcupti.so.*"))
    kernels = levels not in ("alone", "host")
    os.environ.update({"NVTX_INJECTION64_PATH": library, "WARPLENS_RECORD_OUTPUT": f"/tmp/record_levels-{os.getpid()}.wlens",
                       "WARPLENS_RECORD_LEVELS": levels if kernels else "host", "WARPLENS_RECORD_CUPTI": ":".join(cupti),
                       "WARPLENS_RECORD_CAPTURE": "cudaProfilerApi" if levels != "host" else "", **more})
    if kernels:
        os.environ["CUDA_INJECTION64_PATH"] = library
    recorder, cudart = ctypes.CDLL(library), torch.cuda.cudart()
    sys.path.insert(0, str(folder / "warplens_inject"))
    import _warplens_observe

    def on():
        if operators:
            assert _warplens_observe.observe(torch, recorder, operators == "shapes")
        if kernels and LEVELS[level]:
            cudart.cudaProfilerStart()

    def off():
        if kernels and LEVELS[level]:
            cudart.cudaProfilerStop()
        if operators:
            recorder.warplens_torch_end()

    return on, off


def measure(level, folder, pairs, to):
    on, off = prepare(level, folder)
    x = torch.ones(1024, device="cuda")
    os.sched_setaffinity(0, {random.choice(sorted(os.sched_getaffinity(0)))})  # this thread

    def turn():
        for _ in range(300):
            x.add_(1)
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(LAUNCHES):
            x.add_(1)
        torch.cuda.synchronize()
        return (time.perf_counter() - start) * 1e6 / LAUNCHES

    for _ in range(6):
        turn()
    without, more = [], []
    for _ in range(pairs):
        off_us = turn()
        on()
        on_us = turn()
        off()
        without.append(off_us)
        more.append(on_us / off_us - 1)
    to.write(json.dumps([statistics.median(without), statistics.median(more)]))
    to.flush()


def run(level, folder, pairs):
    theirs, ours = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(theirs)
            measure(level, folder, pairs, os.fdopen(ours, "w"))
        except Exception:
            traceback.print_exc()
        pathlib.Path(f"/tmp/record_levels-{os.getpid()}.wlens").unlink(missing_ok=True)
        os._exit(0)
    os.close(ours)
    with os.fdopen(theirs) as answers:
        text = answers.read()
    os.waitpid(pid, 0)
    return json.loads(text) if text else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--pairs", type=int, default=24)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    got, began = {level: [] for level in LEVELS}, time.monotonic()
    while time.monotonic() - began < options.seconds:
        for level in random.sample(list(LEVELS), len(LEVELS)):
            if time.monotonic() - began > options.seconds:
                break
            measured = run(level, options.folder.resolve(), options.pairs)
            if measured:
                got[level].append(measured)
    if options.json:
        options.json.write_text(json.dumps(got))
    print("| level | us | cost | least to most | processes |\n| --- | ---: | ---: | ---: | ---: |")
    for level, runs in got.items():
        if runs:
            costs = [cost for _, cost in runs]
            us = statistics.median(time for time, _ in runs)
            print(f"| {level} | {us:.2f} | {statistics.median(costs):+.1%} | {min(costs):+.1%} to {max(costs):+.1%} | {len(runs)} |")


if __name__ == "__main__":
    main()
