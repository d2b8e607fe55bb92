#!/usr/bin/env python3
"""Allocations that fail in pieces, on a GPU: does the max_split_size_mb that `warplens memory` names make them fit?

    oom_split.py record OUT                  on a GPU: a snapshot of each case that fails, and which settings pass it (results.json)
    oom_split.py compare OUT PROGRAM         anywhere: what `warplens memory` says of each snapshot, beside what passed

Nearly all of the GPU is taken first, outside of PyTorch, so that the driver has little left. The peak of each snapshot is compared with
torch.cuda.max_memory_allocated() of the run.
"""
import ctypes
import json
import pathlib
import random
import subprocess
import sys

MIB = 1 << 20
LEFT_MIB = 1536  # that the driver has when a case begins
SETTINGS = (None, 21, 33, 51, 65, 101, 129, 151, 201, 257, 321)


def kept_of_each_step(large, kept, request, steps=6):
    """A large block comes and goes each step, and a small one that is cut from it stays."""
    out = []
    for step in range(steps):
        out += [("alloc", f"work{step}", large), ("free", f"work{step}", 0), ("alloc", f"kept{step}", kept)]
    return [*out, ("alloc", "last", request)]


def at_random(seed):
    """Blocks of many sizes that come and go, and ever larger requests until one fails."""
    chance, live, out = random.Random(seed), [], []
    for number in range(60):
        if live and chance.random() < 0.55:
            out.append(("free", live.pop(chance.randrange(len(live))), 0))
        size = chance.choice((2.5, 4, 7.3, 12, 30, 48, 90, 150, 260)) * chance.uniform(0.8, 1.2)
        out.append(("alloc", f"b{number}", size))
        live.append(f"b{number}")
    for number, name in enumerate(chance.sample(live, len(live) * 3 // 4)):
        out.append(("free", name, 0))
        if number % 3 == 0:
            out.append(("alloc", f"s{number}", chance.choice((3, 5, 11))))
    return [*out, *[("alloc", f"last{size}", size) for size in range(200, 1500, 100)]]


CASES = {"kept 4 of 200": kept_of_each_step(200, 4, 600), "kept 50 of 200": kept_of_each_step(200, 50, 600),
         "kept 150 of 200": kept_of_each_step(200, 150, 550), "no setting helps": kept_of_each_step(200, 4, 1470, 6),
         "too much in use": kept_of_each_step(200, 200, 900), **{f"random {seed}": at_random(seed) for seed in range(8)}}


def play(torch, case):
    """Number of operations that passed; all of them when nothing failed."""
    live = {}
    for number, (what, name, size) in enumerate(case):
        if what == "free":
            live.pop(name, None)
            continue
        try:
            live[name] = torch.empty(int(size * MIB), dtype=torch.uint8, device="cuda")
        except torch.cuda.OutOfMemoryError:
            return number
    return len(case)


def record(out):
    import torch

    out.mkdir(parents=True, exist_ok=True)
    torch.empty(1, device="cuda")
    runtime = ctypes.CDLL(next(line.split()[-1] for line in open("/proc/self/maps", encoding="utf-8") if "libcudart" in line))
    taken = ctypes.c_void_p()
    free, _ = torch.cuda.mem_get_info()
    if runtime.cudaMalloc(ctypes.byref(taken), ctypes.c_size_t(free - LEFT_MIB * MIB)) != 0:
        raise SystemExit("cannot take the GPU's memory: another program uses it")
    results = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "cases": {}}
    for name, case in CASES.items():
        result = results["cases"][name] = {"operations": len(case), "passed": {}}
        for setting in SETTINGS:
            torch.cuda.empty_cache()
            torch.cuda.memory._set_allocator_settings(f"max_split_size_mb:{setting}" if setting else "expandable_segments:False")
            torch.cuda.reset_peak_memory_stats()
            if setting is None:
                torch.cuda.memory._record_memory_history(max_entries=100_000)
            result["passed"][str(setting)] = play(torch, case)
            if setting is None:
                result["max_memory_allocated"] = torch.cuda.max_memory_allocated()
                torch.cuda.memory._dump_snapshot(str(out / f"{name.replace(' ', '_')}.pickle"))
                torch.cuda.memory._record_memory_history(None)
    (out / "results.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def compare(out, program):
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    right = judged = 0
    for name, result in results["cases"].items():
        path = out / f"{name.replace(' ', '_')}.pickle"
        report = json.loads(subprocess.run([program, "memory", path, "--json"], capture_output=True, text=True, check=True).stdout)
        peak = report["devices"][0]["peak_bytes"]
        found = next((f for f in report["findings"] if f["id"] in ("fragmented-oom", "out-of-memory")), None)
        passed = {int(k): v for k, v in result["passed"].items() if k != "None"}
        base = result["passed"]["None"]
        helps = sorted(k for k, v in passed.items() if v > base)
        said = found["evidence"].get("max_split_size_mb") if found else None
        # The settings that were tried are a grid: the named one is judged by the next of it.
        tried = min((k for k in passed if said and k >= said), default=None)
        if base < result["operations"]:
            judged += 1
            right += (tried in helps) if said else not helps
        print(f"{name}: {found['id'] if found else 'no failure'}, names {said}; settings that pass {helps or 'none'}; "
              f"peak {peak} of {result['max_memory_allocated']} ({peak / result['max_memory_allocated'] - 1:+.4%})")
    print(f"{right} of {judged} failures judged as the GPU did ({results['device']}, torch {results['torch']})")


if __name__ == "__main__":
    if sys.argv[1:2] == ["record"] and len(sys.argv) == 3:
        record(pathlib.Path(sys.argv[2]))
    elif sys.argv[1:2] == ["compare"] and len(sys.argv) == 4:
        compare(pathlib.Path(sys.argv[2]), sys.argv[3])
    else:
        raise SystemExit(__doc__)
