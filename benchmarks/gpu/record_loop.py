"""What recording costs, with little noise: torch is imported once, and each way to record runs in forked children, in turn.

    python3 record_loop.py FOLDER [--workload tiny|gpt2] [--rounds N] [--ways "bare;record"] [--seconds S]

FOLDER holds libwarplens_collect.so and warplens_inject, as a build's folder does. A way's time is the median over its children of
each one's median step; processes differ by several percent among themselves, so that few rounds say little.
"""
import argparse
import glob
import importlib.util
import json
import os
import pathlib
import statistics
import sys
import time
import traceback
import warnings

import torch

from record_workloads import WORKLOADS

CHILD_SECONDS = 60
STEPS = {"tiny": 14, "gpt2": 8}


def cupti():
    return ":".join(glob.glob(str(pathlib.Path(torch.__file__).parents[1] / "nvidia/*/lib/libcupti.so.*")))


def recorded(folder, levels, operators=None):
    library = str(folder / "libwarplens_collect.so")
    variables = {"CUDA_INJECTION64_PATH": library, "NVTX_INJECTION64_PATH": library, "WARPLENS_RECORD_OUTPUT": "/tmp/record_loop-%p.wlens",
                 "WARPLENS_RECORD_LEVELS": levels, "WARPLENS_RECORD_CUPTI": cupti()}
    return {**variables, **({"WARPLENS_RECORD_TORCH": operators} if operators else {})}


def ways(folder):
    return {"bare": {}, "record --kernels-only": recorded(folder, ""), "record": recorded(folder, "calls"),
            "record --torch": recorded(folder, "calls", "names"), "record --torch-shapes": recorded(folder, "calls", "shapes"),
            "record --cpu": {**recorded(folder, "calls"), "WARPLENS_RECORD_CPU": "5000"},
            "torch.profiler, CUDA": {}, "torch.profiler, CPU and CUDA": {}, "torch.profiler, with shapes": {}}


def timed_steps(workload):
    step, launches = WORKLOADS[workload]()
    times = []
    for _ in range(4):
        step()
    torch.cuda.synchronize()

    def run():
        for _ in range(STEPS[workload]):
            start = time.perf_counter()
            step()
            torch.cuda.synchronize()
            times.append((time.perf_counter() - start) * 1e6 / launches)
        return statistics.median(times)

    return run


def measure(way, folder, workload):
    if way.startswith("record --torch") or way == "record --cpu":
        path = folder / "warplens_inject" / "sitecustomize.py"
        sys.path.insert(0, str(path.parent))
        spec = importlib.util.spec_from_file_location("warplens_sitecustomize", path)
        hooks = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(hooks)
        if "torch" in way:
            hooks.record_torch(torch)
    run = timed_steps(workload)
    if not way.startswith("torch"):
        return run()
    warnings.simplefilter("ignore")
    activities = torch.profiler.ProfilerActivity
    on = [activities.CUDA] if way.endswith("r, CUDA") else [activities.CPU, activities.CUDA]
    with torch.profiler.profile(activities=on, record_shapes=way.endswith("shapes")):
        return run()


def in_child(way, variables, folder, workload, results):
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.environ.update(variables)
            us = measure(way, folder, workload)
            with open(results, "a") as file:
                file.write(json.dumps([way, us]) + "\n")
            code = 0
        except Exception:
            traceback.print_exc()
        os._exit(code)
    until = time.monotonic() + CHILD_SECONDS
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        if time.monotonic() > until:
            os.kill(child, 9)
        time.sleep(0.02)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--workload", choices=WORKLOADS, default="tiny")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ways")
    parser.add_argument("--seconds", type=float, default=1e9)
    options = parser.parse_args()
    chosen = {way: v for way, v in ways(options.folder.resolve()).items() if not options.ways or way in options.ways.split(";")}
    results = f"/tmp/record_loop.{os.getpid()}"
    open(results, "w").close()
    began = time.monotonic()
    for number in range(options.rounds):
        for way in list(chosen) if number % 2 == 0 else list(chosen)[::-1]:
            if time.monotonic() - began < options.seconds:
                in_child(way, chosen[way], options.folder.resolve(), options.workload, results)
        for file in glob.glob("/tmp/record_loop-*.wlens"):
            os.unlink(file)
    times = {}
    for line in open(results):
        way, us = json.loads(line)
        times.setdefault(way, []).append(us)
    bare = statistics.median(times["bare"])
    print(f"| {options.workload} | us | against bare | least | runs |\n| --- | ---: | ---: | ---: | ---: |")
    for way, us in times.items():
        middle = statistics.median(us)
        print(f"| {way} | {middle:.2f} | {middle / bare - 1:+.1%} | {min(us):.2f} | {len(us)} |")


if __name__ == "__main__":
    main()
