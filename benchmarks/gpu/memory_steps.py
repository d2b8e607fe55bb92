#!/usr/bin/env python3
"""Growth by step of a training loop on a GPU: does `warplens memory` give what torch.cuda counted at the end of each step?

    memory_steps.py record OUT              on a GPU: snapshots with and without an optimizer, and torch's counts (steps.json)
    memory_steps.py compare OUT PROGRAM     anywhere: each step's end and peak beside torch's
"""
import json
import pathlib
import subprocess
import sys

STEPS = 6


def train(torch, model, optimizer, kept, counts):
    for _ in range(STEPS):
        torch.cuda.reset_peak_memory_stats()
        loss = model(torch.randn(512, 1024, device="cuda")).square().mean()
        loss.backward()
        if optimizer:
            optimizer.step()
        else:
            for parameter in model.parameters():
                parameter.data.add_(parameter.grad, alpha=-0.01)
        counts.append({"end_bytes": torch.cuda.memory_allocated(), "peak_bytes": torch.cuda.max_memory_allocated()})
        model.zero_grad()
        kept.append(torch.zeros(256, 1024, device="cuda"))


def record(out):
    import torch

    out.mkdir(parents=True, exist_ok=True)
    results = {"device": torch.cuda.get_device_name(), "torch": torch.__version__}
    for name in ("optimizer", "loop"):
        model = torch.nn.Sequential(torch.nn.Linear(1024, 4096), torch.nn.ReLU(), torch.nn.Linear(4096, 1024)).cuda()
        optimizer = torch.optim.AdamW(model.parameters()) if name == "optimizer" else None
        model(torch.randn(8, 1024, device="cuda")).sum().backward()
        model.zero_grad()
        kept, counts = [], []
        torch.cuda.memory._record_memory_history(max_entries=100_000)
        train(torch, model, optimizer, kept, counts)
        torch.cuda.memory._dump_snapshot(str(out / f"{name}.pickle"))
        torch.cuda.memory._record_memory_history(None)
        results[name] = counts
    (out / "steps.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def compare(out, program):
    results = json.loads((out / "steps.json").read_text(encoding="utf-8"))
    for name in ("optimizer", "loop"):
        report = json.loads(subprocess.run([program, "memory", out / f"{name}.pickle", "--json"], capture_output=True, text=True, check=True).stdout)
        device = report["devices"][0]
        print(f"{name}: {len(device['steps'])} steps, each until {device['steps_end_at'] or 'nothing known'}; {[f['id'] for f in report['findings']]}")
        for ours, theirs in zip(device["steps"], results[name]):
            print(f"  step {ours['step']}: end {ours['end_bytes']} of {theirs['end_bytes']}, peak {ours['peak_bytes']} of {theirs['peak_bytes']}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["record"] and len(sys.argv) == 3:
        record(pathlib.Path(sys.argv[2]))
    elif sys.argv[1:2] == ["compare"] and len(sys.argv) == 4:
        compare(pathlib.Path(sys.argv[2]), sys.argv[3])
    else:
        raise SystemExit(__doc__)
