#!/usr/bin/env python3
"""Findings of pairs of kernels, one with a known defect and one with it fixed, against times measured on an H200.

Usage: finding_accuracy.py PROGRAM [SET...] [--full] [--from FOLDER]      PROGRAM is warplens; SET: defects, pairs, memory_pairs,
compute_pairs, traffic_pairs, update_pairs, issue_pairs, rate_pairs, blind_pairs, lesson_pairs, course_pairs,
workshop_pairs, picture_pairs, seminar_pairs, textbook_pairs, blog_pairs, tutorial_pairs, lab_pairs,
lecture_pairs, problem_pairs; all of them when none is named. Also student_pairs, hobby_pairs, first_pairs, field_pairs, unit_pairs, second_pairs, third_pairs. Sizes of the first four
are a fraction of the measured ones unless --full: blocks that do not fill the GPU's waves often enough would tell a different story, so
every pair keeps at least a dozen waves. The others have their full sizes. --from takes FOLDER/SET.json, reports that
`warplens kernel examples/SET.json --emulate --json` wrote, and runs nothing.

A pair counts as wrong when its finding is missing on the bad kernel, or stands on the fixed one, unless mending saved less than 5 % of the
time: then nothing need be said. What got slower counts as a saving of 0. The mean error is told for every second pair, marked *, and for
the others: a constant chosen by the first half alone is tried on the second. Times are durations: between two events after L2 was read
over, less what events show of an empty kernel. Exit 1 when a pair is wrong or the mean error is above 0.15."""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks" / "gpu"))
import pairs as pair_launches  # noqa: E402

SCALABLE = ["defects", "pairs", "memory_pairs", "compute_pairs"]
SETS = SCALABLE + ["traffic_pairs", "update_pairs", "issue_pairs", "rate_pairs", "blind_pairs", "lesson_pairs", "course_pairs", "workshop_pairs",
                   "picture_pairs", "seminar_pairs", "textbook_pairs", "blog_pairs", "tutorial_pairs", "lab_pairs", "lecture_pairs",
                   "problem_pairs"]
LATER = ["student_pairs", "hobby_pairs", "first_pairs", "field_pairs", "unit_pairs", "second_pairs", "third_pairs"]  # timed, without counters beside; only when named
OF_SMALL_BLOCKS = ("tiny", "sum32")  # blocks of 32 threads, measured as low occupancy: the model says that starting them is what takes the time
WORTH_SAYING = 0.05  # of the bad kernel's time
EVENTS_MS = 0.00115  # what two events around a launch show beyond its duration: benchmarks/gpu/launch_costs.cu


def defect_launches(n, side, matrix, work):
    """case -> (bad launch, fixed launch): kernel, grid, block, dynamic shared memory, arguments."""
    i32, b = (lambda v: {"i32": v}), 256
    x, y, s, h = ({"buffer": name} for name in "xysh")
    right = {"buffer": "x", "offset_bytes": 4 * matrix * matrix}
    tiles = [side // 32, side // 32, 1]
    return {
        "aos": (("aos_bad", n // b, b, 0, [x, y, i32(n)]), ("aos_fixed", n // b, b, 0, [s, y, i32(n)])),
        "banks": (("banks_bad", tiles, [32, 8, 1], 0, [x, y, i32(side)]), ("banks_fixed", tiles, [32, 8, 1], 0, [x, y, i32(side)])),
        "diverge": (("diverge_bad", n // b, b, 0, [x, y, i32(n)]), ("diverge_fixed", n // b, b, 0, [x, y, i32(n)])),
        "occupancy": (("occupancy_bad", n // 64, 64, 102400, [x, y, i32(n)]), ("occupancy_fixed", n // 64, 64, 0, [x, y, i32(n)])),
        "tail": (("tail_bad", 135, 1024, 153600, [x, y, i32(work)]), ("tail_bad", 540, 256, 16384, [x, y, i32(work)])),
        "double": (("double_bad", n // b, b, 0, [x, y, i32(n)]), ("double_fixed", n // b, b, 0, [x, y, i32(n)])),
        "atomics": (("atomics_bad", n // b, b, 0, [x, h, i32(n)]), ("atomics_fixed", 1056, b, 0, [x, h, i32(n)])),
        "reload": (("reload_bad", [matrix // 16, matrix // 16, 1], [16, 16, 1], 0, [x, right, y, i32(matrix)]),
                   ("reload_fixed", [matrix // 64, matrix // 64, 1], 256, 0, [x, right, y, i32(matrix)])),
        "chain": (("chain_bad", 132, 128, 0, [x, y, i32(132 * 128)]), ("chain_fixed", 132, 128, 0, [x, y, i32(132 * 128)])),
    }


def defects(full):
    n = 1 << (24 if full else 20)
    pairs = defect_launches(n, 4096 if full else 1024, 1024 if full else 512, 20000 if full else 2000)
    three = lambda v: v if isinstance(v, list) else [v, 1, 1]
    out = [{"kernel": k, "grid": three(g), "block": three(b), "shared_bytes": m, "args": a} for pair in pairs.values() for k, g, b, m, a in pair]
    random = {"dtype": "f32", "fill": "uniform", "low": -0.5, "high": 0.5}
    return {"source": "kernels/defects.cu", "arch": "sm_90", "options": ["-lineinfo"], "launches": out,
            "buffers": {"x": {**random, "count": 8 * n, "seed": 1}, "s": {**random, "count": n, "seed": 2},
                        "y": {"dtype": "f32", "count": 2 * n, "fill": "zeros"}, "h": {"dtype": "u32", "count": 16, "fill": "zeros"}}}


def reports(program, name, full, folder):
    if folder:
        return json.loads((pathlib.Path(folder) / f"{name}.json").read_text())["launches"]
    file = defects(full) if name == "defects" else pair_launches.launch_file(name, 1 if full or name not in SCALABLE else 16)
    file["source"] = str(ROOT / "examples" / file["source"])
    with tempfile.NamedTemporaryFile("w", suffix=".json") as launches:
        json.dump(file, launches)
        launches.flush()
        done = subprocess.run([program, "kernel", launches.name, "--emulate", "--json"], capture_output=True, text=True)
    if not done.stdout:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["launches"]


def durations_ms(row):
    """Of both kernels; those of `defects`, which were timed only after L2 was written over, are as events showed them."""
    if "bad_read_ms" not in row:
        return float(row["bad_ms"]), float(row["fixed_ms"])
    return float(row["bad_read_ms"]) - EVENTS_MS, float(row["fixed_read_ms"]) - EVENTS_MS


def judge(row, bad, fixed, in_view):
    """One line of the table; the error, what is wrong with the names, and the lesson's place where mending saved something."""
    finding = "small-blocks" if row["case"] in OF_SMALL_BLOCKS else row["finding"]
    found = {f["id"]: f for f in bad["findings"]}.get(finding)
    stands = finding in {f["id"] for f in fixed["findings"]}
    bad_ms, fixed_ms = durations_ms(row)
    measured = max(0.0, 1 - fixed_ms / bad_ms)
    estimate = (found["saving_fraction"] or 0) if found else 0.0
    error, counts = abs(estimate - measured), measured >= WORTH_SAYING
    wrong = "missing" if counts and not found else "stands on the fixed kernel" if counts and stands else ""
    print(f"{row['case'] + ('*' if in_view else ''):12} {finding:22} {measured:8.3f} {estimate:9.3f} {error:7.3f}  "
          f"{bad_ms:8.4f} {bad['time']['estimate_ns'] / 1e6:8.4f}  {fixed_ms:8.4f} {fixed['time']['estimate_ns'] / 1e6:8.4f}  {wrong}".rstrip())
    place = [f["id"] for f in bad["findings"]].index(finding) + 1 if found else 0
    return error, wrong, place if counts else None


def bad_first(launch):
    return launch["findings"][0]["id"] if launch["findings"] else "nothing"


def summary(text, errors):
    print(f"{text}: mean error {sum(errors) / len(errors):.3f} of the bad kernel's time over {len(errors)} pairs")


def main(program, *arguments):
    folder = arguments[arguments.index("--from") + 1] if "--from" in arguments else None
    names = [a for a in arguments if a in SETS + LATER] or SETS
    wrong, of_half, places = [], {True: [], False: []}, []
    for name in names:
        launches, errors = reports(program, name, "--full" in arguments, folder), []
        print(f"{name:12} {'finding':22} measured estimated   error    bad ms    model  fixed ms    model")
        with open(ROOT / "tests" / "data" / "ncu" / f"{name}.times.csv") as file:
            for i, row in enumerate(csv.DictReader(file)):
                error, what, place = judge(row, launches[2 * i], launches[2 * i + 1], i % 2 == 0)
                errors.append(error)
                places += [(row["case"], bad_first(launches[2 * i]), place)] if place is not None else []
                of_half[i % 2 == 0].append(error)
                if what:
                    wrong.append(f"{row['case']}: {row['finding']} {what}")
        summary(f"{name} ", errors)
        print()
    summary("pairs marked * ", of_half[True])
    summary("the others     ", of_half[False])
    both = of_half[True] + of_half[False]
    summary("all            ", both)
    later = [f"{case} ({first})" for case, first, place in places if place != 1]
    print(f"the lesson first on {len(places) - len(later)} of {len(places)} that save something; another first on {', '.join(later) or 'none'}")
    print(f"{len(wrong)} wrongly named" + "".join(f"\n  {w}" for w in wrong))
    return 1 if wrong or sum(both) / len(both) > 0.15 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
