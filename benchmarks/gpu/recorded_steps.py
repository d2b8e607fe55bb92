#!/usr/bin/env python3
"""The cost that recording adds to host-bound steps, by part: python3 recorded_steps.py FOLDER [WORKLOAD...]

FOLDER is a build folder. For each way a forked process runs 24 steps attached but not recording, then 24 recorded ones; a bare one runs as many.
Told: the median of a step before and after the recording began, that of the first five after it, the processor time of the process' other
threads and the bytes a step. Two rounds of all, in turns. `parted`: the other threads are kept on other cores than the program's.
"""
import contextlib
import os
import pathlib
import statistics
import sys
import time

import torch
import torch.nn as nn

import later_cases
from later_pairs import forked
from record_cost import Recorder
from record_workloads import small_layers

DEVICE, STEPS = "cuda", 24
# way -> of Recorder, operators, modules, whether other threads run elsewhere
WAYS = {"bare": (None, None, False, False), "record": ("record", None, False, False), "operators": ("record --torch", "names", False, False),
        "--torch": ("record --torch", "names", True, False), "shapes": ("record --torch-shapes", "shapes", False, False),
        "--torch-shapes": ("record --torch-shapes", "shapes", True, False), "--torch-shapes, parted": ("record --torch-shapes", "shapes", True, True)}


def language_model():
    """A training step as transformers' models make it: many operators a launch."""
    class Block(nn.Module):
        def __init__(self, width=256, heads=8):
            super().__init__()
            self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))
            self.up, self.down, self.act = nn.Linear(width, 4 * width), nn.Linear(4 * width, width), nn.GELU()
            self.n1, self.n2, self.drop, self.heads = nn.LayerNorm(width), nn.LayerNorm(width), nn.Dropout(0.1), heads

        def forward(self, x):
            h = self.n1(x)
            split = lambda t: t.view(*t.shape[:2], self.heads, -1).transpose(1, 2)
            a = torch.nn.functional.scaled_dot_product_attention(split(self.q(h)), split(self.k(h)), split(self.v(h)), is_causal=True)
            x = x + self.drop(self.o(a.transpose(1, 2).reshape(x.shape)))
            return x + self.drop(self.down(self.act(self.up(self.n2(x)))))

    model = nn.Sequential(nn.Embedding(1000, 256), *[Block() for _ in range(12)], nn.Linear(256, 1000)).to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, foreach=True)
    tokens = torch.randint(0, 1000, (2, 64), device=DEVICE)

    def step():
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten()).backward()
        optimizer.step()

    return step


WORKLOADS = {"small_layers": small_layers, "language_model": language_model, "many_parameters": lambda: later_cases.many_parameters(True),
             "sampler": lambda: later_cases.sampler(True)}


def other_threads_ns():
    total = 0
    for task in pathlib.Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):
            if task.name != str(os.getpid()):
                total += int((task / "schedstat").read_text().split()[0])
    return total


def part_threads():
    cores = sorted(os.sched_getaffinity(0))
    for task in pathlib.Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):
            os.sched_setaffinity(int(task.name), {cores[0]} if task.name == str(os.getpid()) else set(cores[len(cores) // 2:]))


def steps_us(step, count):
    took = []
    for _ in range(count):
        began = time.perf_counter()
        step()
        torch.cuda.synchronize()
        took.append(1e6 * (time.perf_counter() - began))
    return took


def run(workload, way, folder):
    how, operators, modules, parted = WAYS[way]
    file = pathlib.Path(f"/tmp/recorded_steps-{os.getpid()}.wlens")
    recorder = Recorder(how, folder, file) if how else None
    torch.manual_seed(0)
    step = WORKLOADS[workload]()
    steps_us(step, 10)
    before = steps_us(step, STEPS)
    if recorder:
        recorder.operators = None
        if operators:
            recorder.hooks.observe_operators(torch)
        if modules:
            recorder.hooks.mark_modules(torch)
        recorder.start()
    if parted:
        part_threads()
    threads = other_threads_ns()
    after = steps_us(step, STEPS)
    threads = (other_threads_ns() - threads) / STEPS / 1e3
    if recorder:
        recorder.stop()
    print(f"{workload},{way},{statistics.median(before):.1f},{statistics.median(after):.1f},{statistics.median(after[:5]):.1f},{threads:.1f},"
          f"{file.stat().st_size / STEPS if file.exists() else 0:.0f}", flush=True)
    file.unlink(missing_ok=True)


def main(folder, *names):
    print("workload,way,before_us,recorded_us,first_us,other_threads_us,bytes")
    for _ in range(2):
        for workload in names or WORKLOADS:
            for way in WAYS:
                forked(lambda: run(workload, way, pathlib.Path(folder).resolve()))


if __name__ == "__main__":
    main(*sys.argv[1:])
