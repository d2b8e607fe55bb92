#!/usr/bin/env python3
"""Checks that each folder of src/warplens includes only what cmake/layers.txt allows."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'#include "warplens/([a-z_]+)/')


def allowed_layers():
    lines = (ROOT / "cmake/layers.txt").read_text().splitlines()
    pairs = (line.split(":") for line in lines if line and not line.startswith("#"))
    return {layer: set(below.split()) | {layer} for layer, below in pairs}


def main():
    allowed, wrong, checked = allowed_layers(), [], 0
    for path in sorted((ROOT / "src/warplens").rglob("*")):
        if path.suffix not in (".h", ".cpp", ".inc", ".def"):
            continue
        layer, checked = path.relative_to(ROOT / "src/warplens").parts[0], checked + 1
        if layer not in allowed:
            wrong.append(f"{path.relative_to(ROOT)}: folder '{layer}' is not in cmake/layers.txt")
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            used = INCLUDE.match(line)
            if used and used[1] not in allowed[layer]:
                wrong.append(f"{path.relative_to(ROOT)}:{number}: '{layer}' may not include '{used[1]}'")
    print("\n".join(wrong) if wrong else f"{checked} files keep to cmake/layers.txt")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
