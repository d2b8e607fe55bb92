"""A kernel's parameters, as Triton's own launcher makes them of a signature and the arguments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from .. import _core

TENSOR_MAP = "nvTmaDesc"  # Triton's name for the type of such a parameter
_TF32 = 11  # among the element types of a tensor map


class _TensorMap:
    """A TensorDescriptor as its tensor map, with the compiler's block and swizzle."""

    def __init__(self, descriptor: Any, metadata: Any) -> None:
        if metadata.get("is_im2col", False):
            raise NotImplementedError("tensor descriptors in im2col mode are not emulated")
        shape = list(descriptor.shape)
        if metadata["fp4_padded"]:
            shape[-1] *= 2
        self.tensor = descriptor.base
        self.map = _core.tensor_map(
            descriptor.base.data_ptr(), _TF32 if getattr(descriptor, "round_f32_to_tf32", False) else metadata["elem_type"], shape[::-1],
            [stride * metadata["elem_size"] for stride in descriptor.strides[-2::-1]], metadata["block_size"][::-1],
            swizzle=metadata["swizzle"], fill_nan=getattr(descriptor, "padding", "zero") == "nan")


def _of_descriptor(kind: str, descriptor: Any, metadata: Any) -> Iterator[tuple[str, Any]]:
    """A tensor map, the shape and the strides. Without metadata the kernel uses no map, but a pointer, the shape, the
    strides and flags.
    """
    if metadata is None:
        element = re.match(r"tensordesc(?:_im2col)?<([^[>]*)", kind)
        yield f"*{element[1] if element else 'i8'}", descriptor.base
        yield from (("i64", value) for value in (*descriptor.shape, *descriptor.strides))
        yield from (("i1", flag) for flag in _flags(descriptor))
    else:
        yield TENSOR_MAP, _TensorMap(descriptor, metadata)
    yield from (("i32", size) for size in descriptor.shape)
    yield from (("i64", stride) for stride in descriptor.strides)


def _flags(descriptor: Any) -> Iterator[bool]:
    """The flags that this Triton has: padding since 3.5, rounding to TF32 in later versions."""
    if hasattr(descriptor, "padding"):
        yield descriptor.padding == "nan"
    if hasattr(descriptor, "round_f32_to_tf32"):
        yield descriptor.round_f32_to_tf32


def of(kinds: Iterable[Any], values: Iterable[Any], descriptors: Iterable[Any] | None) -> Iterator[tuple[str, Any]]:
    """(type, value) of each kernel parameter; constexprs have none. `descriptors` has the compiler's metadata of each TensorDescriptor, or
    is empty.
    """
    return _flattened(kinds, values, iter(descriptors or ()))


def _flattened(kinds: Iterable[Any], values: Iterable[Any], descriptors: Iterator[Any]) -> Iterator[tuple[str, Any]]:
    for kind, value in zip(kinds, values, strict=True):
        if isinstance(kind, tuple):
            yield from _flattened(kind, value, descriptors)
        elif kind.startswith("tensordesc"):
            yield from _of_descriptor(kind, value, next(descriptors, None))
        elif kind != "constexpr":
            yield kind, value
