#!/usr/bin/env python3
"""The reference and the man pages are current, and every environment variable that is read is in them.

Usage: reference_test.py PROGRAM
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SYSTEM = {"HOME", "LD_PRELOAD", "PATH", "TERM", "VIRTUAL_ENV", "XDG_CACHE_HOME"}  # read as every program does
READS = re.compile(r'(?:getenv|environment|env|set|environ\.get)\(\s*"([A-Z][A-Z_]{2,})"')


def main(program):
    failed = subprocess.run([sys.executable, ROOT / "scripts/reference.py", program, "--check"]).returncode != 0
    data = json.loads(subprocess.run([program, "help", "--json"], check=True, capture_output=True).stdout)
    told = {variable["name"] for variable in data["environment"]}
    told |= {flag["environment"] for verb in data["verbs"] for flag in verb["flags"] + verb["common_flags"]}
    sources = [f for f in [*(ROOT / "src").rglob("*.cpp"), *(ROOT / "python/warplens").rglob("*.py")] if not f.name.endswith("_test.cpp")]
    read = {name for source in sources for name in READS.findall(source.read_text())}
    assert len(read) > 8, read
    for name in sorted(read - told - SYSTEM):
        failed = True
        print(f"{name} is read, but src/warplens/cli/environment.def does not tell of it")
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
