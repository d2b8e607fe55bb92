"""The plans of a judgement: which cases a process calls, in which order."""

from __future__ import annotations

from typing import Any


def calls(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The plan of calls: new seeds at one address, a repeated seed, probes, a repeated seed elsewhere, and a new one. Calls that
    may fail come last: edges, sizes, strides."""
    by_kind: dict[str, list[int]] = {}
    for number, case in enumerate(cases):
        by_kind.setdefault(case["kind"], []).append(number)
    seeds = by_kind["seed"]
    order = [(seed, True) for seed in seeds[:-1] or seeds] + [(seeds[0], True)]
    order += [(number, True) for number in by_kind.get("probe", [])]
    order += [(seeds[0], False), (seeds[-1], True)]
    order += [(number, True) for number in by_kind.get("edge", [])]
    order += [(number, False) for kind in ("equal", "shape", "strided") for number in by_kind.get(kind, [])]
    return [{"case": number, "reuse": reuse} for number, reuse in order]


def role_of_reference() -> dict[str, Any]:
    return {"role": "reference", "poison": False}


def seeds(cases: list[dict[str, Any]]) -> list[int]:
    return [number for number, case in enumerate(cases) if case["kind"] == "seed"]


def warmed(warm: int, timed: int) -> list[dict[str, Any]]:
    """The case `timed`, after a call with other inputs that loads and compiles."""
    return [{"case": warm, "reuse": False}, {"case": timed, "reuse": False}]
