"""Moves of an algorithm are reported from its shape, and honest kernels that look like it hear nothing of them."""
import json
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(__file__).resolve().parent / "data/algorithms.cu"
BUFFERS = {"a": {"dtype": "f32", "count": 1 << 20, "fill": "uniform"}, "b": {"dtype": "f32", "count": 1 << 20, "fill": "uniform"},
           "wide": {"dtype": "f32", "count": 1 << 23, "fill": "uniform"}, "wide_out": {"dtype": "f32", "count": 1 << 23},
           "out": {"dtype": "f32", "count": 1 << 20}, "small": {"dtype": "f32", "count": 4096, "fill": "uniform"},
           "counts": {"dtype": "i32", "count": 1 << 20, "fill": "arange"}, "ranks": {"dtype": "i32", "count": 1 << 20}}
MOVES = {"squared-differences", "separable-filter", "serial-scan"}
# Kernel, grid, block, arguments, dynamic shared memory; the move, and numbers of its evidence. No move: an honest kernel.
CASES = [
    ("sq_naive", [32, 32], [16, 16], ["a", "b", "out", 512, 512, 64], 0, "squared-differences", {"terms_of_a_sum": 64}),
    ("sq_tiled", [32, 32], [16, 16], ["a", "b", "out", 512, 512, 64], 0, "squared-differences", {"terms_of_a_sum": 64}),
    ("sq_kmeans", [32], [128], ["a", "small", "ranks", 4096, 64], 8192, "squared-differences", {"terms_of_a_sum": 32}),
    ("mse", [128], [256], ["a", "b", "out", 1 << 20], 0, None, {}),
    ("variance", [32], [64], ["a", "out", 256], 0, None, {}),
    ("nbody", [16], [128], ["a", "out", 1024], 0, None, {}),
    ("box2d", [16, 64], [32, 8], ["a", "out", 512, 512, 5], 0, "separable-filter", {"terms_of_a_window": 121, "terms_of_a_row": 11}),
    ("gauss15", [16, 64], [32, 8], ["a", "small", "out", 512, 512], 0, "separable-filter", {"terms_of_a_window": 225, "terms_of_a_row": 15}),
    ("gauss_short", [16, 64], [32, 8], ["a", "small", "out", 512, 4], 0, "separable-filter", {"terms_of_a_window": 81, "terms_of_a_row": 9}),
    ("gauss7_constants", [16, 64], [32, 8], ["a", "out", 512], 0, "separable-filter", {"terms_of_a_window": 49, "terms_of_a_row": 7}),
    ("sharpen5_constants", [16, 64], [32, 8], ["a", "out", 512], 0, None, {}),
    ("conv2d", [16, 64], [32, 8], ["a", "small", "out", 512, 512, 5], 0, None, {}),
    ("box1d", [1024], [256], ["a", "out", 262144, 60], 0, None, {}),
    ("colsum", [8], [256], ["a", "out", 2048, 512], 0, None, {}),
    ("bilateral", [16, 64], [32, 8], ["a", "small", "out", 512, 512], 0, None, {}),
    ("gemm", [16, 16], [16, 16], ["a", "b", "out", 256, 256, 256], 0, None, {}),
    ("pool2", [8, 32], [32, 8], ["a", "out", 1024, 1024], 0, None, {}),
    ("cumsum", [4], [32], ["a", "out", 1024], 0, "serial-scan", {"results": 131072, "results_of_a_thread": 1024}),
    ("ema", [4], [32], ["a", "out", 1024, 0.5], 0, "serial-scan", {"results_of_a_thread": 1024}),
    ("cummax", [1], [1], ["counts", "ranks", 16384], 0, "serial-scan", {"results_of_a_thread": 16384}),
    ("row_starts", [4], [32], ["counts", "ranks", 1024], 0, "serial-scan", {"results_of_a_thread": 1024}),
    ("rnn", [4], [32], ["a", "out", 256, 0.5], 0, None, {}),
    ("cumsum_columns", [1024], [256], ["wide", "wide_out", 32, 262144], 0, None, {}),  # columns for every thread of the GPU
    ("saxpy", [128], [256], ["a", "out", 1 << 20, 2.0], 0, None, {}),
    ("logsumexp", [16], [128], ["a", "out", 512], 0, None, {}),
]


def argument(value):
    if isinstance(value, str):
        return {"buffer": value}
    return {"i32": value} if isinstance(value, int) else {"f32": value}


def main():
    launches = [{"kernel": name, "grid": grid, "block": block, "args": [argument(value) for value in values], "shared_bytes": shared}
                for name, grid, block, values, shared, *_ in CASES]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "algorithms.json"
        file.write_text(json.dumps({"source": str(SOURCE), "arch": "sm_90", "options": ["-lineinfo"], "buffers": BUFFERS, "launches": launches}))
        done = subprocess.run([PROGRAM, "kernel", file, "--emulate", "--json"], capture_output=True, text=True, check=False)
    if done.returncode and "nvrtc" in done.stderr.lower():
        print("nothing compiles CUDA C++ here")
        sys.exit(77)
    assert done.returncode == 0, done.stderr
    wrong = []
    for (name, *_, move, evidence), launch in zip(CASES, json.loads(done.stdout)["launches"]):
        found = {each["id"]: each for each in launch["findings"]}
        told = MOVES & set(found)
        if told != ({move} if move else set()):
            wrong.append(f"{name}: {sorted(told)}, not {move}")
        elif move:
            said = found[move]["evidence"]
            wrong += [f"{name}: {key} {said[key]}, not {value}" for key, value in evidence.items() if abs(said[key] - value) > 0.01 * value]
            if not found[move]["where"]:
                wrong.append(f"{name}: no line")
    assert not wrong, "\n".join(wrong)


if __name__ == "__main__":
    main()
