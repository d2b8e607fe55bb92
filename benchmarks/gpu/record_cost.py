"""The cost of recording, compared with torch.profiler and Proton: processes take turns, bare and with each profiler.

    python3 record_cost.py FOLDER [--workload NAME] [--sets N] [--seconds S] [--ways "record;Proton"] [--before FOLDER] [--json FILE]

A way with " before" behind it (--ways "record --torch;record --torch before") is that of an older build, which lies in --before.
FOLDER holds libwarplens_collect.so and warplens_inject, as a build's folder does, and libcupti_alone.so (cupti_alone.cu) for the ways
that ask CUPTI without a recorder, which only --ways names. torch is imported once; a set is a forked process
for each way and a bare one, which take turns of some 50 ms on one core, first without any profiler, then with: machines have slow
phases of a second and more and slower cores, which hit the neighbours of a turn alike. A way's cost in a set is the median over rounds of (its step) / (the bare
process's step), with profilers over without, so that what differs from process to process cancels; told is the median over sets with
the interval that holds the true median in 95 of 100 such runs (bootstrap). `bare again`, a second bare process, shows what is left.
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
import select
import statistics
import sys
import time
import traceback
import warnings

import torch

from record_workloads import WORKLOADS, prepare

TURN_SECONDS = 60
ROUNDS = {"tiny": (5, 7), "gpt2": (6, 10), "small_layers": (5, 12), "hugging_face": (5, 12)}  # without and with profilers
PAUSED = "record, paused"  # as --schedule does between its steps
LEVELS = {"record --kernels-only": "", "record": "calls", "record --torch": "calls", "record --torch-shapes": "calls", "record --cpu": "calls",
          "record --stacks": "calls", "record --api all": "calls,all-calls", PAUSED: "calls"}
OPERATORS = {"record --torch": "names", "record --torch-shapes": "shapes"}
SAMPLED = {"record --cpu": {"WARPLENS_RECORD_CPU": "5000"}, "record --stacks": {"WARPLENS_RECORD_STACKS": "1000"}}
PEERS = ("torch.profiler, CUDA", "torch.profiler, CPU and CUDA", "torch.profiler, with shapes", "Proton")
BARE = ("bare", "bare again")
BEFORE = " before"
ALONE = ("CUPTI alone: nothing asked", "CUPTI alone: kernels", "CUPTI alone: kernels, no more", "CUPTI alone: kernels, launches called back")
WAYS = (*BARE, *LEVELS, *ALONE, *PEERS)


class Recorder:
    def __init__(self, way, folder, out):
        library = str(folder / "libwarplens_collect.so")
        cupti = glob.glob(str(pathlib.Path(torch.__file__).parents[1] / "nvidia/*/lib/libcupti.so.*"))
        os.environ.update({"CUDA_INJECTION64_PATH": library, "NVTX_INJECTION64_PATH": library, "WARPLENS_RECORD_OUTPUT": str(out),
                           "WARPLENS_RECORD_LEVELS": LEVELS[way], "WARPLENS_RECORD_CUPTI": ":".join(cupti),
                           "WARPLENS_RECORD_CAPTURE": "cudaProfilerApi", **SAMPLED.get(way, {})})
        self.library = ctypes.CDLL(library)
        self.operators, self.pauses = OPERATORS.get(way), way == PAUSED
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
        if self.pauses:
            torch.ones(1, device="cuda").item()
            torch.cuda.cudart().cudaProfilerStop()

    def stop(self):
        torch.cuda.cudart().cudaProfilerStop()
        self.library.warplens_record_stop()


class Alone:
    """CUPTI without a recorder (cupti_alone.cu): the least that asking it for these costs."""

    def __init__(self, way, folder, _out):
        path = os.environ["CUDA_INJECTION64_PATH"] = str(folder / "libcupti_alone.so")
        self.library, self.asked = ctypes.CDLL(path), way.split(": ")[1]
        self.stop = lambda: None

    def start(self):
        if "launches" in self.asked:
            self.library.callbacks_of_launches()
        if "kernels" in self.asked:
            self.library.records_of_kernels(1)
        if "no more" in self.asked:
            torch.ones(1, device="cuda").item()
            self.library.records_of_kernels(0)


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
    if way in BARE:
        return Nothing
    if way in ALONE:
        return Alone
    return Recorder if way in LEVELS else Proton if way == "Proton" else Torch


def serve(way, folders, workload, core, out, requests, answers):
    """A process that takes its turns: "turn" is answered with microseconds a launch, "start" and "stop" with what is on disk."""
    warnings.simplefilter("ignore")
    folder, way = folders[way.endswith(BEFORE)], way.removesuffix(BEFORE)
    profiler = profiler_of(way)(way, folder, out)
    step, launches = WORKLOADS[workload]()
    everywhere = os.sched_getaffinity(0)

    def turn():
        os.sched_setaffinity(0, {core})  # of this thread alone: those of profilers go where they like
        step()  # the core, the caches and the GPU's clocks come back from the others' turns
        torch.cuda.synchronize()
        start = time.perf_counter()
        step()
        torch.cuda.synchronize()
        took = (time.perf_counter() - start) * 1e6 / launches
        os.sched_setaffinity(0, everywhere)
        return took

    def change(how):
        how()
        return out.stat().st_size if out.exists() else 0

    known = {"turn": turn, "start": lambda: change(profiler.start), "stop": lambda: change(profiler.stop)}
    for _ in range(3):
        turn()
    for line in requests:
        answers.write(f"{known[line.strip()]()}\n")
        answers.flush()


class Process:
    def __init__(self, way, folders, workload, core):
        self.way, self.launches = way, 1
        sys.stdout.flush()
        (theirs, requests), (answers, ours) = os.pipe(), os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(requests)
            try:
                serve(way, folders, workload, core, self.recording(os.getpid()), os.fdopen(theirs), os.fdopen(ours, "w"))
            except Exception:
                traceback.print_exc()
            os._exit(0)
        os.close(theirs)
        os.close(ours)
        self.requests, self.answers = os.fdopen(requests, "w"), os.fdopen(answers)

    @staticmethod
    def recording(pid):
        return pathlib.Path(f"/tmp/record_cost-{pid}.wlens")

    def ask(self, what):
        self.requests.write(what + "\n")
        self.requests.flush()
        if not select.select([self.answers], [], [], TURN_SECONDS)[0]:
            raise RuntimeError(f"{self.way} hangs at {what}")
        return float(self.answers.readline() or "nan")

    def end(self):
        self.requests.close()
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)
        self.recording(self.pid).unlink(missing_ok=True)
        self.answers.close()


def ratios(processes, rounds):
    """way -> what each of its turns took, in bare turns of the same round; and microseconds of all."""
    took = {process.way: [] for process in processes}
    for _ in range(rounds):
        for process in random.sample(processes, len(processes)):
            took[process.way].append(process.ask("turn"))
    return {way: [a / b for a, b in zip(times, took["bare"])] for way, times in took.items()}, took


def measure(ways, folders, workload):
    processes, core = [], random.choice(sorted(os.sched_getaffinity(0)))
    try:
        for way in ways:
            processes.append(Process(way, folders, workload, core))
        without, _ = ratios(processes, ROUNDS[workload][0])
        for process in processes:
            process.ask("start")
        within, took = ratios(processes, ROUNDS[workload][1])
        sizes = {process.way: process.ask("stop") for process in processes}
    finally:
        for process in processes:
            process.end()
    return [{"way": way, "cost": statistics.median(within[way]) - 1, "grew": statistics.median(within[way]) / statistics.median(without[way]) - 1,
             "us": statistics.median(took[way]), "bytes_per_step": sizes[way] / (2 * ROUNDS[workload][1])} for way in ways]


def interval(values):
    """Of the median, 95 %."""
    draws = random.Random(1)
    medians = sorted(statistics.median(draws.choices(values, k=len(values))) for _ in range(2000))
    return medians[50], medians[1949]


def table(workload, runs):
    print(f"| {workload} | us | cost | 95 % interval | grew | 95 % interval | sets | bytes a step |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for way in (name for way in WAYS for name in (way + BEFORE, way)):
        of_way = [run for run in runs if run["way"] == way]
        if not of_way:
            continue
        told = []
        for key in ("cost", "grew"):
            values = [run[key] for run in of_way]
            low, high = interval(values)
            told.append(f"{statistics.median(values):+.1%} | {low:+.1%} to {high:+.1%}")
        us, size = (statistics.median(run[key] for run in of_way) for key in ("us", "bytes_per_step"))
        print(f"| {way} | {us:.2f} | {' | '.join(told)} | {len(of_way)} | {size:.0f} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--before", type=pathlib.Path, default=pathlib.Path())
    parser.add_argument("--workload", choices=WORKLOADS, default="tiny")
    parser.add_argument("--sets", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no set after this")
    parser.add_argument("--ways", default=";".join(way for way in WAYS[1:] if way not in ALONE))
    parser.add_argument("--json", type=pathlib.Path, default=pathlib.Path(f"/tmp/record_cost.{os.getpid()}"))
    options = parser.parse_args()
    prepare(options.workload)
    began, runs = time.monotonic(), []
    for _ in range(options.sets):
        if time.monotonic() - began > options.seconds:
            break
        try:
            runs += measure(["bare", *options.ways.split(";")], (options.folder.resolve(), options.before.resolve()), options.workload)
        except RuntimeError as error:
            print(error)
        options.json.write_text(json.dumps(runs))
    table(options.workload, runs)


if __name__ == "__main__":
    main()
