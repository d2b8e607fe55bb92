#!/usr/bin/env python3
"""The matrix kernels of kernels/ beyond suite_test.py: odd sizes, counters that follow from the size. Grouped heads and sequences one
after another are compared with the naive kernel, under --check all. Argument: the program."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNELS = ROOT / "kernels"
ODD_SIZES = {"attention": [100], "attention_backward_causal": [100]}
QUERIES = 128  # of a block of the flash kernel
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
FMA, TENSOR = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "sm__inst_executed_pipe_tensor_op_gmma.sum"
# n = 256: n^3 multiplications and additions; wgmma of 64 x 128 x 16, 64 x 64 x 16 and 64 x 256 x 32 (bytes), by four warps each
COUNTERS = {("matmul", "tensor_copies"): {CONFLICTS: 0, FMA: 256 ** 3}, ("matmul", "warp_tiles"): {FMA: 256 ** 3},
            ("matmul_bf16", "wgmma"): {TENSOR: 4 * 2 * 16 * 4}, ("matmul_bf16", "persistent"): {TENSOR: 4 * 4 * 16 * 4},
            ("matmul_fp8", "persistent"): {TENSOR: 4 * 1 * 8 * 4}}


def run(program, *arguments, cwd=None):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, timeout=300)
    if done.returncode: sys.exit(f"{' '.join(map(str, arguments))}: exit {done.returncode}\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


def filled_in(value, point):
    """A step's launch file at a point of the axes, as bench fills it in."""
    if isinstance(value, list): return [filled_in(v, point) for v in value]
    if isinstance(value, dict): return {k: filled_in(v, point) for k, v in value.items()}
    if not isinstance(value, str): return value
    text = re.sub(r"\$\{([^}]*)\}", lambda m: str(whole_number(m[1], point)), value)
    return int(text) if text != value and re.fullmatch(r"-?\d+", text) else text


class Whole(int):
    """Whole numbers as bench's expressions have them: / rounds down, and @ stands for /^, which rounds up."""
    def __add__(self, other): return Whole(int(self) + other)
    def __sub__(self, other): return Whole(int(self) - other)
    def __mul__(self, other): return Whole(int(self) * other)
    def __truediv__(self, other): return Whole(int(self) // other)
    def __matmul__(self, other): return Whole(-(-int(self) // other))


def whole_number(expression, point):
    numbers = re.sub(r"\b(\d+)\b", r"Whole(\1)", expression.replace("/^", "@"))
    return eval(numbers, {"Whole": Whole}, {k: Whole(v) for k, v in point.items()})


def launch_file(family, description, name, point, folder):
    step = next(s for s in description["steps"] if s["name"] == name)
    file = {k: v for k, v in step.items() if k in ("options", "arch", "launches")}
    file |= {"source": str(KERNELS / family / step["source"]), "buffers": description["buffers"] | step.get("buffers", {})}
    path = folder / f"{family}_{name}.json"
    path.write_text(json.dumps(filled_in(file, point)))
    return path


def counted(program, folder):
    """Counters that follow from the size alone."""
    for (name, step), want in COUNTERS.items():
        description = json.loads((KERNELS / name / "family.json").read_text())
        path = launch_file(name, description, step, description["small"][0], folder)
        metrics = json.loads(run(program, "kernel", path, "--emulate", "--json"))["launches"][0]["metrics"]
        got = {k: metrics[k] for k in want}
        if got != want: sys.exit(f"{name}/{step}: {got}, not {want}")


def head(shape, seed): return {"dtype": "bf16", "shape": shape, "fill": f"normal(0,1,seed={seed})"}


def naive(launches, buffers, program, folder):
    """Runs the naive kernel and keeps o as truth.npy. Each launch: heads, queries, keys, group, causal, first row."""
    out = []
    for heads, queries, keys, group, causal, row in launches:
        q, k, v, o = ({"buffer": name, "offset_bytes": row * 64 * 2} for name in "qkvo")
        sizes = [f"i32={queries}", f"i32={keys}"]
        out += [{"kernel": "attention_scores", "grid": [-(-keys // 32), -(-queries // 8), heads], "block": [32, 8],
                 "args": [q, k, "s", *sizes, "i32=64", f"i32={group}", f"i32={causal}", "f32=0"]},
                {"kernel": "attention_softmax", "grid": [-(-queries // 8), heads], "block": [32, 8], "args": ["s", *sizes]},
                {"kernel": "attention_values", "grid": [2, -(-queries // 8), heads], "block": [32, 8],
                 "args": ["s", v, o, *sizes, "i32=64", f"i32={group}"]}]
    file = {"source": str(KERNELS / "attention/01_naive.cu"), "buffers": buffers | {"s": "f32[200000]"}, "launches": out, "save": {"o": "truth.npy"}}
    (folder / "naive.json").write_text(json.dumps(file))
    run(program, "kernel", "naive.json", "--emulate", "-f", cwd=folder)


def tensor(name, dimensions, rows):
    return {"buffer": name, "tensor_map": {"dtype": "bf16", "dimensions": dimensions, "box": [64, rows, 1, 1], "swizzle": 128}}


def flash(buffers, maps, grid, problem, program, folder):
    file = {"source": str(KERNELS / "attention/04_flash_wgmma.cu"), "arch": "sm_90a",
            "buffers": buffers | {"lse": "f32[4096]"},
            "launches": [{"kernel": "flash_wgmma_64_causal", "grid": grid, "block": 384, "shared_bytes": (QUERIES + 4 * 128) * 128 + 1152,
                          "args": [tensor("q", maps[0], QUERIES), tensor("k", maps[1], 128), tensor("v", maps[1], 128), "o", "lse", {"struct": problem}]}],
            "expect": {"o": {"npy": "truth.npy", "rtol": 0.02, "atol": 0.02}}}
    (folder / "flash.json").write_text(json.dumps(file))
    run(program, "kernel", "flash.json", "--emulate", "--check", "all", cwd=folder)


def grouped(program, folder):
    """Two heads of q to one of k and v, more keys than queries."""
    buffers = {"q": head([2, 70, 64], 1), "k": head([1, 150, 64], 2), "v": head([1, 150, 64], 3), "o": {"dtype": "bf16", "shape": [2, 70, 64]}}
    naive([(2, 70, 150, 2, 1, 0)], buffers, program, folder)
    problem = [{"i64": 0}, {"i64": 70 * 64}, {"i64": 64}, {"u64": 0}, {"u64": 0}, {"i32": 70}, {"i32": 150}, {"i32": 2}, {"f32": 0}]
    flash(buffers, ([64, 70, 2, 1], [64, 150, 1, 1]), [1, 2, 1], problem, program, folder)


def varied(program, folder):
    """Sequences of 130 and 45 tokens, one after another."""
    buffers = {"q": head([175, 64], 1), "k": head([175, 64], 2), "v": head([175, 64], 3), "o": {"dtype": "bf16", "shape": [175, 64]}}
    naive([(1, 130, 130, 1, 1, 0), (1, 45, 45, 1, 1, 130)], buffers, program, folder)
    problem = [{"i64": 0}, {"i64": 64}, {"i64": 64}, {"buffer": "starts"}, {"buffer": "starts"}, {"i32": 130}, {"i32": 130}, {"i32": 1}, {"f32": 0}]
    buffers |= {"starts": {"dtype": "i32", "values": [0, 130, 175]}}
    flash(buffers, ([64, 175, 1, 1], [64, 175, 1, 1]), [2, 1, 2], problem, program, folder)


def main(program):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for name, sizes in ODD_SIZES.items():
            for size in sizes: run(program, "bench", name, "--emulate", "--sizes", size)
        counted(program, folder)
        grouped(program, folder)
        varied(program, folder)
    print("odd sizes, grouped heads and sequences of several lengths are right, and without defects")


if __name__ == "__main__":
    main(str(pathlib.Path(sys.argv[1]).resolve()))
