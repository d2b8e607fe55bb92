"""pytest fixtures that fail a test when a kernel or function gets worse.

    def test_softmax(warplens_count):
        with warplens_count("softmax", device="h200"):
            softmax[(8192,)](x, y, 1000, B=1024)      # exact emulated counters, no GPU

    def test_step(warplens_bench):
        warplens_bench("step", step, inputs)           # measured time

    def test_traffic(warplens_hardware):
        warplens_hardware("step", step, inputs)        # hardware counters of its kernels, on a GPU

`pytest --warplens-baseline FILE` compares with FILE; `--warplens-save` writes the results of this run into it, and keeps
the others. A counter fails a test if it increases by more than `--warplens-tolerance` (default 0, because counters have no noise). A time fails it if the verdict is "slower" by more than `--warplens-margin`. Times of another machine are not compared, with a warning.

`pytest --warplens-device h200` runs all tests under `warplens emulate`: `torch.device("cuda")` is an emulated H200, and tests that
need a GPU run without one.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from . import _core
from ._command import program
from .results import ComparedResults, Measurement, Results


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("warplens")
    group.addoption("--warplens-baseline", metavar="FILE", help="compare counters and times with this file")
    group.addoption("--warplens-save", action="store_true", help="write this run's counters and times into the baseline instead of comparing")
    group.addoption("--warplens-tolerance", type=float, default=0.0, metavar="SHARE", help="increase of a counter that passes (0.05 is 5 %%)")
    group.addoption("--warplens-device", metavar="NAME", help="run the tests on this GPU, emulated: h200, a100, b200, ...")
    group.addoption("--warplens-margin", type=float, default=0.05, metavar="SHARE", help="increase of a time that passes (default 0.05)")


_WITHIN = "WARPLENS_PYTEST_DEVICE"  # in the environment of a run that was begun again: its GPU


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Restarts pytest under `warplens emulate`, whose CUDA must be loaded before any other."""
    device = config.getoption("--warplens-device")
    if device is None or os.environ.get(_WITHIN) == device:
        return
    capture = config.pluginmanager.getplugin("capturemanager")
    if capture is not None:
        capture.stop_global_capturing()  # else the new program would write into what is captured
    sys.stdout.flush()
    sys.stderr.flush()
    arguments = [str(argument) for argument in config.invocation_params.args]
    command = [program(), "emulate", "--device", device, "--", sys.executable, "-m", "pytest", *arguments]
    os.execve(command[0], command, {**os.environ, _WITHIN: device})


class Baseline:
    """Counts and times of earlier runs and of this one."""

    def __init__(self, path: str | None, save: bool, tolerance: float, margin: float) -> None:
        self.path, self.save, self.tolerance, self.margin = pathlib.Path(path) if path else None, save, tolerance, margin
        self.now: dict[str, dict[str, Any]] = {"entries": {}, "times": {}}
        self.before: dict[str, dict[str, Any]] = {"entries": {}, "times": {}}
        if save and self.path is None:
            raise pytest.UsageError("--warplens-save needs --warplens-baseline FILE")
        if self.path is not None and (not save or self.path.exists()):
            self._read(self.path)

    def _read(self, path: pathlib.Path) -> None:
        try:
            stored = json.loads(path.read_text())
        except FileNotFoundError:
            raise pytest.UsageError(f"no baseline {path}; make it with --warplens-baseline {path} --warplens-save") from None
        except (OSError, ValueError) as error:
            raise pytest.UsageError(f"the baseline {path} cannot be read: {error}") from None
        version = stored.get("schema_version") if isinstance(stored, dict) else None
        if version != _core.SCHEMA_VERSION:
            raise pytest.UsageError(f"{path}: schema_version {version}, this plugin reads {_core.SCHEMA_VERSION}; save it anew")
        self.before = {"entries": stored.get("entries", {}), "times": stored.get("times", {})}

    def _compares(self, kind: str, name: str, values: Any) -> bool:
        """Keeps `values`. True if there is something to compare them with; fails if the file lacks it."""
        if name in self.now[kind]:
            raise ValueError(f"two entries named '{name}' in one run; names are keys of the baseline")
        self.now[kind][name] = values
        if self.path is None or self.save:
            return False
        if name not in self.before[kind]:
            pytest.fail(f"'{name}' is not in {self.path}; run with --warplens-save to add it", pytrace=False)
        return True

    def record(self, name: str, values: dict[str, float]) -> None:
        """Keeps counters; fails the test if one of them grew past the tolerance."""
        if not self._compares("entries", name, values):
            return
        before = self.before["entries"][name]
        worse = [f"{metric}: {before[metric]} -> {value}" for metric, value in values.items() if value > before.get(metric, value) * (1 + self.tolerance)]
        if worse:
            pytest.fail(f"'{name}' got worse:\n  " + "\n  ".join(worse), pytrace=False)

    def record_time(self, name: str, measured: Measurement) -> None:
        """Keeps a time; fails the test if the time cannot be trusted, or is slower with certainty."""
        if not measured.valid:
            pytest.fail(f"'{name}' cannot be trusted:\n  " + "\n  ".join(measured.errors), pytrace=False)
        if not self._compares("times", name, measured.results.to_dict()):
            return
        before = Results(self.before["times"][name])
        machine = "device" if measured.source == "measured" else "cpu"
        was, here = before.environment[machine], measured.environment[machine]
        if was != here:
            warnings.warn(f"'{name}' was measured on {was} and runs on {here}: not compared", stacklevel=3)
            return
        rows = ComparedResults(before, measured.results, self.margin, 0.95).rows
        if not rows:
            pytest.fail(f"'{name}' was measured in another way ({before[0].regime}, {before[0].source}); run with --warplens-save", pytrace=False)
        if rows[0]["verdict"] == "slower":
            pytest.fail(f"'{name}' got slower: {_core.format_ns(rows[0]['base_ns'])} -> {_core.format_ns(rows[0]['new_ns'])}, {rows[0]['ratio']:.3g} of "
                        f"the time ({rows[0]['low']:.3g} to {rows[0]['high']:.3g}; margin {self.margin:.2g})", pytrace=False)

    def write(self) -> str:
        """Writes the file, and prints a summary."""
        assert self.path is not None
        merged = {kind: {**self.before[kind], **self.now[kind]} for kind in self.now}
        text = json.dumps({"schema_version": _core.SCHEMA_VERSION, **merged}, indent=1, sort_keys=True) + "\n"
        _core.write_file(str(self.path), text.encode(), True)
        new = sum(len(found) for found in self.now.values())
        return f"warplens: {self.path}: {new} written, {sum(len(found) for found in merged.values()) - new} kept"


_BASELINE = pytest.StashKey[Baseline]()


def pytest_configure(config: pytest.Config) -> None:
    options = config.option
    if options.warplens_save and getattr(options, "numprocesses", None):
        raise pytest.UsageError("--warplens-save works in one process: leave out -n")
    config.stash[_BASELINE] = Baseline(options.warplens_baseline, options.warplens_save, options.warplens_tolerance, options.warplens_margin)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    baseline = config.stash[_BASELINE]
    if baseline.save and any(baseline.now.values()):
        terminalreporter.write_line(baseline.write())


@pytest.fixture(scope="session")
def warplens_baseline(request: pytest.FixtureRequest) -> Baseline:
    """The baseline of this run, from the command line's options."""
    return request.config.stash[_BASELINE]


@pytest.fixture
def warplens_bench(warplens_baseline: Baseline) -> Callable[..., Measurement]:
    """`warplens_bench(name, fn, *args, **options)`: times as warplens.bench does, compares with the baseline, returns the Measurement."""
    from .benchmarking import bench

    def measure(name: str, fn: Callable[..., Any], *args: Any, **options: Any) -> Measurement:
        measured = bench(fn, *args, name=name, **options)
        warplens_baseline.record_time(name, measured)
        return measured

    return measure


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


# Counted the same in every run: what the program decides, and no cache or clock.
_DETERMINISTIC = ("smsp__inst_executed", "smsp__thread_inst_executed", "smsp__sass_thread_inst_executed", "sm__inst_executed_pipe", "l1tex__t_")


@pytest.fixture
def warplens_hardware(warplens_baseline: Baseline) -> Callable[..., Any]:
    """`warplens_hardware(name, fn, *args, **options)`: counts the kernels of one call like warplens.count, compares sums of exact
    counters with the baseline, and returns the Counted. If counters are refused, the test is skipped with the reason."""
    from .counting import count

    def measure(name: str, fn: Callable[..., Any], *args: Any, **options: Any) -> Any:
        try:
            counted = count(fn, *args, **options)
        except (RuntimeError, FileNotFoundError) as error:
            pytest.skip(f"no hardware counters: {error}")
        if not counted.counted:
            pytest.skip(f"no hardware counters: {'; '.join(counted.notes)}")
        total: dict[str, float] = {"launches": len(counted.launches)}
        for launch in counted.launches:
            for metric, value in launch.get("metrics", {}).items():
                if metric.startswith(_DETERMINISTIC) and metric.endswith(".sum"):
                    total[metric] = total.get(metric, 0) + value
        warplens_baseline.record(name, total)
        return counted

    return measure
