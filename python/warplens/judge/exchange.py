"""Arrays between the processes of a judgement: plain .npy files and JSON, which run no code when they are read."""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any

import numpy as np

# {"value": ...}, or {"npy", "dtype", "shape", "strides", "bytes"} of an array; strides in elements. Instead of "npy", a
# sealed array has "sealed" and "at".
Slot = dict[str, Any]

# Element types that numpy lacks are kept as the bits that they are.
BITS = {"bfloat16": np.uint16, "float8_e4m3fn": np.uint8, "float8_e5m2": np.uint8}
# Bits of mantissa, the leading one left out.
MANTISSA = {"float64": 52, "float32": 23, "float16": 10, "bfloat16": 7, "float8_e4m3fn": 3, "float8_e5m2": 2}


def write_json(path: pathlib.Path, value: Any) -> None:
    path.write_text(json.dumps(value))


def read_json(path: pathlib.Path) -> Any:
    return json.loads(path.read_text())


class Sealed:
    """A file without a name, which other processes cannot open. The processes that share it use the same file descriptor."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def put(self, array: np.ndarray[Any, Any]) -> Slot:
        with os.fdopen(os.dup(self.descriptor), "ab") as file:
            at = file.seek(0, os.SEEK_END)
            np.save(file, array, allow_pickle=False)
        return {"sealed": self.descriptor, "at": at}


def save_array(to: pathlib.Path | Sealed, array: np.ndarray[Any, Any], dtype: str = "", strides: list[int] | None = None) -> Slot:
    """Writes the values, contiguous; `strides` is the layout that the reader restores."""
    if isinstance(to, Sealed):
        place = to.put(array)
    else:
        np.save(to, array, allow_pickle=False)
        place = {"npy": to.name}
    return {**place, "dtype": dtype or str(array.dtype), "shape": list(array.shape), "strides": strides, "bytes": array.nbytes}


def load_array(folder: pathlib.Path, slot: Slot) -> np.ndarray[Any, Any]:
    sealed = "sealed" in slot
    with open(f"/proc/self/fd/{slot['sealed']}" if sealed else folder / slot["npy"], "rb") as file:
        file.seek(slot["at"] if sealed else 0)
        loaded: np.ndarray[Any, Any] = np.load(file, allow_pickle=False)
    return loaded


def as_float64(array: np.ndarray[Any, Any], dtype: str) -> np.ndarray[Any, Any]:
    """The values as float64, of element types that numpy lacks too."""
    if dtype == "bfloat16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if dtype in BITS:
        import torch  # only these need it

        return torch.from_numpy(array).view(getattr(torch, dtype)).to(torch.float64).numpy()
    return array.astype(np.complex128 if np.iscomplexobj(array) else np.float64)


def tensor_slot(to: pathlib.Path | Sealed, tensor: Any) -> Slot:
    """Writes a torch tensor of any device and layout."""
    import torch

    dtype = str(tensor.dtype).removeprefix("torch.")
    plain = tensor.detach().to("cpu").contiguous()
    if dtype in BITS:
        plain = plain.view(torch.int16 if BITS[dtype] is np.uint16 else torch.uint8)
    values = plain.numpy()
    if dtype in BITS:
        values = values.view(BITS[dtype])
    return save_array(to, values, dtype, None if tensor.is_contiguous() else list(tensor.stride()))


def tensor_of(folder: pathlib.Path, slot: Slot, device: str) -> Any:
    """The torch tensor that a slot describes, in its own layout."""
    import torch

    values = torch.from_numpy(load_array(folder, slot))
    if slot["dtype"] in BITS:
        values = values.view(getattr(torch, slot["dtype"]))
    if slot["strides"] is not None:  # laid out before it goes to the device, where that would be a kernel
        values = torch.empty_strided(slot["shape"], slot["strides"], dtype=values.dtype).copy_(values)
    return values.to(device)
