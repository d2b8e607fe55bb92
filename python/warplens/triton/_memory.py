"""Tensors of this process by address: kernels may follow pointers that they load from memory."""

from __future__ import annotations

import bisect
import contextlib
import gc
from collections.abc import Iterator
from typing import Any

_MOST = 1 << 16  # elements of a table of addresses; larger tensors of integers are data
_ADDRESSES = range(1 << 16, 1 << 47)  # of user memory; other integers are data


def _live_tensors() -> list[tuple[int, int, Any]]:
    """(first address, end, tensor) of every CPU storage that is still in use in Python, ordered by address."""
    import torch

    storages: dict[int, tuple[int, int, Any]] = {}
    for found in gc.get_objects():
        if type(found) not in (torch.Tensor, torch.nn.Parameter):
            continue
        with contextlib.suppress(RuntimeError, NotImplementedError):  # sparse, or a stand-in of a tracer: no memory
            begin, size = found.untyped_storage().data_ptr(), found.untyped_storage().nbytes()
            storages[begin] = (begin, begin + size, found)
    return sorted(storages.values(), key=lambda entry: entry[0])


def require(argument: Any, name: str) -> None:
    """Raises ValueError if `argument` is a tensor without memory of this process: a kernel would follow a null pointer."""
    if not hasattr(argument, "untyped_storage"):
        return
    what = "a FakeTensor" if type(argument).__name__ == "FakeTensor" else f"on the device '{argument.device}'" if argument.device.type != "cpu" else ""
    if what:
        raise ValueError(f"{name} is {what}, which holds no data; kernels inside warplens.emulate need tensors in CPU memory. "
                         "Make it with torch.empty or torch.randn, outside of a fake or meta context")


def pointees(table: Any) -> Iterator[tuple[Any, int]]:
    """(tensor, address) of each element of the int64 tensor `table` that is an address in a live tensor."""
    if table.numel() > _MOST or table.device.type != "cpu":
        return
    addresses = [a for a in table.flatten().tolist() if a in _ADDRESSES]
    live = _live_tensors() if addresses else []
    begins = [begin for begin, _, _ in live]
    for address in addresses:
        at = bisect.bisect_right(begins, address) - 1
        if at >= 0 and address < live[at][1]:
            yield live[at][2], address
