"""The verdict of a judgement: for machines as JSON, for people as text."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

from .. import _core
from .evidence import KINDS, Findings, Seen
from .recording import Recording

if TYPE_CHECKING:
    from .judging import Timed, _Judgement

Data = dict[str, Any]
_NO_TIME = {"outside-region", "cached-output"}  # kinds whose calls hold no whole work: their time says nothing


def made(judgement: _Judgement, cases: Data, recorded: Recording | None, reference: Recording | None, timed: Timed | None, seen: list[Seen],
         seconds: float) -> Data:
    """The verdict on a candidate that ran as a program."""
    found, options = judgement.found, judgement.options
    divisor = cases["options"]["divisor"]
    verdict, why = "refused" if found.kinds or found.wrong else "undecided" if judgement.why else "accepted", judgement.why
    if not found.kinds and divisor > 1 and any(call.error for call in seen[:1]):
        verdict, why = "undecided", (f"the candidate does not run at the smaller sizes that were judged (divided by {divisor}): "
                                     "it may need the full sizes. Give --max-elements 0")
    if verdict == "refused" and not why:
        why = _why_refused(found)
    not_known = [*found.notes]
    if timed is not None and timed.recorded is not None:
        recorded, reference = timed.recorded, timed.reference
    told = timed.cases if timed else cases
    if divisor > 1 or cases["elements"] < cases["whole_elements"]:
        not_known.append(_only_smaller(divisor, is_whole_timed=timed is not None and told["elements"] == told["whole_elements"]))
    if told["elements"] < told["whole_elements"]:
        advice = f": --timed-elements {told['whole_elements']} times all of them" if options.timed_elements < told["whole_elements"] else ""
        not_known.append(f"the time is for {told['elements']} of the problem's {told['whole_elements']} input elements{advice}")
    if not options.gpu:
        not_known.append(f"times come from a model of {options.device}, not from a GPU: --gpu measures")
    return {"verdict": verdict, "why": why, "layout": judgement.layout, "reference": judgement.reference.name,
            "candidate": judgement.candidate.name, "device": options.device, "seed": judgement.problem.plan["seed"], "shapes": cases["shapes"], "divisor": divisor,
            **_found(found), "deterministic": _deterministic(seen), 
            "time": {**_time(None if _NO_TIME & found.kinds.keys() else recorded, reference, options.gpu), "shapes": told["shapes"]},
            "not_known": not_known, "next_step": _next_step(verdict, found.kinds, found.wrong, divisor), "seconds": round(seconds, 2)}


def _only_smaller(divisor: int, is_whole_timed: bool) -> str:
    """The limit of smaller sizes: a second round of a loop over the grid, or a branch for large sizes, may never have run."""
    smaller = f"sizes above 32 were divided by {divisor} to keep emulation short" if divisor > 1 else "the problem's own tests are smaller than its timed size"
    judged = "at the full sizes, only the results of the timed calls were judged" if is_whole_timed else "the full sizes were not judged"
    advice = " (--max-elements 0)" if divisor > 1 else ""
    return f"{smaller}: {judged}. No check of memory and races saw code that only larger sizes run{advice}"


def of_launches(reference: str, candidate: str, device: str, found: Findings, seen: list[Seen], times: tuple[float, float], seconds: float) -> Data:
    """The verdict on a candidate that is a launch file. times: the reference's and the candidate's, ns."""
    verdict = "refused" if found.kinds or found.wrong else "accepted"
    base, own = times
    time: Data = {"source": "modelled", "candidate_ns": round(own) or None, "reference_ns": round(base) or None, "speedup": base / own if own else None, "kernels": None, "shapes": []}
    return {"verdict": verdict, "why": _why_refused(found) if verdict == "refused" else "", "layout": "launch", "reference": reference, "candidate": candidate, "device": device, "shapes": [], "divisor": 1,
            **_found(found), "deterministic": _deterministic(seen), "time": time,
            "not_known": [*found.notes, f"times come from a model of {device}, not from a GPU"],
            "next_step": _next_step(verdict, found.kinds, found.wrong), "seconds": round(seconds, 2)}


def _why_refused(found: Findings) -> str:
    """In one line: the kinds of cheating, and the calls that are wrong."""
    wrong = sum(not case["right"] for case in found.cases)
    parts = [*found.kinds, *([f"{wrong} of {len(found.cases)} calls are wrong"] if wrong else [])]
    return "; ".join(parts) or found.wrong[0]


def _found(found: Findings) -> Data:
    return {"kinds": [{"kind": kind, "meaning": KINDS[kind], "evidence": found.kinds[kind]} for kind in KINDS if kind in found.kinds],
            "wrong": found.wrong, "cases": found.cases}


def _deterministic(seen: list[Seen]) -> bool | None:
    """True if calls with equal inputs gave equal bits; None if none was repeated."""
    by_case: dict[str, list[bytes]] = {}
    for call in seen:
        if not call.error:
            by_case.setdefault(call.case["name"], []).append(b"".join(output.tobytes() for output in call.outputs))
    repeated = [bits for bits in by_case.values() if len(bits) > 1]
    return all(len(set(bits)) == 1 for bits in repeated) if repeated else None


def _time(recorded: Recording | None, reference: Recording | None, measured: bool) -> Data:
    """Device time of a call, ns: the median of calls with seeds after the first."""
    own = [call.time_ns for call in recorded.calls[1:] if call.time_ns is not None] if recorded else []
    base = [call.time_ns for call in reference.calls[1:] if call.time_ns is not None] if reference else []
    out: Data = {"source": "measured" if measured else "modelled", "candidate_ns": round(statistics.median(own)) if own else None,
                 "reference_ns": round(statistics.median(base)) if base else None, "speedup": None,
                 "kernels": len(recorded.calls[-1].kernels) if recorded else None}
    if own and base and out["candidate_ns"]:
        out["speedup"] = out["reference_ns"] / out["candidate_ns"]
    return out


def _next_step(verdict: str, kinds: Data, wrong: list[str], divisor: int = 1) -> str:
    if verdict == "undecided" and divisor > 1:
        return "Judge it at its whole sizes: --max-elements 0 --timeout 3600."
    if kinds:
        return f"Remove the cause of {next(kind for kind in KINDS if kind in kinds)}, then judge again."
    if verdict == "undecided":
        return "Remove what kept the judge from seeing it, then judge again."
    if wrong:
        return "Fix the first wrong result, then judge again."
    return "Find what bounds it: judge it again with --counters FILE."


def _of(shapes: list[list[int]]) -> str:
    """" at 4096 x 64, 64"; nothing if shapes are unknown."""
    sizes = dict.fromkeys(" x ".join(map(str, shape)) for shape in shapes if shape)
    return f" at {', '.join(sizes)}" if sizes else ""


def text(data: Data) -> str:
    """The verdict as text."""
    lines = [f"{data['verdict']}: {data['candidate']} against {data['reference']} ({data['layout']})"]
    if data["why"] and data["verdict"] != "refused":  # the lines below say it in full
        lines.append(f"  {data['why']}")
    for kind in data["kinds"]:
        lines.append(f"  {kind['kind']}: {kind['meaning']}")
        lines += [f"    {said}" for said in kind["evidence"][:4]]
        if len(kind["evidence"]) > 4:
            lines.append(f"    and {len(kind['evidence']) - 4} more")
    lines += [f"  wrong: {said}" for said in data["wrong"][:6]]
    right = sum(case["right"] for case in data["cases"])
    lines.append(f"results     {right} of {len(data['cases'])} calls right against float64"
                 + ("" if data["deterministic"] is None else f"; repeated calls {'give equal bits' if data['deterministic'] else 'differ in bits'}"))
    lines += [f"            not right: {case['case']}: {case['detail']}" for case in data["cases"] if not case["right"]][:4]
    time = data["time"]
    if time["candidate_ns"] is None:
        lines.append("time        unknown: no call does the whole work")
    else:
        against = f"; the reference takes {_core.format_ns(time['reference_ns'])}, {time['speedup']:.2f} times as long" if time["speedup"] else ""
        lines.append(f"time        {_core.format_ns(time['candidate_ns'])} a call, {time['source']} for {data['device']}{_of(time['shapes'])}{against}")
    lines += [f"to know     {said}" for said in data["not_known"]]
    lines.append(f"next        {data['next_step']}")
    return "\n".join(lines) + "\n"
