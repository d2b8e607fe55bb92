#!/usr/bin/env python3
"""Compiles each header of src/warplens alone: it must include all that it uses. Usage: check_headers.py BUILD_DIRECTORY"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def compiler(build):
    """The command line of any of the project's sources, without its input and output."""
    for entry in json.loads((pathlib.Path(build) / "compile_commands.json").read_text()):
        if "/src/warplens/cli/" in entry["file"]:
            words = shlex.split(entry["command"])
            return words[: words.index("-o")]
    sys.exit(f"{build}: no compile command for src/warplens/cli")


def alone(command, header):
    # -include would set #pragma once apart: a source of one line compiles the header as users meet it.
    source = f'#include "{header.relative_to(ROOT / "src")}"\n'
    done = subprocess.run([*command, "-fsyntax-only", "-w", "-O0", "-x", "c++", "-"], input=source, capture_output=True, text=True)
    return header, done.returncode, done.stderr


def main(build):
    headers = sorted((ROOT / "src/warplens").rglob("*.h"))
    command = [word for word in compiler(build) if "ccache" not in word]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for header, code, errors in pool.map(lambda h: alone(command, h), headers):
            if code:
                failed += 1
                print(f"{header.relative_to(ROOT)} does not compile alone:\n{errors}")
    print(f"{len(headers) - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
