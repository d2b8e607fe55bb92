#!/usr/bin/env python3
"""`warplens ops --torch` against torch's own tables of the bundled traces: every row and field to 1 ns.

Usage: ops_equal_test.py PROGRAM
"""
import json
import pathlib
import subprocess
import sys
import unittest

TRACES = pathlib.Path(__file__).resolve().parent / "data" / "traces"
TIMES = ("cpu_time_total", "self_cpu_time_total", "device_time_total", "self_device_time_total")
COUNTS = {"count": "count", "flops": "flops", "cpu_memory_usage": "cpu_memory_bytes", "self_cpu_memory_usage": "self_cpu_memory_bytes",
          "device_memory_usage": "device_memory_bytes", "self_device_memory_usage": "self_device_memory_bytes"}
PROGRAM = None


def ours(trace, by_shape):
    command = [PROGRAM, "ops", str(trace), "--torch", "--json"] + ["--by-shape"] * by_shape
    rows = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["rows"]
    return {(r["name"], r["device_type"], r["is_user_annotation"], r["input_shapes"]): r for r in rows}


def theirs(truth):
    return {(r["key"], r["device_type"].split(".")[-1], bool(r["is_user_annotation"]), r["input_shapes"] if truth["by_shape"] else ""): r
            for r in truth["rows"]}


class EqualToTorch(unittest.TestCase):
    def test_every_row_and_field(self):
        truths = sorted(TRACES.glob("*.truth.json"))
        self.assertTrue(truths, f"no truth files in {TRACES}")
        for path in truths:
            truth = json.loads(path.read_text())
            trace = path.with_name(path.name.replace(".truth.json", ".pt.trace.json.gz"))
            got, want = ours(trace, truth["by_shape"]), theirs(truth)
            self.assertEqual(sorted(got), sorted(want), trace.name)
            for key, row in want.items():
                for field in TIMES:
                    self.assertAlmostEqual(got[key][field + "_ns"], row[field] * 1000, delta=1, msg=f"{trace.name} {key} {field}")
                for torch_name, name in COUNTS.items():
                    self.assertEqual(got[key][name], row[torch_name], f"{trace.name} {key} {name}")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
