"""Changes of a Triton kernel's launch, each compiled, run and compared: warps, stages and block sizes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import torch
import triton

from ..emulation import emulate
from ..table import rows_html
from .inspection import _copied, _untuned

_WARPS = (1, 2, 4, 8, 16)
_STAGES = (1, 2, 3, 4, 5)
_SMALLEST_BLOCK = 16  # smaller constants are rarely blocks, and tensor cores need 16
_NOISE = 0.01  # of the time: less is not a gain


@dataclasses.dataclass
class Attempt:
    """One change of the launch, and what came of it."""

    change: dict[str, Any]  # keywords of the launch that differ: {"num_warps": 8}
    results: str = "none"  # same: to the last bit; close: within rtol and atol; differ; none: see note
    time_ns: float | None = None
    saving_fraction: float = 0.0  # of the time without the change; negative if it takes longer
    note: str = ""  # why there are no results

    @property
    def helps(self) -> bool:
        """True if it saves more than 1 %, and results are the same or close."""
        return self.results in ("same", "close") and self.saving_fraction >= _NOISE

    @property
    def text(self) -> str:
        """The keywords as the call has them."""
        return ", ".join(f"{name}={value!r}" for name, value in self.change.items())

    @property
    def data(self) -> dict[str, Any]:
        return {**dataclasses.asdict(self), "helps": self.helps}


@dataclasses.dataclass
class Tried:
    """Every change that was tried, the largest saving first. Prints as text."""

    kernel: str
    device: str
    time_ns: float  # as it is
    attempts: list[Attempt]
    together: Attempt | None  # several that help, at once; None if no two save more than the best
    findings: list[dict[str, Any]]  # of the launch as it is
    note: str = ""  # what was not tried, and why

    @property
    def best(self) -> Attempt | None:
        """The change that saves most, or None if nothing helps."""
        return self.together or next((a for a in self.attempts if a.helps), None)

    @property
    def data(self) -> dict[str, Any]:
        together = self.together.data if self.together else None
        return {"kernel": self.kernel, "device": self.device, "time_ns": self.time_ns, "findings": self.findings, "note": self.note,
                "tried": [a.data for a in self.attempts], "together": together}

    def __str__(self) -> str:
        lines = [f"tried {len(self.attempts)} changes of {self.kernel}, which takes {self.time_ns / 1000:.2f} us (modelled on {self.device})"]
        helping = [a for a in self.attempts if a.helps]
        lines += [_line(a) for a in helping] or ["  nothing helps"]
        if self.together:
            lines += ["together:", _line(self.together)]
        if self.best:
            lines.append(f"the call: {self.kernel}[grid](..., {self.best.text})")
        rest = [_line(a) for a in self.attempts if not a.helps]
        lines += ["tried without a gain:", *rest] if rest else []
        return "\n".join(lines + ([self.note] if self.note else []))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return rows_html([a.data for a in self.attempts])


def _line(attempt: Attempt) -> str:
    if attempt.results == "none":
        return f"  no results: {attempt.text}: {attempt.note}"
    said = {"same": "same results", "close": "results within the tolerance", "differ": "other results"}[attempt.results]
    return f"  {100 * abs(attempt.saving_fraction):.1f} % {'less' if attempt.saving_fraction >= 0 else 'more'}, {said}: {attempt.text}"


@dataclasses.dataclass
class _Run:
    time_ns: float
    tensors: list[torch.Tensor]  # the arguments, afterwards
    findings: list[dict[str, Any]]
    warps: int
    stages: int
    device: str


class _Trial:
    def __init__(self, kernel: Any, grid: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], device: str, rtol: float, atol: float) -> None:
        self.kernel, self.grid, self.arguments, self.keywords, self.device = kernel, grid, arguments, keywords, device
        self.rtol, self.atol = rtol, atol
        self.first = self.run({})

    def run(self, change: dict[str, Any]) -> _Run:
        arguments = [_copied(a) for a in self.arguments]
        with emulate(self.device, counters=True) as emulation:
            made = self.kernel[self.grid](*arguments, **{**self.keywords, **change})
        reports = [launch.report for launch in emulation.launches]
        return _Run(sum(r["time"]["estimate_ns"] for r in reports), [a for a in arguments if isinstance(a, torch.Tensor)],
                    [f for r in reports for f in r["findings"]], made.metadata.num_warps, made.metadata.num_stages, emulation.device["name"])

    def attempt(self, change: dict[str, Any]) -> Attempt:
        out = Attempt(change)
        try:
            ran = self.run(change)
        except (triton.CompilationError, triton.OutOfResources, RuntimeError, ValueError, AssertionError) as problem:
            out.note = str(problem).strip().splitlines()[-1] if str(problem).strip() else type(problem).__name__
            return out
        out.time_ns, out.saving_fraction = ran.time_ns, 1 - ran.time_ns / self.first.time_ns
        pairs = list(zip(self.first.tensors, ran.tensors, strict=True))
        if all(torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in pairs):
            out.results = "same"
        else:
            close = all(torch.allclose(a, b, rtol=self.rtol, atol=self.atol, equal_nan=True) for a, b in pairs)
            out.results = "close" if close else "differ"
        return out

    def changes(self) -> Iterator[dict[str, Any]]:
        yield from ({"num_warps": n} for n in _WARPS if n != self.first.warps)
        yield from ({"num_stages": n} for n in _STAGES if n != self.first.stages)
        for name, value in self.blocks().items():
            yield from ({name: other} for other in (value // 2, value * 2) if other >= _SMALLEST_BLOCK)

    def blocks(self) -> dict[str, int]:
        """Constants that look like block sizes. The grid must follow them."""
        if not callable(self.grid):
            return {}
        names = set(self.kernel.arg_names)
        return {name: value for name, value in self.keywords.items()
                if name in names and type(value) is int and value >= _SMALLEST_BLOCK and value & (value - 1) == 0}

    def combined(self, helping: list[Attempt]) -> Attempt | None:
        """Each change on top of those before it, kept if it saves more."""
        best = helping[0] if helping else None
        for each in helping[1:]:
            if best is None or set(each.change) & set(best.change):
                continue
            both = self.attempt({**best.change, **each.change})
            if both.helps and both.saving_fraction >= best.saving_fraction + _NOISE:
                best = both
        return best if best is not None and best is not helping[0] else None


def try_changes(kernel: Any, grid: tuple[int, ...] | Callable[[dict[str, Any]], tuple[int, ...]], *args: Any, device: str = "h200",
                rtol: float = 1e-3, atol: float = 1e-5, **keywords: Any) -> Tried:
    """Runs the launch kernel[grid](*args, **keywords) with other num_warps, num_stages and block sizes, in the emulator for `device`.

    Each run gets copies of the tensors. The result has the modelled time of each run. It compares all tensors with those of the unchanged
    launch: to the last bit, and within rtol and atol. Changes that help are then combined. Block sizes are constexpr keywords that are
    powers of two, at least 16. They are halved and doubled if `grid` is a function of the keywords. An autotuned kernel starts from its first
    configuration. Raises ValueError when `device` is not known, and what the launch itself raises when it does not run unchanged.
    """
    kernel, tuned = _untuned(kernel)
    if tuned:
        keywords = {**keywords, **tuned[0].all_kwargs()}
    trial = _Trial(kernel, grid, args, keywords, device, rtol, atol)
    attempts = [trial.attempt(change) for change in trial.changes()]
    attempts.sort(key=lambda a: (a.results == "none", -a.saving_fraction))
    note = "" if callable(grid) else "block sizes were not tried: give the grid as a function, such as lambda meta: (triton.cdiv(n, meta['BLOCK']),)"
    name = getattr(kernel, "__name__", None) or kernel.fn.__name__
    return Tried(name, trial.first.device, trial.first.time_ns, attempts, trial.combined([a for a in attempts if a.helps]), trial.first.findings, note)
