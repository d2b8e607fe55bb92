#!/usr/bin/env python3
"""One length of a step: `summary`, `findings`, `timeline` and `diff` agree to a nanosecond on every bundled trace that marks steps;
where nothing marks any, `summary`, `findings` and `diff` agree on the run.

Usage: step_length_test.py PROGRAM
"""
import json
import pathlib
import statistics
import subprocess
import sys
import unittest

TRACES = pathlib.Path(__file__).resolve().parent / "data"
PROGRAM = None


def ask(verb, *files):
    return json.loads(subprocess.run([PROGRAM, verb, *files, "--json"], capture_output=True, text=True, check=True).stdout)


def lengths_of(trace):
    """The steps' lengths as `timeline` gives them, of the first device of the first rank."""
    rows = ask("timeline", trace)["steps"]
    return [row["span_ns"] for row in rows if row["step"] != "all" and row.get("part", "steady") == "steady" and (row["rank"], row["device"]) == (rows[0]["rank"], rows[0]["device"])]


class OneLength(unittest.TestCase):
    def test_views_agree(self):
        compared = runs = 0
        for path in sorted(TRACES.rglob("*.pt.trace.json.gz")):
            summary = ask("summary", str(path))["ranks"][0]
            if not summary["busy_ns"]:
                continue
            if not summary["steps"]:
                with self.subTest(path.name):
                    self.assertEqual(ask("findings", str(path))["recorded_step_ns"], summary["span_ns"])
                    self.assertAlmostEqual(ask("diff", str(path), str(path))["step"][0]["base_ns"], summary["span_ns"], delta=1)
                runs += 1
                continue
            lengths = lengths_of(str(path))
            with self.subTest(path.name):
                self.assertEqual(len(lengths), summary["steps"])
                self.assertAlmostEqual(statistics.median_high(lengths), summary["median_step_ns"], delta=1)
                mean = sum(lengths) / len(lengths)
                self.assertAlmostEqual(ask("findings", str(path))["recorded_step_ns"], mean, delta=1)
                self.assertAlmostEqual(ask("diff", str(path), str(path))["step"][0]["base_ns"], mean, delta=1)
            compared += 1
        self.assertGreater(compared, 20)
        self.assertGreater(runs, 0)


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
