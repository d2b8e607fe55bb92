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
# Indices, a size that the host reads back, and a kernel whose work follows from values: `indices` and `count` repeat from step to step.
DEPENDENT = """
#include <cstdio>
__global__ void indices(int* at) { at[threadIdx.x] = threadIdx.x; }
__global__ void read(const int* at, const float* from, float* to) { to[threadIdx.x] = from[at[threadIdx.x]]; }
__global__ void count(const int* at, int* number) { if (at[threadIdx.x] < 96) atomicAdd(number, 1); }
__global__ void spin(const int* number, float* to) { for (int i = 0; i < *number; ++i) to[threadIdx.x] += i; }
int main() {
  int *at, *number, sizes = 0;
  float *from, *to;
  cudaMalloc(&at, 1024), cudaMalloc(&number, 4), cudaMalloc(&from, 1024), cudaMalloc(&to, 1024);
  for (int step = 0; step < STEPS; ++step) {
    cudaMemset(at, 0x7f, 1024);  // no index, unless the kernel writes one
    cudaMemset(number, 0, 4);
    indices<<<1, 256>>>(at);
    if (step == 5) read<<<1, 128>>>(at, from, to);  // for the first time
    read<<<1, 256>>>(at, from, to);
    count<<<1, 256>>>(at, number);
    int size = 0;
    cudaMemcpy(&size, number, 4, cudaMemcpyDeviceToHost);
    sizes += size == 96;
    spin<<<1, size>>>(number, to);
  }
  printf("%s %d\\n", cudaGetErrorName(cudaDeviceSynchronize()), sizes);
}
"""
# Each step has memory of its own: nothing that was kept fits it.
ELSEWHERE = """
#include <cstdio>
__global__ void indices(int* at) { at[threadIdx.x] = threadIdx.x; }
__global__ void read(const int* at, const float* from, float* to) { to[threadIdx.x] = from[at[threadIdx.x]]; }
int main() {
  int* at;
  float *from, *to;
  cudaMalloc(&at, 1024 * STEPS), cudaMalloc(&from, 1024), cudaMalloc(&to, 1024);
  cudaMemset(at, 0x7f, 1024 * STEPS);
  for (int step = 0; step < STEPS; ++step) {
    indices<<<1, 256>>>(at + 256 * step);
    if (step % 7 == 0) read<<<1, 1 + step>>>(at + 256 * step, from, to);
  }
  puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
"""


def run(command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


def check(right, what, done):
    if not right:
        sys.exit(f"{what}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")


def build(program, folder, name, text, steps):
    (folder / f"{name}.cu").write_text(text)
    done = run([program, "nvcc", "-std=c++17", "-arch=sm_90", f"-DSTEPS={steps}", "-o", folder / name, folder / f"{name}.cu"])
    check(done.returncode == 0, "nvcc", done)


def kernels(program, file):
    done = run([program, "query", file, "select name, start_ns, duration_ns from device_events where kind = 'kernel' order by start_ns", "--json"])
    check(done.returncode == 0, "query", done)
    return json.loads(done.stdout)["rows"]


def test_work_that_follows_from_values(program, folder):
    """Launches that a sample leaves out leave the results of one that ran: indices, sizes on the host and loops are as if all had run."""
    build(program, folder, "dependent", DEPENDENT, STEPS)
    record = [program, "record", "--emulate", "-f"]
    for words in ([], ["--sample"]):
        done = run([*record, *words, "-o", folder / f"all{len(words)}.wlens", "--", folder / "dependent"])
        check(done.returncode == 0 and done.stdout.startswith(f"cudaSuccess {STEPS}\n"), f"recorded {words}", done)
    check("launches were run" in done.stderr and "failed" not in done.stderr and "left no results" not in done.stderr, "what is told", done)
    all_run, sampled = (kernels(program, folder / f"all{i}.wlens") for i in (0, 1))
    check(len(all_run) == len(sampled) == 4 * STEPS + 1, f"{len(all_run)} and {len(sampled)} kernels", done)
    check(all(a["name"] == b["name"] for a, b in zip(all_run, sampled)), "the same kernels", done)
    for a, b in zip(all_run[8:], sampled[8:]):
        check(abs(b["duration_ns"] / a["duration_ns"] - 1) < 0.02, f"times of {a['name']}: {a['duration_ns']} and {b['duration_ns']}", done)


def test_results_that_are_not_kept(program, folder):
    """Results in other memory are not there. That is told, and launches that fail for it do not end the program."""
    build(program, folder, "elsewhere", ELSEWHERE, 100)
    done = run([program, "record", "--emulate", "--sample", "-f", "-o", folder / "elsewhere.wlens", "--", folder / "elsewhere"])
    check(done.returncode == 0 and done.stdout.startswith("cudaSuccess\n"), "recorded", done)
    check("launches that did not run left no results" in done.stderr, "missing results are told", done)
    check("launches failed, because they work with the results of launches that did not run" in done.stderr, "failures are told", done)


def main(program):
    program = pathlib.Path(os.path.abspath(program))
    if run([program, "nvcc", "--version"]).returncode != 0:
        print("skipped: there is no nvcc here")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        test_work_that_follows_from_values(program, pathlib.Path(name))
        test_results_that_are_not_kept(program, pathlib.Path(name))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
