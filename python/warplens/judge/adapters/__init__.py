"""The supported layouts of problems, recognised by the definitions in a pair of files."""

from __future__ import annotations

import ast
import importlib
import pathlib
from typing import Any

# Name, what the reference defines, and the function or class that the candidate defines.
LAYOUTS = {
    "kernelbench": ({"Model", "get_inputs"}, "class ModelNew"),
    "gpumode": ({"ref_kernel", "generate_input"}, "custom_kernel(data)"),
    "leetgpu": ({"reference_impl", "get_solve_signature"}, "solve(...), in CUDA or Python"),
    "tensara": ({"reference_solution", "get_function_signature"}, "solution(...), in CUDA"),
}


UNFIT = "unfit: "  # begins the line in which the truth's process says so


class Unfit(ValueError):
    """A problem that warplens cannot judge. The message names the file and the remedy."""


def _defined(path: pathlib.Path) -> set[str]:
    """Names of functions and classes in a Python file, methods included. Raises ValueError if it is not Python."""
    try:
        tree = ast.parse(path.read_text())
    except (SyntaxError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: not Python: {error}") from None
    return {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def layout_of(reference: pathlib.Path) -> str:
    """Raises ValueError if the file has none of the layouts."""
    if reference.suffix == ".json":
        return "launch"
    found = _defined(reference)
    for name, (wanted, _) in LAYOUTS.items():
        if wanted <= found:
            return name
    known = "; ".join(f"{name}: {' and '.join(sorted(wanted))}" for name, (wanted, _) in LAYOUTS.items())
    raise ValueError(f"{reference}: not a problem that warplens can judge. Give a launch file, or Python that defines the names of one of these layouts: {known}")


def problem(layout: str, path: pathlib.Path, options: dict[str, Any]) -> Any:
    """The problem of a reference, for the process that computes the truth."""
    return importlib.import_module(f".{layout}", __package__).Problem(path, options)


def candidate(layout: str, path: pathlib.Path, options: dict[str, Any]) -> Any:
    """The candidate, as a function of the leaves of a case."""
    return importlib.import_module(f".{layout}", __package__).candidate(path, options)


def reference(layout: str, path: pathlib.Path, options: dict[str, Any]) -> Any:
    """The reference on CUDA tensors, as a function of the leaves of a case."""
    return importlib.import_module(f".{layout}", __package__).reference(path, options)
