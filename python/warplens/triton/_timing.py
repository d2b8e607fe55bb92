"""Modelled time in place of measured time: events of a device, `triton.testing.do_bench`.

It relies on `triton.testing.do_bench` and its siblings being plain functions that measure their argument `fn`.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from ..launches import Emulation, Launch, current


def modelled_ns(launch: Launch, gpu: dict[str, Any]) -> float:
    """The launch's counted time, or the issue time of its instructions."""
    return launch.report["time"]["estimate_ns"] if launch.counted else launch.warp_instructions / (gpu["sms"] * gpu["subpartitions"] * gpu["boost_mhz"]) * 1e3


class Timeline:
    """The emulated GPU's time: the sum of its launches, without gaps."""

    def __init__(self, emulation: Emulation) -> None:
        self._emulation, self._seen, self._ns = emulation, 0, 0.0

    def now_ns(self) -> float:
        launches = self._emulation.launches
        self._seen = min(self._seen, len(launches))
        self._ns += sum(modelled_ns(launch, self._emulation.device) for launch in launches[self._seen:])
        self._seen = len(launches)
        return self._ns

    def count(self) -> None:
        """From now on, launches are counted, because their time is needed."""
        self.now_ns()
        self._emulation.counters = True


def event_class(timeline: Timeline) -> type:
    """torch.cuda.Event on that timeline. With enable_timing, launches are counted after the event is created."""

    class Event:
        def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False, external: bool = False) -> None:
            self._timing = enable_timing
            self._at: float | None = None
            if enable_timing:
                timeline.count()

        def record(self, stream: Any = None) -> None:
            self._at = timeline.now_ns()

        def elapsed_time(self, end_event: Any) -> float:
            """The modelled time in milliseconds of the launches between the two events."""
            if not (self._timing and end_event._timing):
                raise ValueError("both events need enable_timing=True")
            if self._at is None or end_event._at is None:
                raise ValueError("both events must have been recorded")
            return (end_event._at - self._at) * 1e-6

        def query(self) -> bool:
            return True

        def wait(self, stream: Any = None) -> None:
            pass

        def synchronize(self) -> None:
            pass

    return Event


def issue_benchmark(kernel_call: Any, *, quantiles: Any = None, **_: Any) -> Any:
    """For autotuners: the modelled time in ms of the launches of `kernel_call`."""
    gpu, launches = current().device, current().launches
    before = len(launches)
    kernel_call()
    ms = sum(modelled_ns(launch, gpu) for launch in launches[before:]) * 1e-6
    del launches[before:]  # trials are not part of what the program launched
    return [ms for _ in quantiles] if quantiles else ms


def counted_benchmark(kernel_call: Any, **arguments: Any) -> Any:
    """The same time, but from counters, for kernels with configurations that differ in their memory traffic."""
    emulation = current()
    counters, emulation.counters = emulation.counters, True
    try:
        return issue_benchmark(kernel_call, **arguments)
    finally:
        emulation.counters = counters


def modelled_benchmark(kernel_call: Any, grad_to_none: Any, quantiles: Any, return_mode: str) -> Any:
    """The result of `triton.testing.do_bench` inside the block: the modelled time in ms of one call."""
    for tensor in grad_to_none or ():
        tensor.grad = None
    ms = counted_benchmark(kernel_call)
    if ms == 0:
        warnings.warn("do_bench saw no Triton kernel, so its answer is 0: torch's own operators run on the CPU here. `warplens record --emulate` gives "
                      "their modelled times", stacklevel=3)
    return spread(ms, quantiles, return_mode)


def _bench(fn: Any, warmup: Any = 25, rep: Any = 100, grad_to_none: Any = None, quantiles: Any = None, return_mode: Any = "mean") -> Any:
    from warplens.triton import _timing  # noqa: PLC0415  its code stands in another module

    return _timing.modelled_benchmark(fn, grad_to_none, quantiles, return_mode)


def _bench_graph(fn: Any, rep: Any = 20, grad_to_none: Any = None, quantiles: Any = None, return_mode: Any = "mean") -> Any:
    from warplens.triton import _timing  # noqa: PLC0415

    return _timing.modelled_benchmark(fn, grad_to_none, quantiles, return_mode)


def spread(ms: float, quantiles: Any, return_mode: str = "mean") -> Any:
    """The model's time, in the form that the caller of a benchmark requests."""
    if quantiles:
        return [ms for _ in quantiles] if len(quantiles) > 1 else ms
    return [ms] if return_mode == "all" else ms


@contextlib.contextmanager
def benchmarks_by_model() -> Iterator[None]:
    """Makes Triton's benchmark functions (such as do_bench) return the modelled time of one call. This also works if a
    program imported them under another name.
    """
    import triton.testing

    stand_ins: dict[str, Callable[..., Any]] = {"do_bench": _bench, "do_bench_cudagraph": _bench_graph}
    replaced = [(getattr(triton.testing, name), by) for name, by in stand_ins.items() if hasattr(triton.testing, name)]
    originals = [(function, function.__code__) for function, _ in replaced if function.__closure__ is None]
    for function, by in replaced:
        if function.__closure__ is None:
            function.__code__ = by.__code__
    try:
        yield
    finally:
        for function, code in originals:
            function.__code__ = code
