"""The recorder of `warplens record`, used from inside a program: torch.profiler's schedules, our own events."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import pathlib
import tempfile
from collections.abc import Callable
from typing import Any

import torch
from torch.profiler import ProfilerAction

from . import _injected
from .profiles import Profile, load

_RECORDS = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
_CAPTURE = "(by the program)"  # collect::Schedule::kByProgram

_at_work: "Recorder | None" = None  # the process has one recorder


@functools.cache
def library() -> ctypes.CDLL:
    """The recorder, loaded and paused. Raises FileNotFoundError if the package is incomplete."""
    found = _injected.library()
    found.warplens_problem.restype = ctypes.c_char_p
    found.warplens_mark_step.argtypes = [ctypes.c_int64]
    with _injected.settings({"WARPLENS_RECORD_CAPTURE": _CAPTURE, "WARPLENS_RECORD_LEVELS": "calls,host",
                             "NVTX_INJECTION64_PATH": found._name}):
        found.warplens_start()
        if torch.cuda.is_available():
            torch.cuda.init()
            torch.cuda.nvtx.mark("warplens")  # NVTX looks for who listens at its first call
            found.InitializeInjection()
    return found


def _observe(found: Any, shapes: bool) -> None:
    path = pathlib.Path(found._name).parent / "warplens_inject" / "_warplens_observe.py"
    spec = importlib.util.spec_from_file_location("_warplens_observe", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not module.observe(torch, found, shapes):
        raise RuntimeError(f"the operators of torch {torch.__version__} cannot be observed; use warplens.profile(recorder='torch')")


class Recorder:
    """The recorder of warplens.profile(): start, step, stop, and a profile at the end of each cycle."""

    def __init__(self, on_ready: Callable[["Recorder"], None], schedule: Callable[[int], ProfilerAction] | None, shapes: bool) -> None:
        self._on_ready, self._schedule, self._shapes = on_ready, schedule, shapes
        self._library = library()
        self._step = 0
        self._action = ProfilerAction.NONE
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._last: Profile | None = None

    def _action_of(self, step: int) -> ProfilerAction:
        return self._schedule(step) if self._schedule else ProfilerAction.RECORD_AND_SAVE

    def _tell(self, failed: int) -> None:
        if failed:
            raise RuntimeError("recording: " + self._library.warplens_problem().decode())

    def _begin(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="warplens-")
        self._tell(self._library.warplens_cycle_begin(os.path.join(self._folder.name, "cycle.wlens").encode()))

    def _end(self) -> None:
        if self._folder is None:
            return
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        with self._folder as folder:
            self._folder = None
            self._tell(self._library.warplens_cycle_end())
            self._last = load(os.path.join(folder, "cycle.wlens"))
        self._on_ready(self)

    def _enter(self, step: int) -> None:
        self._action = self._action_of(step)
        if self._action in _RECORDS and self._folder is None:
            self._begin()
        if self._folder is not None and self._schedule is not None:
            self._library.warplens_mark_step(step)

    def start(self) -> None:
        global _at_work
        if _at_work is not None:
            raise RuntimeError("warplens.profile is at work already: end it before another begins, or give recorder='torch'")
        _at_work = self
        _observe(self._library, self._shapes)
        self._step = 0
        self._enter(0)

    def step(self) -> None:
        if self._schedule is None:
            return
        if self._folder is not None:
            self._library.warplens_mark_step(-1)
        if self._action == ProfilerAction.RECORD_AND_SAVE or self._action_of(self._step + 1) not in _RECORDS:
            self._end()
        self._step += 1
        self._enter(self._step)

    def stop(self) -> None:
        global _at_work
        _at_work = None
        self._library.warplens_torch_end()
        if self._folder is not None:
            self._library.warplens_mark_step(-1)
        self._end()

    @property
    def result(self) -> Profile:
        assert self._last is not None
        return self._last

    def export_chrome_trace(self, path: str) -> None:
        self.result.export(path, overwrite=True)
