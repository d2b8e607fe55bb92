#!/usr/bin/env python3
"""Matrix products and attention of kernels/ beside cuBLAS, SDPA's backends and Triton, on the GPU here.

  matrix_suite.py compile CUBINS            compiles every variant with nvcc (no GPU needed)
  matrix_suite.py run CUBINS RESULTS.json [CASE...]   checks each against float64, then times all side by side
  matrix_suite.py table RESULTS.json...     what was measured, as Markdown

Needs PyTorch with Triton, and a GPU of compute capability 9.0.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "matrix"))
KERNELS = pathlib.Path(os.environ.get("KERNELS", HERE.parent.parent / "kernels"))


def compile_one(build, folder):
    name, source, defines = build
    command = ["nvcc", "-gencode=arch=compute_90a,code=sm_90a", "-std=c++17", "-O3", "-lineinfo", "-cubin", "-o", folder / f"{name}.cubin",
               *(f"-D{k}={v}" for k, v in defines.items()), KERNELS / source]
    done = subprocess.run(command, capture_output=True, text=True)
    notes = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    if done.returncode or notes: print(name, *notes, sep="\n  ")
    return done.returncode


def compile_all(folder):
    import variants
    folder.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(min(16, os.cpu_count())) as pool:
        return max(pool.map(lambda b: compile_one(b, folder), variants.builds()))


def cases(cubins, rounds):
    import attention
    import backward
    import decode
    import matmul
    for length, batch in ((4096, 4), (16384, 1)):
        for head in (128, 64):
            for causal in (False, True):
                name = f"attention forward {length} head {head}" + " causal" * causal
                yield name, lambda: attention.forward(batch, 2048 // head, length, head, causal, cubins, rounds)
                yield name.replace("forward", "backward"), lambda: backward.backward(batch, 2048 // head, length, head, causal, cubins, rounds)
    yield "attention forward 4096 head 128 causal group 4", lambda: attention.forward(4, 16, 4096, 128, True, cubins, rounds, group=4)
    for batch, group, length in ((16, 4, 8192), (1, 4, 65536), (64, 8, 4096)):
        name = f"decode {batch} sequences of {length} keys, 32 heads in groups of {group}"
        yield name, lambda: decode.decode(batch, 32, group, length, 128, cubins, rounds)
    for size in (4096, 8192):
        yield f"matmul bf16 {size}", lambda: matmul.tensor("bf16", size, cubins, rounds)
        yield f"matmul fp8 {size}", lambda: matmul.tensor("fp8", size, cubins, rounds)
        yield f"matmul fp16 {size}", lambda: matmul.tensor("fp16", size, cubins, rounds, variants=False)
    yield "matmul fp32 4096", lambda: matmul.fp32(4096, cubins, rounds)
    for size in (1024, 2048):
        yield f"matmul bf16 {size}", lambda: matmul.tensor("bf16", size, cubins, rounds, variants=False)
        yield f"matmul fp32 {size}", lambda: matmul.fp32(size, cubins, rounds, variants=False)


def show(name, results, seconds):
    print(f"{name} ({seconds:.1f} s)")
    for candidate, r in sorted(results.items(), key=lambda x: x[1].get("ms", 1e9)):
        if "ms" in r:
            print(f"  {candidate:66} {r['ms']:9.4f} ms [{r['low_ms']:.4f}, {r['high_ms']:.4f}] {r['tflops']:8.1f} TFLOP/s  error {r['error']:.1e}")
        else: print(f"  {candidate:66} {r['error']}")
    sys.stdout.flush()


def run(cubins, output, only):
    import torch
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    driver = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,clocks.max.sm", "--format=csv,noheader"], capture_output=True, text=True)
    report = {"device": driver.stdout.strip(), "torch": torch.__version__, "date": time.strftime("%Y-%m-%d"), "cases": {}}
    limit = time.time() + float(os.environ.get("SECONDS_LIMIT", "1e9"))
    for name, case in cases(cubins, rounds=15):
        if only and not any(o in name for o in only): continue
        if time.time() > limit:
            print("no time left for", name)
            continue
        start = time.time()
        try: report["cases"][name] = case()
        except Exception as e: report["cases"][name] = {"all": {"error": repr(e)[:500]}}
        torch.cuda.empty_cache()
        show(name, report["cases"][name], time.time() - start)
        output.write_text(json.dumps(report, indent=1))


def print_tables(paths):
    import table
    cases = {}
    for path in paths: cases |= json.loads(pathlib.Path(path).read_text())["cases"]
    print(*table.markdown(cases), sep="\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["compile"] and len(sys.argv) == 3: sys.exit(compile_all(pathlib.Path(sys.argv[2])))
    if sys.argv[1:2] == ["run"] and len(sys.argv) >= 4: sys.exit(run(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4:]))
    if sys.argv[1:2] == ["table"] and len(sys.argv) > 2: sys.exit(print_tables(sys.argv[2:]))
    sys.exit(__doc__)
