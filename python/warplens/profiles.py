"""Profiles: traces in memory, and warplens' analyses of them."""

from __future__ import annotations

import html
import os
import pathlib
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._command import Report, output
from ._workbook import write_workbook
from .table import Table, rows_html

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Path = str | os.PathLike[str]


class _Columns:
    """Columns in Arrow's memory layout, which other libraries read without copying."""

    def __len__(self) -> int:
        raise NotImplementedError

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        raise NotImplementedError

    def to_arrow(self) -> "pyarrow.Table":
        """Needs pyarrow. Numbers are not copied."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> "pandas.DataFrame":
        """Needs pandas and pyarrow."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> "polars.DataFrame":
        """Needs polars."""
        import polars

        return polars.DataFrame(self)


class ProfileTable(_Columns):
    """One table of a profile. Names and kinds are dictionary-encoded."""

    def __init__(self, profile: _core.Profile, name: str) -> None:
        self._profile, self.name = profile, name

    def __len__(self) -> int:
        return self._profile.tables()[self.name]

    def __repr__(self) -> str:
        return f"<ProfileTable {self.name}, {len(self)} rows>"

    def _repr_html_(self) -> str:
        """The first rows; needs pyarrow."""
        shown = 20
        rest = f"<p>{len(self) - shown:,} more rows</p>" if len(self) > shown else ""
        return rows_html(self.to_arrow().slice(0, shown).to_pylist()) + rest if len(self) else f"<p>{html.escape(self.name)}: no rows</p>"

    @property
    def data(self) -> list[dict[str, Any]]:
        """The rows; needs pyarrow."""
        rows: list[dict[str, Any]] = self.to_arrow().to_pylist()
        return rows

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._profile.table_stream(self.name)


class QueryResult(_Columns):
    """The result of a query. Iterates over its rows, each a dictionary."""

    def __init__(self, native: _core.QueryResult) -> None:
        self._native = native

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self._native.columns()

    @property
    def data(self) -> list[dict[str, Any]]:
        """The rows, each a dictionary."""
        return self._native.rows()

    @property
    def more(self) -> bool:
        """Whether `limit` left rows out."""
        return self._native.more()

    def __len__(self) -> int:
        return len(self._native)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.data)

    def __getitem__(self, row: int) -> dict[str, Any]:
        return self.data[row]

    def __repr__(self) -> str:
        return f"<QueryResult, {len(self)} row{'s' * (len(self) != 1)}: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        return rows_html(self.data)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._native.stream()


def _table(profile: "Profile", arguments: list[str], key: str) -> Table:
    report = Report(arguments, [profile])
    return Table(report[key], lambda: str(report))


_CUTS = {"step": "--step", "annotation": "--annotation", "start": "--from", "end": "--to", "rank": "--rank", "device": "--device",
         "stream": "--stream"}


def _cut_flags(cuts: dict[str, Any]) -> list[str]:
    flags = []
    for name, value in cuts.items():
        if name not in _CUTS:
            raise TypeError(f"no cut '{name}'; there are {', '.join(_CUTS)}")
        if value is not None:
            flags += [_CUTS[name], f"{value[0]}-{value[1]}" if isinstance(value, tuple) else str(value)]
    return flags


class Profile:
    """A trace in memory. Its tables and their columns are described in docs/profile-tables.md; times are `_ns`. Prints as its summary."""

    def __init__(self, native: _core.Profile) -> None:
        self._native = native
        self._file: str | None = None

    def save(self, path: Path, overwrite: bool = False) -> None:
        """Writes it as .wlens, which opens at once. Raises OSError when `path` exists and `overwrite` is false."""
        self._native.save(os.fspath(path), overwrite)

    def _path(self) -> str:
        """A file for the program to read: written once, and removed with this object."""
        if self._file is None:
            folder = tempfile.TemporaryDirectory(prefix="warplens-")
            weakref.finalize(self, folder.cleanup)
            self._file = os.path.join(folder.name, "profile.wlens")
            self.save(self._file)
        return self._file

    def summary(self) -> Report:
        """Where the time goes: one screen."""
        return Report(["summary", self._path()], [self])

    def ops(self, *, torch: bool = False, by: str | None = None, by_shape: bool = False, by_stack: int = 0, sort_by: str | None = None,
            limit: int | None = None) -> Table:
        """Time by operator. torch: exactly torch's key_averages(). by: module, line, annotation, kernel or class."""
        arguments = ["ops", self._path()]
        arguments += ["--torch"] * torch + ["--by-shape"] * by_shape
        for flag, value in (("--by", by), ("--by-stack", by_stack or None), ("--sort-by", sort_by), ("--limit", limit)):
            arguments += [flag, str(value)] if value is not None else []
        return _table(self, arguments, "rows")

    def timeline(self) -> Report:
        """Busy, exposed communication and copies, idle by cause, a step and device at a time."""
        return Report(["timeline", self._path()], [self])

    def findings(self) -> Table:
        """The problems, with evidence, advice and saving; most valuable first."""
        return _table(self, ["findings", self._path()], "findings")

    def ranks(self, limit: int | None = None) -> Report:
        """The waits between the ranks of one job, and their causes."""
        return Report(["ranks", self._path(), *(["--limit", str(limit)] if limit is not None else [])], [self])

    def export(self, path: Path, type: str = "chrome", *, overwrite: bool = False, **cuts: Any) -> None:
        """Writes it for other programs. type: chrome (for Perfetto too), stacks or flamegraph; .gz compresses. It takes the
        same cuts as cut().

        Raises FileExistsError if `path` exists and `overwrite` is false, and ValueError if a cut names something that
        the profile does not have.
        """
        if not overwrite and os.path.exists(path):
            raise FileExistsError(f"{os.fspath(path)}: exists already; overwrite=True replaces it")
        output(["export", self._path(), "-t", type, "-o", os.fspath(path), *["-f"] * overwrite, *_cut_flags(cuts)])

    def to_excel(self, path: Path, *, overwrite: bool = False) -> None:
        """Writes a workbook (.xlsx): findings, operators, operators by shape, kernels, modules, and the timeline's tables, a sheet each.

        Needs pandas and openpyxl (`pip install pandas openpyxl`). Raises FileExistsError when `path` exists and `overwrite` is false.
        """
        sheets = {"findings": self.findings().rows, "operators": self.ops().rows, "operators by shape": self.ops(by_shape=True).rows,
                  "kernels": self.ops(by="kernel").rows, "modules": self.ops(by="module").rows}
        for name, rows in self.timeline().data.items():
            if isinstance(rows, list) and all(isinstance(row, dict) for row in rows):
                sheets[name.replace("_", " ")] = rows
        write_workbook(path, sheets, overwrite)

    def cut(self, **cuts: Any) -> "Profile":
        """A part of it, as a profile: step=2 or "2-5", annotation="forward*", start="20ms", end="30ms", rank, device, stream.

        A step or annotation has the host work within it, and all device work that it launched. Raises ValueError if a cut
        selects nothing.
        """
        with tempfile.TemporaryDirectory(prefix="warplens-") as folder:
            part = os.path.join(folder, "part.wlens")
            output(["convert", self._path(), "-o", part, *_cut_flags(cuts)])
            return load(part)

    def diff(self, new: "Profile") -> Report:
        """The changes from this profile to `new`."""
        return Report(["diff", self._path(), new._path()], [self, new])

    def __str__(self) -> str:
        return str(self.summary())

    def __repr__(self) -> str:
        rows = self.tables()
        return f"<Profile of {rows['ranks']} rank{'s' * (rows['ranks'] != 1)}: {rows['operators']:,} operators, {rows['device_events']:,} device events>"

    @property
    def data(self) -> Any:
        """The same data that .summary() prints. .table(NAME) returns the single events."""
        return self.summary().data

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def tables(self) -> dict[str, int]:
        """Rows of each table."""
        return self._native.tables()

    def table(self, name: str) -> ProfileTable:
        """One table, for example "device_events". Raises KeyError if there is no table of that name."""
        if name not in self.tables():
            raise KeyError(f"no table '{name}'; there are {', '.join(self.tables())}")
        return ProfileTable(self._native, name)

    def query(self, sql: str, limit: int | None = None) -> QueryResult:
        """One statement of SQL over the tables of `warplens query --schema`: kernels, steps, gaps, operators and
        others.

        Raises ValueError if the statement is wrong, or is not a query. The message has the place in the statement.
        """
        return QueryResult(self._native.query(sql, limit))

    def columns(self, table: str) -> dict[str, str]:
        """Columns of a table that query() knows, with their types: integer, real or text. Raises ValueError for an
        unknown table.
        """
        return self._native.columns(table)

    def to_parquet(self, folder: Path, tables: Sequence[str] | None = None, *, overwrite: bool = False) -> list[pathlib.Path]:
        """Writes a folder of Parquet files, TABLE/rank-N.parquet, for DuckDB, Spark and others. Needs pyarrow.

        Raises FileExistsError if a file exists and `overwrite` is false, and ValueError for an unknown table.
        """
        from .parquet import TABLES, write_parquet

        return write_parquet(self, folder, tuple(tables) if tables is not None else TABLES, overwrite=overwrite)

    def integrity(self) -> list[dict[str, Any]]:
        """The damage and gaps of the trace: id, severity, count, detail and advice of each kind."""
        return self._native.integrity()


def load(path: Path | Sequence[Path]) -> Profile:
    """Reads a trace: torch.profiler JSON (.gz, .zst) or .wlens. Several paths are ranks of one job.

    Raises FileNotFoundError or OSError if a file cannot be read, and ValueError if nothing in it is readable.
    Profile.integrity() reports partial damage.
    """
    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    return Profile(_core.load([os.fspath(p) for p in paths]))
