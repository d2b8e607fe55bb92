"""Folders for a blind trial: prepare.py OUT writes OUT/with/TASK and OUT/without/TASK. Each holds the task's text, a reference and a slow kernel.

    prepare.py OUT           the first trial's tasks
    prepare.py OUT --second  those of the second
    prepare.py OUT --check   lets `warplens judge` say whether each slow kernel is right

An agent sees one folder and nothing else. Those in `with` may use warplens, those in `without` a compiler and the reference alone.
"""
from __future__ import annotations

import argparse
import pathlib
import subprocess

import second_tasks
import tasks
from tasks import Task

TEXT = """Make the kernel in {file} faster on an {device}. It computes what `reference_impl` in challenge.py does, for float32.

- Keep the signature of `solve`. You may change everything else: blocks, memory, number of kernels, algorithm.
- Results must stay right in float32: no lower precision, no library, no caching between calls.
- The time counts at the size of `generate_performance_test`.
- There is no GPU here. {tools}
- You have ten attempts. Save attempt N as attempt_N{suffix}; the last one counts.
"""
WITH = "warplens is installed: begin with `warplens agent-guide`. `warplens judge challenge.py attempt_1{suffix}` checks an attempt."
WITHOUT = "nvcc and `python check.py attempt_1{suffix}` are there: it compiles an attempt and compares its results with the reference's."


def challenge(task: Task) -> str:
    """The problem in LeetGPU's layout."""
    names = [*task.inputs, "y", *task.sizes]
    makes = "\n".join(f"        {name} = {text}" for name, text in task.sizes.items())
    arrays = "\n".join(f"        {name} = (lambda n: {text})({task.count(name)})" for name, text in task.inputs.items())
    prelude = f"\n\n{task.prelude}" if task.prelude else ""
    pointers = "".join(f'"{name}": (floats, "in"), ' for name in task.inputs) + '"y": (floats, "out"), '
    numbers = ", ".join(f'"{name}": (ctypes.c_int, "in")' for name in task.sizes)
    return f'''import ctypes

import torch
from core.challenge_base import ChallengeBase
{prelude}

class Challenge(ChallengeBase):
    def __init__(self):
        super().__init__(name="{task.name}", atol=1e-4, rtol=1e-4, num_gpus=1, access_tier="free")

    def reference_impl(self, {", ".join(names)}):
        y.copy_({task.reference})

    def get_solve_signature(self):
        floats = ctypes.POINTER(ctypes.c_float)
        return {{{pointers}{numbers}}}

    def _test(self, k):
{makes}
{arrays}
        y = torch.zeros({task.output}, device="cuda")
        return {{{", ".join(f'"{name}": {name}' for name in names)}}}

    def generate_example_test(self):
        return self._test(1)

    def generate_functional_test(self):
        return [self._test(1), self._test(2)]

    def generate_performance_test(self):
        return self._test({task.full})
'''


def write(out: pathlib.Path, task: Task, device: str = "H200") -> None:
    suffix = ".py" if task.is_triton else ".cu"
    for kind, tools in (("with", WITH), ("without", WITHOUT)):
        folder = out / kind / task.name
        folder.mkdir(parents=True)
        (folder / "TASK.md").write_text(TEXT.format(file=f"naive{suffix}", device=device, tools=tools.format(suffix=suffix), suffix=suffix))
        (folder / "challenge.py").write_text(challenge(task))
        (folder / f"naive{suffix}").write_text(task.source)
        if kind == "without":
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
    parser.add_argument("--check", action="store_true", help="judge the slow kernels")
    options = parser.parse_args()
    if options.out.exists():
        parser.error(f"{options.out} is there already")
    chosen = second_tasks.TASKS if options.second else tasks.TASKS
    for task in chosen:
        write(options.out, task)
    print(f"{len(chosen)} tasks, with and without warplens, in {options.out}")
    if options.check and not all([judged(options.out / "with" / task.name) for task in chosen]):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
