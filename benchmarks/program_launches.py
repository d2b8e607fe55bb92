#!/usr/bin/env python3
"""The cost of a whole program's launch without a GPU, compared with the same launch of a launch file.

program_launches.py WARPLENS [REPEATS]: milliseconds of processor time a launch, on one thread, each the least of REPEATS runs (3), the ways in
turns: a launch file's run, which counts, and a program that does the same launches, counted, as it is, and under each check. What does not
grow with the number of launches (compiling, starting, filling memory) is taken off: a run of 6 less a run of 2.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

KERNELS = r'''
extern "C" __global__ void saxpy(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.5f * x[i] + y[i];
}
extern "C" __global__ void polynomial(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i % n];
  for (int k = 0; k < 100; ++k) v = fmaf(v, 0.999f, 0.5f);
  y[i % n] = v;
}
extern "C" __global__ void sums(const float* x, float* y, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int w = 128; w > 0; w /= 2) { if (t < w) s[t] += s[t + w]; __syncthreads(); }
  if (t == 0) y[blockIdx.x] = s[0];
}
extern "C" __global__ void turned(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, side = 512;
  if (i < n) y[i % side * side + i / side % side] = x[i];
}
extern "C" __global__ void bins(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&y[(i * 7 + (int)x[i]) % 1000], 1.0f);
}
'''
NAMES = ["saxpy", "polynomial", "sums", "turned", "bins"]
COUNT = 512 * 512
MAIN = r'''
#include <cstdlib>
#include <cstring>
int main(int, char** argv) {
  const int n = COUNT, launches = std::atoi(argv[2]);
  float *x, *y;
  cudaMalloc(&x, 4 * n);
  cudaMalloc(&y, 4 * n);
  cudaMemset(x, 0, 4 * n);
  cudaMemset(y, 0, 4 * n);
  for (int i = 0; i < launches; ++i) {
    LAUNCHES
  }
  const bool ok = cudaDeviceSynchronize() == cudaSuccess;
  cudaFree(x);
  cudaFree(y);
  return !ok;
}
'''
MORE, FEW = 6, 2


def write_sources(folder):
    launches = "\n    ".join(f'if (!std::strcmp(argv[1], "{name}")) {name}<<<n / 256, 256>>>(x, y, n);' for name in NAMES)
    (folder / "kernels.cu").write_text(KERNELS)
    (folder / "program.cu").write_text(KERNELS + MAIN.replace("COUNT", str(COUNT)).replace("LAUNCHES", launches))
    for name in NAMES:
        launch = {"kernel": name, "grid": COUNT // 256, "block": 256, "args": [{"buffer": "x"}, {"buffer": "y"}, {"i32": COUNT}]}
        for times in (MORE, FEW):
            buffers = {which: {"dtype": "f32", "count": COUNT} for which in "xy"}
            (folder / f"{name}{times}.json").write_text(json.dumps({"source": "kernels.cu", "arch": "sm_90", "buffers": buffers, "launches": [launch] * times}))


def seconds(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, "WARPLENS_THREADS": "1"})
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def commands(warplens, name):
    """Each way, given how many launches."""
    ways = {"file": lambda n: [warplens, "kernel", f"{name}{n}.json", "--emulate"],
            "counted": lambda n: [warplens, "counters", "--emulate", "--", "./program", name, str(n)],
            "plain": lambda n: [warplens, "emulate", "--", "./program", name, str(n)]}
    for check in ("memory", "race", "init", "sync", "all"):
        ways[check] = lambda n, check=check: [warplens, "emulate", f"--check={check}", "--", "./program", name, str(n)]
    return ways


def main():
    warplens, repeats = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory() as home:
        folder = pathlib.Path(home)
        write_sources(folder)
        subprocess.run([warplens, "nvcc", "-arch=sm_90", "-o", "program", "program.cu"], cwd=folder, check=True)
        print("ms of a launch; in parentheses the program's counted launch over the launch file's, and the others over the plain one")
        for name in NAMES:
            ways = commands(warplens, name)
            least = {way: [1e9, 1e9] for way in ways}
            for _ in range(repeats):
                for way, command in ways.items():
                    for k, times in enumerate((MORE, FEW)):
                        least[way][k] = min(least[way][k], seconds(command(times), folder))
            ms = {way: 1e3 * (more - few) / (MORE - FEW) for way, (more, few) in least.items()}
            columns = [f"file {ms['file']:.1f}", f"counted {ms['counted']:.1f} ({ms['counted'] / ms['file']:.2f})", f"plain {ms['plain']:.1f}"]
            columns += [f"{check} {ms[check]:.1f} ({ms[check] / ms['plain']:.1f})" for check in ("memory", "race", "init", "sync", "all")]
            print(f"{name:<12}" + "  ".join(columns), flush=True)


main()
