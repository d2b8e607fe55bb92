#!/usr/bin/env python3
"""`warplens export`: Chrome files that read back as the same profile, cuts, lanes, stacks and flame graphs.

Usage: export_test.py PROGRAM
"""
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

TRACES = pathlib.Path(__file__).resolve().parent / "data" / "traces"
PROGRAM = None


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def trace(name):
    return TRACES / f"{name}.pt.trace.json.gz"


class Export(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def export(self, name, *arguments, to="out.json"):
        path = pathlib.Path(self.folder.name) / to
        run("export", trace(name), "-f", "-o", path, *arguments)
        return path

    def test_chrome_reads_back_as_the_same_profile(self):
        for name in ("gpt2_train", "gpt2_train_stack", "cuda_graph", "square_h2d"):
            copy = self.export(name)
            for command in (["ops", "--torch", "--by-shape", "--json"], ["ops", "--json"], ["ops", "--by", "kernel", "--json"]):
                of_copy = run(*command, copy).replace(str(copy), str(trace(name)))  # issues name the file
                self.assertEqual(run(*command, trace(name)), of_copy, (name, command))

    def test_every_track_nests(self):
        events = json.loads(self.export("gpt2_train_stack").read_text())["traceEvents"]
        tracks = {}
        for event in events:
            if event["ph"] == "X":
                tracks.setdefault((str(event["pid"]), str(event["tid"])), []).append((round(event["ts"] * 1000), -round(event["dur"] * 1000)))
        for track, spans in tracks.items():
            open_ends = []
            for start, minus in sorted(spans):
                while open_ends and open_ends[-1] <= start:
                    open_ends.pop()
                self.assertTrue(not open_ends or start - minus <= open_ends[-1], track)
                open_ends.append(start - minus)

    def test_a_step_is_cut_out_and_compressed(self):
        path = self.export("gpt2_train", "--step", "3", to="step.json.gz")
        events = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
        names = {e["name"] for e in events if e.get("cat") == "user_annotation"}
        self.assertIn("ProfilerStep#3", names)
        self.assertNotIn("ProfilerStep#2", names)
        summary = json.loads(run("summary", "--json", path))
        self.assertEqual(summary["ranks"][0]["steps"], 1)

    def test_cuts_by_time_stream_annotation_and_duration(self):
        whole = len(json.loads(self.export("streams").read_text())["traceEvents"])
        for cut in (["--min-duration", "100us"], ["--stream", "37"], ["--from", "1ms", "--to", "3ms"]):
            part = len(json.loads(self.export("streams", *cut).read_text())["traceEvents"])
            self.assertTrue(0 < part < whole, cut)
        events = json.loads(self.export("gpt2_train", "--annotation", "Optimizer.step*").read_text())["traceEvents"]
        self.assertTrue(any(e.get("cat") == "kernel" and "multi_tensor_apply" in e["name"] for e in events))
        self.assertFalse(any(e["name"] == "aten::native_layer_norm" for e in events))

    def test_stacks_and_flame_graph(self):
        lines = run("export", trace("gpt2_train_stack"), "-t", "stacks").splitlines()
        self.assertTrue(lines)
        for line in lines:
            stack, value = line.rsplit(" ", 1)
            self.assertGreater(int(value), 0)
            self.assertNotIn(" ", stack)
        svg = self.export("gpt2_train_stack", "-t", "flamegraph", to="flames.svg")
        boxes = xml.dom.minidom.parse(str(svg)).getElementsByTagName("g")
        self.assertGreater(len(boxes), 100)
        whole = [b for b in boxes if b.getAttribute("data-d") == "0"]
        self.assertEqual(len(whole), 1)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
