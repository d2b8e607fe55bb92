"""Folders for a blind trial: prepare.py OUT writes OUT/with/TASK and OUT/without/TASK. Each holds the task's text, a reference and a slow kernel.

    prepare.py OUT           the first trial's tasks
    prepare.py OUT --second  those of the second
    prepare.py OUT --third   those of the third
    prepare.py OUT --check   lets `warplens judge` say whether each slow kernel is right

An agent sees one folder and nothing else. Those in `with` may use warplens, those in `without` a compiler and check.py alone.
"""
from __future__ import annotations

import argparse
import pathlib
import subprocess

import second_tasks
import tasks
import third_tasks
from tasks import Task

TEXT = """Make the kernel in {file} faster on an {device}. It computes what `reference_impl` in challenge.py does, for {types}.
{note}
- Keep the signature of `solve`. You may change everything else: blocks, memory, number of kernels, algorithm.
- {precision}: no lower precision, no library, no caching between calls.
- The time counts at the size of `generate_performance_test`.
- There is no GPU here. {tools}
- You have ten attempts. Save attempt N as attempt_N{suffix}; the last one counts, unless ../last/{name}{suffix} is a copy of a better one.
"""
CTYPES = {"float32": "c_float", "int32": "c_int", "float16": "c_uint16", "bfloat16": "c_uint16", "int8": "c_byte"}
CHECK = "`python check.py attempt_1{suffix}` compiles an attempt, runs it in an emulator at a small size, and compares its results with the reference's."
WARPLENS = " warplens is installed too: begin with `warplens agent-guide`. `warplens judge challenge.py attempt_1{suffix}` also gives a modelled time."


def pointer(task: Task, name: str) -> str:
    return f"ctypes.POINTER(ctypes.{CTYPES[task.type_of(name)]})"


def task_text(task: Task, tools: str, device: str) -> str:
    suffix = ".py" if task.is_triton else ".cu"
    kinds = {name: task.type_of(name) for name in [*task.inputs, "y"]}
    is_float = set(kinds.values()) == {"float32"}
    types = "float32" if is_float else ", ".join(f"{name} in {kind}" for name, kind in kinds.items())
    precision = "Results must stay right in float32" if is_float else "Types of inputs and results stay, and sums have float32 or more (integers are exact)"
    return TEXT.format(file=f"naive{suffix}", device=device, tools=tools.format(suffix=suffix), suffix=suffix, types=types, precision=precision, name=task.name,
                       note=task.note + "\n" if task.note else "")


def challenge(task: Task) -> str:
    """The problem in LeetGPU's layout."""
    names = [*task.inputs, "y", *task.sizes]
    makes = "\n".join(f"        {name} = {text}" for name, text in task.sizes.items())
    arrays = "\n".join(f"        {name} = (lambda n: {text})({task.count(name)})" for name, text in task.inputs.items())
    prelude = f"\n\n{task.prelude}" if task.prelude else ""
    pointers = "".join(f'"{name}": ({pointer(task, name)}, "in"), ' for name in task.inputs) + f'"y": ({pointer(task, "y")}, "out"), '
    numbers = ", ".join(f'"{name}": (ctypes.c_int, "in")' for name in task.sizes)
    return f'''import ctypes

import torch
from core.challenge_base import ChallengeBase
{prelude}

class Challenge(ChallengeBase):
    def __init__(self):
        super().__init__(name="{task.name}", atol={task.tolerance}, rtol={task.tolerance}, num_gpus=1, access_tier="free")

    def reference_impl(self, {", ".join(names)}):
        y.copy_({task.reference})

    def get_solve_signature(self):
        return {{{pointers}{numbers}}}

    def _test(self, k):
{makes}
{arrays}
        y = torch.zeros({task.output}, device="cuda", dtype=torch.{task.type_of("y")})
        return {{{", ".join(f'"{name}": {name}' for name in names)}}}

    def generate_example_test(self):
        return self._test({task.small[0]})

    def generate_functional_test(self):
        return [{", ".join(f"self._test({k})" for k in task.small)}]

    def generate_performance_test(self):
        return self._test({task.full})
'''


def write(out: pathlib.Path, task: Task, device: str = "H200") -> None:
    suffix = ".py" if task.is_triton else ".cu"
    for kind, tools in (("with", CHECK + WARPLENS), ("without", CHECK)):
        folder = out / kind / task.name
        folder.mkdir(parents=True)
        (folder.parent / "last").mkdir(exist_ok=True)
        (folder / "TASK.md").write_text(task_text(task, tools, device))
        (folder / "challenge.py").write_text(challenge(task))
        (folder / f"naive{suffix}").write_text(task.source)
        (folder / "check.py").write_text((pathlib.Path(__file__).parent / "check.py").read_text())


def judged(folder: pathlib.Path) -> bool:
    """Is the slow kernel accepted? Prints what was said."""
    done = subprocess.run(["warplens", "judge", "challenge.py", next(folder.glob("naive.*")).name], cwd=folder, capture_output=True, text=True)
    print(f"{folder.name}: {(done.stdout or done.stderr).strip()}", flush=True)
    return done.returncode == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path, metavar="OUT", help="a folder that is not there yet")
    parser.add_argument("--second", action="store_true", help="the ten tasks of the second trial")
    parser.add_argument("--third", action="store_true", help="the eight tasks of the third trial")
    parser.add_argument("--check", action="store_true", help="judge the slow kernels")
    options = parser.parse_args()
    if options.out.exists():
        parser.error(f"{options.out} is there already")
    chosen = third_tasks.TASKS if options.third else second_tasks.TASKS if options.second else tasks.TASKS
    for task in chosen:
        write(options.out, task, "H100" if options.third else "H200")
    print(f"{len(chosen)} tasks, with and without warplens, in {options.out}")
    if options.check and not all([judged(options.out / "with" / task.name) for task in chosen]):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
