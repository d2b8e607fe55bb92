#!/usr/bin/env python3
"""The model's predictions for pairs that teach the lessons of courses (SET: lesson_pairs, course_pairs, workshop_pairs, picture_pairs,
seminar_pairs, textbook_pairs, blog_pairs, tutorial_pairs, lab_pairs, lecture_pairs, problem_pairs), and what an H200 says.

lessons.py predict REPORT.json [SET] > predicted.csv    from `warplens kernel examples/SET.json --emulate --compiler nvcc --json`
lessons.py table predicted.csv measured.csv             both beside each other, as Markdown; measured.csv is what `pairs.py main SET` prints

`place` is where the lesson stands among the bad kernel's findings, 1 the first, 0 not named; `saving` what its finding promises; bad_us and
fixed_us the model's durations of both kernels, bad_events_us and fixed_events_us what it says of two events, which are what was measured."""
import csv
import json
import sys

import pairs


def predict(report, name="lesson_pairs"):
    launches = json.load(open(report))["launches"]
    named = [(pair, finding) for pair, finding, *_ in pairs.of_set(name)[1]][::2]
    print("case,finding,place,saving,first,bad_us,fixed_us,bad_events_us,fixed_events_us")
    for (pair, finding), bad, fixed in zip(named, launches[::2], launches[1::2]):
        ids = [f["id"] for f in bad["findings"]]
        place = ids.index(finding) + 1 if finding in ids else 0
        saving = (bad["findings"][place - 1]["saving_fraction"] or 0) if place else 0
        times = [launch["time"][key] / 1000 for key in ("estimate_ns", "between_events_ns") for launch in (bad, fixed)]
        print(f"{pair},{finding},{place},{saving:.3f},{ids[0] if ids else ''}," + ",".join(f"{t:.1f}" for t in times))


def table(predicted, measured):
    rows = list(csv.DictReader(open(predicted)))
    truth = {row["case"]: row for row in csv.DictReader(open(measured))}
    savings, times = [], []
    print("| pair | lesson | place | first finding | promised | measured | bad us | model | fixed us | model |\n|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        bad, fixed = (1000 * float(truth[row["case"]][key]) for key in ("bad_ms", "fixed_ms"))
        said = [row.get(side + "_events_us") or row[side + "_us"] for side in ("bad", "fixed")]  # older files have one figure
        saved = max(0.0, 1 - fixed / bad)
        savings.append(abs(saved - float(row["saving"])))
        times += [abs(float(said[0]) / bad - 1), abs(float(said[1]) / fixed - 1)]
        print(f"| {row['case']} | {row['finding']} | {row['place'] if row['place'] != '0' else '-'} | {row['first']} | {float(row['saving']):.2f} | {saved:.2f} "
              f"| {bad:.1f} | {said[0]} | {fixed:.1f} | {said[1]} |")
    first = sum(row["place"] == "1" for row in rows)
    print(f"\nThe lesson is the first finding in {first} of {len(rows)} pairs and named in {sum(row['place'] != '0' for row in rows)}; "
          f"mean error of savings {sum(savings) / len(savings):.3f}, of times {100 * sum(times) / len(times):.0f} %.")


if __name__ == "__main__":
    {"predict": predict, "table": table}[sys.argv[1]](*sys.argv[2:])
