#!/usr/bin/env python3
"""Each header of src/warplens must compile alone. Usage: check_headers.py BUILD_DIRECTORY

The build itself proves it of a header that a source compiled alone, or first in its unit, includes before anything else; the
others are compiled, through ccache where there is one.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def compiler(build):
    """The command line of any of the project's sources, without its input and output."""
    for entry in json.loads((pathlib.Path(build) / "compile_commands.json").read_text()):
        if "/src/warplens/cli/" in entry["file"] or "/units/warplens_cli/" in entry["file"]:
            words = shlex.split(entry["command"])
            return words[: words.index("-o")]
    sys.exit(f"{build}: no compile command for src/warplens/cli")


def first_include(source):
    """The header that `source` includes first, as a path, or None."""
    found = re.search(r'^#include [<"]([^>"]+)[>"]', source.read_text(), re.MULTILINE)
    return ROOT / "src" / found.group(1) if found else None


def proved_by_the_build(build):
    """Tests are not counted: they may include gtest or a fixture that hides what is missing."""
    compiled = [pathlib.Path(entry["file"]) for entry in json.loads((pathlib.Path(build) / "compile_commands.json").read_text())]
    sources = {first_include(s) if "/units/" in str(s) else s for s in compiled}
    sources = {s for s in sources if s.is_relative_to(ROOT / "src") and not s.name.endswith("_test.cpp")}
    return {first_include(s) for s in sources if not preprocessed_before_include(s)}


def preprocessed_before_include(source):
    """Whether a macro is set before the first include, which could stand in for something that the header lacks."""
    return source.read_text().split("#include", 1)[0].find("#define") != -1


def alone(command, folder, header):
    # -include would set #pragma once apart: a source of one line compiles the header as users meet it.
    name = header.relative_to(ROOT / "src")
    source = folder / (str(name).replace("/", "_") + ".cpp")
    source.write_text(f'#include "{name}"\n')
    done = subprocess.run([*command, "-w", "-O0", "-c", source, "-o", source.with_suffix(".o")], capture_output=True, text=True)
    return header, done.returncode, done.stderr


def main(build):
    every = sorted((ROOT / "src/warplens").rglob("*.h"))
    proved = proved_by_the_build(build)
    headers = [header for header in every if header not in proved]
    cache = shutil.which("ccache")
    command, folder = ([cache] if cache else []) + compiler(build), pathlib.Path(build) / "headers"
    folder.mkdir(exist_ok=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for header, code, errors in pool.map(lambda h: alone(command, folder, h), headers):
            if code:
                failed += 1
                print(f"{header.relative_to(ROOT)} does not compile alone:\n{errors}")
    print(f"{len(every) - len(headers)} proved by the build, {len(headers) - failed} compiled alone, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
