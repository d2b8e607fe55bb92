#!/usr/bin/env python3
"""Formats that keep a profile whole: written, read back, and compared table by table; Perfetto's files also by its own
definition of them (the package `perfetto` of PyPI), whose sums must be ours.

Usage: round_trip_test.py PROGRAM
"""
import collections
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

DATA = pathlib.Path(__file__).resolve().parent / "data"
TRACES = DATA / "traces"
NAMES = ("streams", "square_h2d", "gpt2_train_stack")
PROGRAM = None



def run(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.stderr}")
    return done.stdout


def trace(name):
    return TRACES / f"{name}.pt.trace.json.gz"


def answers(path):
    """The output of the verbs, without the name of the file."""
    out = {}
    for command in (["ops", "--torch", "--by-shape", "--json"], ["ops", "--json"], ["ops", "--by", "kernel", "--json"],
                    ["timeline", "--json"], ["summary", "--json"]):
        text = run(*command, path).replace(str(path), "FILE")
        for name in NAMES + ("cuda_graph",):  # .sqlite and .wlens keep the name of the file that was read
            text = text.replace(str(trace(name)), "FILE")
        out[" ".join(command)] = json.loads(text)
    for table in TABLES:
        rows = json.loads(run("query", path, f'select * from "{table}"', "--json"))["rows"]
        out[table] = sorted(json.dumps({k: v for k, v in row.items() if k not in row_numbers(table)}, sort_keys=True) for row in rows)
    return out


TABLES = ("operators", "calls", "kernels", "copies", "allocations", "synchronizations", "flows", "counter_samples",
          "python_frames", "overheads", "other_events")


def row_numbers(table):
    """Columns that hold rows: their order is a file's own."""
    if not SCHEMA:
        for entry in json.loads(run("query", trace("streams"), "--schema", "--json"))["tables"]:
            SCHEMA[entry["name"]] = {c["column"] for c in entry["columns"] if c["refers_to"]} | {"row", "file"}
    return SCHEMA[table]


SCHEMA = {}


class RoundTrip(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def converted(self, source, name):
        path = pathlib.Path(self.folder.name) / name
        run("convert", source, "-f", "-o", path)
        return path

    def check(self, ending, *names):
        for name in names or NAMES:
            copy = self.converted(trace(name), name + ending)
            want, got = answers(trace(name)), answers(copy)
            for what, value in want.items():
                self.assertEqual(value, got[what], (name, ending, what))

    def test_sqlite(self):
        self.check(".sqlite", *NAMES, "cuda_graph")

    def test_perfetto(self):
        self.check(".pftrace")

    def test_compressed(self):
        self.check(".pftrace.gz", "streams")
        self.check(".sqlite.gz", "streams")

    def test_every_format_reaches_every_other(self):
        want = answers(trace("streams"))
        path = trace("streams")
        for ending in (".sqlite", ".pftrace", ".json", ".wlens", ".json.gz", ".sqlite", ".wlens", ".pftrace"):
            path = self.converted(path, "chain" + ending)
        got = answers(path)
        for what, value in want.items():
            self.assertEqual(value, got[what], what)

    def test_sqlite_answers_for_itself(self):
        path = self.converted(trace("gpt2_train"), "plain.sqlite")
        with sqlite3.connect(path) as database:
            count, total = database.execute("select count(*), sum(duration_ns) from named_device_events where kind = 'kernel'").fetchone()
            names = {row[0] for row in database.execute("select distinct name from named_device_events")}
        row = json.loads(run("query", trace("gpt2_train"), "select count(*) as n, sum(duration_ns) as t from kernels", "--json"))["rows"][0]
        self.assertEqual((count, total), (row["n"], row["t"]))
        self.assertTrue(any("gemm" in name for name in names), names)

    def test_ranks_stay_apart(self):
        defects = DATA / "defects"
        files = [defects / f"allreduce_after_backward.bad.rank{rank}.pt.trace.json.gz" for rank in (0, 1)]
        path = pathlib.Path(self.folder.name) / "job.sqlite"
        run("convert", *files, "-o", path)
        want = json.loads(run("ranks", *files, "--json"))
        got = json.loads(run("ranks", path, "--json"))
        self.assertEqual(want["ranks"], got["ranks"])
        self.assertEqual(want["collectives"], got["collectives"])

    def test_speedscope_has_every_span(self):
        path = pathlib.Path(self.folder.name) / "out.speedscope.json"
        run("export", trace("gpt2_train_stack"), "-o", path)
        document = json.loads(path.read_text())
        frames = [frame["name"] for frame in document["shared"]["frames"]]
        count = total = 0
        for profile in document["profiles"]:
            open_frames, last = [], 0
            for event in profile["events"]:
                self.assertGreaterEqual(event["at"], last)
                last = event["at"]
                if event["type"] == "O":
                    open_frames.append((event["frame"], event["at"]))
                    continue
                frame, begin = open_frames.pop()
                self.assertEqual(frame, event["frame"])
                if "stream" in profile["name"]:
                    count, total = count + 1, total + event["at"] - begin
            self.assertEqual(open_frames, [])
            self.assertTrue(profile["startValue"] <= last <= profile["endValue"])
        row = json.loads(run("query", trace("gpt2_train_stack"), "select count(*) as n, sum(duration_ns) as t from device_events", "--json"))["rows"][0]
        syncs = json.loads(run("query", trace("gpt2_train_stack"), "select count(*) as n, coalesce(sum(duration_ns), 0) as t from synchronizations", "--json"))["rows"][0]
        self.assertEqual((count, total), (row["n"] + syncs["n"], row["t"] + syncs["t"]))
        self.assertIn("aten::addmm", frames)

    def test_perfettos_own_definition_reads_the_same_sums(self):
        sys.path += map(str, DATA.parent.parent.glob(".venv/lib/python3*/site-packages"))  # python/requirements-test.txt
        try:
            from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as proto
        except ImportError:
            self.skipTest("the package perfetto is not installed")
        for name in ("cuda_graph", "streams"):
            decoded = proto.Trace()
            decoded.ParseFromString(self.converted(trace(name), name + ".pftrace").read_bytes())
            spans, flows, counters, tracks = decode(decoded)
            for category, table, condition in (("kernel", "device_events", "kind = 'kernel'"), ("gpu_memcpy", "device_events", "kind = 'copy'"),
                                               ("cpu_op", "operators", "kind = 'operator'"), ("cuda_runtime", "calls", "kind = 'runtime'")):
                row = json.loads(run("query", trace(name), f"select count(*) as n, coalesce(sum(duration_ns), 0) as t from {table} where {condition}", "--json"))["rows"][0]
                self.assertEqual((row["n"], row["t"]), spans.get(category, (0, 0)), (name, category))
            row = json.loads(run("query", trace(name), "select count(*) as n from device_events d where exists (select 1 from calls c"
                                 " where c.correlation = d.correlation and c.correlation != 0)", "--json"))["rows"][0]
            self.assertEqual(row["n"], flows["ac2g"], name)
            self.assertTrue(all(parent in tracks for parent in tracks.values() if parent), name)


def decode(trace_):
    """Spans by category, flows by category, counters, and each track's parent, by the package's own protocol classes."""
    names, categories, tracks, open_spans = {}, {}, {}, collections.defaultdict(list)
    annotations, flow_categories, seen = {}, [], collections.Counter()
    events = []
    for packet in trace_.packet:
        for entry in packet.interned_data.event_names:
            names[entry.iid] = entry.name
        for entry in packet.interned_data.event_categories:
            categories[entry.iid] = entry.name
        for entry in packet.interned_data.debug_annotation_names:
            annotations[entry.iid] = entry.name
        if packet.HasField("track_descriptor"):
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor.parent_uuid
        if packet.HasField("track_event"):
            events.append((packet.timestamp, packet.track_event))
    events.sort(key=lambda item: item[0])  # stable: what begins at one time keeps the file's order
    spans = collections.defaultdict(lambda: (0, 0))
    counters = []
    for time, event in events:
        assert event.track_uuid in tracks
        for flow in event.terminating_flow_ids:
            seen[flow >> 48] += 1
        if event.type == event.TYPE_SLICE_BEGIN:
            category = categories[event.category_iids[0]]
            assert names[event.name_iid]
            open_spans[event.track_uuid].append((category, time))
        elif event.type == event.TYPE_SLICE_END:
            category, begin = open_spans[event.track_uuid].pop()
            count, total = spans[category]
            spans[category] = (count + 1, total + time - begin)
        elif event.type == event.TYPE_COUNTER:
            counters.append(event.double_counter_value)
        for annotation in event.debug_annotations:
            if annotations.get(annotation.name_iid) == "warplens.flow_categories":
                flow_categories = json.loads(annotation.legacy_json_value)
    assert not any(open_spans.values())
    flows = collections.Counter({flow_categories[number - 1]: count for number, count in seen.items()})
    return dict(spans), flows, counters, tracks


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
