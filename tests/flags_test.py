#!/usr/bin/env python3
"""A flag does something wherever it is taken: with every way to use a verb, each of its flags is either refused, with a
message that names it, or changes what is printed, written or returned.

Usage: flags_test.py PROGRAM [WORD...]   with words only the commands that have one.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parent / "data"
SAXPY = "saxpy.cubin --kernel saxpy --grid 2 --block 32 --arg f32=2 --arg x=f32[64]:uniform --arg y=f32[64] --arg i32=64"
FORMULA = "fuse y=x*x --shape 256 --emulate"

# The values of flags that need one. A longer key, "VERB --flag" or "COMMAND --flag", goes before the flag's own.
VALUES = {
    "--step": "3", "--annotation": "*fwd*", "--phase": "decode", "--capture": "graph.json.gz", "--from": "20ms", "--to": "21ms",
    "--rank": "1", "--device": "1", "--stream": "9", "--limit": "1", "--classes": "classes.txt", "--fail-on": "5%", "--explain": "spills",
    "--type": "stacks", "--min-duration": "1ms", "--metric": "self_cpu_time_total", "--by": "kernel", "--depth": "1", "--sort-by": "count",
    "--by-stack": "2", "--script": "aten::mm", "--name-width": "20", "--range": "1us-200us", "--table": "gaps", "--output": "out", "--format": "csv",
    "--color": "always", "--arch": "sm_80", "--kernel": "saxpy_strided", "--option": "-DN=2", "--block": "64", "--regs": "99", "--smem": "50000",
    "--static-smem": "40000", "--barriers": "9", "--carveout": "10", "--cluster": "2", "--shape": "512", "--dtype": "f16", "--input": "x=f16[256]",
    "--out-dtype": "f64", "--show": "none", "--target": "3%", "--impl": "scalar", "--sizes": "4096", "--dims": "4096", "--seq-lengths": "4096",
    "--axis": "n=4096", "--copy": "mine", "--devices": "2", "--launch-budget": "1ns", "--check": "leaks", "--set": "timing", "--nvtx": "part",
    "--skip": "1", "--count": "1", "--cache-control": "none", "--keep": "kept", "--list-metrics": "h200", "--plan": "h200", "--grid": "3",
    "--arg": "i32=1", "--shared": "64", "--symbol": "s=f32[4]", "--save": "saved.json", "--expect": "y=y.npy", "--rtol": "1", "--atol": "9",
    "--compiler": "nvcc", "--devices-compare": "a100,h100", "--schedule": "reversed", "--timeout": "1ns", "--max-instructions": "3",
    "--threads": "1", "--line": "1", "--line-svg": "line.svg", "--count-timeout": "1ns", "--roofline-svg": "roofline.svg",
    "--baseline": "counters.json", "--as": "other", "--runs": "3", "--trace": "launches.json", "--bytes": "8*64", "--flops": "2*64",
    "--reference": "y = 2*x + y0", "--tolerance": "1e-9", "--regime": "warm", "--confidence": "90%", "--samples": "50", "--against": "saxpy.ptx",
    "--against-kernel": "saxpy_strided", "--margin": "1%", "--noise-floor": "2", "--theme": "dark", "--api": "all", "--delay": "1s",
    "--duration": "1s", "--capture-range": "x", "--ring": "3s", "--hardware": "probe.counts", "--interval": "20us", "--when": "step > 1ms", "--signal": "USR1", "--metrics-port": "0",
    "--memory-limit": "1MiB", "--counters": "probe.counts", "--junit": "judged.xml", "--ignore": "fusable-chain", "help --format": "json", "--page": "page.html",
    "counters --replay": "application", "kernel --metric": "smsp__inst_executed.sum", "counters --metric": "smsp__inst_executed.sum",
    "kernel --device": "a100", "counters --device": "a100", "emulate --device": "a100",
    "record --device": "a100", "record --schedule": "wrong", "occupancy --device": "a100", "kernel --check": "race", "findings --fail-on": "info",
    "kernel --cluster": "2,1,1", "bench --cluster": "2,1,1", "bench --limit": "1s",
}
# Flags that a flag needs to have an effect.
BESIDE = {
    **{f"{verb} {flag}": "--baseline counters.json" for verb in ("kernel", "counters") for flag in ("--as", "--fail-on")},
     "kernel --line-svg": "--line 10",
    "bench --fail-on": "--against-kernel saxpy_strided", "bench --margin": "--against-kernel saxpy_strided",
}


CHECKED = f"kernel {SAXPY.replace('.cubin', '.ptx')} --emulate --check=all"
# The effect of these is not visible in the output of a quick run.
UNSEEN = {"--color", "--timing", "--config", "--threads", "--full-names",
          "timeline --classes", "ops --classes", "bench --bytes", "bench --flops", "bench --shared", "bench --cooperative",
          "bench --cluster", "summary --findings", "emulate --launch-budget",
          "counters --launch-budget", "diff --all", "kernel --fail-on", "counters --fail-on", "counters --sample", "ops --to", "bench --margin", "bench --fail-on",
          "export --force", "export --any-size", "convert --force", "convert --any-size", "completions --force", "bench --force", "kernel launches.json --emulate --force", CHECKED + " --schedule"}
# Nor what these do to kernels that are over at once, ask for nothing of it, or are checked and found right.
PLAIN, UNCOUNTED = f"kernel {SAXPY} --emulate", f"kernel {SAXPY} --emulate --no-counters"
OVER_AT_ONCE = ("--timeout", "--count-timeout", "--shared", "--cluster", "--schedule")
UNSEEN |= {f"{command} {flag}" for flag in OVER_AT_ONCE
           for command in (PLAIN, UNCOUNTED, CHECKED, "kernel launches.json --emulate", "kernel copy/vector --emulate --axis n=1024")}
UNSEEN |= {f"{CHECKED} {flag}" for flag in ("--cooperative", "--arch", "--option", "--compiler", "--max-instructions", "--device")}
UNSEEN.add("kernel probe.counts --device")  # for tables of Nsight Compute that do not name their GPU; these counts do
UNSEEN |= {f"{UNCOUNTED} {flag}" for flag in ("--cooperative", "--device")}  # they bound what a launch may ask for
UNSEEN |= {"kernel launches.json --emulate --option", "kernel launches.json --emulate --compiler", PLAIN + " --no-counters",
           "bench copy --impl vector --sizes 1024 --profile --emulate --axis", "bench copy --impl vector --sizes 1024 --profile --emulate --gpu"}

SOURCE = """__global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef N
  if (i < N)
#else
  if (i < n)
#endif
    y[i] = a * x[i] + y[i];
}
__global__ void saxpy_strided(float a, const float* x, float* y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = a * x[i] + y[i];
}
"""
HOST = """#include <cstdio>
__global__ void twice(float* x) { x[threadIdx.x] *= 2; }
int main() {
  float* x;
  cudaMalloc(&x, 128);
  cudaMemset(x, 0, 128);
  for (int i = 0; i < 40; ++i) twice<<<1, 32>>>(x);
  int devices = 0;
  cudaDeviceProp device;
  cudaGetDeviceCount(&devices);
  cudaGetDeviceProperties(&device, 0);
  printf("%d %s\\n", devices, device.name);
  return cudaDeviceSynchronize();
}
"""
LAUNCH = {"source": "saxpy.ptx", "kernel": "saxpy",
          "launches": [{"grid": 2, "block": 32, "args": ["f32=2", "x=f32[64]:uniform", "y=f32[64]", "i32=64"]}]}


def prepare(program, folder):
    for name, source in { "graph.json.gz": "traces/cuda_graph.pt.trace.json.gz",
                         "rank0.json.zst": "rules/uneven_batches.rank0.pt.trace.json.zst", "rank1.json.zst": "rules/uneven_batches.rank1.pt.trace.json.zst",
                         "probe.counts": "counters/probe.counts"}.items():
        (folder / name).symlink_to(DATA / source)
    (folder / "saxpy.cu").write_text(SOURCE)
    (folder / "twice.cu").write_text(HOST)
    (folder / "launches.json").write_text(json.dumps(LAUNCH))
    (folder / "classes.txt").write_text("kernel * everything\n")
    for command in (["convert", str(DATA / "traces/gpt2_train_stack.pt.trace.json.gz"), "-o", "t.wlens"],
                    ["nvcc", "-arch=sm_90", "-lineinfo", "-cubin", "-o", "saxpy.cubin", "saxpy.cu"], ["nvcc", "-arch=sm_90", "-lineinfo", "-ptx", "-o", "saxpy.ptx", "saxpy.cu"],
                    ["nvcc", "-arch=sm_90", "-o", "twice", "twice.cu"], ["kernel", *SAXPY.split(), "--emulate", "--save", "counters.json"],
                    ["kernel", *SAXPY.split(), "--emulate", "--save", "y=y.npy"], ["bench", *SAXPY.split(), "--emulate", "-o", "r.json"]):
        done = read(program, *command, folder=folder)
        assert done[0] == 0, (command, done)


def read(program, *arguments, folder):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("WARPLENS_")}
    environment |= {"COLUMNS": "100", "WARPLENS_CACHE": str(folder / ".cache"), "PATH": f"{pathlib.Path(program).parent}:{os.environ['PATH']}"}
    done = subprocess.run([program, *arguments], cwd=folder, env=environment, capture_output=True, timeout=120)
    # The duration of a run is not an effect of a flag, and neither is the width that it gives a column.
    return done.returncode, *(re.sub(rb"[ \t\xe2\x94\x80]+", b" ", re.sub(rb"[0-9.]+ ?(ns|us|ms|s)\b", b"TIME", text)) for text in (done.stdout, done.stderr))


def effects(program, folder, command):
    """Exit code, both streams, and the files that were left, with their contents; the files are removed."""
    before = {path.name for path in folder.iterdir()}
    seen = read(program, *command, folder=folder)
    left = {}
    for path in folder.iterdir():
        if path.name in before:
            continue
        left[path.name] = path.read_bytes() if path.is_file() else sorted(p.name for p in path.rglob("*"))
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return (*seen, left)


# Ways to use each verb, the traces and kernels of `prepare` at hand.
COMMANDS = [
    "summary t.wlens", "ops t.wlens", "ops t.wlens --by module", "ops t.wlens --by class", "ops t.wlens --torch",
    "ops t.wlens --roofline", "ops t.wlens --patterns", "ops t.wlens --script aten::mm", "findings t.wlens", "findings --explain host-sync",
    "timeline t.wlens", "timeline t.wlens --json", "timeline t.wlens --format csv", "diff t.wlens graph.json.gz", "ranks rank0.json.zst rank1.json.zst",
    "doctor", "doctor t.wlens", "export t.wlens", "export t.wlens -t stacks", "export t.wlens -t flamegraph", "convert t.wlens -o new.wlens",
    "inspect saxpy.cu", "inspect saxpy.ptx", "inspect saxpy.cubin", "inspect --instructions", "occupancy", "occupancy saxpy.cubin -k saxpy",
    "occupancy saxpy.cu -k saxpy", "device list", "completions bash", "help", "help kernel", "learn",
    "learn copy", "learn copy --copy new", FORMULA, "fuse y=x*x --no-run", "bench --list", "bench compare r.json r.json", "bench plot r.json -o plots",
    "bench copy --impl vector --emulate", "bench copy --impl vector --sizes 1024 --profile --emulate",
    "bench launches.json --emulate", f"bench {SAXPY} --emulate", f"kernel {SAXPY} --emulate", CHECKED,
    f"kernel {SAXPY} --emulate --no-counters", "kernel launches.json --emulate", "kernel copy/vector --emulate --axis n=1024",
    "kernel probe.counts", "kernel --explain spills", "counters --list-metrics gh100", "counters --plan gh100", "counters -- true", "counters --lines -- true",
    "counters --emulate -- ./twice", "counters --emulate --devices-compare h200,a100 -- ./twice",
    "emulate -- ./twice", "emulate --check -- ./twice", "record -- true", "record --emulate -o run.wlens -- ./twice",
]


def judge(program, folder, command, flag, plain):
    """The mistake of the flag there; None if it is refused or has an effect."""
    words = command.split()
    name = flag["names"][-1]
    short = {name, *flag["names"]} & set(words)
    if short or any(word.startswith(f"{name}=") for word in words):
        return None
    keys = [f"{command} {name}", f"{words[0]} {name}", name]
    given = [name] if not flag["value"] else [f"{name}={next(VALUES[key] for key in keys if key in VALUES)}"]
    beside = next((BESIDE[key] for key in keys if key in BESIDE), "").split()
    at = words.index("--") if "--" in words else len(words)
    seen = effects(program, folder, words[:at] + given + words[at:])
    if beside and b"has no effect alone" in seen[2]:
        seen = effects(program, folder, words[:at] + beside + given + words[at:])
        plain = effects(program, folder, words[:at] + beside + words[at:])
    if seen[0] == 2:
        named = any(word in seen[2].decode() for word in given[0].split("=", 1) + beside) or b"has no effect with" in seen[2]
        return None if named else f"refused without naming it: {seen[2].decode()[:200]}"
    return None if seen != plain or command.endswith(" -- true") else "does nothing"  # that program does nothing itself


def main(program, *only):
    program = str(pathlib.Path(program).resolve())
    folder = pathlib.Path(tempfile.mkdtemp(prefix="warplens-flags-"))
    tried, wrong = 0, []
    try:
        prepare(program, folder)
        verbs = {v["name"]: v for v in json.loads(read(program, "help", "--json", folder=folder)[1])["verbs"]}
        for command in COMMANDS:
            if only and not any(word in command for word in only):
                continue
            plain = effects(program, folder, command.split())
            verb = verbs[command.split()[0]]
            for flag in verb["flags"] + verb["common_flags"]:
                name = flag["names"][-1]
                if UNSEEN & {name, f"{verb['name']} {name}", f"{command} {name}"}:
                    continue
                fault = judge(program, folder, command, flag, plain)
                tried += 1
                if fault:
                    wrong.append(f"warplens {command}: {flag['names'][-1]} {fault}")
    finally:
        shutil.rmtree(folder)
    print("\n".join(wrong))
    print(f"{tried} flags tried, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
