"""What a trial showed: collect.py OUT. Judges the last attempts, emulated, and takes their times from OUT/gpu.json (time_on_gpu.py).

Prints a row a task, the geometric mean of the gains of each kind, and their ratio. A wrong last attempt gains nothing: 1.
"""
from __future__ import annotations

import json
import math
import pathlib
import subprocess
import sys

from tasks import TASKS


def last_attempt(folder: pathlib.Path) -> pathlib.Path | None:
    attempts = [path for path in folder.glob("attempt_*") if path.suffix in (".cu", ".py") and path.stem.split("_")[1].isdigit()]
    return max(attempts, key=lambda path: int(path.stem.split("_")[1]), default=None)


def verdict(folder: pathlib.Path, attempt: pathlib.Path) -> str:
    done = subprocess.run(["warplens", "judge", folder / "challenge.py", attempt, "--json", "--timed-elements", "1"], capture_output=True, text=True)
    if not done.stdout:
        return f"not judged: {done.stderr.strip()}"
    (judged,) = json.loads(done.stdout)["judgements"]
    return judged["verdict"] + "".join(f" {kind['kind']}" for kind in judged["kinds"])


def gain(times: dict) -> float:
    last = times.get("last")
    return times["naive"]["ns"] / last["ns"] if last and last["right"] and last["ns"] else 1.0


def main() -> None:
    out = pathlib.Path(sys.argv[1])
    times = json.loads((out / "gpu.json").read_text())
    gains: dict[str, list[float]] = {"without": [], "with": []}
    for task in TASKS:
        cells = []
        if not all(times.get(f"{kind}/{task.name}", {}).get("last") for kind in gains):
            continue  # both kinds made an attempt, or the task says nothing
        for kind in gains:
            row, folder = times[f"{kind}/{task.name}"], out / kind / task.name
            gains[kind].append(gain(row))
            cells.append(f"{row['last']['ns'] / 1e3:.2f} us | {gains[kind][-1]:.2f} | {verdict(folder, last_attempt(folder))}")
        print(f"| {task.name} | {row['naive']['ns'] / 1e3:.1f} us | {' | '.join(cells)} |", flush=True)
    means = {kind: math.exp(sum(map(math.log, values)) / len(values)) for kind, values in gains.items()}
    print(f"{len(gains['with'])} tasks; geometric means of the gains: without {means['without']:.2f}, with {means['with']:.2f}; "
          f"ratio {means['with'] / means['without']:.3f}")


if __name__ == "__main__":
    main()
