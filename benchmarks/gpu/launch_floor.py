"""The host's cost of CUPTI's parts at a launch: launch_floor.cu with each, several processes each in turn, medians.

    python3 launch_floor.py [--seconds S] [--pairs N] [--json FILE]

A process takes turns with its part off and on, so that slow cores and slow phases hit both; told are the medians over processes of what a
launch takes without, what it takes more, the least and most of the processes, and instructions of the launching thread.
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PARTS = [
    "bare", "driver", "driver kept", "runtime", "runtime kept", "kernel", "kernel driver kept", "kernel runtime kept", "kernel driver-records",
    "kernel runtime-records", "kernel copies driver kept", "serial", "kernel zeroed", "kernel shared", "kernel pinned", "kernel latency", "kernel clock",
    "kernel hardware", "kernel buffer=32", "kernel buffer=1024", "kernel buffer=4096", "kernel device=256", "kernel device=1024",
    "kernel device=16384", "kernel pre=16 limit=64", "kernel zeroed clock pinned",
]


def built(folder):
    toolkit = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
    places = [toolkit / "extras/CUPTI", toolkit]
    flags = [f"-I{place}/include" for place in places] + [f"-L{place}/lib64" for place in places]
    program = folder / "launch_floor"
    subprocess.run(["nvcc", "-O2", "-std=c++17", "-arch=native", *flags, HERE / "launch_floor.cu", "-o", program, "-lcupti", "-lcuda"], check=True)
    paths = ":".join(f"{place}/lib64" for place in places)
    return program, {**os.environ, "LD_LIBRARY_PATH": paths + ":" + os.environ.get("LD_LIBRARY_PATH", "")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--pairs", type=int, default=150)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    runs = {parts: [] for parts in PARTS}
    with tempfile.TemporaryDirectory() as folder:
        program, environment = built(pathlib.Path(folder))
        began = time.monotonic()
        while time.monotonic() - began < options.seconds:
            for parts in random.sample(PARTS, len(PARTS)):
                if time.monotonic() - began > options.seconds:
                    break
                done = subprocess.run([program, str(options.pairs), *parts.split()], env=environment, capture_output=True, text=True, timeout=60)
                try:
                    runs[parts].append(json.loads(done.stdout))
                except ValueError:
                    runs[parts].append({"refused": f"exit {done.returncode}: {done.stdout}{done.stderr}"[-200:]})
    if options.json:
        options.json.write_text(json.dumps(runs))
    print("| part | ns without | more, ns | least to most | instructions | more | processes |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for parts, of in runs.items():
        good = [run for run in of if "refused" not in run]
        if not good:
            print(f"| {parts} | {of[0]['refused'] if of else 'not run'} |")
            continue
        middle = {key: statistics.median(run[key] for run in good) for key in good[0]}
        more = [run["more_ns"] for run in good]
        print(f"| {parts} | {middle['off_ns']:.0f} | {middle['more_ns']:+.0f} | {min(more):+.0f} to {max(more):+.0f} | {middle['off_instructions']:.0f} "
              f"| {middle['on_instructions'] - middle['off_instructions']:+.0f} | {len(good)} |")


if __name__ == "__main__":
    main()
