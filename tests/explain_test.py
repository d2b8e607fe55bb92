#!/usr/bin/env python3
"""Every finding that the sources can make is explained, and nothing else is. Usage: explain_test.py PROGRAM"""
import json
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "src" / "warplens"


def texts(folder):
    return [f.read_text() for f in sorted((SOURCE / folder).rglob("*.cpp")) if not f.name.endswith("_test.cpp")]


def ids(pattern, folder):
    return {found for text in texts(folder) for found in re.findall(pattern, text)}


def main(program):
    program_ids = set(re.findall(r'^WL_RULE\("([a-z0-9-]+)"', (SOURCE / "program/findings/rules.def").read_text(), re.M))
    program_ids |= ids(r'\bid = "([a-z0-9-]+)"', "program/findings")
    memory_ids = ids(r'\bmake\([^";]*"([a-z-]+)"', "memory") | ids(r'\? "[a-z-]+" : "([a-z-]+)", Level', "memory")
    hang_ids = ids(r'\bmake\([^";]*"([a-z-]+)"', "hangs")
    kernel_ids = ids(r'\.id = "([a-z0-9-]+)"', "report/findings") | ids(r'\.id = "([a-z0-9-]+)"', "counters")
    launch_ids = {each for room in ("run/ptx", "simt") for each in ids(r'\b(?:report|refuse)\(\s*"([a-z-]+)"', room)}
    launch_ids |= ids(r'freed \? "([a-z-]+)"', "simt")
    launch_ids |= {"mbarrier-misuse", "unexpected-output"} | ids(r'case (?:\w+::)*Kind::\w+: return "([a-z-]+)"', ".")
    launch_ids |= ids(r'\.id = "([a-z-]+)"', "cuda_api")
    launch_ids.discard("none")  # Fault::Kind::kNone: no fault
    scopes = {"program": program_ids, "kernel": kernel_ids, "launch": launch_ids, "memory snapshot": memory_ids, "hanging job": hang_ids}
    made = {(scope, name) for scope, names in scopes.items() for name in names}
    out = subprocess.run([program, "findings", "--explain", "all", "--format", "json"], check=True, capture_output=True)
    explained = {(row["scope"], row["id"]) for row in json.loads(out.stdout)["rows"]}
    assert len(program_ids) > 25 and len(kernel_ids) > 15 and len(launch_ids) > 15, made
    for row in sorted(made - explained):
        print("not explained in src/warplens/explain:", *row)
    for row in sorted(explained - made):
        print("explained, but no source makes it:", *row)
    return made != explained


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
