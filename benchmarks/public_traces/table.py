#!/usr/bin/env python3
"""Runs warplens over a folder of public traces (extract.py writes it) and prints one row a trace: read or refused, the
verdict on its integrity, and the first finding.

    table.py PROGRAM FOLDER [--judgements FILE] > docs/results/public-traces.md

Judgements are made by hand and kept beside this script: lines of `path<TAB>column<TAB>right|wrong<TAB>why`.
"""

import argparse
import collections
import json
import pathlib
import subprocess

READ = ("", ".json", ".gz", ".pb", ".zst")
SECONDS = 120


def run(program: str, *arguments: str) -> tuple[int, str, str]:
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=SECONDS, check=False)
    return done.returncode, done.stdout, done.stderr


def short(text: str, width: int) -> str:
    text = " ".join(text.replace("|", "/").split())
    return text if len(text) <= width else text[: width - 1] + "…"


def row_of(program: str, path: pathlib.Path, name: str) -> dict[str, str]:
    code, out, err = run(program, "doctor", "--json", str(path))
    if code not in (0, 1):
        return {"trace": name, "read": f"exit {code}", "verdict": short(err, 90), "finding": ""}
    if code == 1:
        return {"trace": name, "read": "refused", "verdict": short(err.partition(str(path))[2].lstrip(": "), 90), "finding": ""}
    verdict = json.loads(out)["integrity"]
    code, out, err = run(program, "findings", "--json", str(path))
    findings = json.loads(out)["findings"] if code == 0 else []
    first = findings[0] if findings else None
    saving = first and first.get("saving_fraction")
    share = f" ({saving:.1%})" if saving else ""
    return {"trace": name, "read": "yes", "verdict": short(verdict, 90),
            "finding": short(f"{first['id']}{share}: {first['title']}", 90) if first else "none"}


def judgements(path: pathlib.Path | None) -> dict[tuple[str, str], tuple[str, str]]:
    if path is None or not path.exists():
        return {}
    lines = [line.split("\t") for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return {(name, column): (verdict, why) for name, column, verdict, why in lines}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--judgements", type=pathlib.Path, default=pathlib.Path(__file__).parent / "judgements.tsv")
    arguments = parser.parse_args()
    judged = judgements(arguments.judgements)
    rows = []
    for path in sorted(p for p in arguments.folder.rglob("*") if p.is_file() and p.suffix in READ):
        rows.append(row_of(arguments.program, path, str(path.relative_to(arguments.folder))))
    counts = collections.Counter(row["read"] for row in rows)
    print("# Public traces\n")
    print("`benchmarks/public_traces/extract.py` takes them out of their repositories; this table is what",
          "`benchmarks/public_traces/table.py` prints. The last column is judged by hand.\n")
    print(", ".join(f"{count} {what}" for what, count in counts.most_common()), "of", len(rows), "files.\n")
    print("| trace | read | integrity | first finding | judged |\n|---|---|---|---|---|")
    for row in rows:
        marks = [f"{column} {judged[row['trace'], column][0]}: {judged[row['trace'], column][1]}"
                 for column in ("verdict", "finding") if (row["trace"], column) in judged]
        print(f"| {row['trace']} | {row['read']} | {row['verdict']} | {row['finding']} | {'; '.join(marks)} |")


if __name__ == "__main__":
    main()
