#!/usr/bin/env python3
"""The reference and the man pages are current, --help fits a screen, every environment variable that is read is in them, and every flag of a
`warplens VERB ...` in README and docs/ is one of that verb's.

Usage: reference_test.py PROGRAM
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SYSTEM = {"HOME", "LD_PRELOAD", "PATH", "TERM", "VIRTUAL_ENV", "XDG_CACHE_HOME"}  # read as every program does
READS = re.compile(r'(?:(?:getenv|environment|env|set|environ\.get)\(|environ\[|Variable =)\s*"([A-Z][A-Z_]{2,})"')
COMMAND = re.compile(r"warplens ([a-z]+)((?: [^\n`|;]*)?)")
FLAG = re.compile(r"(?<![\w-])(--[a-z][a-z-]+|-[a-zA-Z](?=[ ,]))")
END_OF_COMMAND = re.compile(r" -- |   +| && | > |  +#")  # what stands behind is another's, or a comment


def unknown_flags(verbs):
    known = {verb["name"]: {name for flag in verb["flags"] + verb["common_flags"] for name in flag["names"]} | {"--help"} for verb in verbs
             if verb["common_flags"]}  # another program takes the others
    pages = [ROOT / "README.md", *(page for page in (ROOT / "docs").rglob("*.md") if "reference" not in page.parts)]
    checked, unknown = 0, []
    for page in pages:
        for verb, rest in COMMAND.findall(page.read_text().replace("\\\n", " ")):
            for flag in FLAG.findall(END_OF_COMMAND.split(rest)[0]) if verb in known else ():
                checked += 1
                if flag not in known[verb]:
                    unknown.append(f"{page.relative_to(ROOT)}: warplens {verb} has no flag {flag}")
    assert checked > 100, checked
    return unknown


def unfit_helps(program, verbs):
    """--help fits a screen, --help all has every flag."""
    def shown(*arguments):
        return subprocess.run([program, *arguments], capture_output=True, text=True, env={"COLUMNS": "100"}).stdout

    long = [f"warplens {name} --help has more than 40 lines" for name in (verb["name"] for verb in verbs)
            if len(shown(name, "--help").splitlines()) > 40]
    long += ["warplens --help has more than 50 lines"] * (len(shown("--help").splitlines()) > 50)
    return long + [f"warplens {verb['name']} --help all lacks {flag['names'][-1]}" for verb in verbs
                   for text in [shown(verb["name"], "--help", "all")] for flag in verb["flags"] if flag["names"][-1] not in text]


def main(program):
    failed = subprocess.run([sys.executable, ROOT / "scripts/reference.py", program, "--check"]).returncode != 0
    data = json.loads(subprocess.run([program, "help", "--json"], check=True, capture_output=True).stdout)
    told = {variable["name"] for variable in data["environment"]}
    families = tuple(name.removesuffix("*") for name in told if name.endswith("*"))
    told |= {flag["environment"] for verb in data["verbs"] for flag in verb["flags"] + verb["common_flags"]}
    sources = [*(ROOT / "src").rglob("*.cpp"), *(ROOT / "src").rglob("*.h"), *(ROOT / "python").glob("[wi]*/**/*.py")]
    read = {name for source in sources if not source.name.endswith("_test.cpp") for name in READS.findall(source.read_text())}
    assert len(read) > 8, read
    for name in sorted(name for name in read - told - SYSTEM if not name.startswith(families)):
        failed = True
        print(f"{name} is read, but src/warplens/cli/environment.def does not list it")
    for fault in unknown_flags(data["verbs"]) + unfit_helps(program, data["verbs"]):
        failed = True
        print(fault)
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
