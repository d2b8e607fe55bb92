"""Tensara: `reference_solution`, `generate_test_cases` and the signature in def.py; `solution` with a C ABI in CUDA."""

from __future__ import annotations

import inspect
import pathlib
import sys
import zlib
from collections.abc import Callable, Sequence
from typing import Any, cast

import torch

from . import _modules
from .leetgpu import _c_type


class _Base:
    """The base class of a problem."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.__dict__.update(kwargs)

    @staticmethod
    def get_seed(name: str) -> int:
        return zlib.crc32(name.encode())


class Problem:
    def __init__(self, path: pathlib.Path, options: dict[str, Any]) -> None:
        _modules.stand_in("problem", beside=path)
        if not (path.parent / "problem.py").exists():
            sys.modules["problem"].Problem = _Base  # type: ignore[attr-defined]
        with _modules.on_cpu():
            module = _modules.load_reference(path, options["divisor"], {"generate_test_cases"})
            self.problem = cast(Any, next(v for v in vars(module).values() if inspect.isclass(v) and "reference_solution" in vars(v)))()
            self.tests = self.problem.generate_test_cases(torch.float32)
        self.variants = len(self.tests)
        self.place = 0  # of the output among the arguments: behind the inputs

    def signature(self) -> list[dict[str, Any]]:
        kinds = [_c_type(kind) for kind in self.problem.get_function_signature()["argtypes"]]
        return [{"name": f"argument {i}", "out": i == self.place, **kind} for i, kind in enumerate(kinds)]

    def inputs(self, seed: int, variant: int = 0) -> list[Any]:
        """Inputs, the output, and the further arguments, in the order of the signature."""
        test = self.tests[variant]
        torch.manual_seed(seed)
        with _modules.on_cpu():
            given = list(test["create_inputs"]())
            wanted = self.problem.reference_solution(*given)
            extra = list(self.problem.get_extra_params(test)) if hasattr(self.problem, "get_extra_params") else []
        self.place, self.given = len(given), len(given)
        return [*given, torch.zeros_like(wanted), *extra]

    def outputs(self, leaves: Sequence[Any], dtype: torch.dtype | None, rounding: Any) -> Any:
        with torch.no_grad(), _modules.on_cpu():
            return self.problem.reference_solution(*leaves[: self.given])


def reference(path: pathlib.Path, options: dict[str, Any]) -> Callable[[list[Any]], Any]:
    """The reference on CUDA tensors, to measure its time."""
    problem = Problem(path, options)
    place = next(i for i, argument in enumerate(options["signature"]) if argument["out"])
    return lambda leaves: problem.problem.reference_solution(*leaves[:place])


def candidate(path: pathlib.Path, options: dict[str, Any]) -> Callable[[list[Any]], Any]:
    raise ValueError(f"{path.name}: a solution for Tensara is CUDA with `extern \"C\" void solution(...)`")
