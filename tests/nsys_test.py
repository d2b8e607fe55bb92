#!/usr/bin/env python3
"""Exports of Nsight Systems: the same kernels, times and findings as the program's other recording; files that are damaged or hostile.

Usage: nsys_test.py PROGRAM
"""
import json
import os
import pathlib
import random
import sqlite3
import stat
import subprocess
import sys
import tempfile
import unittest

import nsys_export

TRACES = pathlib.Path(__file__).resolve().parent / "data" / "traces"
PROGRAM = None
NAMES = ["<script>alert(1)</script>", "'); DROP TABLE StringIds; --", "$(touch /tmp/owned) `id`", "\x1b[31m\x07\x00red", "\ud83d\ude00" * 3, ""]
# Missing in the export: operators' types and values, and torch's own memory records.
TOLD_BY_TYPES = {"fusable-chain", "pow-for-square", "unaligned-gemm", "repeated-cast", "peak-memory", "memory-bound"}


def run(*arguments, env=None):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, errors="replace", timeout=60,
                          env={**os.environ, **(env or {})})


def parsed(*arguments):
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def device_events(path):
    """(category, name, start, duration, stream, correlation, grid, block, bytes) of all device work, from the first on."""
    events = [e for e in parsed("export", path, "-o", "-")["traceEvents"] if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
    rows = sorted((nsys_export.nanoseconds(e["ts"]), e["cat"], e["name"], nsys_export.nanoseconds(e["dur"]), e["args"]["stream"],
                   e["args"]["correlation"], e["args"].get("grid"), e["args"].get("block"), e["args"].get("bytes")) for e in events)
    return [(row[0] - rows[0][0], *row[1:]) for row in rows]


def damage(report):
    """Ids of the issues that make data doubtful."""
    return {issue["id"] for issue in report["integrity_issues"] if issue["severity"] != "info"}


class Nsys(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return pathlib.Path(self.folder.name) / name

    def export(self, trace, schema):
        path = self.path(f"{trace}.{schema}.sqlite")
        nsys_export.write(TRACES / f"{trace}.pt.trace.json.gz", path, schema)
        return path

    def test_the_same_program_gives_the_same_kernels_and_findings(self):
        for trace in ("square", "streams", "tiny_ops", "square_h2d", "cuda_graph", "attention", "llama_decode"):
            source = TRACES / f"{trace}.pt.trace.json.gz"
            told = parsed("findings", source, "--json")
            want = [f["id"] for f in told["findings"]]
            for schema in ("2021", "2026"):
                with self.subTest(trace=trace, schema=schema):
                    path = self.export(trace, schema)
                    self.assertEqual(device_events(path), device_events(source))
                    here = parsed("findings", path, "--json")
                    self.assertLessEqual(damage(here), damage(told))
                    got = [f["id"] for f in here["findings"]]
                    self.assertEqual([f for f in got if f not in TOLD_BY_TYPES], [f for f in want if f not in TOLD_BY_TYPES])

    def test_sums_are_those_of_plain_sql(self):
        path = self.export("gpt2_train", "2026")
        classes = parsed("summary", path, "--json")["classes"]
        database = sqlite3.connect(path)
        count = times = 0
        for table in ("KERNEL", "MEMCPY", "MEMSET"):
            n, time_ns = database.execute(f"SELECT count(*), total(end - start) FROM CUPTI_ACTIVITY_KIND_{table}").fetchone()
            count, times = count + n, times + int(time_ns)
        self.assertEqual(sum(row["count"] for row in classes), count)
        self.assertEqual(sum(row["time_ns"] for row in classes), times)
        kernels = {(row["name"], row["kernel_count"], row["device_time_ns"]) for row in parsed("ops", "--by", "kernel", path, "--json")["rows"]}
        for row in database.execute("SELECT value, count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName "
                                    "GROUP BY 1"):
            self.assertIn(row, kernels)

    def test_processes_are_ranks(self):
        path = self.export("streams", "2026")
        database = sqlite3.connect(path)
        for table in ("KERNEL", "MEMCPY", "MEMSET", "SYNCHRONIZATION", "RUNTIME"):
            table = "CUPTI_ACTIVITY_KIND_" + table
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            mine = {"globalPid": "globalPid + (1 << 24)", "globalTid": "globalTid + (1 << 24)", "deviceId": "1"}
            database.execute(f"INSERT INTO {table} SELECT {', '.join(mine.get(c, f'[{c}]') for c in columns)} FROM {table}")
        database.commit()
        summary = parsed("summary", path, "--json")
        self.assertEqual([rank["rank"] for rank in summary["ranks"]], [0, 1])
        self.assertEqual(summary["ranks"][0]["busy_ns"], summary["ranks"][1]["busy_ns"])
        self.assertIn("split ranks", summary["integrity"])

    def test_a_file_without_kernels_says_so(self):
        path = self.path("host.sqlite")
        database = nsys_export.Database(path, "2026")
        database.add("NVTX_EVENTS", start=10, end=20, eventType=59, text="step", globalTid=1 << 24 | 7, domainId=0)
        database.connection.commit()
        shown = run("summary", path)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("no device activity", shown.stdout)
        self.assertIn("No rule ran", run("findings", path).stdout)
        self.assertEqual(run("findings", path, "--fail-on", "warn").returncode, 1, "no gate passes on what was not recorded")
        self.assertEqual(parsed("findings", path, "--json")["findings"], [])

    def test_names_are_text_and_nothing_else(self):
        path = self.path("names.sqlite")
        database = nsys_export.Database(path, "2026")
        process = {"globalPid": 1 << 24, "deviceId": 0, "contextId": 1, "streamId": 7}
        for number, name in enumerate(NAMES):
            text = database.string(name.encode("utf-16", "surrogatepass").decode("utf-16"))
            database.add("CUPTI_ACTIVITY_KIND_KERNEL", start=10 * number, end=10 * number + 5, correlationId=number + 1, demangledName=text,
                         shortName=text, gridX=1, gridY=1, gridZ=1, blockX=1, blockY=1, blockZ=1, **process)
        database.connection.commit()
        rows = parsed("ops", "--by", "kernel", path, "--json")["rows"]
        self.assertEqual(len(rows), len(NAMES))
        self.assertIn("<script>alert(1)</script>", [row["name"] for row in rows])
        for verb in ("summary", "ops", "timeline", "findings"):
            self.assertNotIn("\x1b", run(verb, path).stdout)
        self.assertFalse(pathlib.Path("/tmp/owned").exists())

    def test_views_triggers_and_virtual_tables_are_not_used(self):
        path = self.export("square", "2026")
        want = device_events(path)
        database = sqlite3.connect(path)
        database.execute("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN evil INT AS (abs(start) / 0) VIRTUAL")
        database.execute("CREATE VIEW CUPTI_ACTIVITY_KIND_GRAPH_TRACE AS SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL")
        database.execute("CREATE TRIGGER t AFTER INSERT ON StringIds BEGIN DELETE FROM StringIds; END")
        database.execute("CREATE VIRTUAL TABLE GPU_METRICS USING fts5(timestamp, typeId, metricId, value)")
        database.commit()
        self.assertEqual(device_events(path), want)
        self.assertIn("views not used (2)", run("summary", path).stdout)

    def test_a_write_ahead_log_and_compression_change_nothing(self):
        path = self.export("square", "2026")
        want = device_events(path)
        database = sqlite3.connect(path)
        database.execute("PRAGMA journal_mode=WAL")
        database.close()
        self.assertEqual(device_events(path), want)
        subprocess.run(["gzip", "-k", path], check=True)
        self.assertEqual(device_events(str(path) + ".gz"), want)

    def test_damage_is_told(self):
        path = self.export("streams", "2026")
        whole, cut = path.read_bytes(), self.path("cut.sqlite")
        dice = random.Random(1)
        for case in range(40):
            damaged = bytearray(whole)
            if case % 2:
                del damaged[dice.randrange(100, len(damaged)):]
            else:
                for _ in range(dice.choice([1, 8, 200])):
                    damaged[dice.randrange(100, len(damaged))] = dice.randrange(256)
            cut.write_bytes(damaged)
            done = run("summary", cut)
            self.assertIn(done.returncode, (0, 1), f"case {case}: {done.stderr}")
            if case % 2:
                self.assertRegex(done.stdout + done.stderr, "truncated|of [0-9]+ bytes|damaged|cut off", f"case {case}")

    def test_a_report_is_exported_where_nsys_is(self):
        source, report = self.export("square", "2026"), self.path("report1.nsys-rep")
        report.write_bytes(b"NVIDIA Tegra Profiler Report 2025@2@1@130-252135690618v0.\n")
        nowhere = {"PATH": self.folder.name, "WARPLENS_CACHE": str(self.path("cache"))}
        without = run("summary", report, env=nowhere)
        self.assertEqual(without.returncode, 1)
        self.assertIn("nsys export --type sqlite", without.stderr)
        fake = self.path("nsys")
        fake.write_text(f'#!/bin/sh\nfor a; do case $a in --output=*) /bin/cp "{source}" "${{a#--output=}}";; esac; done\n')
        fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
        self.assertEqual(run("summary", report, env=nowhere).returncode, 0)
        fake.write_text("#!/bin/sh\necho broken report; exit 1\n")
        self.assertEqual(run("summary", report, env=nowhere).returncode, 0, "what was exported once is kept")
        report.write_bytes(report.read_bytes() + b"changed")
        failed = run("summary", report, env=nowhere)
        self.assertEqual(failed.returncode, 1)
        self.assertIn("broken report", failed.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
