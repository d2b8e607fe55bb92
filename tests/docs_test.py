#!/usr/bin/env python3
"""The examples of README and docs/ show the program's real output. Usage: docs_test.py PROGRAM [--update] [--only PAGE...]

A fenced block with a line `$ COMMAND` is run, each page in a scratch folder of its own, and what it prints (both streams)
is compared with the lines after it. A block with title="NAME" is a file that the page's reader writes. Blocks of Python
without a title are one program a page, `<!-- python ... -->` holding what a reader has before; they need the built
package and torch. In the scratch folder lie examples/ and the recorded traces of tests/data; `<!-- shell ... -->` holds
commands that bring more, with the repository at $REPOSITORY. Flags of commands that are only named must exist.

Masks, the same for all pages:
- a line `...` stands for any lines, `...` within a line or at its end for any text;
- spaces and rulers count once, since columns move with masked text;
- `emulated in` and other times of this machine (TIMES below) may be any time;
- the scratch folder's own path is left out.
--update rewrites what differs, except blocks with `...`.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.M | re.S)
SETUP = re.compile(r"<!-- python\n(.*?)-->", re.S)
SHELL = re.compile(r"<!-- shell\n(.*?)-->", re.S)
TITLE = re.compile(r'title="([^"]+)"')
TIME = r"\d[\d.]* (?:ns|us|ms|s)\b"
TIMES = [
    (re.compile(rf"^(\S.*\d+,\d+,\d+ +\d+,\d+,\d+ .*?){TIME}$", re.M), r"\1TIME"),  # rows of launches: emulated in
    (re.compile(rf"(checked in|emulated in|ran in) {TIME}"), r"\1 TIME"),
]


def normal(text, folder):
    text = text.replace(f"{folder}/", "")
    for pattern, shown in TIMES:
        text = pattern.sub(shown, text)
    text = re.sub("─+", "─", text)
    return [re.sub(r"\s+", " ", line).strip() for line in text.strip("\n").split("\n")]


def line_fits(want, got):
    first, *parts = want.split("...")
    if not parts:
        return want == got
    if not got.startswith(first):
        return False
    at = len(first)
    for part in parts[:-1]:  # the earliest place leaves the most room for the others
        found = got.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return got.endswith(parts[-1]) and len(got) - at >= len(parts[-1])


def fits(want, got):
    """True if the lines `got` are as `want` shows; a line of three dots is any number of lines."""
    ends = {0}  # how many lines of `got` the lines of `want` so far may take
    for line in want:
        if line == "...":
            ends = set(range(min(ends, default=len(got) + 1), len(got) + 1))
        else:
            ends = {end + 1 for end in ends if end < len(got) and line_fits(line, got[end])}
    return len(got) in ends


def commands(body):
    """(command, expected text) of a block; a command continues after a backslash at the end of a line."""
    found, lines = [], body.split("\n")
    while lines:
        line = lines.pop(0)
        if line.startswith("$ "):
            command = line[2:]
            while command.endswith("\\") and lines:
                command = command[:-1].rstrip() + " " + lines.pop(0).lstrip("> ").strip()
            found.append([command, []])
        elif found:
            found[-1][1].append(line)
    return [(command, "\n".join(text)) for command, text in found]


def scratch(folder):
    shutil.copytree(ROOT / "examples/demo", folder, dirs_exist_ok=True)  # as `warplens demo --copy` leaves it
    folder.joinpath("examples").symlink_to(ROOT / "examples")
    for place in ("traces", "rules"):
        for trace in sorted((ROOT / "tests/data" / place).glob("*.trace.json.*")):
            if not (folder / trace.name).exists():
                (folder / trace.name).symlink_to(trace)


def environment(program):
    build = pathlib.Path(program).resolve().parent
    python = ROOT / ".venv/bin"
    return dict(os.environ, PATH=f"{build}:{python}:{os.environ['PATH']}", COLUMNS="120", NO_COLOR="1", PYTHONPATH=str(build / "python"),
                WARPLENS_CACHE=str(build / "golden-cache"), TRITON_DEFAULT_FP_FUSION="1",
                REPOSITORY=str(ROOT))


def has_package(program):
    return (pathlib.Path(program).resolve().parent / "python/warplens/_core.pyi").exists() and (ROOT / ".venv/bin/python").exists()


def run(command, folder, env):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", timeout=300)
    return done.stdout


def check_commands(page, body, folder, env, with_python):
    """The block's text as it should read, and what went wrong."""
    faults, shown = [], []
    for command, expected in commands(body):
        if "python" in command.split()[0] and not with_python:
            continue
        got = run(command, folder, env)
        shown.append((expected, got))
        want = normal(expected, folder)
        if expected.strip() and not fits(want, normal(got, folder)):
            faults.append(f"{page}: $ {command}\n--- the page shows\n{expected.strip()}\n--- the program prints\n{got.rstrip()}\n")
    new = body
    for expected, got in shown:
        if expected.strip() and "..." not in expected and not fits(normal(expected, folder), normal(got, folder)):
            new = new.replace(f"\n{expected.rstrip()}\n", "\n" + got.replace(f"{folder}/", "").rstrip() + "\n", 1)
    return new, faults


def check_python(page, text, folder, env):
    parts = sorted([(m.start(), m.group(1)) for m in SETUP.finditer(text)] +
                   [(m.start(), m.group(2)) for m in FENCE.finditer(text) if m.group(1).strip() == "python"])
    if not parts:
        return []
    (folder / "page.py").write_text("\n".join(part for _, part in parts))
    done = subprocess.run([ROOT / ".venv/bin/python", "page.py"], cwd=folder, env=env, capture_output=True, text=True, timeout=300)
    return [f"{page}: its Python: {done.stderr.strip()[-1500:]}"] if done.returncode else []


def verbs_and_flags(program):
    said = json.loads(subprocess.run([program, "help", "--json"], capture_output=True, text=True, check=True).stdout)
    return {v["name"]: {name for flag in v["flags"] + v["common_flags"] for name in flag["names"]} for v in said["verbs"] if v["name"] != "nvcc"}


def check_flags(page, text, flags):
    """Commands that are only named, in blocks without `$` and within lines, have flags that there are."""
    faults = []
    spans = [line for block in FENCE.finditer(text) for line in block.group(2).replace("\\\n", " ").split("\n") if not line.startswith("warplens ops: ")]
    spans += [span.replace("\n", " ") for span in re.findall(r"`([^`]+)`", FENCE.sub("", text))]
    for span in spans:
        for verb, rest in re.findall(r"\bwarplens ([a-z]+)\b([^|;&#]*)", span):
            own = re.sub(r"'[^']*'", "", re.split(r" --(?: |$)", rest)[0])  # what follows -- is another program's
            for flag in re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", own):
                if verb in flags and flag not in flags[verb] | {"--help"}:
                    faults.append(f"{page}: warplens {verb} has no {flag}: {span.strip()}")
    return faults


def check_page(page, program, update, flags):
    text = page.read_text()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="warplens-docs-")).resolve()
    env, with_python, faults, count = environment(program), has_package(program), check_flags(page.relative_to(ROOT), text, flags), 0
    try:
        scratch(folder)
        for hidden in SHELL.findall(text):
            faults += [f"{page.relative_to(ROOT)}: {hidden.strip()}: {printed}" for printed in [run(hidden, folder, env)] if printed]
        for block in FENCE.finditer(text):
            info, body = block.group(1), block.group(2)
            if title := TITLE.search(info):
                (folder / title.group(1)).parent.mkdir(parents=True, exist_ok=True)
                (folder / title.group(1)).write_text(body)
            elif re.search(r"^\$ ", body, re.M):
                count += len(commands(body))
                new, wrong = check_commands(page.relative_to(ROOT), body, folder, env, with_python)
                faults += wrong
                if update and new != body:
                    page.write_text(page.read_text().replace(body, new))
        if with_python:
            faults += check_python(page.relative_to(ROOT), text, folder, env)
    finally:
        shutil.rmtree(folder)
    return count, faults


def main(program, *rest):
    only = rest[rest.index("--only") + 1:] if "--only" in rest else ()
    pages = [ROOT / "README.md", *sorted(p for p in (ROOT / "docs").rglob("*.md") if "results" not in p.parts)]
    total, failed, flags = 0, 0, verbs_and_flags(program)
    for page in pages:
        if only and not any(name in str(page.relative_to(ROOT)) for name in only):
            continue
        count, faults = check_page(page, program, "--update" in rest, flags)
        total, failed = total + count, failed + len(faults)
        print("\n".join(faults), end="\n" if faults else "", flush=True)
    print(f"{total} commands, {failed} not as shown" + ("" if has_package(program) else "; Python left out: the package is not built"))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
