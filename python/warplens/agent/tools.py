"""The tools: each runs the program, and summarises its result."""

from __future__ import annotations

import json
import os
import pathlib
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, Field, model_validator

from .. import _core
from .answers import Answer, Reports
from .root import Root
from .runs import Limits, Place, run

Data = dict[str, Any]
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

    @model_validator(mode="before")
    @classmethod
    def _is_object(cls, value: object) -> object:
        if not isinstance(value, dict):
            raise ValueError('a kernel is an object: {"file": "k.cu", "kernel": "scale", "grid": "4096", "block": "256", "args": ["x=f32[1048576]:uniform"]}')
        return value

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
            root.array(argument)
            out.append(f"--arg={argument}")
        return [*out, f"--shared={self.shared_bytes}"] if self.shared_bytes else out


@dataclass
class Tools:
    root: Root
    limits: Limits = field(default_factory=Limits)
    reports: Reports = field(default_factory=Reports)
    scratch: tempfile.TemporaryDirectory[str] = field(default_factory=lambda: tempfile.TemporaryDirectory(prefix="warplens-mcp-"))

    async def _run(self, arguments: list[str], timeout_s: float | None, progress: Progress) -> tuple[Answer, Data]:
        """The verb's brief answer and its whole report, which is empty if the verb wrote none."""
        time_s = min(timeout_s or self.limits.time_s, self.limits.time_s)
        with tempfile.TemporaryDirectory(dir=self.scratch.name) as folder:
            path = pathlib.Path(folder) / "report.json"
            ended = await run([*arguments, "--brief", f"--output={path}"], Limits(time_s, self.limits.memory_bytes),
                              Place(str(self.root.folder), self.scratch.name), progress)
            text = path.read_text() if path.exists() else ""
        brief = ended.json()
        if brief is None:  # it ended before it could say why
            lines = [line for line in ended.errors.splitlines() if line.strip()]
            return Answer(ok=False, verdict=lines[0] if lines else f"the run ended with exit code {ended.exit_code}", details=lines[1:8],
                          not_known=["nothing was measured, because the run failed"], next_step="Fix the error and call the tool again."), {}
        whole: Data = json.loads(text) if text.startswith("{") else {"text": text} if text else {}
        return Answer.model_validate({**brief, "resource": self.reports.keep(whole) if whole else ""}), whole

    async def check(self, kernel: Kernel, timeout_s: float | None, progress: Progress) -> Answer:
        return (await self._run([*kernel.flags(self.root), "--emulate", "--check=all"], timeout_s, progress))[0]

    async def profile(self, kernel: Kernel, device: str, timeout_s: float | None, progress: Progress) -> Answer:
        return (await self._run([*kernel.flags(self.root), "--emulate", "--device", device], timeout_s, progress))[0]

    async def try_changes(self, kernel: Kernel, device: str, timeout_s: float | None, progress: Progress) -> Answer:
        return (await self._run([*kernel.flags(self.root), "--emulate", "--try", "--device", device], timeout_s, progress))[0]

    async def compare(self, base: Kernel, new: Kernel, outputs: list[str], device: str, timeout_s: float | None, progress: Progress) -> Answer:
        with tempfile.TemporaryDirectory(dir=self.scratch.name) as folder:
            held = {name: os.path.join(folder, f"{index}.npy") for index, name in enumerate(outputs)}
            counters = os.path.join(folder, "counters.json")
            save = [f"--save={name}={path}" for name, path in held.items()] + [f"--save={counters}"]
            before, old = await self._run([*base.flags(self.root), "--emulate", "--device", device, *save], timeout_s, progress)
            if not before.ok:
                return before.model_copy(update={"next_step": "The base version fails: fix it first."})
            expect = [f"--expect={name}={path}" for name, path in held.items()]
            against = [f"--baseline={counters}"]
            if len(old["launches"]) == 1:  # the new version's kernel may have another name
                against.append(f"--as={old['launches'][0]['kernel']}")
            after, data = await self._run([*new.flags(self.root), "--emulate", "--device", device, *expect, *against], timeout_s, progress)
        wrong = [c for c in data.get("comparisons", []) if not c["ok"]]
        has_ended_early = any(launch.get("fault") for launch in data.get("launches", []))
        have_other_names = data.get("baseline", {}).get("matched") == 0 and not has_ended_early  # no fault: times compare, counters do not
        if not after.ok and not wrong and not have_other_names:
            return after
        return self._compared(old, data, after, bool(wrong), bool(outputs))

    def _compared(self, old: Data, new: Data, after: Answer, is_wrong: bool, has_outputs: bool) -> Answer:
        def total(data: Data) -> float | None:
            """None if a launch has no time."""
            times = [launch.get("time") for launch in data["launches"]]
            return sum(float(time["estimate_ns"]) for time in times) if times and all(times) else None

        base_ns, new_ns = total(old), total(new)
        resource = self.reports.keep({"base": old, "new": new})
        not_known = ["times come from a model, not from a GPU: a difference of a few percent says nothing"]
        if new.get("baseline", {}).get("matched") == 0:
            not_known.append(f"counters were not compared: {new['baseline']['other'][0]}")
        if not has_outputs:
            not_known.append("results were not compared: name the buffers that must be equal in `outputs`")
        if is_wrong:
            return Answer(ok=False, verdict="the new version computes other results", details=after.details,
                          not_known=not_known, next_step="Fix the results before you look at the time.", resource=resource)
        same = "results equal within 1e-5; " if has_outputs else ""
        if not base_ns or new_ns is None:
            return Answer(ok=False, verdict=f"{same}no time can be compared: a version has launches without a modelled time", details=[],
                          not_known=not_known, next_step="Call `profile` on both versions.", resource=resource)
        change = (new_ns - base_ns) / base_ns
        word = "faster" if change < 0 else "slower"
        return Answer(ok=change <= 0, verdict=f"{same}{abs(100 * change):.0f} % {word}: about {_core.format_ns(base_ns)} before, "
                      f"{_core.format_ns(new_ns)} now, by a model", details=[after.verdict, *after.details], not_known=not_known,
                      next_step="Call `check` on the new version." if change <= 0 else "Go back to the base version.", resource=resource)

    async def findings(self, profile: str, timeout_s: float | None, progress: Progress) -> Answer:
        return (await self._run(["findings", str(self.root.file(profile))], timeout_s, progress))[0]

    async def query(self, profile: str, sql: str, timeout_s: float | None, progress: Progress) -> Answer:
        return (await self._run(["query", str(self.root.file(profile)), sql], timeout_s, progress))[0]

    async def explain(self, finding: str, timeout_s: float | None, progress: Progress) -> Answer:
        of_kernel, _ = await self._run(["kernel", f"--explain={finding}"], timeout_s, progress)
        return of_kernel if of_kernel.ok else (await self._run(["findings", f"--explain={finding}"], timeout_s, progress))[0]
