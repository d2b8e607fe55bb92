"""Results, counters and findings as flat dictionaries of numbers, the form that experiment trackers log.

    wandb.log(warplens.scalars(result))
    mlflow.log_metrics(warplens.scalars(launch, prefix="kernels"))
    for name, value in warplens.scalars(profile).items():
        writer.add_scalar(name, value, step)                  # TensorBoard
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ._command import Report
from .launches import Emulation, Launch
from .profiles import Profile
from .results import ComparedResults, Comparison, Measurement, Results
from .table import Table

# What all three accept in a name; MLflow is the strictest, with 250 characters.
_REFUSED = re.compile(r"[^A-Za-z0-9_./ -]+")
_LONGEST = 250
_OF_A_MEASUREMENT = ("median_ns", "low_ns", "high_ns", "host_ns", "bytes_per_second", "flops_per_second", "share_of_ceiling", "bound_ns", "estimate_ns",
                     "memory_bytes", "sm_clock_mhz")


def _leaves(value: Any, name: str) -> Iterator[tuple[str, float]]:
    """Numbers inside dictionaries. A list of dictionaries is indexed by their id or name; other lists give no scalars.
    """
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(item, f"{name}/{key}" if name else str(key))
    elif isinstance(value, (bool, int, float)):
        yield name, float(value)
    elif isinstance(value, list) and all(isinstance(item, Mapping) for item in value):
        for item in value:
            key = next((str(item[k]) for k in ("id", "label", "benchmark", "name", "kernel", "level", "precision", "cause") if k in item), None)
            if key is not None:
                yield from _leaves(item, f"{name}/{key}" if name else key)
            elif len(value) == 1:
                yield from _leaves(item, name)


def _of_measurement(m: Measurement) -> Iterator[tuple[str, float]]:
    name = "/".join([m.name, *(f"{key}_{value}" for key, value in m.axes.items())])
    yield f"{name}/valid", float(m.valid)
    for key in _OF_A_MEASUREMENT:
        if m.data[key]:
            yield f"{name}/{key}", float(m.data[key])
    yield from _leaves(m.data["metrics"], name)


def _of_findings(rows: list[dict[str, Any]], name: str) -> Iterator[tuple[str, float]]:
    """The count of each finding, and the saving of fixing all of them if it is known."""
    ids = [row["id"] for row in rows]
    for id in dict.fromkeys(ids):
        yield f"{name}/{id}/count", float(ids.count(id))
        for key in ("saving_ns", "saving_fraction"):
            savings = [row[key] for row in rows if row["id"] == id and row.get(key) is not None]
            if savings:
                yield f"{name}/{id}/{key}", float(sum(savings))


def _of_launch(launch: Launch, name: str) -> Iterator[tuple[str, float]]:
    if launch.time_ns is not None:
        yield f"{name}/time_ns", launch.time_ns
    yield from _leaves(launch.metrics, name)
    for key in ("bound_ns", "estimate_ns"):
        yield f"{name}/{key}", float(launch.report["time"][key])
    yield from _of_findings(launch.findings, f"{name}/findings")


def _of_emulation(emulation: Emulation) -> Iterator[tuple[str, float]]:
    seen: dict[str, int] = {}
    for launch in emulation.launches:
        seen[launch.kernel] = seen.get(launch.kernel, 0) + 1
        yield from _of_launch(launch, launch.kernel if seen[launch.kernel] == 1 else f"{launch.kernel}_{seen[launch.kernel]}")


def _numbers(thing: Any) -> Iterator[tuple[str, float]]:
    if isinstance(thing, Measurement):
        yield from _of_measurement(thing)
    elif isinstance(thing, Results):
        for measurement in thing:
            yield from _of_measurement(measurement)
    elif isinstance(thing, Comparison):
        a, b = thing.names
        yield from _leaves({key: getattr(thing, key) for key in ("ratio", "low", "high", "a_ns", "b_ns", "pairs")}, f"{b} beside {a}")
    elif isinstance(thing, ComparedResults):
        yield from _leaves(thing.rows, "")
    elif isinstance(thing, Launch):
        yield from _of_launch(thing, thing.kernel)
    elif isinstance(thing, Emulation):
        yield from _of_emulation(thing)
    elif isinstance(thing, Profile):
        ranks = thing.summary()["ranks"]
        for rank in ranks:
            yield from _leaves(rank, "" if len(ranks) == 1 else f"rank_{rank['rank']}")
        yield from _of_findings(thing.findings().rows, "findings")
    elif isinstance(thing, Table):
        yield from (_of_findings(thing.rows, "findings") if thing.rows and "advice" in thing.rows[0] else _leaves(thing.rows, ""))
    elif isinstance(thing, (Report, Mapping)):
        yield from _leaves(thing.data if isinstance(thing, Report) else thing, "")
    else:
        raise TypeError(f"no numbers to export in {type(thing).__name__}; give measurements, comparisons, launches, profiles, tables or dictionaries")


def _named(name: str, taken: Mapping[str, float]) -> str:
    """A unique name that every tracker accepts: long ones keep both ends."""
    clean = _REFUSED.sub("_", name)
    clean = clean if len(clean) <= _LONGEST else f"{clean[:118]}..{clean[-(_LONGEST - 130):]}"
    unique, count = clean, 1
    while unique in taken:
        count += 1
        unique = f"{clean}_{count}"
    return unique


def scalars(*things: Any, prefix: str = "warplens") -> dict[str, float]:
    """A flat dictionary of names and numbers, from any results. Times are in ns, sizes in bytes, rates a second, shares 0 to 1, booleans 0 and 1.

    things: Measurement, Results, Comparison, ComparedResults, Launch (counted), Emulation, Profile, its tables and reports, or
    dictionaries. Names fit TensorBoard, wandb and MLflow: parts are joined by "/", other characters become "_", at most 250 characters; a repeated name gets "_2".
    NaN and infinities, which MLflow refuses, are left out. Raises TypeError for anything else, RuntimeError for a launch that was
    not counted.
    """
    out: dict[str, float] = {}
    for thing in things:
        for name, value in _numbers(thing):
            if math.isfinite(value):
                out[_named(f"{prefix}/{name}" if prefix else name, out)] = value
    return out
