"""The judge's end of a worker: it hands out the inputs of one call at a time, and reads the results."""

from __future__ import annotations

import pathlib
import socket
import threading
from dataclasses import dataclass, field
from typing import Any

from .channel import Broken, Channel
from .exchange import Array, from_layout, is_array, laid_out, load_array
from .processes import Process
from .recording import mark_bytes

_SPARE_BYTES = 1 << 20  # beyond what the reference gives
_SPARE = 16  # times that


@dataclass
class Answer:
    """The results of a call: arrays with the names of their element types."""

    error: str
    outputs: list[tuple[Array, str]]
    after: list[Array | None]  # each input after the call; None for a scalar
    moved: list[int] = field(default_factory=list)  # the bytes of each array, as they were sent


@dataclass
class Answers:
    """A worker's answers. Only results and inputs are facts; the rest is the worker's own word."""

    failure: str = ""  # why no call was made, or why they ended early
    calls: list[Answer] = field(default_factory=list)
    odd: set[str] = field(default_factory=set)  # types of results that are no plain tensors
    replaced: set[str] = field(default_factory=set)
    settings: set[str] = field(default_factory=set)
    attempts: set[str] = field(default_factory=set)  # what it tried beside its work
    is_broken: bool = False  # the worker left, or sent what no worker sends
    is_late: bool = False
    exit_code: int | None = None  # of a process that ended in time
    confined: bool = False


class Worker:
    """A process that answers calls. A thread of the judge drives it, so that several run side by side."""

    def __init__(self, process: Process, end: socket.socket) -> None:
        self.process, self._channel = process, Channel(end)
        self.answers = Answers()
        self._thread: threading.Thread | None = None

    def go(self, plan: dict[str, Any], calls: list[dict[str, Any]], until: float) -> None:
        """Begins `calls`; each has the case, and True if its inputs are at the previous call's addresses."""
        self._thread = threading.Thread(target=self._drive, args=(plan, calls, until), daemon=True)
        self._thread.start()

    def wait(self, until: float) -> bool:
        """True if all calls were made and the process ended in time."""
        if self._thread is not None:
            self._thread.join()
        self.answers.is_late |= not self.process.wait(until)
        self.answers.exit_code = self.process.process.returncode
        return not self.answers.is_late

    def end(self) -> None:
        self._channel.close()
        self.process.end()

    def _drive(self, plan: dict[str, Any], calls: list[dict[str, Any]], until: float) -> None:
        answers = self.answers
        try:
            setup = {name: plan[name] for name in ("layout", "role")}
            role = {"reference": plan["reference"], "candidate": plan.get("candidate"), "library": plan.get("library")}
            options = {**plan["options"], "seed": plan["weights_seed"], "spec": plan["spec"]}
            marks = mark_bytes(plan["marks"], len(calls)) if plan["marks"] else 0
            self._channel.send({**setup, **role, "options": options, "marks": marks})
            header, _ = self._channel.receive(0, until)
            self._take_state(header)
            answers.failure = header["error"]
            for number, call in enumerate(calls if not answers.failure else ()):
                answer = self._call(plan, number, call, until)
                answers.calls.append(answer)
                if answer.error:
                    break
        except TimeoutError:
            answers.is_late = True
        except (Broken, ValueError, KeyError, TypeError, AttributeError) as error:
            answers.is_broken, answers.failure = True, f"{error}"
        self._channel.close()

    def _take_state(self, header: dict[str, Any]) -> None:
        self.answers.confined = bool(header["confined"])
        for name in ("odd", "replaced", "settings", "attempts"):
            getattr(self.answers, name).update(str(item) for item in header[name])
        header["error"] = str(header["error"])

    def _call(self, plan: dict[str, Any], number: int, call: dict[str, Any], until: float) -> Answer:
        case, folder = plan["cases"][call["case"]], pathlib.Path(plan["folder"])
        given = [slot for slot in case["inputs"] if is_array(slot)]
        own = [slot["bytes"] for slot in case["own"]]
        self._channel.send({
            "inputs": [{name: slot[name] for name in ("dtype", "shape", "strides")} if is_array(slot) else slot for slot in case["inputs"]],
            "reuse": call["reuse"], "poison": own + [slot["bytes"] for slot in given] if plan["poison"] else [],
            "mark": mark_bytes(plan["marks"], number) if plan["marks"] else 0}, [laid_out(load_array(folder, slot), slot) for slot in given])
        most = _SPARE * (sum(own) + sum(slot["bytes"] for slot in given)) + _SPARE_BYTES
        header, data = self._channel.receive(most, until)
        self._take_state(header)
        if header["error"]:
            return Answer(header["error"], [], [])
        slots = [*header["outputs"], *header["after"]]
        if len(slots) != len(data) or len(header["after"]) != len(given):
            raise Broken("another number of arrays than its header says")
        arrays = [from_layout(bytes_, slot["dtype"], slot["shape"], slot["strides"], most) for bytes_, slot in zip(data, slots)]
        count = len(header["outputs"])
        after = iter(arrays[count:])
        return Answer("", [(array, slot["dtype"]) for array, slot in zip(arrays, header["outputs"])],
                      [next(after) if is_array(slot) else None for slot in case["inputs"]], [len(bytes_) for bytes_ in data])
