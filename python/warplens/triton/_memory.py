"""Tensors of this process by address: kernels may follow pointers that they load from memory."""

from __future__ import annotations

import bisect
import gc
from collections.abc import Iterator
from typing import Any

_MOST = 1 << 16  # elements of a table of addresses; larger tensors of integers are data
_LOWEST = 1 << 32  # addresses below are numbers


def _live_tensors() -> list[tuple[int, int, Any]]:
    """(first address, end, tensor) of every CPU storage that Python still refers to, in order of addresses."""
    import torch

    storages: dict[int, tuple[int, int, Any]] = {}
    for found in gc.get_objects():
        if issubclass(type(found), torch.Tensor) and found.layout == torch.strided and found.device.type == "cpu":
            storage = found.untyped_storage()
            storages[storage.data_ptr()] = (storage.data_ptr(), storage.data_ptr() + storage.nbytes(), found)
    return sorted(storages.values(), key=lambda entry: entry[0])


def pointees(table: Any) -> Iterator[tuple[Any, int]]:
    """(tensor, address) of each element of the int64 tensor `table` that is an address in a live tensor."""
    if table.numel() > _MOST or table.device.type != "cpu":
        return
    addresses = [a for a in table.flatten().tolist() if a >= _LOWEST]
    live = _live_tensors() if addresses else []
    begins = [begin for begin, _, _ in live]
    for address in addresses:
        at = bisect.bisect_right(begins, address) - 1
        if at >= 0 and address < live[at][1]:
            yield live[at][2], address
