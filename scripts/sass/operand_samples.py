#!/usr/bin/env python3
"""Keeps machine instructions with the text that nvdisasm gives their operands, for src/warplens/isa/sass/operands_test.cpp.

    operand_samples.py CUOBJDUMP SAMPLES FILE...

A FILE is a cubin or anything that carries some. Of each name, form and kind of operands a few are kept, beside what
SAMPLES holds already. Left out of the text: hints of scheduling (.reuse), names of an IMAD that follow from its
operands, and predicates that an instruction could set and does not.
"""
import collections
import pathlib
import re
import subprocess
import sys

FIRST = re.compile(r"/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;\s+/\* 0x([0-9a-f]{16}) \*/")
SECOND = re.compile(r"^\s+/\* 0x([0-9a-f]{16}) \*/")
GUARD = re.compile(r"^@!?U?P\S+ ")
ARCHITECTURE = re.compile(r"(?:code for|arch =) sm_(\d+)")
SETS_PREDICATES = {"IADD3", "UIADD3", "VIMNMX", "LEA", "ULEA", "IMAD", "UIMAD", "LOP3", "ULOP3", "R2UR"}
OLDEST, KEPT = 80, 2


def plain(text):
    """(name, operands) without what the text of warplens leaves out."""
    name, _, operands = GUARD.sub("", text.replace(".reuse", "")).partition(" ")
    parts = [part.strip() for part in operands.split(",")] if operands else []
    if name.split(".")[0] in SETS_PREDICATES:
        parts = [part for k, part in enumerate(parts) if k >= 3 or part not in ("PT", "UPT")]
    return name.split(".")[0], ", ".join(parts)


def instructions(cuobjdump, path):
    """(architecture, low, high, address, text) of everything a file carries."""
    process = subprocess.Popen([cuobjdump, "-sass", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    architecture, first = 0, None
    for line in process.stdout:
        if match := ARCHITECTURE.search(line):
            architecture = int(match[1])
        elif match := FIRST.search(line):
            first = match
        elif first and (match := SECOND.match(line)):
            yield architecture, int(first[3], 16), int(match[1], 16), int(first[1], 16), first[2]
            first = None
    process.wait()


def main():
    cuobjdump, samples, files = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    kept, seen = samples.read_text().splitlines() if samples.exists() else [], collections.Counter()

    def kind(architecture, low, name, operands):
        return architecture >= 90, architecture >= 100, name, low >> 9 & 7, re.sub(r"\b0x[0-9a-f]+|[\d.]+(e[-+]\d+)?", "", operands)

    for line in kept:
        architecture, low, _, _, name, operands = (line + " ").split(" ", 5)
        seen[kind(int(architecture), int(low, 16), name, operands.strip())] += 1
    for path in files:
        for architecture, low, high, address, text in instructions(cuobjdump, path):
            if architecture < OLDEST:
                continue
            name, operands = plain(text)
            group = kind(architecture, low, name, operands)
            seen[group] += 1
            if seen[group] <= KEPT:
                kept.append(f"{architecture} {low:016x} {high:016x} {address:x} {name} {operands}".rstrip())
    samples.write_text("".join(line + "\n" for line in sorted(kept, key=lambda line: (line.split()[4], line))))


main()
