"""Hardware counters of a part of a running Python program: `count(function, *arguments)`.

The library that `warplens counters -- PROGRAM` injects is loaded into this process instead, and counts the launches of one call.
CUPTI replays each of them until all metrics are counted, and restores memory in between, so results do not change.
"""

from __future__ import annotations

import functools
import html
import json
import pathlib
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from typing import Any

from . import _core, _injected
from ._command import program

_PREFIX = "WARPLENS_COUNT_"
_CHIP = "GH100"  # the sets are the same on every chip; what a chip lacks is left out when it is counted


class Counted:
    """The counts of a call's kernels. `.data` is the output of `warplens counters --json`; prints as that report."""

    def __init__(self, data: dict[str, Any], text: str) -> None:
        self.data, self._text = data, text

    @property
    def launches(self) -> list[dict[str, Any]]:
        """The launches: kernel, grid, block, metrics, occupancy, roofline and findings, or the reason why a launch was skipped."""
        return list(self.data["launches"])

    @property
    def counted(self) -> bool:
        """True if there are counters; False if there are only times."""
        return any(name.startswith("smsp__") for launch in self.launches for name in launch.get("metrics", {}))

    @property
    def notes(self) -> list[str]:
        """In words: why there are no counters, what was left out."""
        return list(self.data["notes"])

    @property
    def metrics(self) -> dict[str, float]:
        """Metrics of the longest launch."""
        launches = [launch for launch in self.launches if "metrics" in launch]
        if not launches:
            return {}
        return dict(max(launches, key=lambda launch: launch["time"]["estimate_ns"])["metrics"])

    @property
    def findings(self) -> list[dict[str, Any]]:
        """Findings of all launches."""
        return [finding for launch in self.launches for finding in launch.get("findings", [])]

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Counted {len(self.launches)} launches{'' if self.counted else ', without counters'}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._text)}</pre>"


@functools.cache
def _metrics_of(name: str) -> str:
    done = subprocess.run([program(), "counters", "--plan", _CHIP, "--set", name, "--format", "csv"], capture_output=True, text=True)
    if done.returncode:
        raise ValueError(done.stderr.strip())
    return ",".join(line.split(",")[0] for line in done.stdout.splitlines()[1:])


def _report(path: pathlib.Path) -> Counted:
    def printed(*flags: str) -> str:
        done = subprocess.run([program(), "kernel", str(path), *flags, "--color", "never"], capture_output=True, text=True)
        if done.returncode not in (0, 3):
            raise ValueError(done.stderr.strip())
        return done.stdout

    return Counted(json.loads(printed("--json")), printed())


def count(function: Callable[..., Any], *args: Any, kwargs: Mapping[str, Any] | None = None, set: str = "report", metrics: str = "",
          kernel: str = "") -> Counted:
    """Calls `function(*args, **kwargs)` once and counts the kernels that it launches with hardware counters.

    set: timing, memory, roofline, stalls, report or full, as `warplens counters --set`. metrics: full names, separated by commas, instead of a set. kernel: only kernels whose name matches this glob. If the driver refuses counters,
    .counted is False, .notes give the reason and the remedy, and times and occupancy are still there. Exceptions of the
    function pass through. Raises RuntimeError if nothing can be counted (another profiler is attached, or CUPTI is missing).
    Raises FileNotFoundError without a driver, because CUPTI would crash.
    """
    _core.gpu_info(0)
    library = _injected.library()
    with tempfile.TemporaryDirectory(prefix="warplens-") as folder:
        path, journal = pathlib.Path(folder) / "counts", pathlib.Path(folder) / "journal"
        journal.touch()
        wanted = {f"{_PREFIX}OUTPUT": str(path), f"{_PREFIX}METRICS": metrics or _metrics_of(set), f"{_PREFIX}KERNEL": kernel}
        with _injected.settings(wanted, journal=str(journal)):
            begun = library.warplens_count_begin()
        if not begun:
            reasons = [line.split("\t", 2)[2] for line in journal.read_text().splitlines()]
            raise RuntimeError(reasons[0] if reasons else "the launches of this process are counted already")
        try:
            function(*args, **(kwargs or {}))
        finally:
            library.warplens_count_end()
        return _report(path)
