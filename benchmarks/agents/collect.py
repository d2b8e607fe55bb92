"""Collects the results of a trial: collect.py OUT reads OUT/gpu.json, which time_on_gpu.py writes.

Prints a row a task, the geometric mean of the gains of each kind, and their ratio. A wrong last attempt gains nothing: 1. A task counts only
if the last attempts of both kinds ran. A slow kernel is the same file for both kinds, so one time of it serves both. The room is the ratio that
attempts at the limit of DRAM would have: it says how much the trial can show.
"""
from __future__ import annotations

import json
import math
import pathlib
import sys

import second_tasks
import tasks
import third_tasks
from tasks import Task

DRAM_BYTES_PER_NS = {"NVIDIA H200": 4800.0, "NVIDIA H100 80GB HBM3": 3350.0}  # from their data sheets
OPERATIONS_PER_NS = 989e3  # of tensor cores in half, of both
LAUNCH_NS = 3000.0  # in every measured time


def last_attempt(folder: pathlib.Path) -> pathlib.Path | None:
    """The attempt that the agent named in last/, otherwise the one with the highest number."""
    named = [path for path in (folder.parent / "last").glob(f"{folder.name}.*") if path.suffix in (".cu", ".py")]
    if named:
        return named[0]
    attempts = [path for path in folder.glob("attempt_*") if path.suffix in (".cu", ".py") and path.stem.split("_")[1].isdigit()]
    return max(attempts, key=lambda path: int(path.stem.split("_")[1]), default=None)


def naive_ns(times: dict, task: Task, kind: str) -> float:
    rows = [times[f"{each}/{task.name}"].get("naive") for each in (kind, "without", "with")]
    return next(row["ns"] for row in rows if row and row["ns"])


def gain(naive: float, last: dict) -> float:
    return naive / last["ns"] if last["right"] else 1.0


def limit_ns(task: Task, device: str) -> float:
    """The shortest time of any kernel: its inputs are read from DRAM once, and its output is written once. Tensor cores do its products meanwhile."""
    return max(task.touched_bytes() / DRAM_BYTES_PER_NS[device], task.full_operations() / OPERATIONS_PER_NS) + LAUNCH_NS


def mean(values: list[float]) -> float:
    """The geometric mean."""
    return math.exp(sum(map(math.log, values)) / len(values))


def main() -> None:
    out = pathlib.Path(sys.argv[1])
    measured = json.loads((out / "gpu.json").read_text())
    times = measured["times"]
    gains: dict[str, list[float]] = {"without": [], "with": []}
    room = []
    names = {name.split("/")[1] for name in times}
    for task in (t for t in [*tasks.TASKS, *second_tasks.TASKS, *third_tasks.TASKS] if t.name in names):
        cells = []
        if not all(times.get(f"{kind}/{task.name}", {}).get("last", {}).get("ns") for kind in gains):
            print(f"| {task.name} | | did not run for both kinds | | | |")
            continue
        for kind in gains:
            naive, last = naive_ns(times, task, kind), times[f"{kind}/{task.name}"]["last"]
            gains[kind].append(gain(naive, last))
            cells.append(f"{last['ns'] / 1e3:.2f} us | {gains[kind][-1]:.2f}")
        room.append(max(1.0, times[f"without/{task.name}"]["last"]["ns"] / limit_ns(task, measured["device"])))
        print(f"| {task.name} | {naive / 1e3:.1f} us | {' | '.join(cells)} |", flush=True)
    if not room:
        raise SystemExit("no task ran for both kinds")
    means = {kind: mean(values) for kind, values in gains.items()}
    print(f"{len(gains['with'])} tasks; geometric means of the gains: without {means['without']:.2f}, with {means['with']:.2f}; "
          f"ratio {means['with'] / means['without']:.3f}, room {mean(room):.2f}")


if __name__ == "__main__":
    main()
