"""What a trial showed: collect.py OUT reads OUT/gpu.json, which time_on_gpu.py writes.

Prints a row a task, the geometric mean of the gains of each kind, and their ratio. A wrong last attempt gains nothing: 1. A task counts only
if the last attempts of both kinds ran.
"""
from __future__ import annotations

import json
import math
import pathlib
import sys

from tasks import TASKS


def last_attempt(folder: pathlib.Path) -> pathlib.Path | None:
    attempts = [path for path in folder.glob("attempt_*") if path.suffix in (".cu", ".py") and path.stem.split("_")[1].isdigit()]
    return max(attempts, key=lambda path: int(path.stem.split("_")[1]), default=None)


def gain(times: dict) -> float:
    last = times.get("last")
    return times["naive"]["ns"] / last["ns"] if last and last["right"] and last["ns"] else 1.0


def main() -> None:
    out = pathlib.Path(sys.argv[1])
    times = json.loads((out / "gpu.json").read_text())
    gains: dict[str, list[float]] = {"without": [], "with": []}
    for task in TASKS:
        cells = []
        if not all(times.get(f"{kind}/{task.name}", {}).get("last", {}).get("ns") for kind in gains):
            print(f"| {task.name} | | did not run for both kinds | | | |")
            continue
        for kind in gains:
            row = times[f"{kind}/{task.name}"]
            gains[kind].append(gain(row))
            cells.append(f"{row['last']['ns'] / 1e3:.2f} us | {gains[kind][-1]:.2f}")
        print(f"| {task.name} | {row['naive']['ns'] / 1e3:.1f} us | {' | '.join(cells)} |", flush=True)
    means = {kind: math.exp(sum(map(math.log, values)) / len(values)) for kind, values in gains.items()}
    print(f"{len(gains['with'])} tasks; geometric means of the gains: without {means['without']:.2f}, with {means['with']:.2f}; "
          f"ratio {means['with'] / means['without']:.3f}")


if __name__ == "__main__":
    main()
