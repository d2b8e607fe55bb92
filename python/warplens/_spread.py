"""Spreads calls over several workers: processes of this computer, Dask, Ray, Spark or any executor."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
from collections.abc import Callable, Sequence
from typing import Any

_forked: dict[int, tuple[Callable[[Any], Any], Sequence[Any]]] = {}  # what forked processes find in their copy of this one


def _forked_call(key: int, index: int) -> Any:
    call, items = _forked[key]
    return call(items[index])


def _in_processes(call: Callable[[Any], Any], items: Sequence[Any], count: int) -> list[Any]:
    """A forked process: the call and its item need not be pickled, only the result."""
    key = max(_forked, default=0) + 1
    _forked[key] = (call, items)
    try:
        with concurrent.futures.ProcessPoolExecutor(count, multiprocessing.get_context("fork")) as pool:
            return list(pool.map(_forked_call, [key] * len(items), range(len(items))))
    finally:
        del _forked[key]


def spread(call: Callable[[Any], Any], items: Sequence[Any], executor: Any) -> list[Any]:
    """[call(item) for item in items], in this order.

    executor: None runs the calls here, one after the other; "processes" or a number uses processes of this computer.
    Otherwise, pass an object with `submit` (concurrent.futures, a dask.distributed Client) or with `map` (a pool of
    multiprocessing, ray.util.multiprocessing). A SparkContext, or another object with `parallelize`, works too.
    Exceptions of calls pass through. Raises TypeError for any other executor.
    """
    if executor is None:
        return [call(item) for item in items]
    if executor == "processes" or (isinstance(executor, int) and executor > 0):
        count = len(os.sched_getaffinity(0)) if executor == "processes" else int(executor)
        return _in_processes(call, items, max(1, min(count, len(items))))
    if hasattr(executor, "submit"):
        return [future.result() for future in [executor.submit(call, item) for item in items]]
    if hasattr(executor, "map"):
        return list(executor.map(call, items))
    if hasattr(executor, "parallelize"):
        return list(executor.parallelize(list(items), len(items)).map(call).collect())
    raise TypeError('executor is None, "processes", a number of processes, or has submit, map or parallelize: not ' + type(executor).__name__)
