"""Arrays of a judgement: sealed in files without a name, and as raw bytes for a worker. Nothing runs code when it is read."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
# {"value": ...}, or {"npy" or "sealed" and "at", "dtype", "shape", "strides", "bytes"} of an array; strides in elements.
Slot = dict[str, Any]

# Element types that numpy lacks are kept as the bits that they are.
BITS = {"bfloat16": np.uint16, "float8_e4m3fn": np.uint8, "float8_e5m2": np.uint8}
# Bits of mantissa, the leading one left out.
MANTISSA = {"float64": 52, "float32": 23, "float16": 10, "bfloat16": 7, "float8_e4m3fn": 3, "float8_e5m2": 2}
_NUMPY = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "complex64", "complex128")


class Sealed:
    """A file without a name, which other processes cannot open. The processes that share it use the same file descriptor."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def put(self, array: Array) -> Slot:
        with os.fdopen(os.dup(self.descriptor), "ab") as file:
            at = file.seek(0, os.SEEK_END)
            np.save(file, array, allow_pickle=False)
        return {"sealed": self.descriptor, "at": at}

    def tell(self, value: Any) -> None:
        """Hands a value over to the process that shares the file."""
        with os.fdopen(os.dup(self.descriptor), "ab") as file:
            file.write(json.dumps(value).encode())

    def take(self) -> Any:
        """The value that was handed over, once; None if there is none."""
        text = os.pread(self.descriptor, os.fstat(self.descriptor).st_size, 0)
        os.ftruncate(self.descriptor, 0)
        return json.loads(text) if text else None


def is_array(slot: Slot) -> bool:
    return "value" not in slot


def save_array(to: pathlib.Path | Sealed, array: Array, dtype: str = "", strides: list[int] | None = None) -> Slot:
    """Writes the values, contiguous; `strides` is the layout that the reader restores."""
    if isinstance(to, Sealed):
        place = to.put(array)
    else:
        np.save(to, array, allow_pickle=False)
        place = {"npy": to.name}
    return {**place, "dtype": dtype or str(array.dtype), "shape": list(array.shape), "strides": strides, "bytes": array.nbytes}


def load_array(folder: pathlib.Path, slot: Slot) -> Array:
    sealed = "sealed" in slot
    with open(f"/proc/self/fd/{slot['sealed']}" if sealed else folder / slot["npy"], "rb") as file:
        file.seek(slot["at"] if sealed else 0)
        loaded: Array = np.load(file, allow_pickle=False)
    return loaded


def as_float64(array: Array, dtype: str) -> Array:
    """The values as float64, of element types that numpy lacks too."""
    if dtype == "bfloat16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if dtype in BITS:
        import torch  # only these need it

        return torch.from_numpy(array).view(getattr(torch, dtype)).to(torch.float64).numpy()
    with np.errstate(invalid="ignore"):  # NaN of any bits
        return array.astype(np.complex128 if np.iscomplexobj(array) else np.float64)


def tensor_slot(to: pathlib.Path | Sealed, tensor: Any) -> Slot:
    """Writes a torch tensor of any layout."""
    import torch

    dtype = str(tensor.dtype).removeprefix("torch.")
    plain = tensor.detach().to("cpu").contiguous()
    if dtype in BITS:
        plain = plain.view(torch.int16 if BITS[dtype] is np.uint16 else torch.uint8)
    values = plain.numpy()
    if dtype in BITS:
        values = values.view(BITS[dtype])
    return save_array(to, values, dtype, None if tensor.is_contiguous() else list(tensor.stride()))


def _numpy_type(dtype: str) -> Any:
    """Raises ValueError for a name of no element type."""
    if dtype in BITS:
        return np.dtype(BITS[dtype])
    if dtype not in _NUMPY:
        raise ValueError(f"elements of type {dtype!r}")
    return np.dtype(dtype)


def span_bytes(dtype: str, shape: Sequence[int], strides: Sequence[int] | None) -> int:
    """Bytes from the first element to the last, in the layout; strides None: contiguous."""
    count = 1
    for size in shape:
        count *= size
    if strides is not None and count:
        count = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides))
    return int(count * _numpy_type(dtype).itemsize)


def laid_out(array: Array, slot: Slot) -> bytes:
    """The bytes of the layout that `slot` describes; gaps are zero."""
    if slot["strides"] is None:
        return array.tobytes()
    span = np.zeros(span_bytes(slot["dtype"], slot["shape"], slot["strides"]) // array.itemsize, array.dtype)
    _viewed(span, slot["shape"], slot["strides"])[...] = array
    return span.tobytes()


def from_layout(data: bytes, dtype: Any, shape: Any, strides: Any, most_bytes: int) -> Array:
    """The array in bytes of a layout that another process claims. Raises ValueError if the bytes are not of that
    layout, or the array is larger than `most_bytes`.
    """
    sizes = [*shape, *(strides or ())] if isinstance(shape, list) and isinstance(strides, (list, type(None))) else [None]
    if not isinstance(dtype, str) or not all(type(size) is int and 0 <= size < 1 << 48 for size in sizes) or len(shape) > 64:
        raise ValueError("a layout of no array")
    if strides is not None and len(strides) != len(shape) or span_bytes(dtype, shape, strides) != len(data):
        raise ValueError(f"{len(data)} bytes for {shape} elements of {dtype}")
    if span_bytes(dtype, shape, None) > most_bytes:
        raise ValueError(f"{shape} elements of {dtype}, where {most_bytes} bytes are the most")
    flat = np.frombuffer(data, _numpy_type(dtype))
    return np.ascontiguousarray(flat.reshape(shape) if strides is None else _viewed(flat, shape, strides))


def _viewed(span: Array, shape: Sequence[int], strides: Sequence[int]) -> Array:
    if 0 in shape:
        return np.empty(shape, span.dtype)
    return np.lib.stride_tricks.as_strided(span, shape, [stride * span.itemsize for stride in strides])
