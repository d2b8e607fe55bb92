"""Problem files as modules, with smaller sizes if the whole is too large to emulate."""

from __future__ import annotations

import ast
import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import pathlib
import sys
import types
from collections.abc import Iterator, Sequence
from typing import Any

_SMALLEST = 32  # sizes below are features of the problem: kernel sizes, dimensions, strides


class _Smaller(ast.NodeTransformer):
    """Divides each size by one divisor, so that equal sizes stay equal."""

    def __init__(self, divisor: int) -> None:
        self.divisor = divisor

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) is int and node.value > _SMALLEST:
            return ast.copy_location(ast.Constant(max(_SMALLEST, node.value // self.divisor)), node)
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        return node if node.arg == "seed" else self.generic_visit(node)


class _Beside(importlib.abc.MetaPathFinder):
    """Finds modules with these names in one folder, before all others."""

    def __init__(self, folder: pathlib.Path, names: set[str]) -> None:
        self.folder, self.names = str(folder), names

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None) -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.PathFinder.find_spec(fullname, [self.folder]) if fullname in self.names else None


def _search(folder: pathlib.Path) -> None:
    """Python finds modules of the folder last: none of them replaces a module of Python or of an installed package."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def _holds_sizes(node: ast.stmt, functions: set[str]) -> bool:
    if isinstance(node, ast.FunctionDef):
        return node.name in functions
    return isinstance(node, (ast.Assign, ast.AnnAssign))


def load_reference(path: pathlib.Path, divisor: int, functions: set[str]) -> types.ModuleType:
    """The module, with its sizes divided: whole numbers of its top level and of `functions`, methods included."""
    tree = ast.parse(path.read_text())
    if divisor > 1:
        smaller = _Smaller(divisor)
        for node in list(ast.walk(tree)):
            body = getattr(node, "body", None)
            if isinstance(node, (ast.Module, ast.ClassDef)) and isinstance(body, list):
                node.body = [smaller.visit(n) if _holds_sizes(n, functions) else n for n in body]
    module = types.ModuleType("reference")
    module.__file__ = str(path)
    sys.modules["reference"] = module
    _search(path.parent)
    exec(compile(ast.fix_missing_locations(tree), str(path), "exec"), module.__dict__)  # noqa: S102: the user's own reference
    return module


def load_candidate(path: pathlib.Path) -> types.ModuleType:
    """The unchanged module: Triton reads the source of its kernels from the file."""
    _search(path.parent)
    spec = importlib.util.spec_from_file_location("submission", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["submission"] = module
    spec.loader.exec_module(module)
    return module


class _Anything(types.ModuleType):
    """A module of a benchmark's own harness that the files import and judging does not need."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Stand if name[:1].isupper() else lambda *args, **kwargs: None


class _Stand:
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.__dict__.update(kwargs)

    def __class_getitem__(cls, item: Any) -> type:
        return cls


def stand_in(*names: str, beside: pathlib.Path) -> None:
    """Modules of the harness: the user's own file if it is beside the problem, else an empty one."""
    _search(beside.parent)
    tops = {name.split(".")[0] for name in names}
    own = {top for top in tops if importlib.machinery.PathFinder.find_spec(top, [str(beside.parent)])}
    sys.meta_path.insert(0, _Beside(beside.parent, own))
    for name in names:
        if name not in sys.modules and name.split(".")[0] not in own:
            sys.modules[name] = _Anything(name)


@contextlib.contextmanager
def on_cpu() -> Iterator[None]:
    """Makes tensors for a CUDA device, and random generators, on the CPU instead."""
    import torch

    from ...triton._cuda import _mode

    own = torch.Generator
    torch.Generator = lambda device="cpu": own()  # type: ignore[assignment, misc]
    try:
        with _mode():
            yield
    finally:
        torch.Generator = own  # type: ignore[misc]
