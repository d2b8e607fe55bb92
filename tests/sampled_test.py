#!/usr/bin/env python3
"""Recordings of `--sample`, where launches that repeat others do not run. Argument: the program."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
STEPS = 40
INDEXED = """
#include <cstdio>
__global__ void indices(int* at) { at[threadIdx.x] = threadIdx.x; }
__global__ void read(const int* at, const float* from, float* to) { to[threadIdx.x] = from[at[threadIdx.x]]; }
int main() {
  int* at;
  float *from, *to;
  cudaMalloc(&at, 1024), cudaMalloc(&from, 1024), cudaMalloc(&to, 1024);
  for (int step = 0; step < STEPS; ++step) {
    cudaMemset(at, 0x7f, 1024);  // no index, unless the kernel writes one
    indices<<<1, 256>>>(at);
    if (step == 5) read<<<1, 128>>>(at, from, to);  // for the first time
    read<<<1, 256>>>(at, from, to);
  }
  puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
"""


def run(command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


def check(right, what, done):
    if not right:
        sys.exit(f"{what}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")


def kernels(program, file):
    done = run([program, "query", file, "select name, start_ns, duration_ns from device_events where kind = 'kernel' order by start_ns", "--json"])
    check(done.returncode == 0, "query", done)
    return json.loads(done.stdout)["rows"]


def test_results_that_are_missing(program, folder):
    """Kernels that index by what was left out fail alone: the recording has all launches, with the times of those that ran."""
    (folder / "indexed.cu").write_text(INDEXED)
    done = run([program, "nvcc", "-std=c++17", "-arch=sm_90", f"-DSTEPS={STEPS}", "-o", folder / "indexed", folder / "indexed.cu"])
    check(done.returncode == 0, "nvcc", done)
    record = [program, "record", "--emulate", "-f"]
    for words in ([], ["--sample"]):
        done = run([*record, *words, "-o", folder / f"all{len(words)}.wlens", "--", folder / "indexed"])
        check(done.returncode == 0 and done.stdout.startswith("cudaSuccess\n"), f"recorded {words}", done)
    check("launches failed, because the results of other launches are missing" in done.stderr, "failures are told", done)
    all_run, sampled = (kernels(program, folder / f"all{i}.wlens") for i in (0, 1))
    check(len(all_run) == len(sampled) == 2 * STEPS + 1, f"{len(all_run)} and {len(sampled)} kernels", done)
    check(all(a["name"] == b["name"] and b["duration_ns"] > 0 for a, b in zip(all_run, sampled)), "the same kernels", done)
    last, before = (sampled[at]["duration_ns"] for at in (-1, -3))
    check(last == before and abs(last / all_run[-1]["duration_ns"] - 1) < 0.02, "and times of kernels that repeat", done)


def main(program):
    program = pathlib.Path(os.path.abspath(program))
    if run([program, "nvcc", "--version"]).returncode != 0:
        print("skipped: there is no nvcc here")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        test_results_that_are_missing(program, pathlib.Path(name))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
