#!/usr/bin/env python3
"""Checks src/warplens against cmake/layers.txt: each file lies in a room and includes only what its room may; every edge is used."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src/warplens"
INCLUDE = re.compile(r'#include "warplens/([^"]+)"')


def allowed_rooms():
    lines = (ROOT / "cmake/layers.txt").read_text().splitlines()
    pairs = (line.split(":") for line in lines if line and not line.startswith("#"))
    return {room: set(below.split()) for room, below in pairs}


def room_of(path, rooms):
    """The room that holds `path` (relative to src/warplens), or None."""
    return next((room for room in rooms if path.startswith(room + "/")), None)


def main():
    allowed, wrong, used, checked = allowed_rooms(), [], set(), 0
    for path in sorted(SOURCES.rglob("*")):
        if path.suffix not in (".h", ".cpp", ".inc", ".def"):
            continue
        name, checked = path.relative_to(SOURCES).as_posix(), checked + 1
        room = room_of(name, allowed)
        if room is None:
            wrong.append(f"src/warplens/{name}: lies in no room of cmake/layers.txt")
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            included = INCLUDE.match(line)
            below = included and room_of(included[1], allowed)
            if not below or below == room:
                continue
            used.add((room, below))
            if below not in allowed[room]:
                wrong.append(f"src/warplens/{name}:{number}: '{room}' may not include '{below}'")
    edges = {(room, below) for room, all_below in allowed.items() for below in all_below}
    wrong += [f"cmake/layers.txt: '{room}' names '{below}', which none of its files includes" for room, below in sorted(edges - used)]
    print("\n".join(wrong) if wrong else f"{checked} files keep to cmake/layers.txt")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
