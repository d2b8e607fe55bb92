#!/usr/bin/env python3
"""The changed lines that no unit test of their room runs.

changed_coverage.py BASE [--build FOLDER] [--least PERCENT]

Builds the unit tests of the rooms that changed since BASE with the preset `coverage`, and runs them. Lists each changed file with its lines that
were compiled, the share that ran, and the numbers of the others. Exits with 1 if less than PERCENT (50) of all changed lines ran. Names changed
rooms without unit tests. Far quicker than `make coverage`, which also runs the golden tests.
"""
import argparse
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from coverage import SOURCES, merged, room_of  # noqa: E402
from rooms import ROOT, rooms  # noqa: E402


def changed_lines(base):
    """{file: its new lines} of the sources."""
    command = ["git", "diff", "--unified=0", "--no-color", "--relative", base, "--", str(SOURCES)]
    text = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files, lines = {}, None
    for line in text.splitlines():
        if line.startswith("+++ "):
            lines = set() if line == "+++ /dev/null" else files.setdefault(ROOT / line[6:], set())
        elif hunk := re.match(r"@@ \S+ \+(\d+)(?:,(\d+))? @@", line):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            lines.update(range(first, first + count))
    return {path: new for path, new in files.items() if new and path.suffix in (".cpp", ".h") and not path.stem.endswith("_test")}


def test_name(room):
    return room.replace("/", "_")


def build_and_run(build, names):
    subprocess.run(["cmake", "--preset", "coverage", "-B", str(build)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", str(build), "--target", *(f"{name}_test" for name in names)], cwd=ROOT, check=True)
    for old in build.rglob("*.gcda"):
        old.unlink()
    subprocess.run(["ctest", "--test-dir", str(build), "--output-on-failure", "-R", f"^({'|'.join(names)})$"], check=True)


def ranges(numbers):
    """"3-5, 9"."""
    out = []
    for number in sorted(numbers):
        if out and out[-1][1] == number - 1:
            out[-1][1] = number
        else:
            out.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-coverage")
    parser.add_argument("--least", type=float, default=50)
    options = parser.parse_args()
    changed, names = changed_lines(options.base), list(rooms())
    touched = {room_of(path, names) for path in changed}
    tested = sorted(room for room in touched if any((SOURCES / room).rglob("*_test.cpp")))
    if touched.difference(tested):
        print(f"without unit tests: {', '.join(sorted(touched.difference(tested)))}")
    if not tested:
        print("no changed room has unit tests")
        return 0
    build_and_run(options.build, [test_name(room) for room in tested])
    counted, all_lines, all_run = merged(options.build), 0, 0
    for path, new in sorted(changed.items()):
        compiled = {line: times for line, times in counted.get(path, {}).items() if line in new}
        if not compiled:
            continue  # declarations alone, or a room without unit tests
        unrun = [line for line, times in compiled.items() if times == 0]
        all_lines, all_run = all_lines + len(compiled), all_run + len(compiled) - len(unrun)
        print(f"{path.relative_to(SOURCES)}: {len(compiled)} changed lines, {1 - len(unrun) / len(compiled):.0%} run" +
              (f"; not {ranges(unrun)}" if unrun else ""))
    print(f"{all_run} of {all_lines} changed lines run in the unit tests of {', '.join(tested)}")
    return int(all_lines > 0 and 100 * all_run < options.least * all_lines)


if __name__ == "__main__":
    sys.exit(main())
