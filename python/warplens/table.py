"""A table of results: its rows, and conversions to other libraries."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


def _cell(name: str, value: Any) -> str:
    """A value in readable form; the unit is the end of its name."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if name.endswith("_ns"):
            return _core.format_ns(value)
        if name.endswith("_bytes"):
            return _core.format_bytes(value)
        return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
    if isinstance(value, list):
        return ", ".join(_cell(name, item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_cell(key, item)}" for key, item in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value)


def rows_html(rows: list[dict[str, Any]]) -> str:
    """Rows as an HTML table, numbers with their units and to the right."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    head = "".join(f"<th>{html.escape(name.removesuffix('_ns').removesuffix('_bytes').replace('_', ' '))}</th>" for name in names)

    def cell(name: str, value: Any) -> str:
        align = "right" if isinstance(value, (int, float)) else "left"
        return f"<td style='text-align:{align}'>{html.escape(_cell(name, value))}</td>"

    body = "".join("<tr>" + "".join(cell(name, row.get(name)) for name in names) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Table:
    """Rows, each a dictionary; names carry units (`_ns`, `_bytes`). Prints as the command line does."""

    def __init__(self, rows: list[dict[str, Any]], text: Callable[[], str]) -> None:
        self.rows = rows
        self._text = text

    @property
    def data(self) -> list[dict[str, Any]]:
        """The rows, as in the JSON."""
        return self.rows

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, row: int) -> dict[str, Any]:
        return self.rows[row]

    def __str__(self) -> str:
        return self._text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return rows_html(self.rows)

    def to_arrow(self) -> "pyarrow.Table":
        """Needs pyarrow."""
        import pyarrow

        return pyarrow.Table.from_pylist(self.rows)

    def to_pandas(self) -> "pandas.DataFrame":
        """Needs pandas."""
        import pandas

        return pandas.DataFrame(self.rows)

    def to_polars(self) -> "polars.DataFrame":
        """Needs polars."""
        import polars

        return polars.DataFrame(self.rows)
