#!/usr/bin/env python3
"""Programs as PyTorch's users write them, on an emulated GPU and on the CPU: the same losses and values.

  python3 benchmarks/users/users.py build/warplens --python ENV/bin/python --device h200 -o build/users.jsonl [--only NAME,NAME]

The programs are the functions of training.py, features.py and kinds.py. ENV has PyTorch, torchvision and transformers. A value passes within 1e-3
(absolute and relative), or 3e-2 in programs of 16-bit types. The ratio is processor time of the emulated run over the CPU's.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOLERANCES = {"float32": 1e-3, "16 bits": 3e-2}
HALVES = ("amp", "fp16", "vit_", "unet3d", "wavenet", "lstm", "qwen2", "bert", "compiled", "attention", "nested", "fp8", "convolutions", "semi_structured")
SECONDS = 900


def names():
    return [(file, name) for file in ("training.py", "features.py", "kinds.py")
            for name in re.findall(r"^    globals|^def (\w+)\(\):", (HERE / file).read_text(), re.MULTILINE) if name and name not in ("mlp", "trained", "kept_signal")]


def ran(command, **more):
    """Output, processor seconds, and what failed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False, **more)
    except subprocess.TimeoutExpired:
        return "", SECONDS, f"longer than {SECONDS} s"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    failed = "" if done.returncode == 0 else (done.stderr.strip() or f"exit code {done.returncode}")[-1500:]
    return done.stdout, after.ru_utime - before.ru_utime, failed or "\n".join(l for l in done.stderr.splitlines() if "NOT_SUPPORTED" in l)


def numbers(text):
    return [[float(n) for n in line.split()[1:]] for line in text.splitlines() if line.startswith(("loss ", "value "))]


def farthest(want, got):
    """The largest difference over what is allowed to differ, both absolute and relative, of one size."""
    if [len(row) for row in want] != [len(row) for row in got] or not want:
        return float("inf")
    return max((abs(a - b) / (1 + abs(a)) for one, other in zip(want, got) for a, b in zip(one, other)), default=0)


def judged(given, file, name):
    command = [given.python, str(HERE / file), name]
    want, cpu_seconds, failed = ran(command, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
    if failed:
        return {"outcome": "CPU failed", "cause": failed}
    more = []
    if name in ("ddp", "sharded"):
        more, command = ["--devices", "2"], [given.python, "-m", "torch.distributed.run", "--nproc-per-node", "2", *command[1:]]
    got, seconds, failed = ran([given.program, "emulate", "--device", given.device, *more, "--", *command])
    row = {"seconds": round(seconds, 1), "ratio": round(seconds / max(cpu_seconds, 1e-3), 1)}
    if failed and "NOT_SUPPORTED" not in failed:
        return {"outcome": "failed", "cause": failed, **row}
    apart = farthest(numbers(want), numbers(got))
    limit = TOLERANCES["16 bits" if any(part in name for part in HALVES) else "float32"]
    lines = [] if apart <= limit else [f"{a} {b}" for a, b in zip(numbers(want), numbers(got))][:100]
    return {"outcome": "equal" if apart <= limit else "wrong", "farthest": apart, "cause": failed, "lines": lines, **row}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the warplens program")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--device", default="h200")
    parser.add_argument("-o", dest="output", default="build/users.jsonl")
    parser.add_argument("--only", default="", help="these programs alone")
    given = parser.parse_args()
    for file, name in names():
        if given.only and name not in given.only.split(","):
            continue
        row = {"program": name, "device": given.device, **judged(given, file, name)}
        with open(given.output, "a") as out:
            print(json.dumps(row), file=out)
        print(row["outcome"], name, given.device, row.get("farthest", ""), row.get("ratio", ""), row["cause"][-300:], flush=True)


if __name__ == "__main__":
    main()
