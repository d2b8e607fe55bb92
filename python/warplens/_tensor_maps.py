"""Kernel parameters that hold addresses of CPU tensors: structs and tensor maps, as the emulator reads them."""

from __future__ import annotations

import torch

from . import _core

# of tensormap.replace, and CUtensorMapDataType
_EMULATED = {torch.uint8: 0, torch.float16: 6, torch.float32: 7, torch.bfloat16: 10}
DRIVER_TYPES = {torch.uint8: 0, torch.float16: 6, torch.float32: 7, torch.bfloat16: 9}
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}


class Packed:
    """The bytes of a parameter, and the tensors whose addresses are in it."""

    def __init__(self, data: bytes, tensors: list[torch.Tensor]) -> None:
        self.data, self.tensors = data, tensors

    def tobytes(self) -> bytes:
        return self.data


def contiguous_strides(dimensions: list[int], element_size: int) -> list[int]:
    """The strides of all dimensions but the innermost, in bytes."""
    strides, bytes_before = [], element_size
    for size in dimensions[:-1]:
        bytes_before *= size
        strides.append(bytes_before)
    return strides


def tensor_map(tensor: torch.Tensor, dimensions: list[int], box: list[int], swizzle: int = 0, strides: list[int] | None = None) -> Packed:
    """A tensor map. Dimensions and box come innermost first, in elements. Swizzle and strides are in bytes. Strides are given for all dimensions but the innermost; the default is contiguous memory.

    In the form that the emulator reads. Raises ValueError for unsupported values.
    """
    if tensor.dtype not in _EMULATED:
        raise ValueError(f"no tensor map of {tensor.dtype}")
    strides = contiguous_strides(dimensions, tensor.element_size()) if strides is None else strides
    return Packed(_core.tensor_map(tensor.data_ptr(), _EMULATED[tensor.dtype], dimensions, strides, box, swizzle=SWIZZLES[swizzle]), [tensor])
