"""Emulated launches: compiled PTX, the results of a launch, and the emulated GPU of a `with warplens.emulate(...)` block."""

from __future__ import annotations

import contextlib
import functools
import html
import json
import operator
from collections.abc import Iterator, Sequence
from typing import Any

from . import _core
from ._pictures import themed_svg
from .counting import Counted
from .table import rows_html

Dim3 = tuple[int, int, int]


class KernelFault(RuntimeError):
    """A kernel stopped before its end: an illegal address, a trap, a failed assertion, a limit. The message has the
    place.
    """


def check_bits(checks: str | Sequence[str]) -> int:
    """The bits of "memory,race,init,sync" or a list of such names; "all" is every one."""
    names = checks.split(",") if isinstance(checks, str) else list(checks)
    known = _core.checks()
    bits = 0
    for name in filter(None, (n.strip() for n in names)):
        if name != "all" and name not in known:
            raise ValueError(f"no check '{name}'; there are {', '.join(known)} and all")
        bits |= sum(known.values()) if name == "all" else known[name]
    return bits


def dim3(value: int | Sequence[int]) -> Dim3:
    """An int or a sequence of up to three as (x, y, z). Raises TypeError for anything but integers."""
    given = tuple(value) if hasattr(value, "__iter__") and not isinstance(value, str) else (value,)
    if not 1 <= len(given) <= 3:
        raise ValueError(f"a grid or block has one to three dimensions, not {len(given)}")
    try:
        x, y, z = map(operator.index, (*given, 1, 1)[:3])
    except TypeError:
        raise TypeError(f"the sizes of a grid or block are whole numbers, not {value!r}: divide with //") from None
    return x, y, z


class Launch:
    """One emulated launch: its kernel and its results."""

    def __init__(self, kernel: str, grid: Dim3, block: Dim3, ptx: str, argument_bytes: int, result: _core.LaunchResult) -> None:
        self.kernel, self.grid, self.block, self.ptx = kernel, grid, block, ptx
        self.argument_bytes = argument_bytes  # of the arrays it was given
        self._result = result
        self.gpu = ""  # the GPU that it ran on too
        self.time_ns: float | None = None  # one launch there, between events; None when it was only emulated
        self.hardware: Counted | None = None  # of the launch there, where counters are allowed

    @property
    def reports(self) -> list[dict[str, Any]]:
        """The defects that the checks found: id, message, place, the other side of a race, count."""
        return self._result.reports

    @property
    def output(self) -> str:
        """The kernel's printf output."""
        return self._result.output

    @property
    def seconds(self) -> float:
        """Wall-clock time that the emulation took; not a GPU's time."""
        return self._result.seconds

    @property
    def counted(self) -> bool:
        """True if there is a report."""
        return self._result.report is not None

    @functools.cached_property
    def report(self) -> dict[str, Any]:
        """All counts: metrics, fidelity, resources, occupancy, time, roofline, lines, findings.

        Raises RuntimeError if the launch was not counted (see emulate(counters=True), kernel.profile).
        """
        if not self.counted:
            raise RuntimeError(f"the launch of {self.kernel} was not counted; use kernel.profile[...] or warplens.emulate(..., counters=True)")
        report: dict[str, Any] = json.loads(self._result.report or "")
        return report

    @property
    def data(self) -> dict[str, Any]:
        """All data: kernel, grid, block, counts and defects, and the report if the launch was counted."""
        return {"kernel": self.kernel, "grid": list(self.grid), "block": list(self.block), "warp_instructions": self.warp_instructions,
                "reports": self.reports, "output": self.output, **(self.report if self.counted else {})}

    @property
    def metrics(self) -> dict[str, float]:
        """Counters under Nsight Compute's names; .report["fidelity"] has the reliability of each."""
        metrics: dict[str, float] = self.report["metrics"]
        return metrics

    @property
    def findings(self) -> list[dict[str, Any]]:
        """The kernel's problems: id, title, advice, place, and the share of its time that a fix would save."""
        findings: list[dict[str, Any]] = self.report["findings"]
        return findings

    def __str__(self) -> str:
        text = self._result.summary or repr(self)
        if self.time_ns is None:
            return text
        return f"{text.rstrip()}\non {self.gpu}: {_core.format_ns(self.time_ns)}, one launch; the counters are the emulator's, on copies of the arrays\n"

    @property
    def roofline(self) -> "Roofline":
        """The roofline of the launch: the highest rate for the bytes that it moves, and the expected rate. Raises as .report."""
        return Roofline(self.report["roofline"], self._result.roofline_text, self._result.roofline_svg)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>{themed_svg(self._result.roofline_svg)}"

    @property
    def warp_instructions(self) -> int:
        """Executed warp instructions: machine instructions if these were counted, otherwise PTX instructions."""
        return self._result.warp_instructions

    def __repr__(self) -> str:
        return f"<Launch {self.kernel} grid={self.grid} block={self.block}, {self.warp_instructions} warp instructions>"


class Roofline:
    """A kernel's roofline. `.data` has its numbers; it prints as text, and is a chart in notebooks."""

    def __init__(self, data: dict[str, Any], text: str, svg: str) -> None:
        self.data, self._text, self.svg = data, text, svg

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return themed_svg(self.svg)


class Module:
    """PTX, ready to run on host memory."""

    def __init__(self, ptx: str, name: str = "module.ptx") -> None:
        self.ptx = ptx
        self._native = _core.load_ptx(ptx, name)

    def use_cubin(self, cubin: bytes) -> None:
        """Counts from this machine code, which was made from the same PTX, so nothing is assembled."""
        self._native.use_cubin(cubin)

    def kernels(self) -> list[str]:
        """Names, in the order of the text."""
        return self._native.kernels()

    def parameters(self, kernel: str) -> list[tuple[str, str, int]]:
        """(name, PTX type, bytes) of each parameter of `kernel`."""
        return self._native.parameters(kernel)

    def pack(self, kernel: str, arguments: list[bytes]) -> bytes:
        """The parameter block of a launch, from the bytes of each parameter."""
        return self._native.pack(kernel, arguments)

    def offsets(self, kernel: str) -> list[int]:
        """Offsets of the parameters in the parameter block; empty if no parameter is a struct or tensor map."""
        return self._native.offsets(kernel)

    def threads(self, kernel: str) -> int:
        """Threads a block that `kernel` requires (.reqntid), 0 if it has no requirement."""
        return self._native.required_threads(kernel)

    def launch(
        self,
        kernel: str,
        grid: Dim3,
        block: Dim3,
        arguments: list[bytes],
        buffers: list[tuple[int, int, str]],
        *,
        shared_bytes: int = 0,
        cluster: Dim3 = (1, 1, 1),
        cooperative: bool = False,
        architecture: int = 0,
        checks: int = 0,
        count_for: str = "",
    ) -> Launch:
        """Runs `kernel`, and counts for the GPU `count_for` if given. Raises KernelFault if it does not reach its end,
        and ValueError if the request is wrong.
        """
        result = self._native.launch(kernel, grid, block, arguments, buffers, shared_bytes=shared_bytes, cluster=cluster,
                                     cooperative=cooperative, architecture=architecture, checks=checks, count_for=count_for)
        if result.fault is not None:
            raise KernelFault(result.fault)
        return Launch(kernel, grid, block, self.ptx, sum(size for _, size, _ in buffers), result)


class Emulation:
    """The emulated GPU of a `with warplens.emulate(...)` block."""

    def __init__(self, device: dict[str, Any], checks: int, counters: bool) -> None:
        self.device = device
        self.checks = checks
        self.counters = counters
        self.launches: list[Launch] = []

    @property
    def reports(self) -> list[dict[str, Any]]:
        """The defects that the checks found in all launches so far."""
        return [report for launch in self.launches for report in launch.reports]

    @property
    def data(self) -> list[dict[str, Any]]:
        """A dictionary a launch: kernel, grid, block, warp instructions, reports, and all counts."""
        return [launch.data for launch in self.launches]

    def __str__(self) -> str:
        return "\n".join([f"{len(self.launches)} launches on an emulated {self.device['name']}", *(repr(launch) for launch in self.launches)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [{"kernel": x.kernel, "grid": str(x.grid), "block": str(x.block), "warp instructions": x.warp_instructions,
                 "estimate_ns": x.report["time"]["estimate_ns"] if x.counted else None,
                 "limited by": x.report["time"]["limited_by"] if x.counted else None, "reports": len(x.reports)} for x in self.launches]
        return f"<p>{html.escape(str(self).splitlines()[0])}</p>" + (rows_html(rows) if rows else "")


_active: Emulation | None = None


def active() -> Emulation | None:
    """The emulation of the enclosing `with warplens.emulate(...)` block."""
    return _active


def current() -> Emulation:
    """The same. Raises RuntimeError if there is none."""
    if _active is None:
        raise RuntimeError("this kernel was compiled inside warplens.emulate; launch it inside such a block too")
    return _active


@contextlib.contextmanager
def activated(emulation: Emulation) -> Iterator[Emulation]:
    """Makes it the active one while the block runs. Raises RuntimeError if one is active."""
    global _active
    if _active is not None:
        raise RuntimeError("warplens.emulate is already active; one emulated GPU at a time")
    _active = emulation
    try:
        yield emulation
    finally:
        _active = None
