"""One judgement: the truth, the candidate and the reference run in separate processes, side by side. This one hands out
the inputs, takes the results, and gives the verdict.
"""

from __future__ import annotations

import hashlib
import itertools
import pathlib
import secrets
import socket
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .._command import program
from . import adapters, evidence, plans, recording, targets, verdict
from .answers import Answers, Worker
from .exchange import Sealed
from .processes import Process, end_strays, module_words
from .recording import Recording

_LEAST_MARK = 1 << 16
_SEEDS = 1 << 30  # what was computed for an earlier judgement is of no use in the next


@dataclass(frozen=True)
class Options:
    device: str = "h200"
    seeds: int = 3
    seed: int | None = None  # the first; None: another one each time
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
    plan: dict[str, Any]
    answers: Answers
    recorded: Recording | None
    reference: Recording | None


class _Problem:
    """The reference: its truth and its own recording, which all candidates share."""

    def __init__(self, layout: str, reference: pathlib.Path, options: Options, folder: pathlib.Path) -> None:
        self.layout, self.reference, self.options, self.folder = layout, reference, options, folder
        # A candidate gets the seed of the weights, which both modules start from, and never that of the inputs.
        seed, weights_seed = (options.seed or secrets.randbelow(_SEEDS) for _ in range(2))
        self.plan: dict[str, Any] = {
            "layout": layout, "reference": str(reference), "seed": seed, "weights_seed": weights_seed, "seeds": options.seeds, "is_timed": False,
            "max_elements": options.max_elements, "spec": options.spec, "marks": _LEAST_MARK + secrets.randbelow(_LEAST_MARK)}
        self.timed_plan = {**self.plan, "is_timed": True, "max_elements": max(options.timed_elements, options.max_elements)}
        self.started: list[Process] = []
        # Of each: inputs and true results; plan and cases. No candidate can open them.
        self.sealed = {name: [tempfile.TemporaryFile(dir=folder) for _ in range(2)] for name in ("truth", "timed")}
        self.truth_process = self._begin_truth({"truth": self.plan, "timed": self.timed_plan})
        # A process takes seconds to load PyTorch, so one is ready for the size that is first asked for.
        self.ready: Worker | None = self.worker(folder / "reference", self.record, "torch")
        self.own: dict[str, Worker] = {}  # by size
        self.cases: dict[str, Any] | None = None
        self.timed_cases: dict[str, Any] | None = None

    def _begin_truth(self, plans: dict[str, dict[str, Any]]) -> Process:
        """One process for both sizes, because it takes longer to load PyTorch than to run most references."""
        for name, plan in plans.items():
            sealed, told = (file.fileno() for file in self.sealed[name])
            plan.update(folder=str(self.folder / name), sealed=sealed)
            (self.folder / name).mkdir()
            Sealed(told).tell(plan)
        self.written, theirs = socket.socketpair()  # a byte for each size whose cases are complete
        self.sizes_written = 0
        descriptors = [file.fileno() for files in self.sealed.values() for file in files]
        with theirs:
            words = module_words("truth", str(theirs.fileno()), *(str(self.sealed[name][1].fileno()) for name in plans))
            process = Process("truth", words, self.folder, descriptors=(*descriptors, theirs.fileno()))
        self.started.append(process)
        return process

    def _wait_for_cases(self, size: int, until: float) -> bool:
        """False if the time ran out before the process of the truth had written this size, or ended."""
        while self.sizes_written <= size:
            self.written.settimeout(max(0.1, until - time.monotonic()))
            try:
                got = self.written.recv(1)
            except TimeoutError:
                return False
            if not got:
                break
            self.sizes_written += 1
        return True

    def _take_cases(self, name: str) -> dict[str, Any] | None:
        """The cases of a process of the reference that has ended; None if it failed, perhaps before it took its plan."""
        told: dict[str, Any] | None = Sealed(self.sealed[name][1].fileno()).take()
        return told if told and "cases" in told else None

    def record(self, out: pathlib.Path) -> list[str]:
        emulated = [] if self.options.gpu else ["--emulate", "--device", self.options.device]
        return [program(), "record", *emulated, "--quiet", "-f", "-o", str(out / "run.wlens")]

    def worker(self, out: pathlib.Path, wrapper: Callable[[pathlib.Path], list[str]], caller: str, own: pathlib.Path | None = None,
               variables: dict[str, str] | None = None) -> Worker:
        """A process that waits for its calls. `out` gets what the wrapper writes; temporary files and caches go into `own`."""
        out.mkdir()
        own = own or out / "own"
        own.mkdir(exist_ok=True)
        ours, theirs = socket.socketpair()
        with theirs:
            words = [*wrapper(out), "--", *module_words("worker", str(theirs.fileno()), caller, str(own))]
            environment = {"TORCH_CUDA_ARCH_LIST": targets.torch_list(self.options.device), "TMPDIR": str(out), **(variables or {})}
            process = Process(out.name, words, out, environment, descriptors=(theirs.fileno(),))
        self.started.append(process)
        return Worker(process, ours)

    def truth(self, until: float) -> dict[str, Any]:
        """The cases, once they are complete."""
        if self.cases is not None:
            return self.cases
        if not self._wait_for_cases(0, until):
            raise Failed(f"{self.reference.name}: the reference ran longer than {self.options.timeout_s:g} s on the CPU. Lower --max-elements or raise --timeout.")
        cases: dict[str, Any] | None = self._take_cases("truth")
        if cases is None:
            said = self.truth_process.last_lines(1)
            raise Failed(said.removeprefix(adapters.UNFIT) if said.startswith(adapters.UNFIT) else f"{self.reference.name} does not run on the CPU: {said}")
        self.cases = cases
        self.plan.update(cases=cases["cases"], options=cases["options"])
        return cases

    def timed(self, until: float) -> dict[str, Any] | str | None:
        """The timed case, or why there is none; None if its size is the judged one. The first call also starts the reference at that size."""
        if not self._wait_for_cases(1, until):
            return "the reference ran too long on the CPU at the timed size"
        self.timed_cases = timed = self.timed_cases or self._take_cases("timed")
        if timed is None:
            return f"the reference does not run on the CPU at the timed size ({self.truth_process.last_lines(1)})"
        if self.cases is None or timed["shapes"] == self.cases["shapes"]:
            self._begin_reference("truth", until)
            return None
        self.timed_plan.update(cases=timed["cases"], options=timed["options"])
        self._begin_reference("timed", until)
        return timed

    def _begin_reference(self, size: str, until: float) -> None:
        if size in self.own:
            return
        worker = self.ready or self.worker(self.folder / f"{size}_reference", self.record, "torch")
        self.ready, self.own[size] = None, worker
        plan, calls = (self.timed_plan, plans.warmed(1, 0)) if size == "timed" else (self.plan, plans.warmed(*plans.seeds(self.plan["cases"])[1::-1]))
        worker.go({**plan, **plans.role_of_reference()}, calls, until)

    def _reference_recording(self, size: str, until: float) -> Recording | None:
        worker = self.own.get(size)
        if worker is None or not worker.wait(until):
            return None
        return _recorded(worker.process.log.parent / "run.wlens", self.plan["marks"], 2, self.options.gpu)

    def timed_recording(self, until: float) -> Recording | None:
        return self._reference_recording("timed", until)

    def recording(self, until: float) -> Recording | None:
        """At the judged size, unless there is one at the timed size."""
        timed = self.timed_recording(until)
        if timed is not None:
            return timed
        self._begin_reference("truth", until)
        return self._reference_recording("truth", until)

    def end_strays(self) -> None:
        end_strays({process.process.pid for process in self.started})

    def end(self) -> None:
        for process in self.started:
            process.end()
        self.end_strays()
        self.written.close()
        for file in itertools.chain(*self.sealed.values()):
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
        self.why = ""  # what was not seen, and must be for a verdict
        self.answers, self.checked = Answers(), Answers()
        self.ready: Worker | None = None  # for the timed calls

    def verdict(self) -> dict[str, Any]:
        self.before = {path: _digest(path) for path in self._guarded()}
        run = {"calls": self._worker("calls", self.problem.record), "checks": self._worker("checks", self._check, {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"})}
        compiled = self._compile() if self.candidate.suffix == ".cu" else ""
        cases = self.problem.truth(self.until)
        if compiled:
            self.found.wrong.append(f"it does not compile: {compiled}")
        else:
            self._run(run, cases)
        for worker in run.values():
            worker.end()
        self.problem.end_strays()
        for path, digest in self.before.items():
            if _digest(path) != digest:
                self.found.add("patched-module", f"{path.name} was changed while the candidate ran")
        made = self._conclude(cases)
        if self.ready is not None:
            self.ready.end()
        return made

    def _worker(self, name: str, wrapper: Callable[[pathlib.Path], list[str]], variables: dict[str, str] | None = None) -> Worker:
        return self.problem.worker(self.folder / name, wrapper, self.caller, self.folder / "own", variables)

    def _check(self, out: pathlib.Path) -> list[str]:
        return [program(), "emulate", "--device", self.options.device, "--check=memory,race,init,sync", "--json", "-f", "-o", str(out / "checks.json")]

    def _guarded(self) -> list[pathlib.Path]:
        return [self.reference, self.candidate, *sorted(pathlib.Path(__file__).parent.glob("**/*.py"))]

    def _compile(self) -> str:
        """The compiler's errors; "" if it compiled."""
        target = targets.nvcc_flag(self.options.device)
        words = [program(), "nvcc", "-O3", "-shared", "-Xcompiler", "-fPIC", "-lineinfo", target, "-o", self.library, str(self.candidate)]
        compiler = Process("compiler", words, self.folder)
        self.problem.started.append(compiler)
        ended = compiler.wait(self.until)
        if compiler.last_lines(1).startswith("warplens nvcc:"):
            raise Failed(compiler.last_lines(1))
        return "" if ended and compiler.process.returncode == 0 else compiler.last_lines(4) or "the compiler ran out of time"

    def _run(self, run: dict[str, Worker], cases: dict[str, Any]) -> None:
        self.found.notes += cases["notes"]
        shapes = [{"case": i, "reuse": False} for i, case in enumerate(cases["cases"]) if case["kind"] == "shape"]
        self.plan = {**self.problem.plan, **self._role(), "calls": plans.calls(cases["cases"])}
        self.checks = [{"case": plans.seeds(cases["cases"])[0], "reuse": False}, *shapes]
        run["calls"].go(self.plan, self.plan["calls"], self.until)
        run["checks"].go({**self.plan, "poison": False, "marks": 0}, self.checks, self.until)
        if cases["whole_elements"] > cases["elements"]:  # there will be timed calls: load PyTorch meanwhile
            self.ready = self._worker("timed", self.problem.record)
        for name, worker in run.items():
            if not worker.wait(self.until):
                self.found.notes.append(f"the process `{name}` was ended after {self.options.timeout_s:g} s")
                worker.end()
        self.answers, self.checked = run["calls"].answers, run["checks"].answers

    def _role(self) -> dict[str, Any]:
        return {"candidate": str(self.candidate), "library": self.library, "role": "candidate", "poison": True}

    def _timed(self) -> Timed | None:
        """Two calls at the timed size; None if that is the judged size, or if they could not be made."""
        until = min(self.until, time.monotonic() + self.options.timed_s)
        timed = self.problem.timed(until)
        if not isinstance(timed, dict):
            if timed:
                self._untimed(timed)
            return None
        worker = self.ready or self._worker("timed", self.problem.record)
        plan = {**self.problem.timed_plan, **self._role(), "calls": plans.warmed(1, 0)}
        worker.go(plan, plan["calls"], until)
        ended = worker.wait(until)
        worker.end()
        self.problem.end_strays()
        if not ended:
            self._untimed(f"calls of the candidate with the timed inputs ({timed['shapes']}) ran too long")
            return None
        seen = evidence.seen_calls(plan, worker.answers, timed["elements"])
        recorded = _recorded(self.folder / "timed" / "run.wlens", self.problem.plan["marks"], len(worker.answers.calls), self.options.gpu)
        return Timed(timed, seen, plan, worker.answers, recorded, self.problem.timed_recording(until))

    def _untimed(self, why: str) -> None:
        limit = min(self.options.timed_s, self.options.timeout_s)
        self.found.notes.append(f"{why} (limit {limit:g} s): time and counters are for the smaller, judged size. "
                                "The limit that they show may hold only at the small size. Give --timed-elements and a larger --timeout")

    def _write_counters(self, timed: Timed | None, cases: dict[str, Any]) -> None:
        """Counters of one call, at the timed size."""
        plan = self.problem.timed_plan if timed else self.problem.plan
        case = 0 if timed else plans.seeds(cases["cases"])[0]
        worker = self._worker("counters", lambda out: [program(), "counters", "--emulate", "--device", self.options.device, "-f", "-o", str(self.options.counters)])
        worker.go({**plan, **self._role(), "poison": False, "marks": 0}, [{"case": case, "reuse": False}], self.until)
        if not worker.wait(self.until) or worker.process.process.returncode:
            self.found.notes.append(f"no counters were written: {worker.process.last_lines(1) or 'the time limit came first'}")
        worker.end()

    def _conclude(self, cases: dict[str, Any]) -> dict[str, Any]:
        recorded, reference, seen, timed = None, None, [], None
        if not self.found.wrong:
            count = len(self.plan["calls"])
            self._judge_ends()
            seen = evidence.seen_calls(self.plan, self.answers, cases["elements"])
            timed = self._timed() if len(seen) == count and not any(call.is_refused for call in seen) else None
            evidence.judge_results(self.found, seen + (timed.seen if timed else []))
            for plan, answers in [(self.plan, self.answers), *([(timed.plan, timed.answers)] if timed else [])]:
                evidence.judge_inputs(self.found, plan, answers)
                evidence.judge_process(self.found, answers)
            recorded = _recorded(self.folder / "calls" / "run.wlens", self.plan["marks"], len(self.answers.calls), self.options.gpu)
            reference = self.problem.recording(self.until)
            self._judge_recordings(recorded, reference, timed, seen)
            if self.options.counters is not None:
                self._write_counters(timed, cases)
            self._judge_checks(recorded, cases)
        return verdict.made(self, cases, recorded, reference, timed, seen, time.monotonic() - self.began)

    def _judge_ends(self) -> None:
        """Workers that could not begin, or left."""
        for name, answers in (("calls", self.answers), ("checks", self.checked)):
            if not answers.confined and answers.calls:
                note = "this kernel of Linux has no Landlock: the candidate could write outside its folder"
                self.found.notes += [note] if note not in self.found.notes else []
            if answers.is_broken and not answers.is_late:
                log = " / ".join((self.folder / name / f"{name}.log").read_text(errors="replace").splitlines()[-3:])
                if not answers.calls:
                    self.found.wrong.append(f"the candidate cannot be loaded: its process ended: {log}")
                elif answers.exit_code == 0:
                    self.found.add("tampering", f"the process `{name}` left after {len(answers.calls)} calls ({answers.failure})")
                else:
                    self.found.wrong.append(f"the process `{name}` ended after {len(answers.calls)} calls with exit code {answers.exit_code}: {log}")
                return
            elif answers.failure:
                self.found.wrong.append(f"the candidate cannot be loaded: {answers.failure}")
                return

    def _judge_recordings(self, recorded: Recording | None, reference: Recording | None, timed: Timed | None, seen: list[evidence.Seen]) -> None:
        """A call that ended is in the recording, with the work of the judge around it."""
        if recorded is not None:
            evidence.judge_protocol(self.found, recorded, self.plan, self.answers)
            evidence.judge_work(self.found, recorded, reference, self.plan, seen)
        if timed is not None and timed.recorded is not None:
            evidence.judge_protocol(self.found, timed.recorded, timed.plan, timed.answers)
            evidence.judge_work(self.found, timed.recorded, timed.reference, timed.plan, timed.seen)
        for found, answers in ((recorded, self.answers), *([(timed.recorded, timed.answers)] if timed else [])):
            if found is not None or answers.is_late or not answers.calls:
                continue
            if reference is None:
                self.why = "neither the candidate's recording nor the reference's could be read: streams, libraries and times are not judged"
            else:
                self.found.add("tampering", "the recording of the candidate's process is missing or damaged, although the reference's recording is whole")

    def _judge_checks(self, recorded: Recording | None, cases: dict[str, Any]) -> None:
        """The run with the checks: its results must be right too, and it must have run the same kernels."""
        plan = {**self.plan, "calls": self.checks}
        for call in evidence.seen_calls(plan, self.checked, cases["elements"]):
            if call.is_refused and not self.found.wrong and not self.found.kinds:
                self.found.add("tampering", f"{call.case['name']}: right in one process and wrong in the process that runs the checks: {call.text}")
        names = {event.name for call in recorded.calls for event in call.kernels if not event.is_library} if recorded else set()
        unseen = evidence.judge_checks(self.found, self.folder / "checks" / "checks.json", names, self.checked)
        self.why = self.why or unseen


def _recorded(path: pathlib.Path, marks: int, count: int, measured: bool) -> Recording | None:
    try:
        return recording.read(path, marks, count, measured) if count else None
    except (ValueError, OSError):
        return None


def _digest(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
