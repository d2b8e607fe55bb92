"""pytest fixtures that fail a test when a kernel or function gets worse.

    def test_softmax(warplens_count):
        with warplens_count("softmax", device="h200"):
            softmax[(8192,)](x, y, 1000, B=1024)      # exact emulated counters, no GPU

    def test_step(warplens_bench):
        warplens_bench("step", step, inputs)           # measured time

`pytest --warplens-baseline FILE` compares with FILE; `--warplens-save` writes it. Counters fail on any increase beyond
`--warplens-tolerance` (default 0: they have no noise), times only on a verdict of "slower".
"""

from __future__ import annotations

import contextlib
import json
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

SCHEMA_VERSION = 1


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("warplens")
    group.addoption("--warplens-baseline", metavar="FILE", help="compare counters and times with this file")
    group.addoption("--warplens-save", action="store_true", help="write the baseline instead of comparing with it")
    group.addoption("--warplens-tolerance", type=float, default=0.0, metavar="SHARE", help="increase of a counter that passes (0.05 is 5 %%)")


class Baseline:
    """What earlier runs counted and measured, and what this one does."""

    def __init__(self, path: str | None, save: bool, tolerance: float) -> None:
        self.path, self.save, self.tolerance = path and pathlib.Path(path), save, tolerance
        self.now: dict[str, Any] = {}
        self.before: dict[str, Any] = {}
        if self.path and not save:
            stored = json.loads(self.path.read_text())
            if stored.get("schema_version") != SCHEMA_VERSION:
                raise pytest.UsageError(f"{path}: schema_version {stored.get('schema_version')}, this plugin reads {SCHEMA_VERSION}; save it anew")
            self.before = stored["entries"]

    def record(self, name: str, values: dict[str, float]) -> None:
        """Keeps `values`; fails the test where one of them grew past the tolerance."""
        if name in self.now:
            raise ValueError(f"two entries named '{name}' in one run; names are keys of the baseline")
        self.now[name] = values
        if not self.path or self.save:
            return
        if name not in self.before:
            pytest.fail(f"'{name}' is not in {self.path}; run with --warplens-save to add it", pytrace=False)
        worse = [f"{metric}: {self.before[name][metric]} -> {value}" for metric, value in values.items()
                 if value > self.before[name].get(metric, value) * (1 + self.tolerance)]
        if worse:
            pytest.fail(f"'{name}' got worse:\n  " + "\n  ".join(worse), pytrace=False)

    def write(self) -> None:
        if self.path and self.save:
            self.path.write_text(json.dumps({"schema_version": SCHEMA_VERSION, "entries": self.now}, indent=1, sort_keys=True) + "\n")


@pytest.fixture(scope="session")
def warplens_baseline(request: pytest.FixtureRequest) -> Iterator[Baseline]:
    """The baseline of this run, from the command line's options."""
    options = request.config.option
    baseline = Baseline(options.warplens_baseline, options.warplens_save, options.warplens_tolerance)
    yield baseline
    baseline.write()


@pytest.fixture
def warplens_count(warplens_baseline: Baseline) -> Callable[..., contextlib.AbstractContextManager[Any]]:
    """`with warplens_count(name, device=...)`: counts every emulated launch in the block, compares with the baseline."""
    from .emulation import emulate

    @contextlib.contextmanager
    def count(name: str, device: str = "h200") -> Iterator[Any]:
        with emulate(device, counters=True) as emulation:
            yield emulation
        if not emulation.launches:
            pytest.fail(f"'{name}': nothing was launched in the emulator", pytrace=False)
        total: dict[str, float] = {"launches": len(emulation.launches)}
        for launch in emulation.launches:
            for metric, value in launch.metrics.items():
                if launch.report["fidelity"][metric] == "exact":
                    total[metric] = total.get(metric, 0) + value
        warplens_baseline.record(name, total)

    return count
