"""Times what agents left, on this machine's GPU: time_on_gpu.py OUT. Needs PyTorch, Triton and nvcc, and nothing of warplens.

Compares each result with the reference in float64 at the size that counts, and writes OUT/gpu.json: the device, and for each kind and task the
naive kernel's and the last attempt's median time in ns with a cold L2, and whether it was right.
"""
from __future__ import annotations

import concurrent.futures
import ctypes
import importlib.util
import json
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import subprocess
import sys
import tempfile
import types
from collections.abc import Callable

import torch
import triton.testing

from collect import last_attempt

ONE_TIMEOUT_S = 30


def module_of(path: pathlib.Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiled(path: pathlib.Path, out: pathlib.Path) -> str:
    """An empty string, or what the compiler said."""
    done = subprocess.run(["nvcc", "-O3", "-shared", "-Xcompiler", "-fPIC", "-gencode=arch=compute_90a,code=sm_90a", "-o", out, path], capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def solver(path: pathlib.Path, library: pathlib.Path, said: str) -> Callable:
    """`solve` of a file, on tensors and whole numbers."""
    if path.suffix == ".py":
        return module_of(path).solve
    if said:
        raise RuntimeError(said[:500])
    function = ctypes.CDLL(str(library)).solve
    return lambda *values: function(*[ctypes.c_void_p(v.data_ptr()) if isinstance(v, torch.Tensor) else ctypes.c_int(v) for v in values])


def largest_error(got: torch.Tensor, exact: torch.Tensor) -> float:
    return (got - exact).abs().max().item()


def measured(challenge: object, path: pathlib.Path, solve: Callable) -> dict:
    torch.manual_seed(7)
    test = challenge.generate_performance_test()
    exact = {name: value.double() if isinstance(value, torch.Tensor) and value.is_floating_point() else value for name, value in test.items()}
    exact["y"] = torch.zeros_like(test["y"], dtype=torch.float64)
    challenge.reference_impl(**exact)
    before = {name: value.clone() for name, value in test.items() if isinstance(value, torch.Tensor) and name != "y"}
    test["y"].view(torch.uint8).fill_(0x7D)  # no result of an earlier call, and no zeros
    values = list(test.values())
    times = triton.testing.do_bench(lambda: solve(*values), warmup=20, rep=100, return_mode="median")
    got = test["y"].double()
    is_right = torch.allclose(got, exact["y"], rtol=challenge.tolerance, atol=challenge.tolerance) and all(torch.equal(test[name], value) for name, value in before.items())
    return {"file": path.name, "ns": round(times * 1e6), "right": bool(is_right), "error": largest_error(got, exact["y"])}


def files_of(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    """The slow kernel, which is the same for both kinds, and the last attempt."""
    naive = next(folder / name for name in ("naive.cu", "naive.py") if (folder / name).exists())
    other = folder.parent.parent / "without" / folder.name
    is_second = folder.parent.name == "with" and other.exists()
    return {role: path for role, path in (("naive", None if is_second else naive), ("last", last_attempt(folder))) if path is not None}


def tell_one(to: multiprocessing.connection.Connection, challenge: pathlib.Path, path: pathlib.Path, library: pathlib.Path, said: str) -> None:
    try:
        row = measured(module_of(challenge).Challenge(), path, solver(path, library, said))
        to.send({**row, "device": torch.cuda.get_device_name()})
    except Exception as error:  # an attempt may fail in any way
        to.send({"error": f"{type(error).__name__}: {error}"[:500]})


def in_own_process(*arguments: object) -> dict:
    """Of `measured` in another process: a kernel that fails or hangs leaves no broken context to the next one."""
    forked = multiprocessing.get_context("fork")  # has imported PyTorch, and has no context yet
    mine, theirs = forked.Pipe(duplex=False)
    process = forked.Process(target=tell_one, args=(theirs, *arguments))
    process.start()
    theirs.close()
    try:
        return mine.recv() if mine.poll(ONE_TIMEOUT_S) else {"error": f"no result after {ONE_TIMEOUT_S} s"}
    except EOFError:
        return {"error": "the process ended without a result"}
    finally:
        process.kill()
        process.join()


def stand_in() -> None:
    base = types.ModuleType("core.challenge_base")
    base.ChallengeBase = type("ChallengeBase", (), {"__init__": lambda self, **kwargs: setattr(self, "tolerance", kwargs["rtol"])})
    sys.modules.update({"core": types.ModuleType("core"), "core.challenge_base": base})


def main() -> None:
    stand_in()
    out, rows, device = pathlib.Path(sys.argv[1]), {}, ""
    jobs = [(challenge, role, path) for challenge in sorted(out.glob("*/*/challenge.py")) for role, path in files_of(challenge.parent).items()]
    with tempfile.TemporaryDirectory() as folder:
        libraries = [pathlib.Path(folder) / f"solve{number}.so" for number in range(len(jobs))]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            said = list(pool.map(lambda job, library: compiled(job[2], library) if job[2].suffix == ".cu" else "", jobs, libraries))
        for (challenge, role, path), library, text in zip(jobs, libraries, said):
            name = f"{challenge.parent.parent.name}/{challenge.parent.name}"
            row = {"file": path.name, "ns": None, "right": False, **in_own_process(challenge, path, library, text)}
            device = row.pop("device", device)
            rows.setdefault(name, {})[role] = row
            print(name, role, row, flush=True)
            (out / "gpu.json").write_text(json.dumps({"device": device, "times": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
