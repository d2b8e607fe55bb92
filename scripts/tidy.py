#!/usr/bin/env python3
"""Runs clang-tidy with the checks in .clang-tidy: tidy.py CLANG_TIDY --changed COMMIT | tidy.py CLANG_TIDY BUILD

--changed: on the sources of src that were changed since COMMIT, of which it speaks alone; else on all that BUILD compiles for the
program and its libraries, where files compiled together are read together.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ALONE = ["-std=c++20", "-Isrc", "-DFMT_SHARED", '-DWARPLENS_VERSION="0"', "-DWARPLENS_ISA_NAME=machine_code", "-w"]


def changed_sources(commit):
    names = subprocess.run(["git", "diff", "--name-only", "--diff-filter=d", commit, "--", "src/*.cpp"], cwd=ROOT, capture_output=True,
                           text=True, check=True).stdout.split()
    return [name for name in names if not name.endswith("_test.cpp")]


def built_sources(build):
    files = {entry["file"] for entry in json.loads((build / "compile_commands.json").read_text())}
    return sorted(file for file in files if "/warplens" in file and "_test" not in file)


def main(clang_tidy, *words):
    if words[0] == "--changed":
        runs = [[file, f"--line-filter={json.dumps([{'name': file}])}", "--", *ALONE] for file in changed_sources(words[1])]
    else:
        runs = [[file, "-p", words[0]] for file in built_sources(pathlib.Path(words[0]))]
    command = [clang_tidy, "--quiet", "--warnings-as-errors=*"]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in pool.map(lambda run: subprocess.run([*command, *run], cwd=ROOT, capture_output=True, text=True), runs):
            failed += done.returncode != 0
            print(done.stdout if done.returncode else "", end="")
    if len(runs) > 20 or failed:
        print(f"clang-tidy: {len(runs)} read, {failed} with something to mend")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
