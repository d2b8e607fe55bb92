"""KernelBench: `Model`, `get_inputs` and `get_init_inputs` in the reference, `ModelNew` in the candidate."""

from __future__ import annotations

import copy
import pathlib
from collections.abc import Callable, Sequence
from typing import Any

import torch

from . import _modules


def _init(module: Any) -> tuple[list[Any], dict[str, Any]]:
    """Arguments of the constructor: a list, or [list, dict]."""
    given = module.get_init_inputs() if hasattr(module, "get_init_inputs") else []
    if isinstance(given, (list, tuple)) and len(given) == 2 and isinstance(given[0], (list, tuple)) and isinstance(given[1], dict):
        return list(given[0]), given[1]
    return list(given), {}


class Problem:
    """The reference, on the CPU."""

    def __init__(self, path: pathlib.Path, options: dict[str, Any]) -> None:
        with _modules.on_cpu():
            self.module = _modules.load_reference(path, options["divisor"], {"get_inputs", "get_init_inputs"})
            torch.manual_seed(options["seed"])
            args, kwargs = _init(self.module)
            torch.manual_seed(options["seed"])
            self.model = self.module.Model(*args, **kwargs)
        self.constructor = {"args": args, "kwargs": kwargs}

    variants = 1

    def inputs(self, seed: int, variant: int = 0) -> list[Any]:
        torch.manual_seed(seed)
        with _modules.on_cpu():
            return list(self.module.get_inputs())

    def outputs(self, leaves: Sequence[Any], dtype: torch.dtype | None, rounding: Callable[[torch.Tensor], torch.Tensor] | None) -> Any:
        """The reference's results, in `dtype` if given, with weights rounded by `rounding`."""
        model = copy.deepcopy(self.model)
        if rounding is not None:
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter.copy_(rounding(parameter))
        if dtype is not None:
            model = model.to(dtype)
        with torch.no_grad(), _modules.on_cpu():
            return model(*leaves)


def reference(path: pathlib.Path, options: dict[str, Any]) -> Callable[[list[Any]], Any]:
    """The reference on CUDA tensors, to measure its time."""
    model = Problem(path, options).model.to("cuda")

    def call(leaves: list[Any]) -> Any:
        with torch.no_grad():
            return model(*leaves)

    return call


def candidate(path: pathlib.Path, options: dict[str, Any]) -> Callable[[list[Any]], Any]:
    module = _modules.load_candidate(path)
    made = getattr(module, "ModelNew", None) or getattr(module, "Model", None)
    if made is None:
        raise ValueError(f"{path.name} defines no class ModelNew")
    torch.manual_seed(options["seed"])
    model = made(*options["constructor"]["args"], **options["constructor"]["kwargs"])
    model = model.to("cuda") if hasattr(model, "to") else model

    def call(leaves: list[Any]) -> Any:
        with torch.no_grad():
            return model(*leaves)

    return call
