"""Judges planted cheats, honest kernels and attacks, and prints which are judged otherwise; exit code 1 for any.

    run_all.py                    all, emulated
    run_all.py row_sums.py gelu   those of two problems; names of cases work too
    run_all.py --jobs 4           several at a time, each in a process of its own
    run_all.py --gpu NAME...      on the GPU of this machine
"""
from __future__ import annotations

import argparse
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from attacks import ATTACKS  # noqa: E402: after the path
from cases import CHEATS, HONEST, Case  # noqa: E402

from warplens.judge.judging import Options, judge  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
_TOGETHER = 6  # cases of a job: its truth is computed once


def verdicts(cases: list[Case], folder: pathlib.Path, gpu: bool = False) -> dict[str, dict]:
    """Of cases of one problem, whose truth is computed once."""
    paths = []
    for case in cases:
        path = folder / f"{case.name}{case.suffix}"
        path.write_text(case.text())
        paths.append(path)
    judged = judge(HERE / cases[0].problem, paths, Options(max_elements=1 << 14, timed_elements=1 << 16, gpu=gpu))
    return {case.name: data for case, data in zip(cases, judged)}


def problem_of(case: Case, data: dict) -> str:
    """What is wrong with a verdict; "" where it is as it must be."""
    kinds = [kind["kind"] for kind in data["kinds"]]
    if not case.kind:
        return "" if data["verdict"] == "accepted" else f"honest, and {data['verdict']}: {kinds} {data['kinds']} {data['wrong']}"
    if data["verdict"] != "refused":
        return f"a cheat, and {data['verdict']}"
    return "" if case.kind in kinds else f"{case.kind} is not named: {data['kinds']} {data['wrong']}"


def run(chosen: list[Case], gpu: bool) -> int:
    """Judges them one after another. Returns how many are not as they must be."""
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for problem in sorted({case.problem for case in chosen}):
            cases = [case for case in chosen if case.problem == problem]
            for name, data in verdicts(cases, pathlib.Path(folder), gpu).items():
                case = next(case for case in cases if case.name == name)
                text = problem_of(case, data)
                bad += bool(text)
                extra = [k["kind"] for k in data["kinds"] if k["kind"] != case.kind]
                print(f"{'BAD ' if text else 'good'} {problem:20} {name:32} {case.kind or 'honest':16} {data['seconds']:6.1f} s {text}{' also ' + ', '.join(extra) if extra else ''}", flush=True)
    return bad


def run_beside(chosen: list[Case], gpu: bool, jobs: int) -> int:
    """The same in `jobs` processes. Cases that a process did not come to count as bad."""
    parts = []
    for problem in sorted({case.problem for case in chosen}):
        cases = [case for case in chosen if case.problem == problem]
        parts += [cases[at:at + _TOGETHER] for at in range(0, len(cases), _TOGETHER)]

    def judged(part: list[Case]) -> int:
        words = [sys.executable, __file__, *(["--gpu"] if gpu else []), *(case.name for case in part)]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        lines = [line for line in done.stdout.splitlines() if line.startswith(("good ", "BAD "))]
        print("\n".join(lines if len(lines) == len(part) else [*lines, *done.stdout.splitlines()[-5:]]), flush=True)
        return len(part) - sum(line.startswith("good ") for line in lines)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return sum(pool.map(judged, parts))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="cases, or problems; all unless named")
    parser.add_argument("--jobs", type=int, default=1, help="processes that judge (default: %(default)s)")
    parser.add_argument("--gpu", action="store_true", help="run on the GPU of this machine")
    options = parser.parse_args()
    chosen = [case for case in CHEATS + HONEST + ATTACKS if not options.names or {case.name, case.problem} & set(options.names)]
    bad = run(chosen, options.gpu) if options.jobs == 1 else run_beside(chosen, options.gpu, options.jobs)
    print(f"{len(chosen) - bad} of {len(chosen)} judged as they must be")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
