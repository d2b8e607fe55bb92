"""A table as warplens computes it: rows, and ways out to the usual libraries."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ._command import output

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Table:
    """Rows of one verb's table, each a dictionary; names carry units (`_ns`, `_bytes`). Prints as the command line does."""

    def __init__(self, rows: list[dict[str, Any]], arguments: Sequence[str]) -> None:
        self.rows = rows
        self._arguments = list(arguments)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, row: int) -> dict[str, Any]:
        return self.rows[row]

    def __str__(self) -> str:
        return output([*self._arguments, "--format", "table"])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        names = list(self.rows[0]) if self.rows else []
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(str(v))}</td>" for v in row.values()) + "</tr>" for row in self.rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

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
