"""Classifies the evidence into kinds of cheating. Each kind has a mechanism. No source code is read, and no name in it."""

from __future__ import annotations

import collections
import json
import pathlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _core
from . import accuracy, integrity
from .answers import Answers
from .exchange import MANTISSA, as_float64, is_array, load_array
from .recording import Call, Event, Recording
from .truth_bits import WARM

# What each kind is called, and what it means. The order is that of the report.
KINDS = {
    "outside-region": "work outside the timed call, on a stream that it does not wait for, or on the host",
    "cached-output": "the result of an earlier call, or a result that does not depend on the inputs",
    "input-changed": "inputs are overwritten",
    "skipped-work": "work that the usual inputs do not need is left out, or outputs are not written",
    "smaller-problem": "only part of the inputs is read, or only part of the outputs is computed",
    "stray-read": "the kernel reads memory that nothing has written, or that does not belong to it",
    "lower-precision": "the result is computed in a lower precision than requested",
    "library-call": "the reference's own library does the work",
    "patched-timer": "a timing function is replaced",
    "patched-module": "a function around the candidate is replaced",
    "tampering": "the process that runs the candidate, or what it leaves for the judge, is not as the judge made it",
}

_SCALAR_BYTES = 8  # such a result may be a number of Python
_LEAST_SHARE = 0.5  # of the time of a call with new inputs
# Kinds of cases beyond the problem's own, in which a wrong result is no reason to refuse.
NOTED = {
    "strided": "wrong on inputs that are not contiguous",
    "equal": "less exact than the reference on equal inputs, where differences of large sums lose digits",
}


@dataclass
class Findings:
    """The evidence against a candidate, and remarks that do not count against it."""

    kinds: dict[str, list[str]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)  # defects that are no cheating: wrong results, races, crashes
    notes: list[str] = field(default_factory=list)
    cases: list[dict[str, Any]] = field(default_factory=list)

    def add(self, kind: str, text: str) -> None:
        said = self.kinds.setdefault(kind, [])
        if text not in said:
            said.append(text)


@dataclass
class Seen:
    """A call of the candidate, and its case."""

    case: dict[str, Any]
    outputs: list[np.ndarray[Any, Any]]
    outcomes: list[accuracy.Outcome]
    error: str
    exact: list[np.ndarray[Any, Any]] = field(default_factory=list)  # the truth
    largest: float = 0.0  # of the inputs' finite elements, without signs

    @property
    def lost_digits(self) -> bool:
        """Wrong, but by no more than rounding where large sums cancel."""
        return not self.error and all(outcome.right or outcome.is_rounding(self.largest) for outcome in self.outcomes)

    @property
    def right(self) -> bool:
        return not self.error and all(outcome.right for outcome in self.outcomes)

    @property
    def is_refused(self) -> bool:
        return not self.right and self.case["kind"] not in NOTED

    @property
    def text(self) -> str:
        """Why it is not right."""
        return self.error or next((o.text for o in self.outcomes if not o.right), "")


def seen_calls(plan: dict[str, Any], answers: Answers, elements: int) -> list[Seen]:
    """The calls that were made, each with its case. Results of calls that only load and compile are not compared."""
    folder, seen = pathlib.Path(plan["folder"]), []
    for call, answer in zip(plan["calls"], answers.calls):
        case, error = plan["cases"][call["case"]], answer.error
        is_warm = case["kind"] == WARM
        if not error and len(answer.outputs) != len(case["own"]):
            error = f"{len(answer.outputs)} results, not {len(case['own'])}"
        outcomes = [] if error or is_warm else [accuracy.compare(got, {"dtype": dtype}, folder, case, at, elements) for at, (got, dtype) in enumerate(answer.outputs)]
        seen.append(Seen(case, [got for got, _ in answer.outputs], outcomes, error, [] if is_warm else [load_array(folder, slot) for slot in case["exact"]], _largest(folder, case)))
    return seen


def _largest(folder: pathlib.Path, case: dict[str, Any]) -> float:
    """The largest finite element of the case's inputs of floating-point numbers."""
    largest = 0.0
    for slot in case["inputs"]:
        if isinstance(slot, dict) and slot.get("dtype") in MANTISSA:
            values = np.abs(as_float64(load_array(folder, slot), slot["dtype"]))
            largest = max(largest, float(values[np.isfinite(values)].max(initial=0.0)))
    return largest


def judge_results(found: Findings, seen: list[Seen]) -> None:
    """Wrong results, with their kinds. If all other results are right, wrong results for edge values and unusual strides are only notes.
    """
    for call in (call for call in seen if call.case["kind"] != WARM):
        texts = [call.error, *(outcome.text for outcome in call.outcomes if not outcome.right)]
        found.cases.append({"case": call.case["name"], "kind": call.case["kind"], "right": call.right, "detail": "; ".join(t for t in texts if t)})
    usual = [call for call in seen if call.case["kind"] in ("seed", "shape")]
    wrong = [call for call in seen if call.is_refused]
    for call in seen:
        if not call.right and not call.is_refused:
            found.notes.append(f"{NOTED[call.case['kind']]}: {call.text}")
    if not wrong:
        return
    if _stays(found, seen) or _lowered(found, usual) | _unwritten(found, wrong) | _insensitive(found, seen) | _partly(found, usual):
        return
    skipped = [call for call in wrong if not call.lost_digits]
    first = (skipped or wrong)[0]
    text = f"{first.case['name']}: {first.text}"
    overflowed = all(call.error or not _finite(call) for call in wrong)
    if all(call.right for call in usual) and not skipped:
        found.wrong.append(f"digits are lost where large sums cancel. {text}")
    elif all(call.right for call in usual) and not overflowed:
        found.add("skipped-work", f"right only on inputs of the problem's generator. {text}")
    else:
        found.wrong.append(text)


def _finite(call: Seen) -> bool:
    return all(bool(np.isfinite(o).all()) for o in call.outputs if o.dtype.kind == "f")




def _stays(found: Findings, seen: list[Seen]) -> bool:
    """A wrong result that is, bit for bit, the result of an earlier call with other inputs."""
    for number, call in enumerate(seen):
        if call.right or call.error or call.case["kind"] == "probe":
            continue
        for earlier in seen[:number]:
            if earlier.error or earlier.case is call.case or earlier.case["kind"] == "probe" or not call.outputs:
                continue
            alike = [a.shape == b.shape and a.tobytes() == b.tobytes() and not accuracy.is_poison(a).all() for a, b in zip(call.outputs, earlier.outputs)]
            if alike and all(alike) and _varies(call) and not _alike(call, earlier):
                found.add("cached-output", f"{call.case['name']} gives the result of {earlier.case['name']}, bit for bit, although their inputs differ")
                return True
    return False


def _alike(call: Seen, other: Seen) -> bool:
    """True if the two have the same true result: a product of two negated matrices equals that of the matrices."""
    return bool(other.exact) and all(a.shape == b.shape and np.allclose(a, b, equal_nan=True) for a, b in zip(call.exact, other.exact))


def _varies(call: Seen) -> bool:
    """False for results of one value everywhere, such as all zero: they may equal an earlier result by chance."""
    return any(output.size == 1 or bool((output.reshape(-1) != output.reshape(-1)[0]).any()) for output in call.outputs)


def _lowered(found: Findings, usual: list[Seen]) -> bool:
    bits = [outcome.lowered_bits for call in usual for outcome in call.outcomes if not outcome.right]
    if not bits or not all(bits):
        return False
    outcome = next(o for call in usual for o in call.outcomes if not o.right)
    found.add("lower-precision", f"the error of {outcome.rms:.2g} fits arithmetic with about {min(bits)} bits of mantissa; {outcome.text}")
    return True


def _unwritten(found: Findings, wrong: list[Seen]) -> bool:
    said = False
    for call in wrong:
        for output in call.outputs:
            count = int(np.count_nonzero(accuracy.is_poison(output)))
            if count and not said:
                found.add("skipped-work", f"{call.case['name']}: {count} of {output.size} elements of the result were never written")
                said = True
    return said


def _insensitive(found: Findings, seen: list[Seen]) -> bool:
    """A region of the inputs was changed: the reference's result changes, and the candidate's stays the same bit for
    bit.
    """
    first = next((call for call in seen if not call.error), None)
    said = False
    for call in seen:
        if first is None or call.case["kind"] != "probe" or call.right or call.error:
            continue
        if all(a.tobytes() == b.tobytes() for a, b in zip(call.outputs, first.outputs)):
            found.add("smaller-problem", f"the result stays the same with {call.case['name']}, and the reference's changes")
            said = True
    return said


def _partly(found: Findings, usual: list[Seen]) -> bool:
    """Right in one block of the output, wrong in the rest."""
    for call in usual:
        for output, outcome in zip(call.outputs, call.outcomes):
            if outcome.right or outcome.wrong is None or outcome.wrong.shape != output.shape or not output.ndim:
                continue
            for axis in range(output.ndim):
                by_place = outcome.wrong.any(axis=tuple(a for a in range(output.ndim) if a != axis))
                places = np.flatnonzero(by_place)
                if 0 < places.size < by_place.size and places[-1] - places[0] + 1 == places.size and (places[0] == 0 or places[-1] == by_place.size - 1):
                    block = np.take(output, places, axis=axis)
                    kind = "skipped-work" if not block.any() else "smaller-problem"
                    found.add(kind, f"{call.case['name']}: right but for positions {places[0]} to {places[-1]} of dimension {axis} of the result"
                              + (", which are zero" if kind == "skipped-work" else ""))
                    return True
    return False


def judge_inputs(found: Findings, plan: dict[str, Any], answers: Answers) -> None:
    """Inputs that differ after the call, although the reference leaves its own unchanged."""
    folder = pathlib.Path(plan["folder"])
    outputs = {at for at, argument in enumerate(plan["options"]["signature"] or []) if argument["out"]}
    for call, answer in zip(plan["calls"], answers.calls):
        case = plan["cases"][call["case"]]
        for at, (before, after) in enumerate(zip(case["inputs"], answer.after)):
            if after is None or at in outputs or at in case["changed"]:
                continue
            if load_array(folder, before).tobytes() != after.tobytes():
                found.add("input-changed", f"{case['name']}: input {at} has other values after the call")
                return


def judge_process(found: Findings, answers: Answers) -> None:
    """Replaced functions, changed settings, and results that are not plain tensors."""
    for name in sorted(answers.replaced):
        found.add("patched-timer" if integrity.is_timer(name) else "patched-module", f"{name} was replaced")
    for text in sorted(answers.settings):
        found.add("lower-precision", f"a setting of the process was changed: {text}")
    for text in sorted(answers.attempts):
        found.add("tampering", text)
    for name in sorted(answers.odd):
        found.add("outside-region", f"the result is a {name}, not a torch.Tensor: it may compute when it is read")


def judge_protocol(found: Findings, recorded: Recording, plan: dict[str, Any], answers: Answers) -> None:
    """The copies and fills of the judge around each call, of known sizes, are in the recording."""
    for number, (call, answer) in enumerate(zip(plan["calls"], answers.calls)):
        case = plan["cases"][call["case"]]
        if answer.error:
            return
        unwritten = {at for at, argument in enumerate(plan["options"]["signature"] or []) if argument["out"] and not argument.get("inout")}
        uploads = [slot["bytes"] for at, slot in enumerate(case["inputs"]) if is_array(slot) and slot["strides"] is None and at not in unwritten]
        filled = [case["inputs"][at] for at in unwritten] if plan["options"]["signature"] else case["own"]
        fills = [slot["bytes"] // 4 * 4 for slot in filled] if plan["poison"] else []
        for what, wanted, around, kind in (("inputs do not come from the judge", uploads, number, "host to device"),
                                           ("memory was not filled before the call", fills, number, "set")):
            if missing := _missing(wanted, recorded.around[around], kind):
                found.add("tampering", f"{case['name']}: {what}: the recording has no such event of {missing[0]} bytes")
                return
        after = recorded.around[number + 1]
        if missing := _missing([size for size in answer.moved if size > _SCALAR_BYTES], after, "device to host"):
            found.add("outside-region", f"{case['name']}: a result or input of {missing[0]} bytes was not read from the device")
            return
        if (read := sum(event.copy_kind == "device to host" for event in after)) > len(answer.moved):
            found.add("outside-region", f"{case['name']}: after the call, {read} copies go to the host, and the judge makes {len(answer.moved)}")
            return


def _missing(wanted: list[int], events: list[Event], kind: str) -> list[int]:
    """Sizes that no separate event of the recording has."""
    left = collections.Counter(event.bytes for event in events if kind in (event.kind, event.copy_kind))
    return list((collections.Counter(filter(None, wanted)) - left).elements())


def judge_work(found: Findings, recorded: Recording, reference: Recording | None, plan: dict[str, Any], seen: list[Seen]) -> None:
    """The device's work, and its times."""
    for event in recorded.between[:1]:
        found.add("outside-region", f"kernel {_short(event.name)} runs between calls ({len(recorded.between)} such kernels)")
    for call in recorded.calls[1:]:
        for event in call.unordered()[:1]:
            found.add("outside-region", f"kernel {_short(event.name)} runs on stream {event.stream}, and the call's stream does not wait for it")
    _on_host(found, recorded.calls, seen)
    if reference is not None and reference.calls[-1].events and any(not call.events for call in recorded.calls):
        found.add("outside-region", "a call does nothing on the device, although the reference's call does")
    _repeated(found, recorded, plan)
    if reference is not None and reference.calls and recorded.calls:
        _library(found, recorded, reference)


def _on_host(found: Findings, calls: list[Call], seen: list[Seen]) -> None:
    """The result comes from the host, and either no kernel runs or all inputs go there."""
    for call, result in zip(calls, seen):
        back, there = (sum(event.bytes for event in call.events if event.copy_kind == kind) for kind in ("host to device", "device to host"))
        wanted = sum(output.nbytes for output in result.outputs)
        given = sum(slot["bytes"] for slot in result.case["inputs"] if is_array(slot))
        if wanted and back >= wanted and (not call.kernels or wanted > _SCALAR_BYTES and there >= given):
            what = "all inputs go to the host" if call.kernels else "no kernel runs"
            found.add("outside-region", f"{result.case['name']}: {what}, and a result of {back} bytes comes from there")
            return


def _repeated(found: Findings, recorded: Recording, plan: dict[str, Any]) -> None:
    """A call with inputs seen before does less than each call with new ones of the same shapes. It launches less, lacks a
    kernel, or takes less than half the time.
    """
    new: list[Call] = []
    old: list[Call] = []
    before: set[int] = set()
    for call, work in zip(plan["calls"], recorded.calls):
        if plan["cases"][call["case"]]["kind"] == "seed":
            (old if call["case"] in before else new).append(work)
        before.add(call["case"])
    if not new or not old:
        return
    fewest_old, fewest_new = (min(len(call.events) for call in calls) for calls in (old, new))
    if fewest_old < fewest_new:
        found.add("cached-output", f"inputs seen before cost {fewest_old} kernels and copies, new ones {fewest_new}")
    launches = [{(event.name, event.blocks) for event in call.kernels} for call in new]
    for call in old:
        for name, blocks in sorted(set.intersection(*launches) - {(event.name, event.blocks) for event in call.kernels}):
            found.add("cached-output", f"kernel {_short(name)} of {blocks} blocks runs for new inputs, and not for inputs seen before")
    if not recorded.calls[0].measured:
        quick, usual = (min(call.time_ns or 0 for call in calls) for calls in (old, new))
        if quick < _LEAST_SHARE * usual:
            found.add("cached-output", f"inputs seen before take {quick} ns of the device, new ones {usual} ns at least")


def _library(found: Findings, recorded: Recording, reference: Recording) -> None:
    """The candidate calls the reference's library: it has no own kernels, or the library's kernels run
    as long in both.
    """
    call, usual = recorded.calls[min(2, len(recorded.calls) - 1)], reference.calls[-1].kernels
    names = {event.name for event in usual}
    library = [event for event in call.kernels if event.is_library or event.name in names]
    if not library or not usual:
        return
    if len(library) == len(call.kernels):
        found.add("library-call", f"only the library's kernels run, and no own kernel: {_short(library[0].name)}")
    elif names <= {event.name for event in library}:
        found.add("library-call", f"all of the reference's kernels still run, {_short(usual[0].name)} among them, beside {len(call.kernels) - len(library)} of its own")


def judge_checks(found: Findings, path: pathlib.Path, ran: set[str], answers: Answers) -> str:
    """Defects that the emulator's checks report in the candidate's kernels. Names the kernels that `ran` in the recorded process and that the checks should have seen; "" if they saw all.
    """
    if not path.exists():
        if answers.is_late:
            found.notes.append("the checks did not end: memory, races and unwritten reads are not judged")
        elif answers.calls:
            found.add("tampering", "the report of the checks is missing, though their process ended")
        return ""
    report = json.loads(path.read_text())
    for defect in report["defects"]:
        kind, kernel = str(defect.get("id", defect.get("kind", ""))), str(defect.get("kernel", ""))
        text = f"{kind}: {defect.get('message', '')}" + (f" in {_short(kernel)}" if kernel else "")
        add_defect(found, kind, text)
    for text in report["not_checked"]:
        found.notes.append(f"not checked: {text}")
    checked = {_core.demangled(launch["kernel"]) for launch in report["checked"]}
    if ran and not checked and not answers.is_late:
        found.add("tampering", "kernels run in the recorded process, but none in the process that checks them")
    unseen = sorted(name for name in ran if name not in checked)
    return f"no check of memory and races saw kernel {_short(unseen[0])}" if unseen and checked else ""


def add_defect(found: Findings, kind: str, text: str) -> None:
    """Reads of foreign or unwritten memory may give right results by chance; other defects make results wrong."""
    if kind in ("out-of-bounds", "uninitialised-read", "use-after-free"):
        found.add("stray-read", text)
    else:
        found.wrong.append(text)


def _short(name: str) -> str:
    return name if len(name) <= 60 else name[:57] + "..."
