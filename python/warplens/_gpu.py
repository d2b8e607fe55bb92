"""The GPU of a call, and its library's stream. Imports neither torch nor CuPy, and only uses modules that are loaded."""

from __future__ import annotations

import contextlib
import functools
import itertools
import sys
import types
from collections.abc import Iterator
from typing import Any

from . import _core

_DEPTH, _ITEMS = 4, 256  # how deep containers and functions are looked into, and how many items of each


def array_gpu(value: Any) -> int | None:
    """The number of the GPU of an array; None for anything else."""
    if isinstance(value, (type, types.ModuleType)):
        return None
    if hasattr(value, "is_cuda"):
        return int(value.device.index) if value.is_cuda is True else None
    interface = getattr(value, "__cuda_array_interface__", None)
    return _core.gpu_of(interface["data"][0]) if interface and interface["data"][0] else None


def _inside(value: Any) -> Iterator[Any]:
    """Everything that code can reach through `value`: items, attributes, captured and global variables.
    """
    if isinstance(value, dict):
        yield from itertools.islice(value.values(), _ITEMS)
    elif isinstance(value, (list, tuple, set)):
        yield from itertools.islice(value, _ITEMS)
    elif isinstance(value, functools.partial):
        yield from (value.func, *value.args, *value.keywords.values())
    elif isinstance(value, types.MethodType):
        yield from (value.__self__, value.__func__)
    elif isinstance(value, types.FunctionType):
        for cell in value.__closure__ or ():
            with contextlib.suppress(ValueError):  # a variable that has no value yet
                yield cell.cell_contents
        yield from (value.__defaults__ or ())
        yield from (value.__globals__[name] for name in value.__code__.co_names if name in value.__globals__)
        yield from (c for c in [getattr(value, "__wrapped__", None)] if c is not None)
    elif hasattr(value, "parameters") and callable(value.parameters) and hasattr(value, "buffers"):  # torch.nn.Module
        yield from value.parameters()
        yield from value.buffers()
    elif not isinstance(value, (type, types.ModuleType, str, bytes, int, float)):
        yield from getattr(value, "__dict__", {}).values()


def gpus_of(value: Any, depth: int = _DEPTH) -> set[int]:
    """The numbers of the GPUs whose arrays `value` is, contains, or (if it is a function) captures or names."""
    seen: set[int] = set()

    def look(value: Any, depth: int) -> Iterator[int]:
        if id(value) in seen:
            return
        seen.add(id(value))
        gpu = array_gpu(value)
        if gpu is not None:
            yield gpu
        elif depth > 0 and not hasattr(value, "__array_interface__"):
            for inner in _inside(value):
                yield from look(inner, depth - 1)

    return set(look(value, depth))


def _torch_on_gpu() -> Any:
    torch = sys.modules.get("torch")
    return torch if torch is not None and torch.cuda.is_initialized() else None


def current_stream(gpu: int) -> int:
    """The handle of the GPU's current stream: torch's, or else CuPy's. If neither is in use, the handle is 0, the default stream."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        # The public way makes an object of every stream: several microseconds a launch.
        raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
        return int(raw(gpu) if raw else torch.cuda.current_stream(gpu).cuda_stream)
    cupy = sys.modules.get("cupy")
    if cupy is not None:
        with cupy.cuda.Device(gpu):
            return int(cupy.cuda.get_current_stream().ptr)
    return 0


@contextlib.contextmanager
def on_gpu(gpu: int) -> Iterator[None]:
    """Makes a GPU the current one of torch, else CuPy, inside the block."""
    torch, cupy = _torch_on_gpu(), sys.modules.get("cupy")
    with torch.cuda.device(gpu) if torch else cupy.cuda.Device(gpu) if cupy else contextlib.nullcontext():
        yield


def choose(device: Any, *reached: Any) -> int | None:
    """The GPU to time on, or None for the CPU: the GPU of `device`, else the GPU of the arrays that `reached` leads to.

    device: None, "cpu", "cuda", "cuda:1", a torch.device or a number. Raises ValueError if arrays are on several GPUs.
    """
    if device is not None:
        name = f"cuda:{device}" if isinstance(device, int) else str(device)
        if name == "cpu":
            return None
        kind, _, number = name.partition(":")
        if kind != "cuda" or (number and not number.isdigit()):
            raise ValueError(f"no device '{name}'; give cpu, cuda or cuda:N")
        torch = sys.modules.get("torch")
        return int(number) if number else int(torch.cuda.current_device()) if torch and torch.cuda.is_available() else 0
    found = gpus_of(list(reached))
    if len(found) > 1:
        raise ValueError(f"arrays on several GPUs ({', '.join(map(str, sorted(found)))}): give device= to choose the one to time on")
    return found.pop() if found else None
