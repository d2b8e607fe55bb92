#!/usr/bin/env python3
"""warplens fuse, bench, bench compare and bench plot, on a machine without a GPU: kernels are emulated."""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SAXPY = ROOT / "tests/data/bench/saxpy.cu"
ARGUMENTS = ["--grid", "${n/^256}", "--block", "256", "--arg", "f32=2", "--arg", "x=f32[${n}]:uniform", "--arg", "y=f32[${n}]:uniform(seed=3)",
             "--arg", "i32=${n}", "--axis", "n=2^12:2^14:*4", "--bytes", "12*n", "--emulate"]
FUSIONS = [  # formula, shape, more flags
    ("y = 0.5*x*(1+tanh(0.79788456*(x+0.044715*x*x*x)))", "10007", []),
    ("y = 0.5*x*(1+erf(x*0.70710678))", "4099", ["--dtype", "f16"]),
    ("y = x*sigmoid(z)", "4099", ["--dtype", "bf16"]),
    ("y = where(x > z, x**3, -z) + clamp(x, -0.5, 0.5)", "33x65", []),
    ("y = x*w + r; z = x - c", "7x33", ["--dtype", "f16", "--input", "w=f32[33]", "--input", "r=[7x1]", "--input", "c=f32[1]"]),
    ("y = x*w + b", "4x6x8", ["--input", "w=[4x1x8]", "--input", "b=[6x1]"]),
    ("y = softmax(x)", "64x1000", []),
    ("y = softmax(x*w)", "5x33000", ["--input", "w=[33000]"]),
    ("y = layer_norm(x, w, b)", "3x17x768", ["--dtype", "bf16", "--input", "w=f32[768]", "--input", "b=f32[768]"]),
    ("y = rms_norm(x)", "9x2048", ["--dtype", "f16"]),
    ("m = mean(x); s = std(x); d = max(x) - min(x)", "19x129", []),
    ("y = logsumexp(x)", "11x257", []),
    ("y = exp(x) - 1", "4097", ["--dtype", "f64"]),
]


def run(program, *arguments, code=0):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, f"{arguments}: exit code {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def check_fusions(program):
    for formula, shape, flags in FUSIONS:
        report = json.loads(run(program, "fuse", formula, "--shape", shape, "--emulate", "--json", *flags))
        assert report["valid"] and report["device"] == "emulated sm_90", formula
        assert report["fused_bytes"] <= report["chain_bytes"], formula
        checks = [c for m in report["measurements"] for c in m["checks"]]
        assert len(checks) >= 3 and all(c["passed"] for c in checks), formula
    for wrong in ("y = x +", "y = nothing(x)", "x", "y = softmax(x, x)"):
        run(program, "fuse", wrong, code=1)
    run(program, "fuse", "y = x + w", "--shape", "4x3", "--input", "w=[4]", code=1)
    run(program, "fuse", "y = x", "--input", "z=f32[4]", code=2)


def check_bench(program, folder):
    base, new = folder / "base.json", folder / "new.json"
    run(program, "bench", SAXPY, "-k", "saxpy", *ARGUMENTS, "--reference", "y = 2*x + y0", "-o", base)
    run(program, "bench", SAXPY, "-k", "saxpy", *ARGUMENTS, "--reference", "y = 3*x + y0", code=1)
    slower = folder / "slower.cu"
    slower.write_text(SAXPY.read_text().replace("saxpy(", "first(").replace("saxpy_strided(", "saxpy("))
    run(program, "bench", slower, "-k", "saxpy", *ARGUMENTS, "-o", new)
    results = json.loads(base.read_text())
    assert [m["axes"]["n"] for m in results["measurements"]] == ["4096", "16384"]
    assert all(m["source"] == "emulated" and m["valid"] and m["bound_ns"] > 0 for m in results["measurements"])
    assert results["measurements"][0]["metrics"]["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == 2 * 4096 * 4 / 32
    run(program, "bench", "compare", base, base, "--fail-on", "5%")
    compared = json.loads(run(program, "bench", "compare", base, new, "--fail-on", "5%", "--json", code=3))
    assert compared["rows"][1]["verdict"] == "slower", compared  # the smaller one is over before memory matters
    assert "global-load sectors" in compared["rows"][0]["why"], compared
    run(program, "bench", "compare", base, folder / "none.json", code=1)
    run(program, "bench", SAXPY, "-k", "saxpy", "--axis", "n", code=2)


def check_plots(program, folder):
    plots = folder / "plots"
    run(program, "bench", "plot", folder / "base.json", "-o", plots)
    names = {p.name for p in plots.iterdir()}
    assert {"bound-light.svg", "bound-dark.svg", "memory-light.svg"} <= names, names
    svg = (plots / "bound-light.svg").read_text()
    assert svg.startswith("<svg") and "saxpy" in svg and "nan" not in svg and "inf" not in svg.replace("font-family", "")
    assert "Bound: the least time of a call" in run(program, "bench", "plot", folder / "base.json")
    run(program, "bench", "plot", folder / "base.json", "-o", plots, code=1)  # never overwrites without -f


def main(program):
    if "no CUDA compiler" in subprocess.run([program, "fuse", "y = x*2", "--emulate", "--shape", "64"], capture_output=True, text=True).stderr:
        print("skipped: no CUDA compiler here")
        sys.exit(77)
    check_fusions(program)
    with tempfile.TemporaryDirectory() as folder:
        check_bench(program, pathlib.Path(folder))
        check_plots(program, pathlib.Path(folder))
    print("fuse, bench, compare and plot do what they say")


if __name__ == "__main__":
    main(sys.argv[1])
