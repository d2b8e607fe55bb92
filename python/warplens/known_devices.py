"""The known GPUs, with their peaks."""

from __future__ import annotations

from typing import Any

from ._command import Report, output
from .table import Table


def devices() -> Table:
    """Every known GPU: key, name, architecture, SMs, clocks, peaks and caches."""
    return Table(Report(["device", "list"])["rows"], lambda: output(["device", "list", "--format", "table"]))


def device(name: str) -> dict[str, Any]:
    """One of them, by its key or full name. Raises ValueError with similar names."""
    from . import _core

    known = _core.device(name)
    return next(row for row in devices() if row["key"] == known["key"])
