"""One judgement: the truth, the candidate and the reference run in separate processes, side by side, and their files
give the verdict.
"""

from __future__ import annotations

import hashlib
import pathlib
import secrets
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import Any

from .. import _core
from .._command import program
from . import adapters, evidence, recording, verdict
from .exchange import read_json, write_json
from .processes import Process, end_strays
from .recording import Recording

_LEAST_MARK = 1 << 16


@dataclass(frozen=True)
class Options:
    device: str = "h200"
    seeds: int = 3
    max_elements: int = 1 << 17
    timed_elements: int = 1 << 22
    timed_s: float = 60.0  # the limit of the calls whose time is told
    timeout_s: float = 300.0
    spec: dict[str, Any] | None = None
    gpu: bool = False
    counters: pathlib.Path | None = None  # where the report of the timed call goes


class Failed(RuntimeError):
    """A judgement that could not be made: the reference does not run, the candidate does not compile."""


def judge(reference: pathlib.Path, candidates: list[pathlib.Path], options: Options) -> list[dict[str, Any]]:
    """A verdict of each candidate, in the form of the JSON. Raises ValueError for files that are not a problem, and
    Failed if nothing can be judged.
    """
    layout = adapters.layout_of(reference)
    if layout == "launch":
        from . import launch_files

        return [launch_files.judge(reference, candidate, options) for candidate in candidates]
    if options.counters is not None and len(candidates) > 1:
        raise ValueError(f"--counters {options.counters} takes the counters of one candidate: give one")
    for candidate in candidates:
        if candidate.suffix in (".cu", ".so") and layout not in ("leetgpu", "tensara"):
            raise ValueError(f"{candidate.name}: a candidate for {reference.name} is Python that defines {adapters.LAYOUTS[layout][1]}")
    with tempfile.TemporaryDirectory(prefix="warplens-judge-") as name:
        problem = _Problem(layout, reference.resolve(), options, pathlib.Path(name))
        try:
            return [_Judgement(problem, candidate.resolve(), number).verdict() for number, candidate in enumerate(candidates)]
        finally:
            problem.end()


@dataclass(frozen=True)
class Timed:
    """Calls at the timed size."""

    cases: dict[str, Any]
    seen: list[evidence.Seen]
    recorded: Recording | None
    reference: Recording | None


class _Problem:
    """The reference: its truth and its own recording, which all candidates share."""

    def __init__(self, layout: str, reference: pathlib.Path, options: Options, folder: pathlib.Path) -> None:
        self.layout, self.reference, self.options, self.folder = layout, reference, options, folder
        self.plan: dict[str, Any] = {
            "layout": layout, "reference": str(reference), "seed": 42, "seeds": options.seeds, "is_timed": False,
            "max_elements": options.max_elements, "spec": options.spec, "marks": _LEAST_MARK + secrets.randbelow(_LEAST_MARK)}
        self.timed_plan = {**self.plan, "is_timed": True, "max_elements": max(options.timed_elements, options.max_elements)}
        self.started: list[Process] = []
        self.sealed = [tempfile.TemporaryFile(dir=folder) for _ in range(2)]  # true results: no candidate can open them
        self.truths = {name: self._begin_truth(name, plan) for name, plan in (("truth", self.plan), ("timed", self.timed_plan))}
        self.own = self.worker(folder / "reference", self.record(folder / "reference.wlens"), "torch")
        self.timed_own: Process | None = None
        self.cases: dict[str, Any] | None = None

    def _begin_truth(self, name: str, plan: dict[str, Any]) -> Process:
        descriptor = self.sealed[name == "timed"].fileno()
        plan.update(folder=str(self.folder / name), sealed=descriptor)
        (self.folder / name).mkdir()
        write_json(self.folder / f"{name}.json", plan)
        process = Process(name, [sys.executable, "-m", "warplens.judge.truth", str(self.folder / f"{name}.json")], self.folder, descriptors=(descriptor,))
        self.started.append(process)
        return process

    def record(self, path: pathlib.Path) -> list[str]:
        emulated = [] if self.options.gpu else ["--emulate", "--device", self.options.device]
        return [program(), "record", *emulated, "--quiet", "-f", "-o", str(path)]

    def worker(self, out: pathlib.Path, wrapper: list[str], caller: str, variables: dict[str, str] | None = None) -> Process:
        out.mkdir()
        words = [*wrapper, "--", sys.executable, "-m", "warplens.judge.worker", str(out / "plan.json"), caller]
        architecture = str(_core.device(self.options.device)["arch"]).removeprefix("sm_").rstrip("af")
        process = Process(out.name, words, out.parent, {"TORCH_CUDA_ARCH_LIST": f"{architecture[:-1]}.{architecture[-1]}+PTX", **(variables or {})})
        self.started.append(process)
        return process

    def truth(self, until: float) -> dict[str, Any]:
        """The cases, once they are complete; then the reference's own calls begin."""
        if self.cases is not None:
            return self.cases
        truth = self.truths["truth"]
        if not truth.wait(until):
            raise Failed(f"{self.reference.name}: the reference ran longer than {self.options.timeout_s:g} s on the CPU. Lower --max-elements or raise --timeout.")
        path = self.folder / "truth" / "cases.json"
        if not path.exists():
            raise Failed(f"{self.reference.name} does not run on the CPU: {truth.last_lines(1)}")
        cases: dict[str, Any] = read_json(path)
        self.cases = cases
        self.plan.update(cases=cases["cases"], options=cases["options"])
        _write_plan(self.plan, self.folder / "reference", {**_twice(_first_seed(cases)), "role": "reference", "caller": "torch"})
        self.own.go()
        return cases

    def timed(self, until: float) -> dict[str, Any] | str | None:
        """The timed case, or why there is none; None if its size is the judged one. The first call also starts the reference at this size."""
        path = self.folder / "timed" / "cases.json"
        if not self.truths["timed"].wait(until):
            return "the reference ran too long on the CPU at the timed size"
        if not path.exists():
            return f"the reference does not run on the CPU at the timed size ({self.truths['timed'].last_lines(1)})"
        timed: dict[str, Any] = read_json(path)
        if self.cases is None or timed["shapes"] == self.cases["shapes"]:
            return None
        self.timed_plan.update(cases=timed["cases"], options=timed["options"])
        if self.timed_own is None:
            self.timed_own = self.worker(self.folder / "timed_reference", self.record(self.folder / "timed_reference.wlens"), "torch")
            _write_plan(self.timed_plan, self.folder / "timed_reference", {**_twice(0), "role": "reference", "caller": "torch"})
            self.timed_own.go()
        return timed

    def recording(self, until: float) -> Recording | None:
        self.own.wait(until)
        return _recorded(self.folder / "reference.wlens", self.plan["marks"], 2, self.options.gpu)

    def timed_recording(self, until: float) -> Recording | None:
        if self.timed_own is None or not self.timed_own.wait(until):
            return None
        return _recorded(self.folder / "timed_reference.wlens", self.plan["marks"], 2, self.options.gpu)

    def end_strays(self) -> None:
        end_strays({process.process.pid for process in self.started})

    def end(self) -> None:
        for process in self.started:
            process.end()
        self.end_strays()
        for file in self.sealed:
            file.close()


class _Judgement:
    def __init__(self, problem: _Problem, candidate: pathlib.Path, number: int) -> None:
        self.problem, self.candidate, self.options = problem, candidate, problem.options
        self.layout, self.reference = problem.layout, problem.reference
        self.began = time.monotonic()
        self.until = self.began + self.options.timeout_s
        self.folder = problem.folder / f"candidate{number}"
        self.folder.mkdir()
        self.caller = "abi" if candidate.suffix in (".cu", ".so") else "torch"
        self.library = str(self.folder / "candidate.so") if candidate.suffix == ".cu" else str(candidate)
        self.found = evidence.Findings()

    def verdict(self) -> dict[str, Any]:
        self.before = {path: _digest(path) for path in self._guarded()}
        device = ["--device", self.options.device]
        run = {"calls": self.problem.worker(self.folder / "calls", self.problem.record(self.folder / "calls.wlens"), self.caller),
               "checks": self.problem.worker(self.folder / "checks", [
                   program(), "emulate", *device, "--check=memory,race,init,sync", "--json", "-f", "-o", str(self.folder / "checks.json")], self.caller,
                   {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"})}
        compiled = self._compile() if self.candidate.suffix == ".cu" else ""
        cases = self.problem.truth(self.until)
        if compiled:
            self.found.wrong.append(f"it does not compile: {compiled}")
        else:
            self._run(run, cases)
        for process in run.values():
            process.end()
        self.problem.end_strays()
        for path, digest in self.before.items():
            if _digest(path) != digest:
                self.found.add("patched-module", f"{path.name} was changed while the candidate ran")
        return self._conclude(cases)

    def _guarded(self) -> list[pathlib.Path]:
        return [self.reference, self.candidate, *sorted(pathlib.Path(__file__).parent.glob("**/*.py"))]

    def _compile(self) -> str:
        """The compiler's errors; "" if it compiled."""
        architecture = _core.device(self.options.device)["arch"]
        words = [program(), "nvcc", "-O3", "-shared", "-Xcompiler", "-fPIC", "-lineinfo", f"-arch={architecture}", "-o", self.library, str(self.candidate)]
        compiler = Process("compiler", words, self.folder)
        self.problem.started.append(compiler)
        ended = compiler.wait(self.until)
        if compiler.last_lines(1).startswith("warplens nvcc:"):
            raise Failed(compiler.last_lines(1))
        return "" if ended and compiler.process.returncode == 0 else compiler.last_lines(4) or "the compiler ran out of time"

    def _run(self, run: dict[str, Process], cases: dict[str, Any]) -> None:
        self.found.notes += cases["notes"]
        shapes = [{"case": i, "reuse": False} for i, case in enumerate(cases["cases"]) if case["kind"] == "shape"]
        own, common = self.problem.plan, self._role()
        self.plan = _write_plan(own, self.folder / "calls", {**common, "calls": _calls(cases["cases"]), "poison": True})
        _write_plan(own, self.folder / "checks", {**common, "calls": [{"case": _first_seed(cases), "reuse": False}, *shapes], "poison": False, "marks": 0})
        self.before.update({path: _digest(path) for path in sorted((self.problem.folder / "truth").glob("*.npy"))})
        for process in run.values():
            process.go()
        for name, process in run.items():
            if not process.wait(self.until):
                self.found.notes.append(f"the process `{name}` was ended after {self.options.timeout_s:g} s")
                process.end()

    def _role(self) -> dict[str, Any]:
        return {"candidate": str(self.candidate), "library": self.library, "role": "candidate", "caller": self.caller}

    def _timed(self) -> Timed | None:
        """Two calls at the timed size; None if that is the judged size, or if they could not be made."""
        until = min(self.until, time.monotonic() + self.options.timed_s)
        timed = self.problem.timed(until)
        if not isinstance(timed, dict):
            if timed:
                self._untimed(timed)
            return None
        process = self.problem.worker(self.folder / "timed", self.problem.record(self.folder / "timed.wlens"), self.caller)
        plan = _write_plan(self.problem.timed_plan, self.folder / "timed", {**self._role(), **_twice(0)})
        process.go()
        ended = process.wait(until)
        process.end()
        self.problem.end_strays()
        if not ended:
            self._untimed(f"calls of the candidate with the timed inputs ({timed['shapes']}) ran too long")
            return None
        seen = evidence.seen_calls(plan, self._result("timed"), timed["elements"])
        recorded = _recorded(self.folder / "timed.wlens", self.problem.plan["marks"], 2, self.options.gpu)
        return Timed(timed, seen, recorded, self.problem.timed_recording(until))

    def _untimed(self, why: str) -> None:
        limit = min(self.options.timed_s, self.options.timeout_s)
        self.found.notes.append(f"{why} (limit {limit:g} s): time and counters are those of the smaller, judged size. "
                                "The limit that they show may hold only at the small size. Give --timed-elements and a larger --timeout")

    def _write_counters(self, timed: Timed | None, cases: dict[str, Any]) -> None:
        """Counters of one call, at the timed size."""
        plan = self.problem.timed_plan if timed else self.problem.plan
        case = 0 if timed else _first_seed(cases)
        words = [program(), "counters", "--emulate", "--device", self.options.device, "-f", "-o", str(self.options.counters)]
        process = self.problem.worker(self.folder / "counters", words, self.caller)
        own = {**self._role(), "calls": [{"case": case, "reuse": False}], "poison": False, "marks": 0}
        _write_plan(plan, self.folder / "counters", own)
        process.go()
        if not process.wait(self.until) or process.process.returncode:
            self.found.notes.append(f"no counters were written: {process.last_lines(1) or 'the time limit came first'}")
        process.end()

    def _conclude(self, cases: dict[str, Any]) -> dict[str, Any]:
        recorded, reference, seen, timed = None, None, [], None
        if not self.found.wrong:
            result, count = self._result("calls"), len(self.plan["calls"])
            if result["failure"]:
                self.found.wrong.append(f"the candidate cannot be loaded: {result['failure']}")
            seen = evidence.seen_calls(self.plan, result, cases["elements"])
            timed = self._timed() if len(seen) == count and not any(call.is_refused for call in seen) else None
            evidence.judge_results(self.found, seen + (timed.seen if timed else []))
            evidence.judge_inputs(self.found, self.plan, result)
            evidence.judge_process(self.found, result)
            recorded = _recorded(self.folder / "calls.wlens", self.plan["marks"], count, self.options.gpu)
            reference = self.problem.recording(self.until)
            if recorded is not None:
                evidence.judge_work(self.found, recorded, reference, self.plan, seen)
            else:
                self.found.notes.append("no recording of the candidate could be read: its streams and its use of libraries are not judged")
            if self.options.counters is not None:
                self._write_counters(timed, cases)
            evidence.judge_checks(self.found, self.folder / "checks.json")
            if len(result["calls"]) < count and not self.found.wrong and not self.found.kinds and not (seen and seen[-1].error):
                self.found.wrong.append(f"the candidate's process ended after {len(result['calls'])} of {count} calls")
        return verdict.made(self, cases, recorded, reference, timed, seen, time.monotonic() - self.began)

    def _result(self, name: str) -> dict[str, Any]:
        path = self.folder / name / "result.json"
        if path.exists():
            return dict(read_json(path))
        log = (self.folder / f"{name}.log").read_text(errors="replace").splitlines()
        return {"calls": [], "replaced": [], "settings": [], "failure": f"its process ended: {' / '.join(log[-3:])}"}


def _recorded(path: pathlib.Path, marks: int, count: int, measured: bool) -> Recording | None:
    try:
        found = recording.read(path, marks, count, measured)
    except (ValueError, OSError):
        return None
    return found if found.calls else None


def _calls(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
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


def _write_plan(plan: dict[str, Any], out: pathlib.Path, own: dict[str, Any]) -> dict[str, Any]:
    plan = {**plan, **own, "out": str(out)}
    write_json(out / "plan.json", plan)
    return plan


def _first_seed(cases: dict[str, Any]) -> int:
    return next(i for i, case in enumerate(cases["cases"]) if case["kind"] == "seed")


def _twice(case: int) -> dict[str, Any]:
    """A case, called twice: the first call loads and compiles."""
    return {"calls": [{"case": case, "reuse": False}] * 2, "poison": False}


def _digest(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
