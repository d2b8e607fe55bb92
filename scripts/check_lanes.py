#!/usr/bin/env python3
"""Of objects compiled for AVX2 or AVX-512: no function that the linker may take for the rest of the program. Each that others
may define too must be in the namespace of its instruction set. Argument: the build folder."""
import pathlib
import re
import subprocess
import sys

FOLDER = re.compile(r"warplens_\w+_(avx2|avx512)\.dir")


def shared_functions(objects, name):
    """Weak symbols outside of the namespace `name`, one a line."""
    symbols = subprocess.run(["nm", "-C", "--defined-only", *map(str, objects)], capture_output=True, text=True, check=True).stdout
    weak = {line.split(" ", 2)[2] for line in symbols.splitlines() if re.match(r"[0-9a-f]+ [Wu] ", line)}
    return sorted(symbol for symbol in weak if name + "::" not in symbol)


def main():
    build, wrong, checked = pathlib.Path(sys.argv[1]), [], 0
    for folder in sorted((build / "CMakeFiles").iterdir()):
        found = FOLDER.fullmatch(folder.name)
        objects = sorted(folder.rglob("*.o")) if found else []
        if objects:
            checked += len(objects)
            wrong += [f"{folder.name}: {symbol}" for symbol in shared_functions(objects, found[1])]
    print("\n".join(wrong) if wrong else f"{checked} objects of other instruction sets share no function with the rest")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
