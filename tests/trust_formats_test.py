#!/usr/bin/env python3
"""The same names and abuses in every other format that warplens reads, and on every other way out: trust_formats_test.py WARPLENS

Nsight's files, XLA's profiles, PyTorch's snapshots and dumps, recordings; SQL, the report, tables of counters."""
import base64
import gzip
import json
import pickle
import re
import sqlite3
import unittest
import xml.etree.ElementTree

from hostile import ABUSES, ACTING, STORE, TRACE, Case

import foreign_files_test
import ncu_test
import nsys_export
import pickles_test
from ncu_test import field


def named(trace, name):
    """The trace with this name on each kernel, operator and range."""
    trace = json.loads(json.dumps(trace))
    for event in trace["traceEvents"]:
        if event.get("cat") in ("kernel", "cpu_op", "user_annotation"):
            event["name"] = name
    return trace


def xplane(name):
    """An .xplane.pb of one GPU with one line of two kernels."""
    def event(offset):
        return field(4, field(1, 1) + field(2, offset) + field(3, 5_000_000))
    line = field(1, 7) + field(2, name) + field(3, 1000) + event(0) + event(9_000_000)
    metadata = field(1, 1) + field(2, field(1, 1) + field(2, name))
    return field(1, field(1, 1) + field(2, "/device:GPU:0") + field(3, line) + field(4, metadata)) + field(4, name)


def snapshot(name):
    whole = pickles_test.snapshot()
    for event in whole["device_traces"][0]:
        for frame in event["frames"]:
            frame["filename"] = frame["name"] = name
    return whole


def dump(rank, name):
    whole = pickles_test.dump(rank, 5 - rank)
    for entry in whole["entries"]:
        entry["profiling_name"], entry["process_group"] = name, ("0", name)
        for frame in entry["frames"]:
            frame["filename"] = frame["name"] = name
    return whole


class Formats(Case):
    """Each format with each name, on a text output and on one for programs."""

    def shown(self, what, *commands, codes=(0,)):
        for command in commands:
            done = self.run_program(*command)
            self.assertIn(done.returncode, codes, done.stderr)
            self.assert_inert(done, f"{what}: {' '.join(map(str, command))}")

    def for_names(self, check):
        for index, (abuse, name) in enumerate(ABUSES.items()):
            with self.subTest(abuse=abuse):
                check(index, name)

    def test_nsight_systems(self):
        def check(index, name):
            (self.folder / "clean.json").write_text(json.dumps(named(TRACE, "MARK")))
            path = self.folder / "x.sqlite"
            path.unlink(missing_ok=True)
            nsys_export.write(self.folder / "clean.json", path, ("2021", "2026")[index % 2])
            with sqlite3.connect(path) as database:
                database.execute("UPDATE StringIds SET value = ? WHERE value = 'MARK'", (name,))
                for table in ("TARGET_INFO_GPU", "TARGET_INFO_CUDA_GPU"):
                    if database.execute("SELECT count(*) FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0]:
                        database.execute(f"UPDATE {table} SET name = ?", (name,))
            database.close()
            self.shown(name, ["summary", path], ["findings", path], ["ops", path, "--format", "csv"])

        self.for_names(check)

    def test_nsight_compute(self):
        header, units, rows = ncu_test.table("pairs")
        def check(index, name):
            if "\0" in name:
                return  # no text of a table or of a report holds one
            row = [name, *rows[0][1:]]
            path = self.put("x.ncu-rep", ncu_test.report(header, [row]))
            self.shown(name, ["kernel", path], ["kernel", path, "--json"], ["kernel", path, "--format", "csv"])

        self.for_names(check)

    def test_xla(self):
        def check(index, name):
            path = self.put("x.xplane.pb", xplane(name))
            self.shown(name, ["summary", path], ["ops", path, "--by", "kernel", "--format", "md"])

        self.for_names(check)

    def test_memory_snapshots(self):
        def check(index, name):
            path = self.put("x.pickle", pickle.dumps(snapshot(name)))
            self.shown(name, ["memory", path], ["memory", path, "--json"])

        self.for_names(check)

    def test_dumps_of_hung_jobs(self):
        def check(index, name):
            paths = [self.put(f"dump_{rank}", pickle.dumps(dump(rank, name))) for rank in range(3)]
            self.shown(name, ["hang", *paths], ["hang", *paths, "--json"], codes=(0, 1))

        self.for_names(check)

    def test_rocm_databases(self):
        def check(index, name):
            path = self.folder / "x.rpd"
            path.unlink(missing_ok=True)
            foreign_files_test.rpd(path)
            with sqlite3.connect(path) as database:
                database.execute("UPDATE rocpd_string SET string = ? WHERE string IN ('gemm(float*)', 'training step')", (name,))
            database.close()
            self.shown(name, ["summary", path], ["ops", path, "--by", "kernel", "--format", "csv"])

        self.for_names(check)

    def test_counters_beside_a_timeline(self):
        self.put("k.ptx", STORE)
        self.launch_file(source="k.ptx")
        self.assertEqual(self.run_program("kernel", "launch.json", "--emulate", "--json", "-o", "kept.json").returncode, 0)
        kept = json.loads((self.folder / "kept.json").read_text())
        kernel = next(event for event in TRACE["traceEvents"] if event.get("cat") == "kernel")["args"]
        launch = {**kept["launches"][0], "grid": kernel["grid"], "block": kernel["block"]}

        def check(index, name):
            self.put("x.json", json.dumps(named(TRACE, name)))
            finding = {**(launch["findings"] or [{}])[0], "id": name, "title": name, "advice": name, "where": [name], "saving_fraction": 0.5}
            self.put("counters.json", json.dumps({**kept, "launches": [{**launch, "kernel": name, "function": name, "device": name, "findings": [finding]}]}))
            self.shown(name, ["findings", "x.json", "--counters", "counters.json"], ["summary", "x.json", "--counters", "counters.json"],
                       ["findings", "x.json", "--counters", "counters.json", "--json"], codes=(0, 1))
            done = self.run_program("findings", "x.json", "--counters", "counters.json", "--json")
            self.assertIn(b"kernel-cause", done.stdout, "the counters are joined")

        self.for_names(check)

    def test_what_gates_write(self):
        def check(index, name):
            self.put("x.json", json.dumps(named(TRACE, name)))
            self.shown(name, ["findings", "x.json", "--fail-on", "info", "--junit", "judged.xml", "-f"], ["findings", "x.json", "--brief"], codes=(0, 1, 3))
            whole = (self.folder / "judged.xml").read_bytes()
            suites = xml.etree.ElementTree.fromstring(whole)  # a name that ends an element would break it
            self.assertEqual({each.tag for each in suites.iter()} - {"testsuites", "testsuite", "testcase", "failure", "skipped", "system-out"}, set())
            self.assertIsNone(ACTING.search(whole.decode()), name)

        self.for_names(check)

    def test_recordings(self):
        def check(index, name):
            self.put("x.json", json.dumps(named(TRACE, name)))
            self.assertEqual(self.run_program("convert", "x.json", "-o", "x.wlens", "-f").returncode, 0)
            self.shown(name, ["summary", "x.wlens"], ["diff", "x.wlens", "x.json"], ["ranks", "x.wlens", "x.json"], codes=(0, 1))

        self.for_names(check)


class Questions(Case):
    """SQL and what it answers."""

    def test_names_in_answers(self):
        for abuse, name in ABUSES.items():
            with self.subTest(abuse=abuse):
                self.put("x.json", json.dumps(named(TRACE, name)))
                for form in ("table", "csv", "json", "md"):
                    done = self.run_program("query", "x.json", "select name, count(*) n from kernels group by name", "--format", form)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assert_inert(done, form)

    def test_questions_write_nothing(self):
        self.put("x.json", json.dumps(TRACE))
        victim = self.put("../victim", "mine")
        for sql in [f"attach '{self.top}/new.db' as d", f"vacuum into '{self.top}/new.db'", "create table t(x)", "pragma writable_schema=1",
                    "select load_extension('x')", f"select writefile('{victim}', 'x')", f"select readfile('{victim}')", "drop table kernels",
                    "insert into kernels(name) values('x')", "update kernels set name='x'", "delete from kernels", "detach main",
                    "select fts3_tokenizer('x', x'00')", "create temp trigger t after insert on kernels begin select 1; end",
                    "pragma temp_store_directory='/tmp'", "select edit('x', 'touch acted')"]:
            with self.subTest(sql=sql):
                done = self.run_program("query", "x.json", sql)
                self.assertNotEqual(done.returncode, 0, sql)
                self.assertEqual(victim.read_text(), "mine")
                self.assertFalse((self.top / "new.db").exists() or (self.folder / "acted").exists())

    def test_questions_end(self):
        """An endless question and an endless answer reach a limit that is told."""
        self.put("x.json", json.dumps(TRACE))
        for sql in ["with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n",
                    "select count(*) from kernels a, kernels b, kernels c, kernels d, kernels e, kernels f",
                    "select length(zeroblob(2000000000))", "select replace(hex(zeroblob(400000000)), '0', 'aaaa')"]:
            with self.subTest(sql=sql):
                done = self.run_program("query", "x.json", sql, "--timeout", "2s", timeout=30)
                self.assertNotEqual(done.returncode, 0, done.stdout[:200])
                self.assertNotEqual(done.stderr, b"")


class Pages(Case):
    """`warplens report`: what names become on the page is text; tests/page_test.py opens such pages in a browser."""

    def test_names_stay_data(self):
        for abuse, name in ABUSES.items():
            with self.subTest(abuse=abuse):
                self.put("x.json", json.dumps(named(TRACE, name)))
                done = self.run_program("report", "x.json", "-o", "x.html", "-f")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assert_inert(done, "report")
                page = (self.folder / "x.html").read_text()
                packed = re.search(r'id="data">([A-Za-z0-9+/=\s]*)<', page)
                self.assertIsNotNone(packed, "the data is base64, which no name can end")
                json.loads(gzip.decompress(base64.b64decode(packed[1])))
                self.assertNotIn("onerror", page.replace(packed[0], ""))

    def test_file_names_in_titles(self):
        for name in ["<script>x<script>", "' onload='x", "--><b>", "]]>", "{{x}}", "${x}"]:
            with self.subTest(name=name):
                path = self.put(f"{name}.json", json.dumps(TRACE))
                self.assertEqual(self.run_program("report", path, "-o", "x.html", "-f").returncode, 0)
                self.assertNotIn("<b>", (self.folder / "x.html").read_text().split("<script")[0])
                self.assertNotIn("<script>x", (self.folder / "x.html").read_text())


class Counts(Case):
    """Counters that somebody else kept or wrote."""

    def test_kept_launches(self):
        self.put("k.ptx", STORE)
        self.launch_file(source="k.ptx")
        self.assertEqual(self.run_program("kernel", "launch.json", "--emulate", "--json", "-o", "kept.json").returncode, 0)
        kept = json.loads((self.folder / "kept.json").read_text())
        for abuse, name in ABUSES.items():
            with self.subTest(abuse=abuse):
                kept["launches"][0]["kernel"] = name
                kept["device"] = name
                self.put("base.json", json.dumps(kept))
                done = self.run_program("kernel", "launch.json", "--emulate", "--baseline", "base.json")
                self.assert_inert(done, "baseline")


if __name__ == "__main__":
    unittest.main()
