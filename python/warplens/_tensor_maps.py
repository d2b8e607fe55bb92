"""Kernel parameters that hold addresses of tensors: structs and tensor maps."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import torch

from . import _core

# of tensormap.replace, and CUtensorMapDataType
_EMULATED = {torch.uint8: 0, torch.float16: 6, torch.float32: 7, torch.bfloat16: 10}
_DRIVER = {torch.uint8: 0, torch.float16: 6, torch.float32: 7, torch.bfloat16: 9}
_SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
_BYTES = 128


class Packed:
    """The bytes of a parameter, and the tensors whose addresses are in it."""

    def __init__(self, data: bytes, tensors: list[torch.Tensor]) -> None:
        self.data, self.tensors = data, tensors

    def tobytes(self) -> bytes:
        return self.data


@functools.cache
def _driver() -> Any:
    return ctypes.CDLL("libcuda.so.1")


def _of_driver(tensor: torch.Tensor, dimensions: list[int], strides: list[int], box: list[int], swizzle: int) -> bytes:
    storage, rank = ctypes.create_string_buffer(_BYTES + 64), len(dimensions)
    at = ctypes.addressof(storage) + 63 & ~63
    code = _driver().cuTensorMapEncodeTiled(
        ctypes.c_void_p(at), _DRIVER[tensor.dtype], ctypes.c_uint32(rank), ctypes.c_void_p(tensor.data_ptr()),
        (ctypes.c_uint64 * rank)(*dimensions), (ctypes.c_uint64 * max(rank - 1, 1))(*strides), (ctypes.c_uint32 * rank)(*box),
        (ctypes.c_uint32 * rank)(*[1] * rank), 0, _SWIZZLES[swizzle], 2, 0)
    if code:
        raise ValueError(f"the driver refuses a tensor map of {dimensions} with strides of {strides} bytes in boxes of {box} (error {code})")
    return ctypes.string_at(at, _BYTES)


def tensor_map(tensor: torch.Tensor, dimensions: list[int], box: list[int], swizzle: int = 0, strides: list[int] | None = None) -> Packed:
    """A tensor map: dimensions and box innermost first, in elements; the swizzle and strides (all but the innermost's; without them of
    contiguous memory) in bytes.

    For CUDA tensors as cuTensorMapEncodeTiled makes it, for others as the emulator reads it. Raises ValueError for what neither takes.
    """
    if tensor.dtype not in _EMULATED:
        raise ValueError(f"no tensor map of {tensor.dtype}")
    if strides is None:
        strides, bytes_before = [], tensor.element_size()
        for size in dimensions[:-1]:
            bytes_before *= size
            strides.append(bytes_before)
    if tensor.is_cuda:
        return Packed(_of_driver(tensor, dimensions, strides, box, swizzle), [tensor])
    return Packed(_core.tensor_map(tensor.data_ptr(), _EMULATED[tensor.dtype], dimensions, strides, box, swizzle=_SWIZZLES[swizzle]), [tensor])
