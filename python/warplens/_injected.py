"""The library that `warplens record` and `warplens counters` inject into programs, loaded into this process instead."""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from . import _core
from ._command import program

_NAME = "libwarplens_collect.so"


@functools.cache
def library() -> ctypes.CDLL:
    """Raises FileNotFoundError if the package is incomplete."""
    beside = pathlib.Path(program()).resolve().parent
    for place in (beside / _NAME, beside.parent / "lib" / _NAME):
        if place.exists():
            return ctypes.CDLL(str(place))
    raise FileNotFoundError(f"{_NAME} is neither in {beside} nor in {beside.parent / 'lib'}: install warplens again")


@contextmanager
def settings(values: Mapping[str, str], journal: str | None = None) -> Iterator[None]:
    """The library's environment at its start: `values`, the path of CUPTI, and the file for its messages."""
    wanted = {**values, "WARPLENS_RECORD_CUPTI": _core.cupti_path(sys.path)}
    if journal is not None:
        wanted["WARPLENS_RECORD_JOURNAL"] = journal
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
