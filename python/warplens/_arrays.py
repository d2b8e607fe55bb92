"""Finds the memory of arrays of any library, to pass its address to kernels."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any, NamedTuple

from . import _core

_DLPACK_CPU, _DLPACK_CUDA, _DLPACK_CUDA_HOST, _DLPACK_CUDA_MANAGED = 1, 2, 3, 13


class Memory(NamedTuple):
    """The place of an array in memory, and the allocation that contains it. gpu None: on the host."""

    address: int
    start: int
    nbytes: int
    gpu: int | None


_DTYPES = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"} | {
    f"{sign}int{8 * size}": f"{sign or 'i'}{8 * size}" for sign in ("", "u") for size in (1, 2, 4, 8)}
_TYPESTR = {"f": "float", "i": "int", "u": "uint"}


def dtype_of(value: Any) -> str:
    """The element type of an array in the notation of launch files, such as "f32"; "" if there is no such name."""
    dtype = getattr(value, "dtype", None)
    if dtype is not None:
        return _DTYPES.get(str(dtype).removeprefix("torch."), "")
    typestr = getattr(value, "__cuda_array_interface__", {}).get("typestr", "")
    return _DTYPES.get(f"{_TYPESTR.get(typestr[1:2], '')}{8 * int(typestr[2:])}", "") if len(typestr) > 2 else ""


def is_read_only(value: Any) -> bool:
    """True if the array's library forbids writing into it."""
    flags = getattr(value, "flags", None)
    if hasattr(value, "__array_interface__") and flags is not None:
        return not flags.writeable
    interface = None if isinstance(value, type) or hasattr(value, "untyped_storage") else getattr(value, "__cuda_array_interface__", None)
    return interface is not None and bool(interface["data"][1])


def memory_of(value: Any) -> Memory | None:
    """The memory of an array of torch, CuPy, numpy or any library with DLPack; None if `value` is not an array.

    Raises ValueError for an array that is not contiguous, or on a device other than the host and GPUs.
    """
    if hasattr(value, "untyped_storage"):
        if str(value.layout) != "torch.strided":
            raise ValueError(f"the tensor is not dense ({value.layout}); pass tensor.to_dense()")
        if not value.is_cuda and value.device.type != "cpu":
            raise ValueError(f"the array is on device '{value.device}'; kernels take CPU and CUDA tensors")
        storage = value.untyped_storage()
        return Memory(value.data_ptr(), storage.data_ptr(), storage.nbytes(), value.device.index if value.is_cuda else None)
    if isinstance(value, type):
        return None
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is not None:
        return _of_interface(interface)
    if hasattr(value, "__array_interface__") and hasattr(value, "flags"):
        if value.ndim == 0 and not hasattr(value, "__setitem__"):
            return None  # a numpy scalar
        if not value.flags.c_contiguous:
            raise ValueError("the array is not contiguous; pass numpy.ascontiguousarray(...)")
        return Memory(value.ctypes.data, value.ctypes.data, value.nbytes, None)
    if hasattr(value, "__dlpack__"):
        address, nbytes, kind, number = _core.dlpack_memory(value)
        if kind not in (_DLPACK_CPU, _DLPACK_CUDA, _DLPACK_CUDA_HOST, _DLPACK_CUDA_MANAGED):
            raise ValueError(f"the array is on DLPack device type {kind}; kernels take arrays on the host and on CUDA GPUs")
        return Memory(address, address, nbytes, number if kind in (_DLPACK_CUDA, _DLPACK_CUDA_MANAGED) else None)
    return None


def _of_interface(interface: dict[str, Any]) -> Memory:
    """__cuda_array_interface__, version 2 and 3."""
    size = nbytes = int(interface["typestr"][2:])
    for extent in interface["shape"]:
        nbytes *= extent
    if interface.get("strides"):
        expected = size
        for extent, stride in zip(reversed(interface["shape"]), reversed(interface["strides"])):
            if extent > 1 and stride != expected:
                raise ValueError("the array is not contiguous; pass a contiguous copy")
            expected *= extent
    address = interface["data"][0]
    return Memory(address, address, nbytes, _core.gpu_of(address) if address else None)


# cudaMalloc aligns so; counters of memory accesses depend on it, and a host array may begin anywhere.
_ALIGNMENT = 512


class HostCopies:
    """Copies of arrays in host memory, for the emulator. They have the alignment that the originals have, or would have on a GPU.

    Arrays that share an allocation share its copy. stream: the stream of the arrays on a GPU.
    """

    def __init__(self, arrays: Iterable[Memory], stream: int = 0) -> None:
        self._stream = stream
        self._copies: dict[int, tuple[ctypes.Array[ctypes.c_char], int, Memory]] = {}
        for array in arrays:
            if array.start not in self._copies and array.nbytes:
                room = ctypes.create_string_buffer(array.nbytes + 2 * _ALIGNMENT)
                wanted = array.start % _ALIGNMENT if array.gpu is not None else 0
                base = ctypes.addressof(room) + (wanted - ctypes.addressof(room)) % _ALIGNMENT
                self._copies[array.start] = room, base, array
                self._move(base, array, to_host=True)

    def _move(self, base: int, array: Memory, to_host: bool) -> None:
        if array.gpu is not None:
            _core.copy(base, array.start, array.nbytes, self._stream, to_host)
        elif to_host:
            ctypes.memmove(base, array.start, array.nbytes)
        else:
            ctypes.memmove(array.start, base, array.nbytes)

    def on_host(self, array: Memory) -> Memory:
        """The address of the copy of `array`."""
        if not array.nbytes:
            return array._replace(gpu=None)
        base = self._copies[array.start][1]
        return Memory(base + array.address - array.start, base, array.nbytes, None)

    def write_back(self) -> None:
        """Copies the present contents back to the arrays."""
        for _, base, array in self._copies.values():
            self._move(base, array, to_host=False)
