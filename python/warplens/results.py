"""Results of benchmarks: printed, saved in files, plotted, compared. `warplens bench` reads and writes the same files."""

from __future__ import annotations

import dataclasses
import html
import json
import os
import pathlib
from collections.abc import Iterator
from typing import Any

from . import _core
from ._pictures import either
from .counting import Counted
from .table import Table, rows_html

Path = str | os.PathLike[str]


class Measurement:
    """One benchmark: the time of a call with its confidence interval, in nanoseconds. `.data` holds everything."""

    def __init__(self, data: dict[str, Any], environment: dict[str, Any]) -> None:
        self.data, self.environment = data, environment
        self.counters: Counted | None = None  # of bench(..., counters=True)

    @property
    def name(self) -> str:
        """Name of the function or kernel."""
        return str(self.data["name"])

    @property
    def axes(self) -> dict[str, str]:
        """The point of a sweep."""
        return dict(self.data["axes"])

    @property
    def source(self) -> str:
        """measured: a GPU's time by events. cpu: the host's clock. emulated: counted, without a time."""
        return str(self.data["source"])

    @property
    def regime(self) -> str:
        """cold, warm or throughput."""
        return str(self.data["regime"])

    @property
    def median_ns(self) -> float:
        """0 if nothing was timed; .data["estimate_ns"] of an emulated one is the modelled time."""
        return float(self.data["median_ns"])

    @property
    def interval_ns(self) -> tuple[float, float]:
        """The confidence interval of the median."""
        return float(self.data["low_ns"]), float(self.data["high_ns"])

    @property
    def samples_ns(self) -> list[float]:
        """Each kept sample, in the order of measuring."""
        return list(self.data["samples_ns"])

    @property
    def host_ns(self) -> float:
        """Time that the host takes to issue one call. On a GPU, a value above the median means that the host limits a
        loop of calls.
        """
        return float(self.data["host_ns"])

    @property
    def bytes_per_second(self) -> float:
        """0 if no bytes were given."""
        return float(self.data["bytes_per_second"])

    @property
    def flops_per_second(self) -> float:
        """0 if no operations were given."""
        return float(self.data["flops_per_second"])

    @property
    def valid(self) -> bool:
        """False if the number cannot be trusted; .errors has the reason."""
        return bool(self.data["valid"])

    @property
    def errors(self) -> list[str]:
        """Why the number cannot be trusted; empty if it can."""
        return list(self.data["errors"])

    @property
    def notes(self) -> list[str]:
        """Remarks about the number."""
        return list(self.data["notes"])

    @property
    def target_reached(self) -> bool:
        """True if the interval became as narrow as requested."""
        return bool(self.data["target_reached"])

    @property
    def results(self) -> "Results":
        """This one alone, to save or plot."""
        return Results({"schema_version": _core.SCHEMA_VERSION, "kind": "warplens-bench", "title": "", "source_hash": "", "environment": self.environment, "measurements": [self.data]})

    def to_dict(self) -> dict[str, Any]:
        """The same as .data."""
        return dict(self.data)

    def save(self, path: Path, overwrite: bool = False) -> None:
        """As Results.save."""
        self.results.save(path, overwrite)

    def __str__(self) -> str:
        return str(self.results)

    def __repr__(self) -> str:
        low, high = self.interval_ns
        where = "".join(f" {key}={value}" for key, value in self.axes.items())
        return (f"<Measurement {self.name}{where}: {_core.format_ns(self.median_ns)} ({_core.format_ns(low)} to {_core.format_ns(high)}), "
                f"{self.regime}, {len(self.data['samples_ns'])} samples{'' if self.valid else ', INVALID'}>")

    def _repr_html_(self) -> str:
        return self.results._repr_html_()


class Results:
    """Measurements of one run, with the machine they were taken on. A sequence; prints as a table."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.environment: dict[str, Any] = data["environment"]

    @classmethod
    def load(cls, path: Path) -> "Results":
        """Reads a file of results. Raises FileNotFoundError or ValueError, with the cause."""
        text = pathlib.Path(path).read_text()
        try:
            _core.results_text(text)
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from None
        return cls(json.loads(text))

    def save(self, path: Path, overwrite: bool = False) -> None:
        """Writes JSON that `warplens bench compare` and `plot` read. Raises FileExistsError unless `overwrite`."""
        _core.write_file(os.fspath(path), (self.to_json() + "\n").encode(), overwrite)

    def to_json(self) -> str:
        """The text that .save writes."""
        return json.dumps(self.data)

    def to_dict(self) -> dict[str, Any]:
        """The same as .data."""
        return dict(self.data)

    def __len__(self) -> int:
        return len(self.data["measurements"])

    def __getitem__(self, position: int) -> Measurement:
        return Measurement(self.data["measurements"][position], self.environment)

    def __iter__(self) -> Iterator[Measurement]:
        return (self[position] for position in range(len(self)))

    def __str__(self) -> str:
        return _core.results_text(self.to_json()).rstrip("\n")

    __repr__ = __str__

    def table(self) -> Table:
        """A row a measurement; to_pandas(), to_polars(), to_arrow()."""
        return Table(json.loads(_core.results_rows(self.to_json())), lambda: str(self))

    def plot(self, folder: Path | None = None, *, theme: str = "both", overwrite: bool = False) -> list[pathlib.Path] | str:
        """Charts of latency, throughput, speed-up, scaling, memory and roofline, each only if there is data for it.

        With a folder, it writes SVG files, and PNG if librsvg is installed; theme: light, dark or both. It returns
        their paths and raises FileExistsError unless `overwrite`. Without a folder, it returns the charts in
        characters.
        """
        if folder is None:
            return "\n\n".join(_core.drawn_charts(self.to_json(), 100, 12))
        if theme not in ("light", "dark", "both"):
            raise ValueError(f"no theme '{theme}'; give light, dark or both")
        out = pathlib.Path(folder)
        out.mkdir(parents=True, exist_ok=True)
        written = []
        for file_name, _, light, dark in _core.charts(self.to_json()):
            for which, svg in (("light", light), ("dark", dark)):
                if theme in (which, "both"):
                    written += self._write(out / f"{file_name}-{which}", svg, overwrite)
        return written

    @staticmethod
    def _write(stem: pathlib.Path, svg: str, overwrite: bool) -> list[pathlib.Path]:
        files: list[tuple[pathlib.Path, bytes]] = [(stem.with_suffix(".svg"), svg.encode())]
        try:
            files.append((stem.with_suffix(".png"), _core.png(svg)))
        except FileNotFoundError:
            pass  # librsvg is optional, and the SVG says the same
        for path, content in files:
            _core.write_file(os.fspath(path), content, overwrite)
        return [path for path, _ in files]

    def _repr_html_(self) -> str:
        charts = either([(light, dark) for _, _, light, dark in _core.charts(self.to_json())] if len(self) > 1 else [])
        problems = "".join(f"<p>{html.escape(m.name)}: {html.escape(e)}</p>" for m in self for e in m.errors)
        return rows_html(self.table().rows) + problems + charts


@dataclasses.dataclass(frozen=True)
class Comparison:
    """A race's verdict on the second function, b, and the ratio of b's time to a's time."""

    verdict: str  # faster, slower, equivalent or inconclusive
    ratio: float  # time of b over time of a, with its confidence interval
    low: float
    high: float
    margin: float  # a share; differences within it are equivalent
    confidence: float
    pairs: int
    a_ns: float  # medians
    b_ns: float
    a_host_ns: float  # to issue a call; on a GPU not part of the times
    b_host_ns: float
    regime: str
    source: str  # cpu, or measured: on a GPU
    names: tuple[str, str]
    agrees: bool | None  # whether the results are the same but for rounding; None when there was nothing to compare
    difference: float  # norm of the results' difference over the norm of a's
    where: str  # the largest difference
    counters: tuple[Counted, ...] = ()  # of a and b, where they were asked for

    @property
    def data(self) -> dict[str, Any]:
        """All fields by name; for counters, their data."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {**fields, "counters": [counted.data for counted in self.counters]}

    def to_dict(self) -> dict[str, Any]:
        """The same as .data."""
        return self.data

    def __str__(self) -> str:
        a, b = self.names if self.names[0] != self.names[1] else (f"{self.names[0]} (a)", f"{self.names[1]} (b)")
        text = (f"{b} beside {a}: {self.verdict}; {self.ratio:.4g} of the time ({self.low:.4g} to {self.high:.4g}, {self.confidence:.0%}; "
                f"margin {self.margin:.2%}); {_core.format_ns(self.a_ns)} and {_core.format_ns(self.b_ns)}, {self.regime}, {self.pairs} pairs")
        if self.source == "measured" and (self.a_host_ns > self.a_ns or self.b_host_ns > self.b_ns):
            text += f"\nthe host takes {_core.format_ns(self.a_host_ns)} and {_core.format_ns(self.b_host_ns)} to issue a call, which limits a loop of calls"
        return text if self.agrees is not False else f"{text}\nthe results differ: {self.where}"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


class ComparedResults:
    """A verdict for each benchmark that two results share. `.rows` are dictionaries."""

    def __init__(self, base: Results, new: Results, margin: float, confidence: float) -> None:
        compared = _core.compare_results(base.to_json(), new.to_json(), margin, confidence)
        self.rows: list[dict[str, Any]] = json.loads(compared["rows"])
        self.notes: list[str] = compared["notes"]
        self.only_in_base: list[str] = compared["only_in_base"]
        self.only_in_new: list[str] = compared["only_in_new"]
        self._text: str = compared["text"]

    def slower(self, by: float = 0.0) -> list[dict[str, Any]]:
        """Rows with the verdict slower, by more than the given share."""
        return [row for row in self.rows if row["verdict"] == "slower" and row["ratio"] > 1 + by]

    @property
    def data(self) -> dict[str, Any]:
        """Rows, notes, and the benchmarks that exist on only one side."""
        return {"rows": self.rows, "notes": self.notes, "only_in_base": self.only_in_base, "only_in_new": self.only_in_new}

    def to_dict(self) -> dict[str, Any]:
        """The same as .data."""
        return self.data

    def __str__(self) -> str:
        lines = [self._text.rstrip("\n")] + [f"only in base: {key}" for key in self.only_in_base]
        return "\n".join(lines + [f"only in new: {key}" for key in self.only_in_new] + [f"note {note}" for note in self.notes])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return rows_html(self.rows) + "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
