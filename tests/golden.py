#!/usr/bin/env python3
"""Golden tests: each tests/golden/**/*.test is commands and the exact text they print.

A case is one or more `$ warplens ...` lines (run by a shell in tests/, `warplens` being the program under test), each
followed by the expected standard output and standard error together and, unless it is 0, a last line `[exit N]`.
Usage: golden.py PROGRAM [--update] [NAME...]
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def run(command, program):
    folder = pathlib.Path(program).resolve().parent
    # A cache of its own: what a GPU of this machine was measured to do must not show.
    env = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", COLUMNS="120", NO_COLOR="1", WARPLENS_CACHE=str(folder / "golden-cache"))
    done = subprocess.run(["bash", "-c", command], cwd=HERE, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", timeout=300)
    text = done.stdout if not done.stdout or done.stdout.endswith("\n") else done.stdout + "\n"
    return text + (f"[exit {done.returncode}]\n" if done.returncode else "")


def actual(case, program):
    commands = [line[2:] for line in case.read_text().splitlines() if line.startswith("$ ")]
    return "".join(f"$ {c}\n{run(c, program)}" for c in commands)


def main(program, *rest):
    update, names = "--update" in rest, [r for r in rest if r != "--update"]
    passed = failed = 0
    cases = {str(case.relative_to(HERE / "golden")): case for case in sorted((HERE / "golden").rglob("*.test"))}
    chosen = [name for name in cases if not names or any(n in name for n in names)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:  # files side by side, the commands of one in order
        texts = list(pool.map(lambda name: actual(cases[name], program), chosen))
    for name, got in zip(chosen, texts):
        case = cases[name]
        if got == case.read_text():
            passed += 1
        elif update:
            case.write_text(got)
            print(f"updated {name}")
        else:
            failed += 1
            print(f"FAILED {name}", flush=True)
            subprocess.run(["diff", "-u", "--label", "expected", "--label", "actual", str(case), "-"], input=got, text=True)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
