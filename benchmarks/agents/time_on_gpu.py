"""Times what agents left, on this machine's GPU: time_on_gpu.py OUT. Needs PyTorch, Triton and nvcc, and nothing of warplens.

Compares each result with the reference in float64 at the size that counts, and writes OUT/gpu.json: the device, and for each kind and task the
naive kernel's and the last attempt's median time in ns with a cold L2, and whether it was right.
"""
from __future__ import annotations

import ctypes
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import types
from collections.abc import Callable

import torch
import triton.testing

from collect import last_attempt


def module_of(path: pathlib.Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def solver(path: pathlib.Path, folder: pathlib.Path) -> Callable:
    """`solve` of a file, on tensors and whole numbers."""
    if path.suffix == ".py":
        return module_of(path).solve
    library = folder / "solve.so"
    subprocess.run(["nvcc", "-O3", "-shared", "-Xcompiler", "-fPIC", "-arch=sm_90a", "-o", library, path], check=True)
    function = ctypes.CDLL(str(library)).solve
    return lambda *values: function(*[ctypes.c_void_p(v.data_ptr()) if isinstance(v, torch.Tensor) else ctypes.c_int(v) for v in values])


def measured(challenge: object, path: pathlib.Path) -> dict:
    torch.manual_seed(7)
    test = challenge.generate_performance_test()
    exact = {name: value.double() if isinstance(value, torch.Tensor) else value for name, value in test.items()}
    challenge.reference_impl(**exact)
    with tempfile.TemporaryDirectory() as folder:
        solve = solver(path, pathlib.Path(folder))
        values = list(test.values())
        times = triton.testing.do_bench(lambda: solve(*values), warmup=20, rep=100, return_mode="median")
    error = (test["y"].double() - exact["y"]).abs().max().item()
    return {"file": path.name, "ns": round(times * 1e6), "right": bool(torch.allclose(test["y"].double(), exact["y"], rtol=1e-4, atol=1e-4)), "error": error}


def main() -> None:
    base = types.ModuleType("core.challenge_base")
    base.ChallengeBase = type("ChallengeBase", (), {"__init__": lambda self, **kwargs: None})
    sys.modules.update({"core": types.ModuleType("core"), "core.challenge_base": base})
    out, rows = pathlib.Path(sys.argv[1]), {}
    for challenge in sorted(out.glob("*/*/challenge.py")):
        folder = challenge.parent
        problem = module_of(challenge).Challenge()
        files = [next(folder / name for name in ("naive.cu", "naive.py") if (folder / name).exists()), last_attempt(folder)]
        for role, path in zip(("naive", "last"), files):
            if path is None:
                continue
            try:
                row = measured(problem, path)
            except Exception as error:  # an attempt may fail in any way
                row = {"file": path.name, "ns": None, "right": False, "error": f"{type(error).__name__}: {error}"}
            rows.setdefault(f"{folder.parent.name}/{folder.name}", {})[role] = row
            print(f"{folder.parent.name}/{folder.name}", role, row, flush=True)
    (out / "gpu.json").write_text(json.dumps({"device": torch.cuda.get_device_name(), "times": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
