#!/usr/bin/env python3
"""Files of other profilers, of one PyTorch program on a GPU: torch.profiler, Nsight Compute, Proton and XLA's profiler.

    foreign_files.py record OUT       writes what the machine has tools for, and tools.json with why not for the others
    foreign_files.py program          the program alone, between cudaProfilerStart and cudaProfilerStop
"""
import json
import pathlib
import shutil
import subprocess
import sys

STEPS = 2


def program(torch):
    """Kernels of libraries and of PyTorch; one kernel runs with two sizes, so that joining needs more than a name."""
    torch.manual_seed(0)
    a = torch.randn(1024, 1024, device="cuda")
    half = a.half()
    small = torch.randn(512, 256, device="cuda")
    for _ in range(2):
        _step(torch, a, half, small)
    torch.cuda.synchronize()
    return lambda: _step(torch, a, half, small)


def _step(torch, a, half, small):
    b = torch.relu(a @ a)
    c = torch.softmax(b, dim=1)
    d = torch.layer_norm(c, (1024,))
    e = (half @ half).float().sum(dim=0)
    f = torch.relu(small).exp().cumsum(dim=1)
    return d.mean() + e.mean() + f.mean()


def run_between_marks():
    import torch

    step = program(torch)
    torch.cuda.profiler.start()
    for _ in range(STEPS):
        step()
    torch.cuda.synchronize()
    torch.cuda.profiler.stop()


def by_torch(out):
    import torch

    step = program(torch)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA], record_shapes=True) as profiler:
        for _ in range(STEPS):
            step()
        torch.cuda.synchronize()
    profiler.export_chrome_trace(str(out / "program.pt.trace.json.gz"))


def by_ncu(out):
    ncu = shutil.which("ncu") or "/usr/local/cuda/bin/ncu"
    report = out / "program.ncu-rep"
    subprocess.run([ncu, "--set", "full", "--import-source", "yes", "--profile-from-start", "off", "--force-overwrite", "-o", report, sys.executable, __file__, "program"],
                   check=True, timeout=240)
    for page in ("raw", "details", "source"):
        for units in ("auto", "base"):
            text = subprocess.run([ncu, "--import", report, "--page", page, "--csv", "--print-units", units], capture_output=True, text=True, timeout=60).stdout
            (out / f"program.{page}.{units}.csv").write_text(text, encoding="utf-8")


def by_proton(out):
    import torch
    import triton.profiler as proton

    step = program(torch)
    for data, ending in (("tree", "hatchet"), ("trace", "chrome_trace")):
        proton.start(str(out / "program"), data=data)
        for number in range(STEPS):
            with proton.scope(f"step{number}"):
                step()
        torch.cuda.synchronize()
        proton.finalize()
        print("proton", ending, (out / f"program.{ending}").exists())


def by_jax(out):
    import jax
    import jax.numpy as jnp

    a = jnp.ones((1024, 1024))
    work = jax.jit(lambda x: jnp.sum(jax.nn.relu(x @ x), axis=0))
    work(a).block_until_ready()
    with jax.profiler.trace(str(out / "jax")):
        for _ in range(3):
            work(a).block_until_ready()
    for file in (out / "jax").rglob("*"):
        if file.is_file():
            file.replace(out / ("jax." + file.name.split(".", 1)[1]))


def record(out):
    out.mkdir(parents=True, exist_ok=True)
    tools = {}
    for name, of in (("torch", by_torch), ("proton", by_proton), ("jax", by_jax), ("ncu", by_ncu)):
        # A process each: one profiler at a time may use CUPTI.
        done = subprocess.run([sys.executable, __file__, "one", name, out], capture_output=True, text=True)
        tools[name] = "written" if done.returncode == 0 else (done.stdout + done.stderr)[-1500:]
        print(name, tools[name][-300:])
    (out / "tools.json").write_text(json.dumps(tools, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    ONE = {"torch": by_torch, "ncu": by_ncu, "proton": by_proton, "jax": by_jax}
    if sys.argv[1:] == ["program"]:
        run_between_marks()
    elif sys.argv[1:2] == ["record"] and len(sys.argv) == 3:
        record(pathlib.Path(sys.argv[2]))
    elif sys.argv[1:2] == ["one"] and len(sys.argv) == 4:
        ONE[sys.argv[2]](pathlib.Path(sys.argv[3]))
    else:
        raise SystemExit(__doc__)
