"""PyTorch's own kernels, one eager operator after another: operators.py OUT.json [--rows 4096] [--rounds 12] [--only NAME,NAME].

The same program runs on a GPU and under `warplens emulate`, where torch.profiler's times are the modelled ones. Each operator runs in
rounds on the same tensors of rows x 1024 floats; the time of a kernel is the median over the second half of the rounds. With --compare,
two such files are put side by side: operators.py MEASURED.json --compare PREDICTED.json.
"""
import argparse
import json
import re
import statistics
import sys

import torch
from torch.nn import functional as F

COLUMNS = 1024


def operators(rows):
    """The operators, by name, on tensors that they share."""
    torch.manual_seed(0)
    x, y = (torch.randn(rows, COLUMNS, device="cuda") for _ in range(2))
    mask, vector, half = x > 0, torch.randn(COLUMNS, device="cuda"), x.bfloat16()
    order = torch.randperm(rows, device="cuda")
    places = torch.randint(0, COLUMNS, (rows, COLUMNS), device="cuda")
    labels = torch.randint(0, COLUMNS, (rows,), device="cuda")
    groups, planes = x.view(rows // 64, 64, 32, 32), y.view(rows // 64, 64, 32, 32)
    out = torch.empty_like(x)
    return {
        "add": lambda: x + y, "mul_scalar": lambda: x * 3, "div": lambda: x / y, "clamp": lambda: x.clamp(-1, 1),
        "exp": lambda: x.exp(), "tanh": lambda: x.tanh(), "erf": lambda: x.erf(), "pow": lambda: x.abs() ** 1.5,
        "relu": lambda: x.relu(), "gelu": lambda: F.gelu(x), "silu": lambda: F.silu(x), "sigmoid_": lambda: out.sigmoid_(),
        "where": lambda: torch.where(mask, x, y), "addcmul": lambda: torch.addcmul(x, y, y), "lerp": lambda: x.lerp(y, 0.3),
        "bias": lambda: x + vector, "to_bfloat16": lambda: x.bfloat16(), "add_bfloat16": lambda: half + half,
        "greater": lambda: x > y, "copy": lambda: out.copy_(x), "fill": lambda: out.zero_(),
        "transpose": lambda: x.t().contiguous(), "cat": lambda: torch.cat([x, y], 1), "tril": lambda: x.tril(),
        "sum": lambda: x.sum(), "sum_rows": lambda: x.sum(1), "sum_columns": lambda: x.sum(0), "max_rows": lambda: x.max(1),
        "argmax_columns": lambda: x.argmax(0), "var": lambda: x.var(1), "cumsum": lambda: x.cumsum(1),
        "softmax": lambda: x.softmax(1), "layer_norm": lambda: F.layer_norm(x, (COLUMNS,)),
        "batch_norm": lambda: torch.native_batch_norm(groups, None, None, None, None, True, 0.1, 1e-5),
        "max_pool": lambda: F.max_pool2d(planes, 2), "index_select": lambda: x.index_select(0, order), "gather": lambda: x.gather(1, places),
        "nll_loss": lambda: F.nll_loss(x, labels),
    }


def measured(given):
    from torch.profiler import ProfilerActivity, profile

    found = {}
    for name, run in operators(given.rows).items():
        if given.only and name not in given.only.split(","):
            continue
        with torch.no_grad(), torch.backends.cudnn.flags(enabled=False), profile(activities=[ProfilerActivity.CUDA]) as events:
            for _ in range(given.rounds):
                run()
            torch.cuda.synchronize()
        kernels = {}
        for event in events.profiler.kineto_results.events():
            if event.device_type() == torch.autograd.DeviceType.CUDA and not event.is_user_annotation():
                kernels.setdefault(event.name(), []).append(event.duration_ns())
        found[name] = [{"name": kernel, "launches": len(times) / given.rounds, "ns": statistics.median(times[len(times) // 2:])}
                       for kernel, times in kernels.items() if len(times) >= given.rounds]
        print(f"{name:16}", *(f"{one['ns'] / 1e3:.2f}" for one in found[name]), flush=True)
    with open(given.file, "w") as file:
        json.dump({"device": torch.cuda.get_device_name(), "torch": torch.__version__, "rows": given.rows, "operators": found}, file, indent=0)


def plain(name):
    return re.sub(r"^void |\s+|\(bool\)[01]|true|false", "", name)[:300]


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    out = [0] * len(values)
    for rank, at in enumerate(order):
        out[at] = rank
    return out


def compare(given):
    """Kernels of the same operator in the order of their names; kernels that only one side has are listed."""
    left, right = (json.load(open(path)) for path in (given.file, given.compare))
    pairs = []
    print(f"{left['device']}, PyTorch {left['torch']}, {left['rows']} rows: operator, kernel, measured and modelled us")
    for name, kernels in left["operators"].items():
        modelled = {plain(one["name"]): one["ns"] for one in right["operators"].get(name, [])}
        for one in kernels:
            ns = modelled.get(plain(one["name"]))
            if ns is None and len(kernels) == 1 and len(modelled) == 1:
                ns = next(iter(modelled.values()))  # one kernel on both sides is the same kernel, however its name is written
            if ns is None:
                print(f"  {name:16} {one['ns'] / 1e3:8.2f}        -            {one['name'][:80]}")
                continue
            pairs.append((one["ns"], ns))
            print(f"  {name:16} {one['ns'] / 1e3:8.2f} {ns / 1e3:8.2f} {(ns / one['ns'] - 1) * 100:+6.0f} %  {one['name'][:80]}")
    for text, chosen in (("of 5 us and more", [p for p in pairs if p[0] >= 5000]), ("shorter", [p for p in pairs if p[0] < 5000]), ("all", pairs)):
        if chosen:
            off = [abs(b / a - 1) * 100 for a, b in chosen]
            rank = statistics.correlation(ranks([a for a, _ in chosen]), ranks([b for _, b in chosen])) if len(chosen) > 2 else 1
            print(f"{text}: {len(chosen)} kernels, {statistics.mean(off):.1f} % off on average, {statistics.median(off):.1f} % in the median, rank {rank:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", help="where to write the times, or with --compare the measured ones")
    parser.add_argument("--rows", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--only", help="names of operators, with commas")
    parser.add_argument("--compare", help="the modelled times")
    given = parser.parse_args()
    compare(given) if given.compare else measured(given)


if __name__ == "__main__":
    sys.exit(main())
