#!/usr/bin/env python3
"""Training of whole models on an emulated GPU against the CPU: the losses of 20 steps, eager, compiled and under AMP.

  python3 benchmarks/models/models.py run build/warplens --python ENV/bin/python --nanogpt FOLDER -o build/models.jsonl
  python3 benchmarks/models/models.py table build/models.jsonl > docs/results/models.md

The models come from steps.py, and the train.py of github.com/karpathy/nanoGPT in FOLDER, unchanged. ENV has PyTorch and transformers.
A float32 model passes where each loss lies within 1e-3 (relative) of the CPU's, or within three times what separates the CPU's own
float32 from its float64; where that is more than 1e-2, training is chaotic and nothing is judged. Under AMP the limit is 2e-2. A run that is repeated with the same output continues where it ended.
"""
import argparse
import array
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
MODELS = ("nanogpt", "resnet18", "vit", "lstm", "qwen2", "bert")
MODES = ("eager", "compiled", "amp")
LIMITS = {"eager": 1e-3, "compiled": 1e-3, "amp": 2e-2}
CHAOTIC = 1e-2
NANOGPT = ("--dataset=own --n_layer=3 --n_head=4 --n_embd=64 --block_size=64 --batch_size=4 --gradient_accumulation_steps=1 --eval_interval=100 "
           "--eval_iters=1 --warmup_iters=5 --lr_decay_iters=20").split()
NANOGPT_MODES = {"eager": ["--dtype=float32", "--compile=False"], "compiled": ["--dtype=float32"], "amp": ["--dtype=bfloat16", "--compile=False"]}


def write_text(folder):
    """Characters of the repository itself as its training data, in the form of its data/shakespeare_char/prepare.py."""
    text = "".join((folder / name).read_text() for name in ("model.py", "train.py", "README.md"))
    number = {c: i for i, c in enumerate(sorted(set(text)))}
    ids = array.array("H", (number[c] for c in text))
    data = folder / "data/own"
    data.mkdir(exist_ok=True)
    (data / "train.bin").write_bytes(ids[:-len(ids) // 10].tobytes())
    (data / "val.bin").write_bytes(ids[-len(ids) // 10:].tobytes())
    (data / "meta.pkl").write_bytes(pickle.dumps({"vocab_size": len(number)}))


def command_of(given, model, mode, device):
    if model != "nanogpt":
        return [given.python, str(HERE / "steps.py"), model, mode, device, str(given.steps)], None
    chosen = NANOGPT_MODES["eager" if mode == "double" or (device == "cpu" and mode == "compiled") else mode]
    return [given.python, "train.py", *NANOGPT, *chosen, f"--device={device}", f"--max_iters={given.steps - 1}"], given.nanogpt


def losses_of(given, model, mode, device):
    """Losses, seconds, and the last line of errors where the program failed."""
    command, folder = command_of(given, model, mode, device)
    if device == "cuda":
        command = [given.program, "emulate", "--device", given.device, "--", *command]
    begin = time.monotonic()
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=given.seconds, check=False)
    except subprocess.TimeoutExpired:
        return [], given.seconds, f"took longer than {given.seconds} s"
    losses = [float(found) for found in re.findall(r"^(?:iter \d+: )?loss ([\d.naif]+)", done.stdout, re.MULTILINE)]
    failed = done.returncode != 0 or len(losses) != given.steps
    return losses, time.monotonic() - begin, (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1] if failed else ""


def reference(given, kept, model, mode):
    """The CPU's losses, run once."""
    if (model, mode) not in kept:
        losses, _, failed = losses_of(given, model, mode, "cpu")
        if failed:
            sys.exit(f"{model} {mode} on the CPU: {failed}")
        kept[model, mode] = losses
    return kept[model, mode]


def apart(a, b):
    return max(abs(x - y) / abs(x) for x, y in zip(a, b))


def judged(given, kept, model, mode):
    want = reference(given, kept, model, "amp" if mode == "amp" else "eager")
    own = apart(want, reference(given, kept, model, "double")) if mode != "amp" and model != "nanogpt" else 0.0
    got, seconds, failed = losses_of(given, model, mode, "cuda")
    row = {"model": model, "mode": mode, "device": given.device, "seconds": round(seconds, 1), "own": own}
    if failed:
        return row | {"outcome": "failed", "why": failed}
    far = apart(want, got)
    outcome = "chaotic" if own > CHAOTIC else "equal" if far <= max(LIMITS[mode], 3 * own) else "wrong"
    return row | {"outcome": outcome, "apart": far, "first": want[0], "last": want[-1]}


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def run(given):
    if given.nanogpt:
        write_text(given.nanogpt)
    have, kept = {(r["model"], r["mode"], r["device"]) for r in lines(given.output)}, {}
    for model in given.models.split(","):
        if model == "nanogpt" and not given.nanogpt:
            sys.exit("--nanogpt FOLDER is missing: git clone https://github.com/karpathy/nanoGPT FOLDER")
        for mode in MODES:
            if (model, mode, given.device) not in have:
                row = judged(given, kept, model, mode)
                print(json.dumps(row), flush=True)
                with given.output.open("a") as file:
                    print(json.dumps(row), file=file)


def table(given):
    print("| model | mode | GPU | losses | first loss | last loss | farthest from the CPU's | CPU's float32 from float64 | seconds |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for row in lines(given.results):
        if row["outcome"] == "failed":
            print(f"| {row['model']} | {row['mode']} | {row['device']} | failed: {row['why']} | | | | | {row['seconds']:.0f} |")
        else:
            own = f"{row['own']:.1e}" if row["own"] else ""
            print(f"| {row['model']} | {row['mode']} | {row['device']} | {row['outcome']} | {row['first']:.3f} | {row['last']:.3f} | {row['apart']:.1e} | {own} | {row['seconds']:.0f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    runs = verbs.add_parser("run")
    runs.add_argument("program", help="the warplens program", type=os.path.abspath)
    runs.add_argument("--python", default=sys.executable, type=os.path.abspath)
    runs.add_argument("--nanogpt", type=pathlib.Path)
    runs.add_argument("--models", default=",".join(MODELS))
    runs.add_argument("--device", default="h200")
    runs.add_argument("--steps", type=int, default=20)
    runs.add_argument("--seconds", type=int, default=900, help="the most for one run")
    runs.add_argument("-o", dest="output", default="build/models.jsonl", type=pathlib.Path)
    runs.set_defaults(do=run)
    tables = verbs.add_parser("table")
    tables.add_argument("results", type=pathlib.Path)
    tables.set_defaults(do=table)
    given = parser.parse_args()
    given.do(given)


if __name__ == "__main__":
    main()
