#!/usr/bin/env python3
"""Each header of src/warplens must compile alone. Usage: check_headers.py BUILD_DIRECTORY

The build itself proves it of a header that a source compiled alone, or first in its unit, includes before anything else. Each of
the others is compiled behind a precompiled header of what it includes anyway, so that the same text is not read again and again;
and not at all where the same text was compiled by the same command before, in any checkout (~/.cache/warplens-headers.json).
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src"
INCLUDE = re.compile(r'^#include ([<"][^>"]+[>"])', re.MULTILINE)
PRECOMPILED = 16
PASSED = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "warplens-headers.json"
KEPT = 20_000


def compile_entries(build):
    return json.loads((build / "compile_commands.json").read_text())


def compiler(build):
    """The command line of any of the project's sources, without its input and output."""
    for entry in compile_entries(build):
        if "/src/warplens/cli/" in entry["file"] or "/units/warplens_cli/" in entry["file"]:
            words = shlex.split(entry["command"])
            first = max((at + 1 for at, word in enumerate(words) if word.endswith("/ccache")), default=0)
            return words[first : words.index("-o")]
    sys.exit(f"{build}: no compile command for src/warplens/cli")


def first_include(source):
    """The header that `source` includes first, as a path, or None."""
    found = INCLUDE.search(source.read_text())
    return SOURCES / found[1][1:-1] if found else None


def proved_by_the_build(build):
    """Tests are not counted: they may include gtest or a fixture that hides what is missing."""
    compiled = [pathlib.Path(entry["file"]) for entry in compile_entries(build)]
    sources = {first_include(s) if "/units/" in str(s) else s for s in compiled}
    sources = {s for s in sources if s and s.is_relative_to(SOURCES) and not s.name.endswith("_test.cpp")}
    return {first_include(s) for s in sources if "#define" not in s.read_text().split("#include", 1)[0]}


def name_of(header):
    return f'"{header.relative_to(SOURCES)}"'


def includes(header, known):
    """What `header` includes, directly or not, and itself, as #include has them."""
    if header not in known:
        known[header] = {name_of(header)}
        for name in INCLUDE.findall(header.read_text()):
            inner = SOURCES / name[1:-1]
            known[header] |= includes(inner, known) if name[0] == '"' and inner.exists() else {name}
    return known[header]


def precompiled_for(headers, known):
    """For each header what is to be precompiled of what it includes: a tuple of names, one of a few, or ()."""
    candidates = {(name_of(h),): known[h] for h in known}  # another header, or the part of the standard library that one includes
    for names in known.values():
        library = frozenset(name for name in names if name[0] == "<")
        candidates[tuple(sorted(library))] = library
    cost = {c: sum(20 if name[0] == "<" else 1 for name in names) for c, names in candidates.items()}
    users = {c: [h for h in headers if names <= known[h] and c != (name_of(h),)] for c, names in candidates.items()}
    chosen = dict.fromkeys(headers, ())
    for _ in range(PRECOMPILED):
        best = max(candidates, key=lambda c: sum(max(0, cost[c] - cost.get(chosen[h], 0)) for h in users[c]))
        for header in users[best]:
            chosen[header] = max(chosen[header], best, key=lambda c: cost.get(c, 0))
    return chosen


def precompile(command, path, names):
    path.write_text("".join(f"#include {name}\n" for name in names))
    subprocess.run([*command, "-w", "-O0", "-x", "c++-header", path, "-o", f"{path}.gch"], capture_output=True)  # judged as a header


def compile_alone(command, folder, header, precompiled):
    # A source of one line compiles the header as users meet it.
    source = folder / (str(header.relative_to(SOURCES)).replace("/", "_") + ".cpp")
    source.write_text(f"#include {name_of(header)}\n")
    behind = ["-include", precompiled] if precompiled else []
    done = subprocess.run([*command, "-w", "-O0", *behind, "-fsyntax-only", source], capture_output=True, text=True)
    return header, done.returncode, done.stderr


def digest(command, header, known):
    """Of all that decides whether `header` compiles, wherever the checkout is."""
    files = sorted(SOURCES / name[1:-1] for name in known[header] if name[0] == '"')
    text = " ".join(map(str, command)).replace(str(ROOT), "").encode() + name_of(header).encode()
    return hashlib.sha256(text + b"".join(f.read_bytes() for f in files if f.exists())).hexdigest()


def passed_before(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return []


def remember(path, digests):
    """The newest ones, at most KEPT. Other checkouts may write at the same time: one of them wins."""
    path.parent.mkdir(parents=True, exist_ok=True)
    own = path.with_suffix(f".{os.getpid()}")
    own.write_text(json.dumps(digests[-KEPT:]))
    own.replace(path)


def main(build):
    build = pathlib.Path(build).resolve()
    every, command, folder, known = sorted((SOURCES / "warplens").rglob("*.h")), compiler(build), build / "headers", {}
    folder.mkdir(exist_ok=True)
    for header in every:
        includes(header, known)
    version = subprocess.run([command[0], "--version"], capture_output=True, text=True).stdout.split("\n")[0]
    now = {header: digest([version, *command], header, known) for header in every}
    passed = passed_before(PASSED)
    proved = proved_by_the_build(build)
    rest = [header for header in every if header not in proved]
    before = set(passed)
    headers = [header for header in rest if now[header] not in before]
    chosen = precompiled_for(headers, known)
    paths = {names: folder / f"precompiled_{k}.h" for k, names in enumerate(sorted(set(chosen.values()) - {()}))}
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda item: precompile(command, item[1], item[0]), paths.items()))
        for header, code, errors in pool.map(lambda h: compile_alone(command, folder, h, paths.get(chosen[h])), headers):
            if code:
                failed += 1
                print(f"{header.relative_to(ROOT)} does not compile alone:\n{errors}")
            else:
                passed.append(now[header])
    remember(PASSED, passed)
    print(f"{len(proved & set(every))} headers proved by the build, {len(rest) - len(headers)} compiled before, "
          f"{len(headers) - failed} compiled alone, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
