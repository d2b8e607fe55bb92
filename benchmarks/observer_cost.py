#!/usr/bin/env python3
"""The cost of an operator under `warplens record --torch`, beside torch.profiler: on the CPU, no GPU needed.

    python3 observer_cost.py BUILD_FOLDER [--rounds N]

Times are the calling thread's own processor time, so that other work on the machine matters little. Each way takes turns in one process;
told are the median nanoseconds an operator takes, what the way adds, and that as a share of what torch.profiler adds. Operators with
many inputs cost more with shapes.
"""
import argparse
import ctypes
import os
import pathlib
import statistics
import sys
import tempfile
import time

import torch

OPERATORS = 4000


def loops():
    x, y = torch.ones(4), torch.ones(4)
    several = [torch.ones(4) for _ in range(8)]

    def add():
        for _ in range(OPERATORS):
            x.add_(y)

    def where():
        condition = x > 0
        for _ in range(OPERATORS):
            torch.where(condition, x, y)

    def stack():
        for _ in range(OPERATORS // 4):
            torch.stack(several)

    return {"add_ (2 inputs)": (add, OPERATORS), "where (3 inputs)": (where, OPERATORS), "stack (list of 8)": (stack, OPERATORS // 4)}


class Recorder:
    def __init__(self, folder):
        self.library = ctypes.CDLL(str(folder / "libwarplens_collect.so"))
        self.folder = tempfile.TemporaryDirectory()
        os.environ.update(WARPLENS_RECORD_OUTPUT=f"{self.folder.name}/observer.wlens", WARPLENS_RECORD_LEVELS="host",
                          WARPLENS_RECORD_MEMORY_LIMIT=str(1 << 30))
        sys.path.insert(0, str(folder / "warplens_inject"))
        import _warplens_observe

        self.observe = _warplens_observe.observe

    def on(self, shapes):
        assert self.observe(torch, self.library, shapes), "this torch cannot be observed"

    def off(self):
        self.library.warplens_torch_end()


def thread_ns(run):
    began = time.thread_time_ns()
    run()
    return time.thread_time_ns() - began


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    recorder = Recorder(arguments.folder.resolve())

    def recorded(run, shapes):
        recorder.on(shapes)
        try:
            run()  # names and places are known from here on
            return thread_ns(run)
        finally:
            recorder.off()
            time.sleep(0.05)  # the recorder's thread writes

    def profiled(run, shapes):
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=shapes):
            return thread_ns(run)

    ways = {"bare": thread_ns, "--torch": lambda run: recorded(run, False), "--torch-shapes": lambda run: recorded(run, True),
            "torch.profiler": lambda run: profiled(run, False), "torch.profiler, shapes": lambda run: profiled(run, True)}
    print(f"{'operator':18} {'way':24} {'ns each':>9} {'adds':>8} {'of torch.profiler':>18}")
    for name, (run, count) in loops().items():
        run()
        times = {way: [] for way in ways}
        for _ in range(arguments.rounds):
            for way, take in ways.items():
                times[way].append(take(run) / count)
        medians = {way: statistics.median(values) for way, values in times.items()}
        for way, each in medians.items():
            adds = each - medians["bare"]
            peer = medians["torch.profiler, shapes" if "shapes" in way else "torch.profiler"] - medians["bare"]
            share = "" if way == "bare" or "profiler" in way else f"{adds / peer:.2f}"
            print(f"{name:18} {way:24} {each:9.0f} {adds:8.0f} {share:>18}")


if __name__ == "__main__":
    main()
