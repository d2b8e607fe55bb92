"""Times products of cuBLAS on the GPU here, for the model of libraries/time: shapes drawn by a seed, durations by PyTorch's profiler.

python3 library_times.py fit|check OUT.json

Shapes of `fit` may shape the model, those of `check` judge it. Inputs rotate through more memory than L2 holds.
"""
import json
import random
import statistics
import sys

import torch
from torch.profiler import ProfilerActivity, profile

SETS = {"fit": (11, 200), "check": (23, 330)}  # seed, shapes
KINDS = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32, "tf32": torch.float32, "f64": torch.float64}
WEIGHTS = {"bf16": 5, "f16": 2, "f32": 3, "tf32": 3, "f64": 1}
MOST_FLOPS = {"bf16": 1e12, "f16": 1e12, "f32": 1e11, "tf32": 5e11, "f64": 1e11}
ROTATED_BYTES, REPEATS = 160 << 20, 7


def size(draw, most):
    value = int(2 ** draw.uniform(4, most))
    grain = draw.choice([1, 8, 8, 64, 64, 64, 128])
    return max(grain, value // grain * grain)


def shapes(name):
    seed, count = SETS[name]
    draw = random.Random(seed)
    while count:
        kind = draw.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        batches = draw.choice([1, 1, 1, 1, int(2 ** draw.uniform(1, 7))])
        most = 14 if batches == 1 else 11
        m, n, k = (size(draw, most) for _ in range(3))
        transposed = draw.choice(["NN", "TN", "NT"])
        if batches * 2 * m * n * k > MOST_FLOPS[kind] or batches * (m * k + k * n + m * n) > 3e8:
            continue
        count -= 1
        yield {"kind": kind, "m": m, "n": n, "k": k, "batches": batches, "transposed": transposed}


def operands(shape):
    """As many pairs as fill ROTATED_BYTES. cuBLAS's m is a row-major product's n, so that A is the second factor."""
    dtype, batch = KINDS[shape["kind"]], [shape["batches"]] if shape["batches"] > 1 else []
    m, n, k = shape["m"], shape["n"], shape["k"]
    one = (m * k + k * n + m * n) * shape["batches"] * dtype.itemsize
    for _ in range(min(REPEATS, max(2, ROTATED_BYTES // one + 1))):
        a = torch.randn(*batch, *((k, m) if shape["transposed"][0] == "N" else (m, k)), device="cuda", dtype=dtype)
        b = torch.randn(*batch, *((n, k) if shape["transposed"][1] == "N" else (k, n)), device="cuda", dtype=dtype)
        yield a if shape["transposed"][0] == "N" else a.mT, b if shape["transposed"][1] == "N" else b.mT


def measure(shape):
    torch.backends.cuda.matmul.allow_tf32 = shape["kind"] == "tf32"
    pairs = list(operands(shape))
    torch.matmul(pairs[0][1], pairs[0][0])
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiled:
        for i in range(REPEATS):
            a, b = pairs[i % len(pairs)]
            torch.matmul(b, a)
        torch.cuda.synchronize()
    calls = [e for e in profiled.events() if e.name in ("aten::mm", "aten::bmm") and e.kernels]
    times = [sum(k.duration for k in e.kernels) for e in calls]
    return statistics.median(times) * 1e3, sorted({k.name for k in calls[-1].kernels})


if __name__ == "__main__":
    which, out = sys.argv[1:]
    rows = []
    for shape in shapes(which):
        ns, kernels = measure(shape)
        rows.append({**shape, "ns": ns, "kernels": kernels})
    with open(out, "w") as file:
        json.dump({"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "set": which, "rows": rows}, file, indent=0)
    print(which, len(rows), "shapes")
