"""Arrays of any library as float64 values, to be compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import _core

_NAMES = {"float64": "f64", "double": "f64", "float32": "f32", "float": "f32", "float16": "f16", "half": "f16", "bfloat16": "bf16"}
_CHECKED = 1 << 22


def flatten(value: Any, name: str = "output") -> Iterator[tuple[str, Any]]:
    """(name, array) of every array or number in tuples, lists and dictionaries; other values are left out."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from flatten(item, str(key))
    elif isinstance(value, (list, tuple)):
        for position, item in enumerate(value):
            yield from flatten(item, f"{name} {position}" if len(value) > 1 else name)
    elif hasattr(value, "dtype") or isinstance(value, (int, float, complex)):
        yield name, value


def tolerance_of(value: Any) -> float:
    """The relative error that rounding to the dtype of `value` explains; 0 for whole numbers."""
    name = str(getattr(value, "dtype", "float64")).removeprefix("torch.")
    return 0.1 if name.startswith("float8") else _core.default_tolerance(_NAMES.get(name, name))


def _sampled(flat: Any, join: Any) -> Any:
    """A small array whole, or both ends and evenly spaced elements of a large one."""
    end, count = _CHECKED // 4, len(flat)
    return flat if count <= _CHECKED else join([flat[:end], flat[end:-end:(count - 2 * end) // (2 * end) + 1], flat[-end:]])


def doubles(value: Any) -> Any:
    """A flat float64 array on the CPU, complex numbers as pairs. Arrays of more than 4 Mi values are sampled to 4 Mi at
    most.
    """
    if hasattr(value, "untyped_storage"):
        import torch

        flat = value.detach().reshape(-1)
        flat = torch.view_as_real(flat.resolve_conj()).reshape(-1) if flat.is_complex() else flat
        return _sampled(flat, torch.cat).double().cpu()
    import numpy

    array = numpy.asarray(value.get() if hasattr(value, "get") and hasattr(value, "__cuda_array_interface__") else value)
    array = numpy.ascontiguousarray(array.reshape(-1))
    array = array.view(array.real.dtype) if numpy.iscomplexobj(array) else array
    return _sampled(array, numpy.concatenate).astype(numpy.float64)


def in_float64(value: Any) -> Any:
    """The same arguments with floating arrays in float64."""
    if isinstance(value, (list, tuple)):
        return type(value)(in_float64(item) for item in value)
    if isinstance(value, dict):
        return {key: in_float64(item) for key, item in value.items()}
    if hasattr(value, "untyped_storage"):
        return value.detach().double() if value.is_floating_point() else value
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    return value.astype("float64") if kind == "f" else value


def nbytes(value: Any) -> int:
    """Bytes of all arrays in `value`, each counted once."""
    sizes = {}
    for _, array in flatten(value):
        if hasattr(array, "untyped_storage"):
            sizes[array.data_ptr()] = array.numel() * array.element_size()
        elif hasattr(array, "nbytes"):
            sizes[id(array)] = int(array.nbytes)
    return sum(sizes.values())
