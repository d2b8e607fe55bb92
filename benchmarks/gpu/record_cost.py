"""What recording costs, beside torch.profiler and Proton: each process times the program bare, then with the profiler on.

    python3 record_cost.py FOLDER [--workload tiny|gpt2] [--rounds N] [--seconds S] [--ways "record;Proton"] [--json FILE]

FOLDER holds libwarplens_collect.so and warplens_inject, as a build's folder does. torch is imported once; every measurement is a
forked process of its own, ways in random order. A way's cost is the median over its processes of (median step with) / (median step
before), with the interval that holds the true median in 95 of 100 such runs (bootstrap); `bare` shows what drift alone makes.
The recorder is injected as `warplens record --capture-range cudaProfilerApi` does, and begins with cudaProfilerStart.
"""
import argparse
import ctypes
import glob
import importlib.util
import json
import os
import pathlib
import random
import statistics
import sys
import time
import traceback
import warnings

import torch

from record_workloads import WORKLOADS, prepare

CHILD_SECONDS = 60
STEPS = {"tiny": (8, 12), "gpt2": (16, 24)}  # timed before and with the profiler
LEVELS = {"record --kernels-only": "", "record": "calls", "record --torch": "calls", "record --torch-shapes": "calls", "record --cpu": "calls",
          "record --stacks": "calls", "record --api all": "calls,all-calls"}
OPERATORS = {"record --torch": "names", "record --torch-shapes": "shapes"}
SAMPLED = {"record --cpu": {"WARPLENS_RECORD_CPU": "5000"}, "record --stacks": {"WARPLENS_RECORD_STACKS": "1000"}}
PEERS = ("torch.profiler, CUDA", "torch.profiler, CPU and CUDA", "torch.profiler, with shapes", "Proton")
WAYS = ("bare", *LEVELS, *PEERS)


class Recorder:
    def __init__(self, way, folder, out):
        library = str(folder / "libwarplens_collect.so")
        cupti = glob.glob(str(pathlib.Path(torch.__file__).parents[1] / "nvidia/*/lib/libcupti.so.*"))
        os.environ.update({"CUDA_INJECTION64_PATH": library, "NVTX_INJECTION64_PATH": library, "WARPLENS_RECORD_OUTPUT": str(out),
                           "WARPLENS_RECORD_LEVELS": LEVELS[way], "WARPLENS_RECORD_CUPTI": ":".join(cupti),
                           "WARPLENS_RECORD_CAPTURE": "cudaProfilerApi", **SAMPLED.get(way, {})})
        self.library = ctypes.CDLL(library)
        self.operators = OPERATORS.get(way)
        if self.operators:
            os.environ["WARPLENS_RECORD_TORCH"] = self.operators
        if self.operators or way in SAMPLED:
            path = folder / "warplens_inject" / "sitecustomize.py"
            sys.path.insert(0, str(path.parent))
            spec = importlib.util.spec_from_file_location("warplens_sitecustomize", path)
            self.hooks = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(self.hooks)

    def start(self):
        if self.operators:
            self.hooks.record_torch(torch)
        torch.cuda.cudart().cudaProfilerStart()

    def stop(self):
        torch.cuda.cudart().cudaProfilerStop()
        self.library.warplens_record_stop()


class Torch:
    def __init__(self, way, _folder, out):
        activities = torch.profiler.ProfilerActivity
        on = [activities.CUDA] if way.endswith("r, CUDA") else [activities.CPU, activities.CUDA]
        self.profile, self.out = torch.profiler.profile(activities=on, record_shapes=way.endswith("shapes")), str(out)
        self.start = self.profile.start

    def stop(self):
        self.profile.stop()
        if os.environ.get("RECORD_COST_TRACES"):
            self.profile.export_chrome_trace(self.out)


class Proton:
    def __init__(self, _way, _folder, out):
        self.out = str(out.with_suffix(""))

    def start(self):
        import triton.profiler

        triton.profiler.start(self.out, context="shadow")

    def stop(self):
        import triton.profiler

        triton.profiler.finalize()


class Nothing:
    def __init__(self, *_):
        self.start = self.stop = lambda: None


def profiler_of(way):
    if way == "bare":
        return Nothing
    return Recorder if way in LEVELS else Proton if way == "Proton" else Torch


def measure(way, folder, workload, out):
    warnings.simplefilter("ignore")
    profiler = profiler_of(way)(way, folder, out)
    step, launches = WORKLOADS[workload]()

    def timed(count):
        for _ in range(3):
            step()
        torch.cuda.synchronize()
        times = []
        for _ in range(count):
            start = time.perf_counter()
            step()
            torch.cuda.synchronize()
            times.append((time.perf_counter() - start) * 1e6 / launches)
        return statistics.median(times)

    before = timed(STEPS[workload][0])
    profiler.start()
    after = timed(STEPS[workload][1])
    profiler.stop()
    size = out.stat().st_size if out.exists() else 0
    return {"way": way, "before_us": before, "with_us": after, "bytes_per_step": size / (STEPS[workload][1] + 3), "launches": launches}


def in_child(way, folder, workload, results):
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        code, out = 1, pathlib.Path(f"/tmp/record_cost-{os.getpid()}.wlens")
        try:
            line = json.dumps(measure(way, folder, workload, out))
            with open(results, "a") as file:
                file.write(line + "\n")
            code = 0
        except Exception:
            traceback.print_exc()
        out.unlink(missing_ok=True)
        os._exit(code)
    until = time.monotonic() + CHILD_SECONDS
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        if time.monotonic() > until:
            os.kill(child, 9)
        time.sleep(0.02)


def interval(values):
    """Of the median, 95 %."""
    draws = random.Random(1)
    medians = sorted(statistics.median(draws.choices(values, k=len(values))) for _ in range(2000))
    return medians[50], medians[1949]


def table(workload, runs):
    print(f"| {workload} | us before | us with | cost | 95 % interval | processes | bytes a launch |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for way in WAYS:
        of_way = [run for run in runs if run["way"] == way]
        if not of_way:
            continue
        costs = [run["with_us"] / run["before_us"] - 1 for run in of_way]
        low, high = interval(costs)
        before, after = (statistics.median(run[key] for run in of_way) for key in ("before_us", "with_us"))
        size = statistics.median(run["bytes_per_step"] / run["launches"] for run in of_way)
        print(f"| {way} | {before:.2f} | {after:.2f} | {statistics.median(costs):+.1%} | {low:+.1%} to {high:+.1%} | {len(costs)} | {size:.0f} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--workload", choices=WORKLOADS, default="tiny")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--ways", default=";".join(WAYS))
    parser.add_argument("--json", type=pathlib.Path, default=pathlib.Path(f"/tmp/record_cost.{os.getpid()}"))
    options = parser.parse_args()
    options.json.write_text("")
    prepare(options.workload)
    began, ways = time.monotonic(), options.ways.split(";")
    for _ in range(options.rounds):
        random.shuffle(ways)
        for way in ways:
            if time.monotonic() - began < options.seconds:
                in_child(way, options.folder.resolve(), options.workload, options.json)
    table(options.workload, [json.loads(line) for line in options.json.read_text().splitlines()])


if __name__ == "__main__":
    main()
