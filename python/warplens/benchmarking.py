"""Reliable times of calls: `bench` for one, `sweep` over parameters, `compare` for two.

The statistics are the same as in `warplens bench` (docs/benchmarking.md). On CUDA arrays, times are measured between events on the current stream of torch (or CuPy); on other arrays, with the host's clock.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import os
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from . import _core, _gpu, _values
from ._spread import spread
from .counting import Counted, count
from .results import ComparedResults, Comparison, Measurement, Results

Amount = float | Callable[..., float]


@contextlib.contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Seeds random, numpy and torch with `seed` inside the block, and restores their states after it."""
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    plain, of_numpy = random.getstate(), numpy.random.get_state() if numpy else None
    random.seed(seed)
    if numpy:
        numpy.random.seed(seed % (1 << 32))
    try:
        with torch.random.fork_rng() if torch else contextlib.nullcontext():
            if torch:
                torch.manual_seed(seed % (1 << 63))
            yield
    finally:
        random.setstate(plain)
        if numpy:
            numpy.random.set_state(of_numpy)


class _Subject:
    """A function with its arguments (new ones from `inputs`, if given) and its expected outputs."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: Mapping[str, Any], inputs: Callable[..., Any] | None,
                 point: Mapping[str, Any], reference: Callable[..., Any] | None, tolerance: float | None) -> None:
        if inputs is not None and arguments:
            raise TypeError("give either arguments or inputs=, a function that makes them")
        self._function, self.arguments, self._keywords = function, arguments, dict(keywords)
        self._inputs, self._point, self._reference, self._tolerance = inputs, point, reference, tolerance
        if inputs is not None:
            self.renew(1)

    def renew(self, seed: int) -> Callable[[], Any]:
        """New arguments from `seed`, and the call on them."""
        if self._inputs is not None:
            with _seeded(seed):
                made = self._inputs(**self._point)
            self.arguments = made if isinstance(made, tuple) else (made,)
        return self.call

    @property
    def call(self) -> Callable[[], Any]:
        return functools.partial(self._function, *self.arguments, **self._keywords)

    @property
    def prepare(self) -> Callable[[int], Callable[[], Any]] | None:
        return self.renew if self._inputs is not None else None

    @property
    def outputs(self) -> Callable[[Any], list[tuple[str, Any, Any, float]]] | None:
        return self._check if self._reference is not None else None

    def _check(self, result: Any) -> list[tuple[str, Any, Any, float]]:
        assert self._reference is not None
        got = list(_values.flatten(result))
        want = list(_values.flatten(self._reference(*_values.in_float64(self.arguments), **_values.in_float64(self._keywords))))
        if len(got) != len(want) or not got:
            raise ValueError(f"the function gives {len(got)} arrays, its reference {len(want)}")
        return [(name, _values.doubles(value), _values.doubles(right), _values.tolerance_of(value) if self._tolerance is None else self._tolerance)
                for (name, value), (_, right) in zip(got, want)]

    def reached(self) -> tuple[Any, ...]:
        return (self._function, self.arguments, self._keywords)


@contextlib.contextmanager
def _session(gpu: int | None) -> Iterator[_core.BenchSession]:
    if gpu is None:
        yield _core.open_cpu()
        return
    with _gpu.on_gpu(gpu):
        yield _core.open_gpu(gpu, _gpu.current_stream(gpu))


def _launches_unseen(call: Callable[[], Any]) -> int | None:
    """The current GPU of torch, if `call` uses it although no argument shows it."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available() or not torch.cuda.is_initialized():
        return None
    torch.cuda.synchronize()
    call()
    busy = not torch.cuda.current_stream().query()
    return int(torch.cuda.current_device()) if busy else None


def _place(device: Any, subjects: Iterable[_Subject]) -> int | None:
    """Calls each subject once, so that all code is compiled, and returns the device to time them on."""
    subjects = list(subjects)
    results = [subject.call() for subject in subjects]
    gpu = _gpu.choose(device, results, *(subject.reached() for subject in subjects))
    return _launches_unseen(subjects[0].call) if gpu is None and device is None else gpu


def _name_of(function: Any) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    name = getattr(function, "__name__", None) or type(function).__name__
    return "call" if name == "<lambda>" else str(name)


def _regime(regime: str | None, gpu: int | None) -> str:
    return regime or ("warm" if gpu is None else "cold")


def _amount(amount: Amount, point: Mapping[str, Any]) -> float:
    return float(amount(**point) if callable(amount) else amount)


def _run(session: _core.BenchSession, subject: _Subject, gpu: int | None, name: str, point: Mapping[str, Any], amounts: tuple[Amount, Amount],
         options: Mapping[str, Any]) -> dict[str, Any]:
    """One measurement, in the form of a file of results."""
    wanted = {"regime": None, "target": 0.01, "confidence": 0.95, "samples": 2000, "limit_s": 5.0, "seed": 0, **options}
    unknown = set(wanted) - {"regime", "target", "confidence", "samples", "limit_s", "seed"}
    if unknown:
        raise TypeError(f"no option {', '.join(sorted(unknown))}; the options are regime, target, confidence, samples, limit_s and seed")
    if not (0.5 < wanted["confidence"] < 1 and wanted["target"] > 0 and wanted["limit_s"] > 0 and wanted["samples"] >= 2):
        raise ValueError("confidence must be between 0.5 and 1, target and limit_s above 0, samples at 2 or more")
    text = session.measure(call=subject.renew(wanted["seed"] or 1), prepare=subject.prepare, outputs=subject.outputs, target=wanted["target"],
                           regime=_regime(wanted["regime"], gpu), confidence=wanted["confidence"], samples=wanted["samples"], limit_s=wanted["limit_s"],
                           seed=wanted["seed"], bytes=_amount(amounts[0], point), flops=_amount(amounts[1], point),
                           memory_bytes=_values.nbytes(subject.arguments))
    made: dict[str, Any] = json.loads(text)
    one = made["measurements"][0]
    if one["source"] == "measured" and one["host_ns"] > one["median_ns"] > 0:
        one["notes"].append(f"the host takes {_core.format_ns(one['host_ns'])} to issue a call, which limits a loop of them")
    one.update(name=name, axes={key: str(value) for key, value in point.items()})
    return made


def _check_counters(gpu: int | None, counters: bool | str) -> None:
    if counters and gpu is None:
        raise ValueError("only a GPU has counters: pass CUDA arrays, or count an emulated launch with kernel.profile[...]")


def _counted(call: Callable[[], Any], counters: bool | str) -> Counted:
    return count(call, set=counters if isinstance(counters, str) else "report")


def bench(fn: Callable[..., Any], *args: Any, kwargs: Mapping[str, Any] | None = None, name: str | None = None, inputs: Callable[[], Any] | None = None,
          reference: Callable[..., Any] | None = None, tolerance: float | None = None, bytes: float = 0, flops: float = 0, device: Any = None,
          counters: bool | str = False, **options: Any) -> Measurement:
    """Times `fn(*args, **kwargs)` until the confidence interval of the median is narrow.

    inputs: makes new arguments (a tuple, or one) instead of `args`, with a new seed each time. A function that keeps
        results between calls, or skips work on the same inputs, makes the measurement invalid.
    reference: gets the arguments in float64 and returns the right result; tolerance: relative error of the norm (by dtype).
    bytes, flops: bytes that a call must move and operations that it must compute, for rates and for the check against measured ceilings.
    device: "cpu" or "cuda[:N]" if neither the arguments, the result nor the variables of `fn` show it.
    counters: True, or a set of `warplens counters --set`. On a GPU, one more call is then counted with hardware counters;
        see Measurement.counters and warplens.count.
    options: target (0.01: half the interval over the median), confidence (0.95), samples (2000 at most), limit_s (5: seconds,
        at most), seed, and regime. "cold" flushes caches before each sample, and is the default on a GPU. "warm" makes an
        untimed call before each, and is the default on the CPU. "throughput" makes many calls in a row.

    `fn` is called some hundred times, so changes that it makes in place add up. Exceptions of `fn` pass through. Raises ValueError for
    wrong options. A result that you cannot trust has .valid False, and the reason in .errors.
    """
    subject = _Subject(fn, args, kwargs or {}, inputs, {}, reference, tolerance)
    gpu = _place(device, [subject])
    _check_counters(gpu, counters)
    with _session(gpu) as session:
        made = _run(session, subject, gpu, name or _name_of(fn), {}, (bytes, flops), options)
    measurement = Results(made)[0]
    if counters:
        measurement.counters = _counted(subject.call, counters)
    return measurement


def sweep(fns: Callable[..., Any] | Mapping[str, Callable[..., Any]], *, axes: Mapping[str, Iterable[Any]], inputs: Callable[..., Any],
          reference: Callable[..., Any] | None = None, tolerance: float | None = None, bytes: Amount = 0, flops: Amount = 0, device: Any = None,
          executor: Any = None, **options: Any) -> Results:
    """Benchmarks one function, or several given as {name: function}, at every combination of the axes' values.

    axes: {"n": [1024, 4096]}. inputs(**point) makes the arguments at one point; bytes and flops may be functions of the point
    too. executor: None runs the combinations here. Otherwise give "processes", a number of processes, a dask.distributed
    Client, a pool, an executor of concurrent.futures, or a SparkContext. Processes that share a computer disturb each other's times: spread
    emulated kernels only. The other options are the same as for `bench`. Plots of speed are relative to the first function.
    """
    named = dict(fns) if isinstance(fns, Mapping) else {_name_of(fns): fns}
    points = [dict(zip(axes, values)) for values in itertools.product(*axes.values())]
    if not named or not points:
        raise ValueError("a sweep needs a function and at least one value of each axis")
    at_point = functools.partial(_at_point, named, inputs, (reference, tolerance), (bytes, flops), device, options)
    ones = spread(at_point, list(itertools.product(named, points)), executor)
    return Results({**ones[0], "measurements": [measured for one in ones for measured in one["measurements"]]})


def _at_point(named: Mapping[str, Callable[..., Any]], inputs: Callable[..., Any], check: tuple[Callable[..., Any] | None, float | None],
              amounts: tuple[Amount, Amount], device: Any, options: Mapping[str, Any], job: tuple[str, Mapping[str, Any]]) -> dict[str, Any]:
    """One function at one combination."""
    name, point = job
    subject = _Subject(named[name], (), {}, inputs, point, *check)
    gpu = _place(device, [subject])
    with _session(gpu) as session:
        return _run(session, subject, gpu, name, point, amounts, options)


def _difference(a: Any, b: Any, tolerance: float | None) -> tuple[bool | None, float, str]:
    """True if two results are the same, the relative norm of the difference, and the place of the largest one."""
    pairs = list(zip(_values.flatten(a), _values.flatten(b)))
    agrees, worst, detail = (True if pairs else None), 0.0, ""
    for (name, left), (_, right) in pairs:
        allowed = tolerance if tolerance is not None else 2 * max(_values.tolerance_of(left), _values.tolerance_of(right))
        passed, error, where = _core.check_values(_values.doubles(right), _values.doubles(left), allowed)
        if not passed or error > worst:
            detail = f"{name}: {where}"
        agrees, worst = bool(agrees and passed), max(worst, error)
    return agrees, worst, detail


def _stored(value: Any) -> Results:
    if isinstance(value, Measurement):
        return value.results
    return value if isinstance(value, Results) else Results.load(value)


def compare(a: Any, b: Any, *args: Any, kwargs: Mapping[str, Any] | None = None, inputs: Callable[[], Any] | None = None, margin: float | None = None,
            confidence: float = 0.95, regime: str | None = None, limit_s: float = 2.0, tolerance: float | None = None, seed: int = 0,
            device: Any = None, counters: bool | str = False) -> Any:
    """Is b faster than a? Compares two functions by a race, or two stored results (Measurement, Results or files of them).

    The functions run alternately, in random order, on the same arguments and in one process, so that both see the same clocks. This ends with a
    verdict on b, or after `limit_s`: faster, slower, equivalent (within `margin`, a share; default 0.005) or inconclusive. Their
    results are compared too (.agrees). Gives a Comparison. Raises what the functions raise. counters: as for bench, of both
    functions (Comparison.counters).

    Results taken at different times drift, so margin is 0.01 for them. Gives ComparedResults, a verdict for each benchmark in both.
    Raises FileNotFoundError or ValueError for files that are not results.
    """
    if not (0.5 < confidence < 1 and (margin is None or margin >= 0) and limit_s > 0):
        raise ValueError("confidence must be between 0.5 and 1, limit_s above 0, and margin not below 0")
    if all(isinstance(x, (Measurement, Results, str, os.PathLike)) for x in (a, b)):
        return ComparedResults(_stored(a), _stored(b), 0.01 if margin is None else margin, confidence)
    if not (callable(a) and callable(b)):
        raise TypeError(f"compare takes two functions or two results, not {type(a).__name__} and {type(b).__name__}")
    subjects = [_Subject(f, args, kwargs or {}, inputs, {}, None, None) for f in (a, b)]
    gpu = _place(device, subjects)
    _check_counters(gpu, counters)
    agrees, error, detail = _difference(subjects[0].call(), subjects[1].call(), tolerance)
    with _session(gpu) as session:
        made = session.race(a=subjects[0].call, b=subjects[1].call, regime=_regime(regime, gpu), margin=0.005 if margin is None else margin,
                            confidence=confidence, limit_s=limit_s, seed=seed)
    counted = tuple(_counted(subject.call, counters) for subject in subjects) if counters else ()
    return Comparison(**made, regime=_regime(regime, gpu), source=session.source, names=(_name_of(a), _name_of(b)), agrees=agrees,
                      difference=error, where=detail, counters=counted)
