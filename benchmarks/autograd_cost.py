#!/usr/bin/env python3
"""The host's cost if an operator keeps data for a backward pass, and drops it again: on the CPU, no GPU needed.

    python3 autograd_cost.py [--rounds N]

Small operators run with and without gradients in turns; told is the least time of each, so that other work on the machine matters little."""
import argparse
import statistics
import time

import torch
import torch.nn.functional as F

CALLS = 50


def operators():
    x, w, b = torch.ones(2, 8), torch.ones(8, 8, requires_grad=True), torch.ones(8, requires_grad=True)
    return {"linear": lambda h: F.linear(h, w, b), "layer_norm": lambda h: F.layer_norm(h, (8,), b, b), "relu": F.relu, "mul": lambda h: h * b}, x


def took(run, x, gradients):
    with torch.set_grad_enabled(gradients):
        began = time.thread_time_ns()
        h = x
        for _ in range(CALLS):
            h = run(h)
        del h
        return (time.thread_time_ns() - began) / CALLS


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=200)
    rounds = parser.parse_args().rounds
    torch.set_num_threads(1)
    more = []
    known, x = operators()
    x.requires_grad_()
    for name, run in known.items():
        least = {gradients: min(took(run, x, gradients) for _ in range(rounds)) for gradients in (False, True)}
        more.append(least[True] - least[False])
        print(f"{name:12} {least[False]:7.0f} ns, {least[True]:7.0f} ns with gradients, {more[-1]:6.0f} ns more")
    print(f"median {statistics.median(more):.0f} ns")


if __name__ == "__main__":
    main()
