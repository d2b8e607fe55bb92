"""What recording costs, beside torch.profiler, Proton and (where it is installed) Nsight Systems on the same machine in the same minutes.

    python3 record_cost.py WARPLENS [--rounds N] [--workloads tiny,gpt2] [--ways "bare;record"] [--seconds S] [--json FILE]

Each round runs every way to profile once, in its own process, and says so as it goes; the cost is the median over rounds of
the time against the bare run of the same round. After --seconds no further run is begun.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
WAYS = {
    "bare": None,
    "record --kernels-only": ["--kernels-only"],
    "record": [],
    "record --torch": ["--torch"],
    "record --torch-shapes": ["--torch-shapes"],
    "torch.profiler, CUDA": "torch-cuda",
    "torch.profiler, CPU and CUDA": "torch",
    "torch.profiler, with shapes": "torch-shapes",
    "Proton": "proton",
    "Nsight Systems": "nsys",
}


def measure(warplens, workload, way, folder):
    program = [sys.executable, str(HERE / "record_workloads.py"), workload]
    settings, recording, trace = WAYS[way], folder / "run.wlens", folder / "trace.json"
    if settings == "nsys":
        program = ["nsys", "profile", "-t", "cuda", "-s", "none", "--cpuctxsw=none", "-f", "true", "-o", str(folder / "run"), *program]
    elif isinstance(settings, str):
        program += ["--profiler", settings] + (["--trace", str(trace)] if settings.startswith("torch") else [])
    if isinstance(settings, list):
        program = [warplens, "record", "--quiet", "-f", "-o", str(recording), *settings, "--", *program]
    done = subprocess.run(program, capture_output=True, text=True, timeout=300)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        return {"failed": (done.stdout + done.stderr)[-500:]}
    result = json.loads(lines[-1])
    for file in (recording, trace):
        if file.exists():
            result["bytes"] = file.stat().st_size
            file.unlink()
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("warplens")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workloads", default="tiny,gpt2")
    parser.add_argument("--ways", default=";".join(WAYS))
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--json")
    options = parser.parse_args()
    results, began = {}, time.monotonic()
    for workload in options.workloads.split(","):
        runs = {way: [] for way in options.ways.split(";") if WAYS[way] != "nsys" or shutil.which("nsys")}
        for _ in range(options.rounds):
            for way in runs:
                if time.monotonic() - began > options.seconds:
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    runs[way].append(measure(options.warplens, workload, way, pathlib.Path(folder)))
                print(f"{workload}, {way}: {runs[way][-1]}", file=sys.stderr, flush=True)
        results[workload] = runs
        print(f"\n| {workload} | us | against bare | bytes written |\n| --- | ---: | ---: | ---: |")
        for way, of_way in runs.items():
            good = [(run, bare) for run, bare in zip(of_way, runs["bare"]) if "us" in run and "us" in bare]
            if not good:
                print(f"| {way} | {of_way[0].get('failed', '')[-200:]!r} |" if of_way else f"| {way} | not run |")
                continue
            cost = statistics.median(run["us"] / bare["us"] - 1 for run, bare in good)
            us = statistics.median(run["us"] for run, _ in good)
            print(f"| {way} | {us:.2f} | {cost:+.1%} | {good[-1][0].get('bytes', '')} |")
        sys.stdout.flush()
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"cores": os.cpu_count(), "runs": results}, indent=1))


if __name__ == "__main__":
    main()
