"""Recording a PyTorch program: torch.profiler's interface, with warplens' view of the result.

On a GPU, the events come from warplens' own recorder, as in `warplens record --torch-shapes`, at a fraction of the cost.
Without a GPU, or for data that only torch.profiler has, they come from torch.profiler.
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.profiler import ProfilerAction, ProfilerActivity, record_function as record_function, schedule as schedule

from .profiles import Profile, load


class _TorchRecorder:
    """Records with torch.profiler: the only class here that uses it."""

    def __init__(self, on_ready: Callable[["_TorchRecorder"], None], schedule: Callable[[int], ProfilerAction] | None, **options: Any) -> None:
        self._torch = torch.profiler.profile(schedule=schedule, on_trace_ready=lambda _: on_ready(self), **options)

    def start(self) -> None:
        self._torch.start()

    def stop(self) -> None:
        self._torch.stop()

    def step(self) -> None:
        self._torch.step()

    @property
    def result(self) -> Profile:
        with tempfile.TemporaryDirectory(prefix="warplens-") as folder:
            path = os.path.join(folder, "trace.json")
            self._torch.export_chrome_trace(path)
            return load(path)

    def export_chrome_trace(self, path: str) -> None:
        self._torch.export_chrome_trace(path)


def _default_activities(from_outside: bool) -> list[ProfilerActivity]:
    on_gpu = torch.cuda.is_available() and not from_outside  # two profilers of devices break each other
    return [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if on_gpu else [])]


class profile:
    """Profiles what runs inside the `with` block; the shape of torch.profiler.profile.

    schedule: which steps to record, from warplens.schedule(wait=..., warmup=..., active=..., repeat=...); all when None.
    on_trace_ready: called with this object at the end of each recorded cycle.
    activities, record_shapes, profile_memory, with_stack, with_flops, with_modules: as in torch.profiler.
    recorder: "warplens", "torch", or "auto": warplens' own on a GPU. Memory, stacks, modules and activities need
    torch.profiler, which "auto" then chooses. Under `warplens record` the program is recorded from outside, and this
    recorder sees operators only.

    After the block (or in on_trace_ready) `.result` is the warplens.Profile of the last cycle; `.results` holds all.
    Raises RuntimeError if you read `.result` before any cycle has ended.
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[["profile"], Any] | None = None,
        record_shapes: bool = True,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = True,
        with_modules: bool = False,
        recorder: str = "auto",
    ) -> None:
        if recorder not in ("auto", "warplens", "torch"):
            raise ValueError(f"recorder={recorder!r}: give 'auto', 'warplens' or 'torch'")
        self._on_trace_ready = on_trace_ready
        self.results: list[Profile] = []
        only_torch = profile_memory or with_stack or with_modules or activities is not None
        from_outside = "WARPLENS_RECORD_JOURNAL" in os.environ
        self._recorder: Any
        if recorder == "warplens" or (recorder == "auto" and torch.cuda.is_available() and not only_torch and not from_outside):
            from .recording import Recorder

            self._recorder = Recorder(self._ready, schedule, record_shapes)
            return
        self._recorder = _TorchRecorder(
            self._ready,
            schedule,
            activities=list(activities) if activities is not None else _default_activities(from_outside),
            record_shapes=record_shapes,
            profile_memory=profile_memory,
            with_stack=with_stack,
            with_flops=with_flops,
            with_modules=with_modules,
        )

    def _ready(self, recorder: Any) -> None:
        self.results.append(recorder.result)
        if self._on_trace_ready is not None:
            self._on_trace_ready(self)

    def __enter__(self) -> "profile":
        self._recorder.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._recorder.stop()

    def step(self) -> None:
        """Marks the end of one step of the schedule."""
        self._recorder.step()

    def export_chrome_trace(self, path: str) -> None:
        """Writes the last cycle's trace as Chrome JSON (.gz too)."""
        self.result  # noqa: B018 - raises when there is none
        self._recorder.export_chrome_trace(path)

    @property
    def result(self) -> Profile:
        """The profile of the last recorded cycle."""
        if not self.results:
            raise RuntimeError("nothing was recorded yet: the schedule has not reached the end of an active cycle")
        return self.results[-1]


def trace_handler(directory: str, worker_name: str | None = None, use_gzip: bool = True, findings: bool = True) -> Callable[[Any], None]:
    """A function for on_trace_ready of warplens.profile and torch.profiler.profile.

    Writes `directory`/WORKER.TIME.pt.trace.json[.gz] and, with `findings`, prints the findings to standard error.
    """

    def handle(recorded: Any) -> None:
        os.makedirs(directory, exist_ok=True)
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        path = os.path.join(directory, f"{worker}.{time.time_ns()}.pt.trace.json" + (".gz" if use_gzip else ""))
        recorded.export_chrome_trace(path)
        if findings:
            print(f"warplens: {path}\n{load(path).findings()}", file=sys.stderr)

    return handle
