"""LeetGPU: `reference_impl`, `get_solve_signature` and tests in challenge.py; `solve` in CUDA (C ABI) or Python."""

from __future__ import annotations

import inspect
import pathlib
from collections.abc import Callable, Sequence
from typing import Any, cast

import torch

from . import _modules


class _Base:
    """The base class of a challenge: its name, tolerances and device."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.device = "cuda"
        self.__dict__.update(kwargs)


class Problem:
    def __init__(self, path: pathlib.Path, options: dict[str, Any]) -> None:
        _modules.stand_in("core", "core.challenge_base", beside=path)
        import sys

        sys.modules["core.challenge_base"].ChallengeBase = _Base  # type: ignore[attr-defined]
        with _modules.on_cpu():
            module = _modules.load_reference(path, options["divisor"], {"generate_performance_test"})
            self.challenge = cast(Any, next(v for v in vars(module).values() if inspect.isclass(v) and "reference_impl" in vars(v)))()
            self.names = self.challenge.get_solve_signature()
            torch.manual_seed(0)
            self.variants = len(self.challenge.generate_functional_test()) + 1

    def signature(self) -> list[dict[str, Any]]:
        """Each argument of `solve`: its C type, whether it is a pointer, and whether it is written."""
        return [{"name": name, "out": direction != "in", "inout": direction == "inout", **_c_type(kind)} for name, (kind, direction) in self.names.items()]

    def inputs(self, seed: int, variant: int = 0) -> list[Any]:
        """Variant 0 is the performance test; the others are the functional tests."""
        torch.manual_seed(seed)
        with _modules.on_cpu():
            test = self.challenge.generate_performance_test() if variant == 0 else self.challenge.generate_functional_test()[variant - 1]
        return [test[name] for name in self.names]

    def outputs(self, leaves: Sequence[Any], dtype: torch.dtype | None, rounding: Any) -> Any:
        with torch.no_grad(), _modules.on_cpu():
            self.challenge.reference_impl(**dict(zip(self.names, leaves)))
        return [leaf for leaf, argument in zip(leaves, self.signature()) if argument["out"]]


def _c_type(kind: Any) -> dict[str, Any]:
    """{"type": "c_float", "pointer": True} of a ctypes type."""
    inner = getattr(kind, "_type_", None)
    if inspect.isclass(inner):
        return {"type": inner.__name__, "pointer": True}
    return {"type": kind.__name__, "pointer": kind.__name__ == "c_void_p"}


def reference(path: pathlib.Path, options: dict[str, Any]) -> Callable[[list[Any]], Any]:
    """The reference on CUDA tensors, to measure its time."""
    problem = Problem(path, options)

    def call(leaves: list[Any]) -> None:
        problem.challenge.reference_impl(**dict(zip(problem.names, leaves)))

    return call


def candidate(path: pathlib.Path, options: dict[str, Any]) -> Callable[[list[Any]], Any]:
    """The function of a solution in Python; abi.py calls those in CUDA."""
    module = _modules.load_candidate(path)
    outputs = [i for i, argument in enumerate(options["signature"]) if argument["out"]]

    def call(leaves: list[Any]) -> Any:
        module.solve(*leaves)
        return [leaves[i] for i in outputs]

    return call
