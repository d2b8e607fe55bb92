"""Judges and times what agents left: collect.py OUT [--gpu]. Writes OUT/results.json, and prints a line a task and the ratio of the gains.

With --gpu the times are measured on this machine's GPU; without it they are a model's, at the sizes that the judge takes.
"""
from __future__ import annotations

import json
import math
import pathlib
import subprocess
import sys

from tasks import TASKS


def last_attempt(folder: pathlib.Path) -> pathlib.Path | None:
    attempts = sorted(folder.glob("attempt_*"), key=lambda path: int(path.stem.split("_")[1]))
    return attempts[-1] if attempts else None


def judged(folder: pathlib.Path, files: list[pathlib.Path], gpu: bool) -> list[dict]:
    words = ["warplens", "judge", str(folder / "challenge.py"), *map(str, files), "--json", *(["--gpu", "--max-elements", "0"] if gpu else [])]
    done = subprocess.run(words, capture_output=True, text=True)
    if not done.stdout:
        raise SystemExit(f"{folder}: {done.stderr}")
    return json.loads(done.stdout)["judgements"]


def row(out: pathlib.Path, name: str, kind: str, gpu: bool) -> dict:
    folder = out / kind / name
    attempt = last_attempt(folder)
    naive = next(folder.glob("naive.*"))
    verdicts = judged(folder, [naive, *([attempt] if attempt else [])], gpu)
    base, last = verdicts[0]["time"]["candidate_ns"], verdicts[-1]["time"]["candidate_ns"]
    right = verdicts[-1]["verdict"] == "accepted"
    return {"task": name, "kind": kind, "attempt": attempt.name if attempt else None, "verdict": verdicts[-1]["verdict"], "naive_ns": base, "last_ns": last,
            "gain": base / last if right and base and last else 1.0, "source": verdicts[0]["time"]["source"]}


def main() -> None:
    out, gpu = pathlib.Path(sys.argv[1]), "--gpu" in sys.argv
    rows = [row(out, task.name, kind, gpu) for task in TASKS for kind in ("without", "with") if (out / kind / task.name).is_dir()]
    (out / "results.json").write_text(json.dumps(rows, indent=1) + "\n")
    means = {}
    for kind in ("without", "with"):
        gains = [r["gain"] for r in rows if r["kind"] == kind and r["attempt"]]
        means[kind] = math.exp(sum(map(math.log, gains)) / len(gains)) if gains else None
    for r in rows:
        print(f"{r['task']:16} {r['kind']:8} {r['verdict']:10} {r['gain']:8.2f} times ({r['source']})")
    if all(means.values()):
        print(f"geometric means: without {means['without']:.2f}, with {means['with']:.2f}; ratio {means['with'] / means['without']:.2f}")


if __name__ == "__main__":
    main()
