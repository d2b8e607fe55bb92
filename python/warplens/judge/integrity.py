"""Finds the functions, classes and settings that a candidate has replaced around it."""

from __future__ import annotations

import sys
import types
from typing import Any

# Modules whose callables measure, compare, or make results; classes in them with their methods.
GUARDED = ("time", "builtins", "os", "ctypes", "json", "numpy", "numpy.testing", "torch", "torch.cuda", "torch.cuda.streams", "torch.cuda.nvtx",
           "torch.testing", "torch.nn.functional", "torch.nn.modules.module", "torch.utils.benchmark", "torch.profiler", "torch.random",
           "triton.testing", "random")
CLASSES = {"torch": ("Tensor", "Event", "Stream"), "torch.cuda": ("Event", "Stream"), "torch.cuda.streams": ("Event", "Stream"),
           "torch.nn.modules.module": ("Module",)}
# Of these, what is replaced changes a measured time.
TIMERS = ("time.", "torch.cuda.Event", "torch.cuda.streams.", "torch.Event", "torch.cuda.synchronize", "torch.utils.benchmark", "triton.testing",
          "torch.profiler", "torch.cuda.nvtx")
# By torch.compile, as it is loaded and run.
REPLACED_BY_PYTORCH = ("torch.manual_seed", "torch.nn.modules.module.Module.__init__", "torch.nn.modules.module.Module.__setstate__")
_SETTINGS = {
    "torch.backends.cuda.matmul.allow_tf32": lambda t: t.backends.cuda.matmul.allow_tf32,
    "torch.backends.cudnn.allow_tf32": lambda t: t.backends.cudnn.allow_tf32,
    "the default dtype": lambda t: str(t.get_default_dtype()),
    "fp16 sums in fp16 products": lambda t: t.backends.cuda.matmul.allow_fp16_reduced_precision_reduction,
    "fp16 accumulation": lambda t: getattr(t.backends.cuda.matmul, "allow_fp16_accumulation", None),
}


def _code(value: Any) -> tuple[Any, ...]:
    """A function's code and defaults, because these can be replaced without a new name."""
    if isinstance(value, types.FunctionType):
        return value.__code__, value.__defaults__, value.__kwdefaults__ and tuple(value.__kwdefaults__)
    return ()


def _own_modules() -> list[str]:
    """The modules of the judge; the worker's own module belongs to the program."""
    return ["__main__", *sorted(name for name in sys.modules if name.startswith(f"{__package__}."))]


def _callables() -> dict[str, Any]:
    found = {}
    for name in (*GUARDED, *_own_modules()):
        module = sys.modules.get(name)
        if module is None:
            continue
        found.update({f"{name}.{attribute}": value for attribute, value in vars(module).items() if callable(value)})
        for owner in CLASSES.get(name, [key for key, value in vars(module).items() if getattr(value, "__module__", "") == name]):
            made = getattr(module, owner, None)
            found.update(_members(f"{name}.{owner}", made) if isinstance(made, type) else {})
    return found


def _members(name: str, made: type) -> dict[str, Any]:
    """Methods of a class, inherited ones too: a new attribute may hide one."""
    found: dict[str, Any] = {}
    for base in reversed(made.__mro__[:-1]):
        found.update({f"{name}.{attribute}": value for attribute, value in vars(base).items()})
    return found


def _settings() -> dict[str, Any]:
    torch = sys.modules.get("torch")
    return {name: read(torch) for name, read in _SETTINGS.items()} if torch is not None else {}


class Snapshot:
    """The state before the candidate was imported."""

    def __init__(self) -> None:
        self._held = {name: (value, _code(value)) for name, value in _callables().items()}
        self._settings = _settings()
        self._seen: set[str] = set()

    def replaced(self) -> list[str]:
        """Names of functions and classes that were replaced or got other code, now or at an earlier check."""
        now = _callables()
        self._seen.update(name for name, (value, code) in self._held.items()
                      if name not in REPLACED_BY_PYTORCH and (now.get(name) is not value or _code(now[name]) != code))
        return sorted(self._seen)

    def settings(self) -> list[str]:
        """Settings with another value: "allow_tf32: False before, True now"."""
        now = _settings()
        return [f"{name}: {before} before, {now[name]} now" for name, before in self._settings.items() if now.get(name) != before]


def is_timer(name: str) -> bool:
    return name.startswith(TIMERS)
