"""The tools: each runs the program, and says in a few words what it found."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, Field

from .. import _core
from . import words
from .answers import Answer, Reports
from .root import Root
from .runs import Ended, Limits, run

Progress = Callable[[float], Awaitable[None]]


class Kernel(BaseModel):
    """A kernel and its launch: a launch file alone, or a source file with the launch beside it."""

    file: str = Field(description="a launch file (.json), or CUDA C++ or PTX (.cu, .ptx, .cubin), under the server's root")
    kernel: str = Field(default="", description="the kernel's name; of a launch file, only its launches")
    grid: str = Field(default="", description='blocks: "4096" or "64,64,1"', pattern=r"^(\d+(,\d+){0,2})?$")
    block: str = Field(default="", description='threads of a block: "256" or "32,8"', pattern=r"^(\d+(,\d+){0,2})?$")
    args: list[str] = Field(default_factory=list, max_length=64,
                            description='in order: "i32=1000", "f32=2.5", "x=f32[1048576]:uniform", "y=f32[1048576]:zeros"')
    shared_bytes: int = Field(default=0, ge=0, description="dynamic shared memory of a block")

    def flags(self, root: Root) -> list[str]:
        is_launch_file = self.file.endswith(".json")
        path = root.launch_file(self.file) if is_launch_file else root.file(self.file)
        out = ["kernel", str(path)]
        if self.kernel:
            out.append(f"--kernel={self.kernel}")
        if is_launch_file:
            return out
        for name, value in (("grid", self.grid), ("block", self.block)):
            if not value:
                raise ValueError(f"{self.file} needs `{name}`: only a launch file describes its own launches")
            out.append(f"--{name}={value}")
        for argument in self.args:
            _refuse_files(argument, root)
            out.append(f"--arg={argument}")
        return [*out, f"--shared={self.shared_bytes}"] if self.shared_bytes else out


def _refuse_files(argument: str, root: Root) -> None:
    """Buffers that are read from files must lie under the root, as everything else."""
    value = argument.partition("=")[2]
    if value.startswith("@") or ".npy" in value:
        root.file(value.lstrip("@").split(":", 1)[0])


@dataclass
class Tools:
    root: Root
    limits: Limits = field(default_factory=Limits)
    reports: Reports = field(default_factory=Reports)

    async def _run(self, arguments: list[str], timeout_s: float | None, progress: Progress) -> Ended:
        time_s = min(timeout_s or self.limits.time_s, self.limits.time_s)
        return await run(arguments, Limits(time_s, self.limits.memory_bytes), str(self.root.folder), progress)

    def _failed(self, ended: Ended) -> Answer:
        lines = [line for line in ended.errors.splitlines() if line.strip()]
        return Answer(ok=False, verdict=lines[0] if lines else f"the run ended with exit code {ended.exit_code}", details=lines[1:8],
                      not_known=["nothing was measured, since the run failed"], next_step="Fix the error and call the tool again.")

    async def check(self, kernel: Kernel, timeout_s: float | None, progress: Progress) -> Answer:
        ended = await self._run([*kernel.flags(self.root), "--emulate", "--check", "all", "--json"], timeout_s, progress)
        data = ended.json()
        if data is None:
            return self._failed(ended)
        launches = data["launches"]
        defects = [words.defect_line(r) for launch in launches for r in launch["reports"]]
        wrong = [f"wrong result in {c['buffer']}: {c}" for c in data["comparisons"] if not c["ok"]]
        dropped = sum(launch["reports_dropped"] for launch in launches)
        not_known = ["only these inputs and sizes were run: a defect of other sizes is not seen"]
        if not data["comparisons"]:
            not_known.append("results were not compared with anything: add `expect` to a launch file, or use `compare`")
        if dropped:
            not_known.append(f"{dropped} more reports were dropped")
        if ended.exit_code != 0 and not defects and not wrong:
            failed = self._failed(ended)
            return failed.model_copy(update={"resource": self.reports.keep(data)})
        checked = f"{len(launches)} launch{'es' if len(launches) != 1 else ''} checked for memory errors, races, unwritten reads and barriers"
        verdict = f"{len(defects)} defects and {len(wrong)} wrong results; {checked}" if defects or wrong else f"no defect seen; {checked}"
        return Answer(ok=not defects and not wrong, verdict=verdict, details=wrong + defects, not_known=not_known,
                      next_step="Fix the first defect, then check again." if defects or wrong else "Call `profile` to see what bounds it.",
                      resource=self.reports.keep(data))

    async def profile(self, kernel: Kernel, device: str, timeout_s: float | None, progress: Progress) -> Answer:
        ended = await self._run([*kernel.flags(self.root), "--emulate", "--device", device, "--json"], timeout_s, progress)
        data = ended.json()
        if data is None or ended.exit_code != 0:
            return self._failed(ended)
        details = [line for launch in data["launches"] for line in words.launch_lines(launch)]
        findings = [f for launch in data["launches"] for f in launch.get("findings", [])]
        unknown = sorted({line for launch in data["launches"] for line in words.unknown_of(launch)})
        unknown.append("defects were not looked for: `check` does that")
        best = max(findings, key=lambda f: f.get("saving_fraction") or 0, default=None)
        return Answer(ok=True, verdict=details[0] if details else "nothing was launched", details=details[1:], not_known=unknown,
                      next_step=f"{best['advice'][0].upper()}{best['advice'][1:]}, then `compare` with this version." if best else
                      "No rule fits. Reduce the work of the unit that limits it, then `compare`.", resource=self.reports.keep(data))

    async def compare(self, base: Kernel, new: Kernel, outputs: list[str], device: str, timeout_s: float | None, progress: Progress) -> Answer:
        with tempfile.TemporaryDirectory(prefix="warplens-mcp-") as folder:
            held = {name: os.path.join(folder, f"{index}.npy") for index, name in enumerate(outputs)}
            save = [f"--save={name}={path}" for name, path in held.items()]
            before = await self._run([*base.flags(self.root), "--emulate", "--device", device, "--json", *save], timeout_s, progress)
            old = before.json()
            if old is None or before.exit_code != 0:
                return self._failed(before).model_copy(update={"next_step": "The base version fails: fix it first."})
            expect = [f"--expect={name}={path}" for name, path in held.items()]
            after = await self._run([*new.flags(self.root), "--emulate", "--device", device, "--json", *expect], timeout_s, progress)
        data = after.json()
        if data is None or (after.exit_code != 0 and all(c["ok"] for c in data["comparisons"])):
            return self._failed(after)
        return self._compared(old, data, bool(outputs))

    def _compared(self, old: words.Data, new: words.Data, has_outputs: bool) -> Answer:
        def total(data: words.Data) -> float | None:
            """None where a launch has no time."""
            times = [launch.get("time") for launch in data["launches"]]
            return sum(float(time["estimate_ns"]) for time in times) if times and all(times) else None

        base_ns, new_ns = total(old), total(new)
        resource = self.reports.keep({"base": old, "new": new})
        not_known = ["times are a model's, not a GPU's: a difference of a few percent says nothing"]
        if not has_outputs:
            not_known.append("results were not compared: name the buffers that must be equal in `outputs`")
        wrong = [str(c) for c in new["comparisons"] if not c["ok"]]
        if wrong:
            return Answer(ok=False, verdict="the new version computes other results", details=wrong,
                          not_known=not_known, next_step="Fix the results before you look at the time.", resource=resource)
        same = "results equal within 1e-5; " if has_outputs else ""
        if not base_ns or new_ns is None:
            return Answer(ok=False, verdict=f"{same}no time can be compared: a version has launches without a modelled time", details=[],
                          not_known=not_known, next_step="Call `profile` on both versions.", resource=resource)
        change = (new_ns - base_ns) / base_ns
        word = "faster" if change < 0 else "slower"
        details = [line for a, b in zip(old["launches"], new["launches"]) for line in words.changed_counters(a, b)]
        details += [line for launch in new["launches"] for line in words.launch_lines(launch)]
        return Answer(ok=change <= 0, verdict=f"{same}{abs(100 * change):.0f} % {word}: about {_core.format_ns(base_ns)} before, "
                      f"{_core.format_ns(new_ns)} now, by a model", details=details, not_known=not_known,
                      next_step="Call `check` on the new version." if change <= 0 else "Go back to the base version.", resource=resource)

    async def findings(self, profile: str, timeout_s: float | None, progress: Progress) -> Answer:
        path = self.root.file(profile)
        ended = await self._run(["findings", str(path), "--json"], timeout_s, progress)
        data = ended.json()
        if data is None:
            return self._failed(ended)
        found = data["findings"]
        verdict = f"{len(found)} findings" if found else "no rule found a problem"
        if data.get("step_ns"):
            verdict += f"; a step takes {_core.format_ns(data['step_ns'])} without the profiler"
        not_known = words.doubts(data)
        if not found:
            not_known.append("a rule that needs data which the recording lacks was silent: `warplens doctor FILE` lists what it lacks")
        return Answer(ok=not any(f["severity"] == "critical" for f in found), verdict=verdict, details=[words.finding_line(f) for f in found],
                      not_known=not_known, next_step=found[0]["advice"] if found else "Look at single kernels with `profile`.",
                      resource=self.reports.keep(data))

    async def query(self, profile: str, sql: str, timeout_s: float | None, progress: Progress) -> Answer:
        path = self.root.file(profile)
        ended = await self._run(["query", str(path), sql, "--json"], timeout_s, progress)
        data = ended.json()
        if data is None or ended.exit_code != 0:
            return self._failed(ended)
        rows: list[Any] = data.get("rows", [])
        return Answer(ok=True, verdict=f"{len(rows)} rows", details=[str(row) for row in rows[:40]],
                      not_known=words.doubts(data), next_step="", resource=self.reports.keep(data))

    async def explain(self, finding: str, progress: Progress) -> Answer:
        for verb in ("kernel", "findings"):
            ended = await self._run([verb, f"--explain={finding}"], None, progress)
            if ended.exit_code == 0:
                return Answer(ok=True, verdict=finding, details=[" ".join(ended.output.split())], resource=self.reports.keep({"text": ended.output}))
        return self._failed(ended)

