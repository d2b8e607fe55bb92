#!/usr/bin/env python3
"""The lines of each room that tests run, from a build of the preset `coverage` whose tests ran.

coverage.py [BUILD] [--files ROOM] [--json FILE]

A room counts if one of its lines was compiled. --files lists the files of a room, those with the most lines that no test runs first. Lines of
tests do not count. A line of a header counts as run if one program ran it.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from rooms import ROOT, rooms  # noqa: E402

SOURCES = ROOT / "src/warplens"


def lines_of(notes):
    """[(file, {line: times})] of one object; zeros where no program with it ran."""
    done = subprocess.run(["gcov", "--json-format", "--stdout", notes.name], cwd=notes.parent, capture_output=True, text=True, check=True)
    out = []
    for text in done.stdout.splitlines():
        about = json.loads(text)
        for file in about["files"]:
            path = pathlib.Path(os.path.normpath(pathlib.Path(about["current_working_directory"]) / file["file"]))
            if path.is_relative_to(SOURCES) and not path.stem.endswith("_test"):
                out.append((path, {line["line_number"]: line["count"] for line in file["lines"]}))
    return out


def merged(build):
    """{file: {line: times}} of all objects of a build."""
    notes = sorted(build.rglob("*.gcno"))
    if not notes:
        sys.exit(f"{build}: no .gcno files. Build with the preset `coverage` (`make coverage`).")
    files = collections.defaultdict(collections.Counter)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(lines_of, notes):
            for path, lines in found:
                for line, times in lines.items():
                    files[path][line] += times
    return files


def room_of(path, names):
    inside = path.relative_to(SOURCES).as_posix()
    return max((name for name in names if inside.startswith(name + "/")), key=len, default="")


def ran(lines):
    return sum(times > 0 for times in lines.values())


def table(rows):
    width = max(len(name) for name, _, _ in rows)
    return [f"{name:<{width}} {count:>7,} lines  {run / count:6.1%} run  {count - run:>6,} not" for name, count, run in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build-coverage")
    parser.add_argument("--files", metavar="ROOM")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    names, files = list(rooms()), merged(options.build)
    if options.files and options.files not in names:
        sys.exit(f"{options.files}: not a room. The rooms are in cmake/layers.txt.")
    of_room = collections.defaultdict(list)
    for path, lines in files.items():
        of_room[room_of(path, names)].append((path, lines))
    if options.files:
        rows = [(str(path.relative_to(SOURCES)), len(lines), ran(lines)) for path, lines in of_room[options.files]]
        rows.sort(key=lambda row: row[2] - row[1])
    else:
        rows = [(room, sum(len(lines) for _, lines in of_room[room]), sum(ran(lines) for _, lines in of_room[room]))
                for room in names if of_room[room]]
        rows.append(("all", sum(row[1] for row in rows), sum(row[2] for row in rows)))
    if not rows:
        sys.exit(f"{options.files}: no line of this room was compiled in {options.build}.")
    if options.json:
        options.json.write_text(json.dumps([{"name": name, "lines": count, "run": run} for name, count, run in rows], indent=1) + "\n")
    print("\n".join(table(rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
