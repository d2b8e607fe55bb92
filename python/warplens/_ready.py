"""Prepares the launches of a step for CUDA tensors of fixed shapes, so that a call only allocates outputs and passes addresses."""

from __future__ import annotations

import functools
import os
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from . import _core, _gpu
from ._tensor_maps import DRIVER_TYPES, SWIZZLES, contiguous_strides

if TYPE_CHECKING:
    from .inline import Kernel

_MEMBERS = {"i32": "i", "u32": "I", "i64": "q", "u64": "Q", "f32": "f", "f64": "d", "buffer": "Q"}
_MAP_BYTES = 128
_current_stream = getattr(torch._C, "_cuda_getCurrentRawStream", _gpu.current_stream)  # the public ways take microseconds
Made = tuple[tuple[int, ...], torch.dtype]  # a tensor to allocate


def struct_of(members: list[dict[str, Any]]) -> tuple[bytes, list[tuple[int, str]]]:
    """The bytes of a struct as a family's file describes it, with zeros for addresses, and the position of each
    buffer's address.
    """
    data, places, widest = b"", [], 1
    for member in members:
        (kind, item), = member.items()
        size = struct.calcsize(_MEMBERS[kind])
        data += bytes(-len(data) % size)
        if kind == "buffer":
            places.append((len(data), item))
        data += struct.pack(_MEMBERS[kind], 0 if kind == "buffer" else item)
        widest = max(widest, size)
    return data + bytes(-len(data) % widest), places


class Ready:
    """Call it with inputs of the shapes, dtypes and GPU that it was made for: contiguous, at multiples of 16 bytes."""

    def __init__(self, gpu: int, inputs: Sequence[str], outputs: dict[str, Made], scratch: dict[str, Made]) -> None:
        self._device, self._gpu, self.outputs, self._scratch = torch.device("cuda", gpu), gpu, outputs, scratch
        self._allocate = [functools.partial(torch.empty, shape, dtype=dtype, device=self._device) for shape, dtype in outputs.values()]
        self._numbers = {name: i for i, name in enumerate([*inputs, *outputs, *scratch])}
        self._plan = _core.GpuPlan()
        self._run = self._plan.run
        self._zeros: dict[int, tuple[list[torch.Tensor], list[int]]] = {}
        self._wait = os.environ.get("WARPLENS_SYNC", "0") not in ("", "0")

    def add(self, kernel: Kernel, grid: Any, block: Any, shared_bytes: int, cooperative: bool, arguments: list[Any], dtypes: dict[str, torch.dtype]) -> None:
        """Adds a launch after the earlier ones, with arguments in the form of a family's file. dtypes: those of the
        buffers.
        """
        packed: list[bytes] = []
        addresses: list[tuple[int, int]] = []
        maps: list[tuple[int, dict[str, Any]]] = []
        offsets = kernel.offsets or _natural_offsets([size for _, _, size in kernel.signature])
        for position, (at, argument) in enumerate(zip(offsets, arguments, strict=True)):
            if isinstance(argument, str):
                addresses.append((at, self._numbers[argument]))
                packed.append(bytes(8))
            elif not isinstance(argument, dict):
                packed.append(kernel.scalar(position, argument))
            elif "tensor_map" in argument:
                maps.append((at, argument))
                packed.append(bytes(_MAP_BYTES))
            else:
                data, places = struct_of(argument["struct"])
                addresses += [(at + inside, self._numbers[name]) for inside, name in places]
                packed.append(data)
        native = kernel.module.on_gpu(self._gpu).native
        self._plan.add(native, kernel.entry, grid, block, shared_bytes, cooperative, kernel.block_of(packed), kernel.offsets, addresses)
        for at, argument in maps:
            made, dtype = argument["tensor_map"], dtypes[argument["buffer"]]
            self._plan.add_map((at, self._numbers[argument["buffer"]]), DRIVER_TYPES[dtype], made["dimensions"],
                               made.get("strides_bytes") or contiguous_strides(made["dimensions"], dtype.itemsize), made["box"],
                               SWIZZLES[made.get("swizzle", 0)])

    def __call__(self, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """The outputs, in their order."""
        made = [allocate() for allocate in self._allocate]
        stream = _current_stream(self._gpu)
        zeros = self._zeros.get(stream) or self._zeros_on(stream)
        self._run([t.data_ptr() for t in (*inputs, *made)] + zeros[1], stream, self._wait)
        return made

    def _zeros_on(self, stream: int) -> tuple[list[torch.Tensor], list[int]]:
        """Scratch memory: zeros at first, kept between calls on a stream, because kernels leave zeros where they need
        them.
        """
        tensors = [torch.zeros(shape, dtype=dtype, device=self._device) for shape, dtype in self._scratch.values()]
        self._zeros[stream] = tensors, [t.data_ptr() for t in tensors]
        return self._zeros[stream]


def _natural_offsets(sizes: list[int]) -> list[int]:
    out, at = [], 0
    for size in sizes:
        at += -at % size
        out.append(at)
        at += size
    return out
