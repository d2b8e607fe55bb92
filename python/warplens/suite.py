"""A family of the suite and its peers, checked against float64 and then timed, in one process and in random order.

    python -m warplens.suite softmax --impl registers,torch,torch.compile --output results.json

`warplens bench plot` and `warplens bench compare` read the file. Peers: torch, torch.compile, triton (its tutorials'
kernels), SDPA's backends, and cub if nvcc is installed.
"""

from __future__ import annotations

import argparse
import functools
import random
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

from . import kernels, peers
from ._expressions import whole
from .benchmarking import bench
from .results import Results

TOLERANCES = {torch.float32: 1e-5, torch.float16: 4e-3, torch.bfloat16: 2e-2}  # as `warplens bench` has them; whole numbers: 0


def inputs_of(family: kernels.Family, point: dict[str, int], device: str) -> tuple[torch.Tensor, ...]:
    """Random data as the family's file requests it, different in every run."""
    if family.__name__ in peers.INPUTS:
        return peers.INPUTS[family.__name__](point, device)
    made = []
    for name in family.inputs:
        buffer = family.buffers[name]
        sizes, text = buffer.sizes(point), str(family.described["buffers"][name])
        if buffer.dtype == torch.uint8:
            made.append(torch.randint(0, 256, sizes, dtype=torch.uint8, device=device))
        elif buffer.dtype == torch.int32:
            made.append(torch.randint(0, point["columns"], sizes, dtype=torch.int32, device=device))
        elif "normal" in text:
            made.append((torch.randn(sizes, device=device) * (0.1 if "0.1" in text else 1) + (1 if "normal(1" in text else 0)).to(buffer.dtype))
        else:
            made.append((torch.rand(sizes, device=device) * (2 if "(-1" in text else 1) - (1 if "(-1" in text else 0)).to(buffer.dtype))
    return tuple(made)


def calls_of(family: kernels.Family, point: dict[str, int], tensors: tuple[torch.Tensor, ...], wanted: list[str]) -> dict[str, Callable[[], Any]]:
    """Steps and peers by name, as calls without arguments; all of them if none is named."""
    name = family.__name__
    calls: dict[str, Callable[[], Any]] = {impl: functools.partial(lambda impl: family.launch(tensors, impl, axes=point)[0], impl)
                                           for impl in family.impls if family.callable(impl)}
    if name in peers.TORCH:
        calls["torch"] = functools.partial(peers.TORCH[name], *tensors)
        if name not in peers.NOT_COMPILED:
            calls["torch.compile"] = functools.partial(torch.compile(peers.COMPILED.get(name, peers.TORCH[name]), dynamic=False), *tensors)
    if name in peers.TORCH and name.startswith("attention") and "varlen" not in name:
        for backend in peers.SDPA:
            calls[backend] = functools.partial(peers.with_backend(backend, peers.TORCH[name]), *tensors)
    if triton := peers.triton_peer(name):
        calls["triton"] = functools.partial(triton, *tensors)
    if name in peers.CUB and (not wanted or "cub" in wanted) and (library := peers.cub_library(family.folder.parent / "common/cub.cu")):
        calls["cub"] = functools.partial(peers.cub_peer(library, name), tensors[0])
    named = [impl if impl in calls else next((step for step in reversed(family.impls) if step in calls and step.startswith(impl + "_")), impl)
             for impl in wanted]
    unknown = [impl for impl in named if impl not in calls]
    if unknown:
        raise ValueError(f"{name} has no {', '.join(unknown)} here; there are {', '.join(calls)}")
    return {impl: calls[impl] for impl in dict.fromkeys(named or calls)}


def error_of(got: Any, want: Any) -> float:
    """The largest relative norm of the difference over the outputs, in float64."""
    got, want = (list(x) if isinstance(x, (tuple, list)) else [x] for x in (got, want))
    return max(float((g.double() - w.double()).norm() / w.double().norm()) for g, w in zip(got, want, strict=True))


def exact_of(name: str, tensors: tuple[torch.Tensor, ...]) -> Any:
    """The expected outputs, in float64."""
    if name in peers.EXACT:
        return peers.EXACT[name](*tensors)
    return peers.TORCH[name](*(t.double() if t.is_floating_point() or name == "rgb_to_grey" else t for t in tensors))


def called(call: Callable[[], Any], inputs: tuple[torch.Tensor, ...], compiles: bool) -> tuple[Any, int]:
    """The call's result, and the peak of its device memory with its inputs, in bytes (0 on the CPU). `compiles`: its first call compiles and tunes, which takes extra memory.
    """
    if not inputs[0].is_cuda:
        return call(), 0
    if compiles:
        call()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    out = call()
    torch.cuda.synchronize()
    return out, torch.cuda.max_memory_allocated() - before + sum(tensor.nbytes for tensor in inputs)


def measure(family: kernels.Family, impl: str, call: Callable[[], Any], exact: Any, inputs: tuple[torch.Tensor, ...], point: dict[str, int],
            options: dict[str, Any]) -> Results:
    bytes, flops = (whole(family.described.get(what) or "0", point) for what in ("bytes", "flops"))
    got, memory_bytes = called(call, inputs, impl not in family.impls)
    error, tolerance = error_of(got, exact), family.described.get("tolerance") or TOLERANCES.get(family.buffers[family.outputs[0]].dtype, 0)
    timed = functools.partial(bench, call, name=f"{family.__name__}/{impl}", bytes=bytes, flops=flops, **options)
    one = timed().results
    if one.data["measurements"][0]["throttled_share"] > 0.5:  # by what ran before, the reference or a slower kernel: once more after a rest
        time.sleep(0.3)
        one = timed().results
    data = one.data["measurements"][0]
    data["memory_bytes"] = memory_bytes
    data["axes"] = {axis: str(value) for axis, value in point.items()}
    data["checks"] = [{"output": "outputs", "detail": "against float64", "passed": error <= tolerance, "error": error, "tolerance": tolerance}]
    if error > tolerance:
        data["valid"], data["errors"] = False, [*data["errors"], f"relative error {error:.3g}, {tolerance:.3g} allowed"]
    return one


def run(name: str, impls: list[str] | None = None, points: list[dict[str, int]] | None = None, device: str = "cuda", seconds: float = 0.25) -> Results:
    """Raises ValueError for unknown names. On "cpu", kernels are emulated and the host's time is measured: use it to try calls, not for speed.
    """
    family = getattr(kernels, name)
    if name not in peers.TORCH:
        raise ValueError(f"{name} has no peers here; there are {', '.join(peers.TORCH)}")
    torch.backends.cuda.matmul.allow_tf32 = False
    made: dict[str, Any] = {}
    options = {"device": device, "limit_s": seconds, "samples": 200, "target": 0.005}
    for point in points or family.described["full" if device == "cuda" else "small"]:
        tensors = inputs_of(family, point, device)
        exact = exact_of(name, tensors)
        calls = calls_of(family, point, tensors, impls or [])
        for impl in random.sample(list(calls), len(calls)):
            try:
                one = measure(family, impl, calls[impl], exact, tensors, point, options).data
            except RuntimeError as error:  # a backend that takes no such arguments, sizes that leave no memory
                print(f"{name}/{impl} left out: {str(error).splitlines()[0]}", file=sys.stderr)
                continue
            made = made or {**one, "title": family.described["title"], "measurements": []}
            made["measurements"] += one["measurements"]
    if not made:
        raise ValueError(f"{name}: nothing could be timed")
    return Results(made)


def points_of(family: kernels.Family, given: argparse.Namespace) -> list[dict[str, int]]:
    """The family's points with the values of --sizes and --axis in their place; equal points are kept once."""
    points = family.described["full" if given.device == "cuda" else "small"]
    for text in [*given.axis, *([f"{family.described['size']}={given.sizes}"] if given.sizes else [])]:
        axis, _, values = text.partition("=")
        if axis not in points[0] or not values:
            raise ValueError(f"--axis {text}: write NAME=VALUE,... of {', '.join(points[0])}")
        spread = [{**point, axis: whole(value, {})} for point in points for value in values.split(",") if value]
        points = [point for i, point in enumerate(spread) if point not in spread[:i]]
    return list(points)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m warplens.suite", description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("family")
    parser.add_argument("--impl", default="", help="steps and peers, with commas between; all without it")
    parser.add_argument("--sizes", default="", help="values of the family's size axis, instead of its default values")
    parser.add_argument("--axis", action="append", default=[], help="NAME=VALUE,... of another axis; repeated")
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--seconds", type=float, default=0.25, help="of sampling, each at most")
    parser.add_argument("--output", help="a file of results")
    parser.add_argument("--force", action="store_true", help="overwrite it")
    given = parser.parse_args(arguments)
    if given.device == "cuda" and not torch.cuda.is_available():
        raise ValueError("peers are timed on a GPU, but this machine has none; without them `warplens bench` counts the kernels in the emulator")
    points = points_of(getattr(kernels, given.family), given)
    results = run(given.family, [impl for impl in given.impl.split(",") if impl], points, given.device, given.seconds)
    print(results)
    if given.output:
        results.save(given.output, overwrite=given.force)
    return 0 if all(m.valid for m in results) else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (AttributeError, ValueError, FileExistsError) as error:
        sys.exit(f"warplens.suite: {error}")
