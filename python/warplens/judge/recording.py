"""A candidate's device activity: the kernels and copies of each call, from a recording made outside its process."""

from __future__ import annotations

import json
import pathlib
from dataclasses import dataclass, field
from typing import Any

from .._command import output

_SQL = ("select d.kind, d.name, d.start_ns, d.end_ns, d.stream, {order} as issued, d.bytes, d.copy_kind, "
        "coalesce(k.grid_x * k.grid_y * k.grid_z, 0) as blocks from device_events d left join kernels k on k.row = d.row "
        "where d.kind in ('kernel', 'copy', 'set') order by issued, d.start_ns")


@dataclass(frozen=True)
class Event:
    """Something that ran on the device. Times in ns on the recording's axis."""

    kind: str
    name: str
    start_ns: int
    end_ns: int
    stream: int
    issued: int  # grows with the order in which the host asked
    bytes: int
    copy_kind: str
    blocks: int  # of a kernel

    @property
    def is_library(self) -> bool:
        """A library call that the emulator computed instead of the library, or one of PyTorch's own kernels."""
        return self.name.endswith("(stand-in)") or "at::native::" in self.name


@dataclass
class Call:
    """The events between the two marks of a call."""

    begin: Event
    end: Event
    measured: bool  # on a GPU; otherwise durations are modelled, and what lies between them is this machine's own pace
    events: list[Event] = field(default_factory=list)

    @property
    def kernels(self) -> list[Event]:
        return [event for event in self.events if event.kind == "kernel"]

    @property
    def time_ns(self) -> int | None:
        """Device time, from the time when the inputs are there to the end of the last kernel, copy or fill. If times are modelled, gaps between the kernels do not count. None if nothing ran.
        """
        if not self.events:
            return None
        if not self.measured:
            return _busy_ns(self.events)
        return max(event.end_ns for event in self.events) - min(self.begin.end_ns, *(event.start_ns for event in self.events))

    def unordered(self) -> list[Event]:
        """Kernels of other streams that did not wait for the call's inputs, or that the stream of the call does not
        wait for.
        """
        others = [event for event in self.kernels if event.stream != self.begin.stream]
        return [event for event in others if event.start_ns < self.begin.end_ns or event.end_ns > self.end.start_ns]


@dataclass
class Recording:
    calls: list[Call]
    around: list[list[Event]]  # events before the first call, between calls, and after the last

    @property
    def between(self) -> list[Event]:
        """Kernels after the first call began that are in no call."""
        return [event for events in self.around[1:] for event in events if event.kind == "kernel"]


def mark_bytes(marks: int, call: int, is_end: bool = False) -> int:
    """The size of a mark. The size is odd, and programs almost never fill an odd number of bytes."""
    return (marks | 1) + 4 * call + 2 * is_end


def read(path: pathlib.Path, marks: int, count: int, measured: bool) -> Recording:
    """The first `count` calls of a worker. An emulated recording has its rows in the order of issue; a measured one has
    correlations in that order. Raises ValueError for a file that cannot be read, or without exactly two marks a call.
    """
    rows = json.loads(output(["query", str(path), _SQL.format(order="d.correlation" if measured else "d.row"), "--limit", "0", "--format", "json"]))["rows"]
    events = [_event(row) for row in rows]
    wanted = [mark_bytes(marks, call, is_end) for call in range(count) for is_end in (False, True)]
    places = [at for at, event in enumerate(events) if event.kind == "set" and event.bytes in wanted]
    if [events[at].bytes for at in places] != wanted:
        raise ValueError(f"{path}: {len(places)} marks of calls, not {len(wanted)} in order")
    cuts = [-1, *places, len(events)]
    parts = [events[begin + 1:end] for begin, end in zip(cuts, cuts[1:])]
    calls = [Call(events[places[2 * i]], events[places[2 * i + 1]], measured, parts[2 * i + 1]) for i in range(count)]
    return Recording(calls, parts[::2])


def _busy_ns(events: list[Event]) -> int:
    """The time during which at least one of them ran."""
    busy, until = 0, 0
    for event in sorted(events, key=lambda e: e.start_ns):
        busy += max(0, event.end_ns - max(until, event.start_ns))
        until = max(until, event.end_ns)
    return busy


def _event(row: Any) -> Event:
    values = row if isinstance(row, list) else [row[name] for name in ("kind", "name", "start_ns", "end_ns", "stream", "issued", "bytes", "copy_kind", "blocks")]
    return Event(*values)
