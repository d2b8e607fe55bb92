"""Runs of the program within limits of time and memory. They end when the client cancels."""

from __future__ import annotations

import contextlib
import functools
import json
import math
import os
import signal
import subprocess
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import anyio
import anyio.abc

from .._command import program

_REPORT_EVERY_S = 1.0
_OUTPUT_LIMIT_BYTES = 64 << 20


@dataclass(frozen=True)
class Limits:
    time_s: float = 60.0
    memory_bytes: int = 8 << 30


@dataclass(frozen=True)
class Ended:
    exit_code: int
    output: str
    errors: str
    seconds: float

    def json(self) -> dict[str, Any] | None:
        """The report, or None if the program printed none."""
        try:
            value = json.loads(self.output)
        except json.JSONDecodeError:
            return None
        return value if isinstance(value, dict) else None


@dataclass(frozen=True)
class Place:
    """Where runs take place: they open only files of `root`, and write only to `scratch`."""

    root: str
    scratch: str

    def environment(self) -> dict[str, str]:
        """The kernel enforces the limits, for the compilers as for the program. If it cannot, only the paths in calls
        are checked.
        """
        own = {"NO_COLOR": "1", "TMPDIR": self.scratch}
        return {**os.environ, **own, **({"WARPLENS_WITHIN": self.root} if can_confine() else {})}


@functools.cache
def can_confine() -> bool:
    """True if this machine's kernel can keep processes within folders (Landlock)."""
    return subprocess.run([program(), "--version"], env={**os.environ, "WARPLENS_WITHIN": os.path.dirname(program())}, capture_output=True).returncode == 0


class TooLong(RuntimeError):
    """A run that reached its limit of time or of output."""


_groups: set[int] = set()  # of the runs that take place now


def _end(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def end_all() -> None:
    """Ends every run of this process."""
    for group in list(_groups):
        _end(group)


def _within(limits: Limits) -> list[str]:
    """A command that sets the limits and then runs the given command, because a limit that is set later may already be exceeded.

    If the server was killed and can end nothing, `timeout` still ends the run.
    """
    longest_s = math.ceil(limits.time_s) + 1
    return ["/bin/sh", "-c", f'ulimit -c 0; ulimit -v {limits.memory_bytes >> 10}; exec timeout -s KILL {longest_s} "$@"', "sh"]


async def run(arguments: Sequence[str], limits: Limits, place: Place, progress: Callable[[float], Awaitable[None]]) -> Ended:
    """Runs `warplens ARGUMENTS`. The whole process group ends with the call, so nothing keeps running."""

    started = time.monotonic()
    words = [*_within(limits), program(), *arguments, "--config", "none"]
    process = await anyio.open_process(words, cwd=place.root, env=place.environment(), start_new_session=True)
    _groups.add(process.pid)
    pieces: dict[str, list[bytes]] = {"output": [], "errors": []}

    async def read(name: str, stream: anyio.abc.ByteReceiveStream) -> None:
        async for piece in stream:
            pieces[name].append(piece)
            if sum(map(len, pieces[name])) > _OUTPUT_LIMIT_BYTES:
                return _end(process.pid)

    async def tick() -> None:
        while True:
            await anyio.sleep(_REPORT_EVERY_S)
            await progress(time.monotonic() - started)

    try:
        with anyio.fail_after(limits.time_s):
            async with anyio.create_task_group() as group:
                group.start_soon(tick)
                async with anyio.create_task_group() as readers:
                    assert process.stdout is not None and process.stderr is not None
                    readers.start_soon(read, "output", process.stdout)
                    readers.start_soon(read, "errors", process.stderr)
                await process.wait()
                group.cancel_scope.cancel()
    except TimeoutError:
        raise TooLong(f"the run took longer than {limits.time_s:g} s. Use a smaller grid, or raise timeout_s.") from None
    finally:
        if process.returncode is None:
            _end(process.pid)
        _groups.discard(process.pid)
        with anyio.CancelScope(shield=True):
            await process.aclose()
    text = {name: b"".join(held).decode(errors="replace") for name, held in pieces.items()}
    if max(map(len, text.values())) > _OUTPUT_LIMIT_BYTES:
        raise TooLong(f"the report is larger than {_OUTPUT_LIMIT_BYTES >> 20} MiB: cut the profile, or run fewer launches")
    return Ended(process.returncode or 0, text["output"], text["errors"], time.monotonic() - started)
