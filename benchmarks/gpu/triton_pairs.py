#!/usr/bin/env python3
"""Pairs of Triton kernels, one with a defect and one without: what the model says of them, and how long they take.

triton_pairs.py predict SET GPU > predicted.csv   on a CPU; SET: first or second; GPU: h100 or h200; with the Triton of the machine that measures
triton_pairs.py measure SET > measured.csv        on a GPU: medians of 20 launches between events, after L2 was written over, less what events add
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


@triton.jit
def normed(x, y, columns, C: tl.constexpr, ROWS: tl.constexpr):
    """Layer norm of rows: a row for each lane's program (ROWS of them, down the columns), or a whole row at once."""
    if ROWS == 1:
        c = tl.arange(0, C)
        at = tl.program_id(0) * columns + c
        v = tl.load(x + at)
        off = v - tl.sum(v, 0) / C
        tl.store(y + at, off * tl.rsqrt(tl.sum(off * off, 0) / C + 1e-5))
    else:
        r = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)) * columns
        total, squares = tl.zeros([ROWS], tl.float32), tl.zeros([ROWS], tl.float32)
        for c in range(columns):
            v = tl.load(x + r + c)
            total += v
            squares += v * v
        mean = total / C
        scale = tl.rsqrt(squares / C - mean * mean + 1e-5)
        for c in range(columns):
            tl.store(y + r + c, (tl.load(x + r + c) - mean) * scale)


@triton.jit
def gathered(x, k, y, width, B: tl.constexpr, ONE: tl.constexpr):
    """Rows of a table by their numbers: an element for each lane, or a row for each program."""
    if ONE:
        c = tl.arange(0, B)
        row = tl.load(k + tl.program_id(0)) & 0xffff
        tl.store(y + tl.program_id(0) * width + c, tl.load(x + row * width + c))
    else:
        at = tl.program_id(0) * B + tl.arange(0, B)
        row, c = at // width, at % width
        tl.store(y + at, tl.load(x + (tl.load(k + row) & 0xffff) * width + c))


@triton.jit
def column_sums(x, o, rows, columns, R: tl.constexpr, C: tl.constexpr):
    """Sums of columns: R rows of C columns a turn, added to the result by one atomic each."""
    c = tl.program_id(1) * C + tl.arange(0, C)
    first = tl.program_id(0) * rows
    total = tl.zeros([R, C], tl.float32)
    for r in range(0, rows, R):
        total += tl.load(x + (first + r + tl.arange(0, R))[:, None] * columns + c[None, :])
    tl.atomic_add(o + c, tl.sum(total, 0))


@triton.jit
def iterated(x, y, turns, B: tl.constexpr):
    """A logistic map, many times."""
    at = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + at)
    for _ in range(turns):
        v = v * (1 - v) * 3.7
    tl.store(y + at, v)


@triton.jit
def dense(a, b, c, n, depth, S: tl.constexpr, K: tl.constexpr):
    """A product of halves by tensor cores, in tiles of S by S."""
    r, q, k = tl.program_id(0) * S + tl.arange(0, S), tl.program_id(1) * S + tl.arange(0, S), tl.arange(0, K)
    total = tl.zeros([S, S], tl.float32)
    for e in range(0, depth, K):
        total = tl.dot(tl.load(a + r[:, None] * depth + e + k[None, :]), tl.load(b + (e + k[:, None]) * n + q[None, :]), total)
    tl.store(c + r[:, None] * n + q[None, :], total)


@triton.jit
def turned(x, y, n, S: tl.constexpr, T: tl.constexpr):
    """A matrix turned, in tiles of S by T, as they are loaded."""
    r, c = tl.program_id(0) * S + tl.arange(0, S), tl.program_id(1) * T + tl.arange(0, T)
    tl.store(y + c[:, None] * n + r[None, :], tl.trans(tl.load(x + r[:, None] * n + c[None, :])))


def buffers(device):
    torch.manual_seed(3)
    made = lambda *size, **how: torch.rand(*size, **how).to(device)
    return {"x": made(16 * M), "y": made(16 * M), "o": torch.zeros(4096, device=device), "p": made(M).to(torch.float16), "q": made(M).to(torch.float16),
            "k": torch.randint(0, 1 << 20, (8 * M,), dtype=torch.int32).to(device), "h": torch.zeros(4096, dtype=torch.int32, device=device)}


# A pair: a name, a finding, the bad launch and the fixed one.
FIRST = [
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
SECOND = [
    ("normed", "uncoalesced-access", lambda b: normed[(128,)](b["x"], b["y"], 512, C=512, ROWS=64, num_warps=2),
     lambda b: normed[(8192,)](b["x"], b["y"], 512, C=512, ROWS=1, num_warps=4)),
    ("gathered", "integer-division", lambda b: gathered[(4096,)](b["x"], b["k"], b["y"], 256, B=1024, ONE=False, num_warps=4),
     lambda b: gathered[(16384,)](b["x"], b["k"], b["y"], 256, B=256, ONE=True, num_warps=1)),
    ("column_sums", "atomic-contention", lambda b: column_sums[(4096, 4)](b["x"], b["o"], 4, 1024, R=4, C=256, num_warps=4),
     lambda b: column_sums[(64, 8)](b["x"], b["o"], 256, 1024, R=8, C=128, num_warps=4)),
    ("iterated", "small-grid", lambda b: iterated[(16,)](b["x"], b["y"], 512, B=16384, num_warps=8),
     lambda b: iterated[(1024,)](b["x"], b["y"], 512, B=256, num_warps=4)),
    ("dense", "register-tiles", lambda b: dense[(64, 64)](b["p"], b["q"], b["y"], 1024, 1024, S=16, K=32, num_warps=1),
     lambda b: dense[(16, 16)](b["p"], b["q"], b["y"], 1024, 1024, S=64, K=32, num_warps=4)),
    ("turned", "uncoalesced-access", lambda b: turned[(2048, 8)](b["x"], b["y"], 2048, S=1, T=256, num_warps=4),
     lambda b: turned[(32, 32)](b["x"], b["y"], 2048, S=64, T=64, num_warps=8)),
]
SETS = {"first": FIRST, "second": SECOND}


def predict(name, gpu):
    import warplens

    print("case,finding,place,saving,first,bad_us,fixed_us")
    for name, finding, *launches in SETS[name]:
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


def measure(name):
    of = buffers("cuda")
    print("case,bad_us,fixed_us")
    for name, _, bad, fixed in SETS[name]:
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
