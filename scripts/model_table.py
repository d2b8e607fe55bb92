#!/usr/bin/env python3
"""The table of hardware constants in docs/model.md, from src/warplens/model/constants.def.

Usage: model_table.py            writes it anew
       model_table.py --check    says when it is old, when a source is no script of the repository, and when a rule has more numbers of its
                                 own than scripts/rule_numbers.txt allows: what is physical belongs in the table. --check --update lowers
                                 what that file allows to what there is"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE, PAGE, ALLOWED = ROOT / "src/warplens/model/constants.def", ROOT / "docs/model.md", ROOT / "scripts/rule_numbers.txt"
BEGIN, END = "<!-- constants -->\n", "<!-- end of constants -->\n"
ROW = re.compile(r'WL_CONSTANT\((\w+), ([\d.]+), "([^"]*)", "([^"]*)", "([^"]*)",\s*"([^"]*)"\)')
OTHER_SOURCES = ("fitted", "data sheet", "assumed")
RULES = ["src/warplens/report/findings", "src/warplens/program/findings"]
NO_CODE = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"')
DECIMAL = re.compile(r"(?<![\w.])\d+\.\d+")


def sections():
    """(heading, rows) in the table's order; a heading is a comment that stands by itself before rows."""
    out = []
    for block in TABLE.read_text().split("\n\n"):
        rows = ROW.findall(block)
        if rows:
            out.append((re.match(r"// (.*)", block)[1].rstrip("."), rows))
    assert sum(len(rows) for _, rows in out) == TABLE.read_text().count("\nWL_CONSTANT("), "a row of constants.def has another form"
    return out


def table():
    out = ["| constant | value | what | chip | source |\n|---|---|---|---|---|\n"]
    for heading, rows in sections():
        out.append(f"| **{heading}** | | | | |\n")
        for name, value, unit, chip, source, what in rows:
            shown = f"`{source}`" if "/" in source else source
            out.append(f"| `{name}` | {value} {unit} | {what} | {chip} | {shown} |\n")
    return "".join(out)


def numbers():
    """Decimals in the code of each rule's file."""
    out = {}
    for folder in RULES:
        for path in sorted((ROOT / folder).rglob("*.cpp")):
            if not path.name.endswith("_test.cpp"):
                out[str(path.relative_to(ROOT))] = len(DECIMAL.findall(NO_CODE.sub("", path.read_text())))
    return out


def check(update):
    wrong = []
    text = PAGE.read_text()
    if text != fresh(text):
        wrong.append("docs/model.md is old: scripts/model_table.py writes it")
    for _, rows in sections():
        wrong += [f"constants.def: {row[0]}: no such source: {row[4]}" for row in rows
                  if row[4] not in OTHER_SOURCES and not (ROOT / row[4]).is_file()]
    allowed = dict(line.rsplit(" ", 1) for line in ALLOWED.read_text().splitlines())
    found = numbers()
    if update:
        ALLOWED.write_text("".join(f"{path} {min(n, int(allowed.get(path, 0)))}\n" for path, n in found.items() if n))
    wrong += [f"{path}: {n} decimals for {allowed.get(path, 0)}: what is physical belongs in src/warplens/model/constants.def"
              for path, n in found.items() if n > int(allowed.get(path, 0))]
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


def fresh(text):
    before, rest = text.split(BEGIN)
    return before + BEGIN + table() + END + rest.split(END)[1]


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(check("--update" in sys.argv))
    PAGE.write_text(fresh(PAGE.read_text()))
