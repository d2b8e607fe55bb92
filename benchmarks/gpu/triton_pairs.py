#!/usr/bin/env python3
"""Pairs of Triton kernels, one with a defect and one without: what the model says of them, and how long they take.

triton_pairs.py predict GPU > predicted.csv   on a CPU; GPU: h100 or h200
triton_pairs.py measure > measured.csv        on a GPU: medians of 20 launches between events, after L2 was written over, less what events add
triton_pairs.py table predicted.csv measured.csv"""
import csv
import statistics
import sys

import torch
import triton
import triton.language as tl

M = 1 << 20
EVENTS_US = 1.15  # benchmarks/gpu/launch_costs.cu


@triton.jit
def soft(x, y, columns, C: tl.constexpr, WHOLE: tl.constexpr):
    """Softmax of a row, at once or in three passes."""
    row = tl.program_id(0) * columns
    if WHOLE:
        c = tl.arange(0, C)
        v = tl.load(x + row + c, c < columns, -float("inf"))
        e = tl.exp(v - tl.max(v, 0))
        tl.store(y + row + c, e / tl.sum(e, 0), c < columns)
    else:
        most = tl.full([C], -float("inf"), tl.float32)
        for k in range(0, columns, C):
            most = tl.maximum(most, tl.load(x + row + k + tl.arange(0, C)))
        top = tl.max(most, 0)
        total = tl.zeros([C], tl.float32)
        for k in range(0, columns, C):
            total += tl.exp(tl.load(x + row + k + tl.arange(0, C)) - top)
        scale = 1 / tl.sum(total, 0)
        for k in range(0, columns, C):
            tl.store(y + row + k + tl.arange(0, C), tl.exp(tl.load(x + row + k + tl.arange(0, C)) - top) * scale)


@triton.jit
def summed(x, o, n, B: tl.constexpr, EACH: tl.constexpr):
    """A sum of all numbers; every program adds its own with an atomic."""
    total = tl.zeros([B], tl.float32)
    for k in range(EACH):
        total += tl.load(x + (tl.program_id(0) * EACH + k) * B + tl.arange(0, B))
    tl.atomic_add(o, tl.sum(total, 0))


@triton.jit
def counted(k, h, B: tl.constexpr, BINS: tl.constexpr, LOCAL: tl.constexpr):
    """A histogram of 64 bins."""
    v = tl.load(k + tl.program_id(0) * B + tl.arange(0, B)) & (BINS - 1)
    if LOCAL:
        tl.atomic_add(h + tl.arange(0, BINS), tl.histogram(v, BINS))
    else:
        tl.atomic_add(h + v, 1)


@triton.jit
def scaled(x, y, n, B: tl.constexpr):
    """One block of numbers for each program."""
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + at, tl.load(x + at, at < n) * 1.5 + 0.5, at < n)


@triton.jit
def strided(x, y, stride, B: tl.constexpr):
    """Every other number of x: the stride is known only at run time, and 1 where it is fixed."""
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + at, tl.load(x + at * stride) + 1)


@triton.jit
def product(a, b, c, n, depth, S: tl.constexpr, K: tl.constexpr, DOT: tl.constexpr):
    """A product of halves, by tensor cores or by sums of outer products."""
    r, q, k = tl.program_id(0) * S + tl.arange(0, S), tl.program_id(1) * S + tl.arange(0, S), tl.arange(0, K)
    total = tl.zeros([S, S], tl.float32)
    for e in range(0, depth, K):
        u, v = tl.load(a + r[:, None] * depth + e + k[None, :]), tl.load(b + (e + k[:, None]) * n + q[None, :])
        if DOT:
            total += tl.dot(u, v)
        else:
            total += tl.sum(u[:, :, None].to(tl.float32) * v[None, :, :].to(tl.float32), 1)
    tl.store(c + r[:, None] * n + q[None, :], total)


def buffers(device):
    torch.manual_seed(3)
    made = lambda *size, **how: torch.rand(*size, **how).to(device)
    return {"x": made(16 * M), "y": made(16 * M), "o": torch.zeros(4096, device=device), "p": made(M).to(torch.float16), "q": made(M).to(torch.float16),
            "k": torch.randint(0, 1 << 20, (8 * M,), dtype=torch.int32).to(device), "h": torch.zeros(4096, dtype=torch.int32, device=device)}



# A pair: a name, a finding, the bad launch and the fixed one.
PAIRS = [
    ("soft", "redundant-loads", lambda b: soft[(1024,)](b["x"], b["y"], 16384, C=1024, WHOLE=False, num_warps=8),
     lambda b: soft[(1024,)](b["x"], b["y"], 16384, C=16384, WHOLE=True, num_warps=16)),
    ("summed", "atomic-contention", lambda b: summed[(16384,)](b["x"], b["o"], 4 * M, B=256, EACH=1, num_warps=4),
     lambda b: summed[(512,)](b["x"], b["o"], 4 * M, B=2048, EACH=4, num_warps=4)),
    ("counted", "atomic-contention", lambda b: counted[(1024,)](b["k"], b["h"], B=4096, BINS=64, LOCAL=False, num_warps=4),
     lambda b: counted[(1024,)](b["k"], b["h"], B=4096, BINS=64, LOCAL=True, num_warps=4)),
    ("scaled", "small-blocks", lambda b: scaled[(65536,)](b["x"], b["y"], 4 * M, B=64, num_warps=1),
     lambda b: scaled[(2048,)](b["x"], b["y"], 4 * M, B=2048, num_warps=4)),
    ("strided", "uncoalesced-access", lambda b: strided[(2048,)](b["x"], b["y"], 8, B=1024, num_warps=4),
     lambda b: strided[(2048,)](b["x"], b["y"], 1, B=1024, num_warps=4)),
    ("product", "no-tensor-cores", lambda b: product[(16, 16)](b["p"], b["q"], b["y"], 512, 512, S=32, K=16, DOT=False, num_warps=4),
     lambda b: product[(8, 8)](b["p"], b["q"], b["y"], 512, 512, S=64, K=32, DOT=True, num_warps=4)),
]


def predict(gpu):
    import warplens

    print("case,finding,place,saving,first,bad_us,fixed_us")
    for name, finding, *launches in PAIRS:
        said = []
        for launch in launches:
            with warplens.emulate(gpu, counters=True) as emulation:
                launch(buffers("cpu"))
            said.append(emulation.launches[0].data)
        ids = [f["id"] for f in said[0]["findings"]]
        place = ids.index(finding) + 1 if finding in ids else 0
        saving = (said[0]["findings"][place - 1]["saving_fraction"] or 0) if place else 0
        times = ",".join(f"{report['time']['estimate_ns'] / 1000:.2f}" for report in said)
        print(f"{name},{finding},{place},{saving:.3f},{ids[0] if ids else ''},{times}", flush=True)


def time_us(launch, of):
    over, times = torch.empty(200 * M, dtype=torch.uint8, device="cuda"), []
    for _ in range(25):
        over.zero_()
        over.sum()
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda._sleep(200000)  # the launch waits in the queue, so that the host's time does not count
        start.record()
        launch(of)
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1000)
    return statistics.median(times[5:]) - EVENTS_US


def measure():
    of = buffers("cuda")
    print("case,bad_us,fixed_us")
    for name, _, bad, fixed in PAIRS:
        print(f"{name},{time_us(bad, of):.2f},{time_us(fixed, of):.2f}", flush=True)


def table(predicted, measured):
    truth = {row["case"]: row for row in csv.DictReader(open(measured))}
    savings, times = [], []
    print("| pair | lesson | place | first finding | promised | measured | bad us | model | fixed us | model |\n|---|---|---|---|---|---|---|---|---|---|")
    for row in csv.DictReader(open(predicted)):
        bad, fixed = (float(truth[row["case"]][side]) for side in ("bad_us", "fixed_us"))
        saved, said = max(0.0, 1 - fixed / bad), (float(row["bad_us"]), float(row["fixed_us"]))
        savings.append(abs(saved - float(row["saving"])))
        times += [abs(said[0] / bad - 1), abs(said[1] / fixed - 1)]
        print(f"| {row['case']} | {row['finding']} | {row['place'] if row['place'] != '0' else '-'} | {row['first']} | {float(row['saving']):.2f} | {saved:.2f} "
              f"| {bad:.1f} | {said[0]:.1f} | {fixed:.1f} | {said[1]:.1f} |")
    print(f"\nMean error of savings {statistics.mean(savings):.3f}, of times {100 * statistics.mean(times):.0f} %.")


if __name__ == "__main__":
    {"predict": predict, "measure": measure, "table": table}[sys.argv[1]](*sys.argv[2:])
