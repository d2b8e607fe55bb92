#!/usr/bin/env python3
"""Checks src/warplens against cmake/layers.txt: each file is in a room and includes only what its room may; every edge is used.
The folders of a room do not include each other in circles.
No two files define types of one name in one namespace."""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src/warplens"
INCLUDE = re.compile(r'#include "warplens/([^"]+)"')
NO_CODE = re.compile(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|//[^\n]*|/\*.*?\*/|R"\((.*?)\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S | re.M)
SCOPE = re.compile(r"(?P<namespace>\bnamespace\b[^;{=]*)\{"
                   r"|(?P<type>\b(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+(?:alignas\([^)]*\)\s*)*(?P<name>\w+(?:::\w+)*)\b(?!\s*[>,])[^;{()=]*)\{"
                   r"|\busing\s+(?P<alias>\w+)\s*="
                   r"|(?P<open>\{)|(?P<close>\})")


def room_of(path, rooms):
    """The room that holds `path` (relative to src/warplens), or None."""
    return next((room for room in rooms if path.startswith(room + "/")), None)


def folder_of(path, room):
    """The folder of the room that holds `path`; ".": the room's own."""
    parts = path[len(room) + 1:].split("/")
    return parts[0] if len(parts) > 1 else "."


def lines_of(path):
    """{before the colon: the words after it} of a file's lines that are no comments."""
    lines = (ROOT / path).read_text().splitlines()
    pairs = (line.split(":") for line in lines if line and not line.startswith("#"))
    return {name: set(words.split()) for name, words in pairs}


def in_circles(edges):
    """Of {folder: the folders that its files include}: those that can be come back to."""
    def reached(start):
        seen, left = set(), [start]
        while left:
            for below in edges.get(left.pop(), ()):
                if below not in seen:
                    seen.add(below)
                    left.append(below)
        return seen
    return {folder for folder in edges if folder in reached(folder)}


def wrong_circles(folders):
    """`folders`: {room: {folder: folders of the room that it includes}}; "." is the room's own. A line for each in a circle."""
    wrong = []
    for room in sorted(folders):
        found = in_circles(folders[room])
        for folder in sorted(found):
            wrong.append(f"src/warplens/{room}/{folder}: includes folders of its room that include it again: "
                         f"{' '.join(sorted(folders[room][folder] & found))}")
    return wrong


def types_of(text):
    """Qualified names of the types that a source defines in named namespaces; those of one instruction set count as the
    namespace around them."""
    scopes, types = [], []  # a namespace's name; None: another scope, or a namespace without a name
    for found in SCOPE.finditer(NO_CODE.sub(" ", text)):
        name = found["name"] or found["alias"]
        if name and None not in scopes:
            types.append("::".join([scope for scope in scopes if scope] + [name]))
        if found["namespace"]:
            parts = re.sub(r"\b(namespace|inline)\b", " ", found["namespace"]).replace("::", " ").split()
            scopes.append("::".join(part for part in parts if part != "WARPLENS_ISA_NAME") if parts else None)
        elif found["close"]:
            del scopes[-1:]
        elif not found["alias"]:
            scopes.append(None)
    return types


def twice_defined(sources):
    """Of {path: text}: a line for each type that two files define."""
    paths = {}
    for path, text in sources.items():
        for name in set(types_of(text)):
            paths.setdefault(name, []).append(path)
    return [f"{name}: defined in {' and in '.join(where)}" for name, where in sorted(paths.items()) if len(where) > 1]


def main():
    allowed, wrong, used, checked, sources = lines_of("cmake/layers.txt"), [], set(), 0, {}
    folders = collections.defaultdict(lambda: collections.defaultdict(set))
    for path in sorted(SOURCES.rglob("*")):
        if path.suffix not in (".h", ".cpp", ".inc", ".def"):
            continue
        name, checked = path.relative_to(SOURCES).as_posix(), checked + 1
        sources[f"src/warplens/{name}"] = text = path.read_text()
        room = room_of(name, allowed)
        if room is None:
            wrong.append(f"src/warplens/{name}: lies in no room of cmake/layers.txt")
            continue
        for number, line in enumerate(text.splitlines(), 1):
            included = INCLUDE.match(line)
            below = included and room_of(included[1], allowed)
            if below == room and not name.endswith("_test.cpp"):
                own, other = (folder_of(file, room) for file in (name, included[1]))
                folders[room][own].update({other} - {own})
            if not below or below == room:
                continue
            used.add((room, below))
            if below not in allowed[room]:
                wrong.append(f"src/warplens/{name}:{number}: '{room}' may not include '{below}'")
    edges = {(room, below) for room, all_below in allowed.items() for below in all_below}
    wrong += [f"cmake/layers.txt: '{room}' names '{below}', which none of its files includes" for room, below in sorted(edges - used)]
    wrong += wrong_circles(folders) + twice_defined(sources)
    print("\n".join(wrong) if wrong else f"{checked} files keep to cmake/layers.txt")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
