"""Folders for a blind trial: prepare.py OUT writes OUT/with/TASK and OUT/without/TASK. Each holds the task's text, a reference and a slow kernel.

An agent sees one folder and nothing else. Those in `with` may use warplens, those in `without` a compiler and the reference alone.
"""
from __future__ import annotations

import pathlib
import sys

from tasks import TASKS, Task

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
    count = "rows * columns" if "rows" in task.sizes else "n * n" if task.sizes["n"].startswith("32") else "n"
    arrays = "\n".join(f"        {name} = (lambda n: {text})({count})" for name, text in task.inputs.items())
    pointers = "".join(f'"{name}": (floats, "in"), ' for name in task.inputs) + '"y": (floats, "out"), '
    numbers = ", ".join(f'"{name}": (ctypes.c_int, "in")' for name in task.sizes)
    return f'''import ctypes

import torch
from core.challenge_base import ChallengeBase


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


def main() -> None:
    if len(sys.argv) != 2 or pathlib.Path(sys.argv[1]).exists():
        raise SystemExit("usage: prepare.py OUT (a folder that is not there yet)")
    for task in TASKS:
        write(pathlib.Path(sys.argv[1]), task)
    print(f"{len(TASKS)} tasks, with and without warplens, in {sys.argv[1]}")


if __name__ == "__main__":
    main()
