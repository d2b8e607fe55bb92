"""Two launch files: the reference's kernels and the candidate's, on the same buffers. Only kernels run, so they need no separate processes.
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import tempfile
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .._command import program
from . import evidence, verdict
from .edges import spots
from .exchange import save_array

if TYPE_CHECKING:
    from .judging import Options

_RANDOM = ("uniform", "normal", "arange")
_TYPES = {"f32": "float32", "f64": "float64", "f16": "float16", "i8": "int8", "u8": "uint8", "i16": "int16", "u16": "uint16", "i32": "int32",
          "u32": "uint32", "i64": "int64", "u64": "uint64"}
_SPOTS = 6  # elements that are changed one at a time
Arrays = dict[str, np.ndarray[Any, Any]]


class LaunchFile:
    """A launch file whose buffers are passed and returned as arrays."""

    def __init__(self, path: pathlib.Path, device: str) -> None:
        self.path, self.device = path, device
        try:
            self.described = json.loads(path.read_text())
        except (UnicodeDecodeError, json.JSONDecodeError) as error:
            raise ValueError(f"{path}: not a launch file: {error}") from None
        if not isinstance(self.described, dict) or "buffers" not in self.described or "launches" not in self.described:
            raise ValueError(f"{path}: not a launch file: it has no buffers and launches")
        self.buffers: dict[str, dict[str, Any]] = self.described["buffers"]

    def run(self, folder: pathlib.Path, given: Arrays, until: float, checks: bool = False) -> tuple[Arrays, dict[str, Any], str]:
        """The buffers after the launch, the report, and the error ("" if there is none)."""
        described = {**self.described, "source": str((self.path.parent / self.described["source"]).resolve()), "buffers": dict(self.buffers)}
        described.pop("expect", None)
        for name, array in given.items():
            if name in self.buffers:
                np.save(folder / f"{name}.in.npy", array)
                described["buffers"][name] = {"npy": str(folder / f"{name}.in.npy"), "dtype": self.buffers[name].get("dtype", "f32")}
        for name, buffer in self.buffers.items():
            if "npy" in buffer and name not in given:
                described["buffers"][name] = {**buffer, "npy": str((self.path.parent / buffer["npy"]).resolve())}
        described["save"] = {name: str(folder / f"{name}.out.npy") for name in self.buffers}
        (folder / "launch.json").write_text(json.dumps(described))
        words = [program(), "kernel", str(folder / "launch.json"), "--emulate", "--device", self.device, "--json", "-f", "--config", "none"]
        done = subprocess.run(words + (["--check", "all"] if checks else []), capture_output=True, text=True, timeout=max(1.0, until - time.monotonic()))
        try:
            report = json.loads(done.stdout)
        except json.JSONDecodeError:
            return {}, {}, done.stderr.strip().splitlines()[0] if done.stderr.strip() else f"exit code {done.returncode}"
        after = {name: np.load(folder / f"{name}.out.npy") for name in self.buffers if (folder / f"{name}.out.npy").exists()}
        return after, report, ""

    def estimate_ns(self, report: dict[str, Any]) -> float:
        return sum(float(launch["time"]["estimate_ns"]) for launch in report.get("launches", []) if launch.get("time"))


def _inputs(file: LaunchFile, seed: int) -> Arrays:
    """Values of a seed for each buffer that the file fills with a pattern."""
    generator, out = np.random.default_rng(seed), {}
    for name, buffer in file.buffers.items():
        if buffer.get("fill") not in _RANDOM or buffer["dtype"] not in _TYPES:
            continue
        count, low, high = int(buffer["count"]), float(buffer.get("low", 0)), float(buffer.get("high", 1))
        if buffer["fill"] == "arange":
            values = generator.permutation(count)
        else:
            values = generator.normal(size=count) if buffer["fill"] == "normal" else generator.uniform(low, high, count)
        out[name] = values.astype(_TYPES[buffer["dtype"]])
    return out


def _cases(file: LaunchFile, seeds: int) -> Iterator[tuple[str, str, Arrays]]:
    first = _inputs(file, 1)
    for seed in range(1, seeds + 1):
        yield f"seed {seed}", "seed", first if seed == 1 else _inputs(file, seed)
    floats = {name: array for name, array in first.items() if array.dtype.kind == "f"}
    if not floats:
        return
    for title, change in (("zeros", np.zeros_like), ("equal values", np.ones_like), ("100 times as large", lambda a: a * a.dtype.type(100))):
        yield title, "edge", {**first, **{name: change(array) for name, array in floats.items()}}
    for name, array in floats.items():
        for title, mask in (("the second half", np.arange(array.size) >= array.size // 2), ("odd positions", np.arange(array.size) % 2 == 1)):
            changed = np.where(mask, array[::-1] * 1.5 + 0.25, array).astype(array.dtype)
            yield f"{name}: {title} changed", "probe", {**first, name: changed}
        for place in spots(array.size, _SPOTS // len(floats)):
            changed = array.copy()
            changed[place] += 8 * max(1, float(np.abs(array).max()))
            yield f"{name}: element {place} changed", "probe", {**first, name: changed}


def _rounded(given: Arrays, bits: int) -> Arrays:
    def rounding(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        mantissa, exponent = np.frexp(array)
        return np.ldexp(np.round(mantissa * 2.0 ** (bits + 1)), exponent - bits - 1).astype(array.dtype)

    return {name: rounding(array) if array.dtype.kind == "f" else array for name, array in given.items()}


def judge(reference: pathlib.Path, candidate: pathlib.Path, options: Options) -> dict[str, Any]:
    """The verdict on one candidate. Raises ValueError for files that are not launch files, and Failed if the reference
    does not run.
    """
    from .accuracy import compare
    from .judging import Failed

    began = time.monotonic()
    until = began + options.timeout_s
    own, new = LaunchFile(reference, options.device), LaunchFile(candidate, options.device)
    found, times = evidence.Findings(), (0.0, 0.0)
    seen: list[evidence.Seen] = []
    outputs: list[str] = list(own.described.get("expect") or own.described.get("save") or [])
    with tempfile.TemporaryDirectory(prefix="warplens-judge-") as name:
        folder = pathlib.Path(name)
        for title, kind, given in _cases(own, options.seeds):
            wanted, report, error = own.run(folder, given, until)
            if error:
                raise Failed(f"{reference.name}: {error}")
            outputs = outputs or [b for b in wanted if b not in given or wanted[b].tobytes() != given[b].tobytes()]
            if kind == "edge" and not all(np.isfinite(wanted[b]).all() for b in outputs if wanted[b].dtype.kind == "f"):
                found.notes.append(f"edge value without a finite answer by the reference, not judged: {title}")
                continue
            lower = own.run(folder, _rounded(given, 10), until)[0]
            got, new_report, error = new.run(folder, given, until, checks=False)
            missing = [b for b in outputs if b not in got]
            error = error or (f"it has no buffer {', '.join(missing)}" if missing else "")
            slots = lambda prefix, arrays: [save_array(folder / f"{prefix}{len(seen)}_{at}.npy", arrays[b]) for at, b in enumerate(outputs)]  # noqa: E731
            case = {"name": title, "kind": kind, "exact": slots("exact", wanted), "own": slots("own", wanted), "lower": slots("lower", lower)}
            elements = sum(array.size for array in given.values())
            results = [] if error else [got[b] for b in outputs]
            outcomes = [compare(array, {"dtype": str(array.dtype)}, folder, case, at, elements) for at, array in enumerate(results)]
            seen.append(evidence.Seen(case, results, outcomes, error))
            for buffer in given if not error else ():
                if buffer not in outputs and buffer in got and got[buffer].tobytes() != given[buffer].tobytes() and wanted[buffer].tobytes() == given[buffer].tobytes():
                    found.add("input-changed", f"{title}: buffer {buffer} has other values afterwards")
            if not times[0] and not error:
                times = own.estimate_ns(report), new.estimate_ns(new_report)
                _checks(found, new.run(folder, given, until, checks=True)[1])
    evidence.judge_results(found, seen)
    found.notes.append("the truth is the reference's own arithmetic: a launch file has no float64 version")
    return verdict.of_launches(reference.name, candidate.name, options.device, found, seen, times, time.monotonic() - began)


def _checks(found: evidence.Findings, report: dict[str, Any]) -> None:
    for launch in report.get("launches", []):
        for defect in launch.get("reports", []):
            evidence.add_defect(found, defect["id"], f"{defect['id']}: {defect['message']}")
