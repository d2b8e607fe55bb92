"""Judges planted cheats and honest kernels: run_all.py [NAME...]. Prints those that are judged otherwise, and counts; exit code 1 for any."""
from __future__ import annotations

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from attacks import ATTACKS  # noqa: E402: after the path
from cases import CHEATS, HONEST, Case  # noqa: E402

from warplens.judge.judging import Options, judge  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


def verdicts(cases: list[Case], folder: pathlib.Path) -> dict[str, dict]:
    """Of cases of one problem, whose truth is computed once."""
    paths = []
    for case in cases:
        path = folder / f"{case.name}{case.suffix}"
        path.write_text(case.text())
        paths.append(path)
    judged = judge(HERE / cases[0].problem, paths, Options(max_elements=1 << 14, timed_elements=1 << 16))
    return {case.name: data for case, data in zip(cases, judged)}


def problem_of(case: Case, data: dict) -> str:
    """What is wrong with a verdict; "" where it is as it must be."""
    kinds = [kind["kind"] for kind in data["kinds"]]
    if not case.kind:
        return "" if data["verdict"] == "accepted" else f"honest, and {data['verdict']}: {kinds} {data['kinds']} {data['wrong']}"
    if data["verdict"] != "refused":
        return f"a cheat, and {data['verdict']}"
    return "" if case.kind in kinds else f"{case.kind} is not named: {data['kinds']} {data['wrong']}"


def main() -> int:
    wanted = set(sys.argv[1:])
    chosen = [case for case in CHEATS + HONEST + ATTACKS if not wanted or case.name in wanted or case.problem in wanted]
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for problem in sorted({case.problem for case in chosen}):
            cases = [case for case in chosen if case.problem == problem]
            for name, data in verdicts(cases, pathlib.Path(folder)).items():
                case = next(case for case in cases if case.name == name)
                text = problem_of(case, data)
                bad += bool(text)
                extra = [k["kind"] for k in data["kinds"] if k["kind"] != case.kind]
                print(f"{'BAD ' if text else 'good'} {problem:20} {name:32} {case.kind or 'honest':16} {data['seconds']:6.1f} s {text}{' also ' + ', '.join(extra) if extra else ''}", flush=True)
    print(f"{len(chosen) - bad} of {len(chosen)} judged as they must be")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
