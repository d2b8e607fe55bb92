"""The GPUs that are known, with their peaks."""

from __future__ import annotations

from typing import Any

from ._command import Report, output
from .table import Table


def devices() -> Table:
    """Every GPU that is known: key, name, architecture, SMs, clocks, peaks and caches."""
    return Table(Report(["device", "list"])["rows"], lambda: output(["device", "list", "--format", "table"]))


def device(name: str) -> dict[str, Any]:
    """One of them, by its key or full name. Raises ValueError that names what is near."""
    from . import _core

    known = _core.device(name)
    return next(row for row in devices() if row["key"] == known["key"])
