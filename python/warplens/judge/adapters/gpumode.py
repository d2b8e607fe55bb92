"""GPU MODE's kernelbot: `generate_input` and `ref_kernel` in reference.py, `custom_kernel` in submission.py, sizes in task.yml."""

from __future__ import annotations

import ast
import inspect
import pathlib
import re
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils import _pytree

from . import Unfit, _modules

_HARNESS = ("task", "utils")


def specs_of(task: pathlib.Path) -> list[dict[str, Any]]:
    """The arguments of generate_input in `tests:` of a task.yml: one flow mapping a line."""
    if not task.exists():
        return []
    section, found = "", []
    for line in task.read_text().splitlines():
        head = re.match(r"(\w+):", line)
        section = head.group(1) if head else section
        item = re.match(r"\s*-\s*(\{.*\})\s*(#.*)?$", line)
        if section == "tests" and item:
            quoted = re.sub(r"([{,]\s*)(\w+)(\s*:)", r'\1"\2"\3', item.group(1))
            found.append(ast.literal_eval(quoted.replace("true", "True").replace("false", "False")))
    return found


class Problem:
    def __init__(self, path: pathlib.Path, options: dict[str, Any]) -> None:
        _modules.stand_in(*_HARNESS, beside=path)
        with _modules.on_cpu():
            self.module = _modules.load_reference(path, 1, set())
        given = specs_of(path.parent / "task.yml") + ([options["spec"]] if options.get("spec") else [])
        wanted = set(inspect.signature(self.module.generate_input).parameters) - {"seed"}
        self.specs = [{k: v for k, v in spec.items() if k != "seed"} for spec in given] or ([{}] if not wanted else [])
        if not self.specs:
            names = ", ".join(f'"{name}": ...' for name in sorted(wanted))
            raise Unfit(f"{path}: no task.yml beside it gives the sizes. Give them with --spec '{{{names}}}'")
        self.structure: Any = None
        self.variants = len(self.specs)

    def inputs(self, seed: int, variant: int = 0) -> list[Any]:
        parameters = inspect.signature(self.module.generate_input).parameters
        spec = {**self.specs[variant], **({"seed": seed} if "seed" in parameters else {})}
        torch.manual_seed(seed)
        with _modules.on_cpu():
            leaves, self.structure = _pytree.tree_flatten(self.module.generate_input(**spec))
        return list(leaves)

    def tree(self) -> str:
        return str(_pytree.treespec_dumps(self.structure))

    def outputs(self, leaves: Sequence[Any], dtype: torch.dtype | None, rounding: Any) -> Any:
        with torch.no_grad(), _modules.on_cpu():
            return self.module.ref_kernel(_pytree.tree_unflatten(list(leaves), self.structure))


def reference(path: pathlib.Path, options: dict[str, Any]) -> Callable[[list[Any]], Any]:
    """The reference on CUDA tensors, to measure its time."""
    problem, structure = Problem(path, options), _pytree.treespec_loads(options["tree"])
    return lambda leaves: problem.module.ref_kernel(_pytree.tree_unflatten(leaves, structure))


def candidate(path: pathlib.Path, options: dict[str, Any]) -> Callable[[list[Any]], Any]:
    _modules.stand_in(*_HARNESS, beside=path)
    module = _modules.load_candidate(path)
    structure = _pytree.treespec_loads(options["tree"])
    return lambda leaves: module.custom_kernel(_pytree.tree_unflatten(leaves, structure))
