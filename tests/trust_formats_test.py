#!/usr/bin/env python3
"""The same names and abuses in every other format that warplens reads, and on every other way out: trust_formats_test.py WARPLENS

Nsight's files, XLA's profiles, PyTorch's snapshots and dumps, recordings; SQL, the report, tables of counters."""
import base64
import csv
import gzip
import io
import json
import os
import pickle
import re
import shutil
import sqlite3
import subprocess
import threading
import unittest
import xml.etree.ElementTree

from hostile import ABUSES, ACTING, PROGRAM, STORE, TRACE, Case

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


def texts_of(value):
    """All texts of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from texts_of(inner)


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

    def test_what_other_programs_read(self):
        """Names of kernels, operators, devices, threads and files in each format that is written."""
        def check(index, name):
            trace = named(TRACE, name)
            trace["deviceProperties"][0]["name"] = name
            for event in trace["traceEvents"]:
                if event.get("name") in ("process_name", "thread_name"):
                    event["args"]["name"] = name
            self.put("x.json", json.dumps(trace))
            for out in ("out.sqlite", "out.pftrace", "out.speedscope.json", "out.json"):
                (self.folder / out).unlink(missing_ok=True)
                kind = {"out.sqlite": "sqlite", "out.pftrace": "perfetto", "out.speedscope.json": "speedscope", "out.json": "chrome"}[out]
                done = self.run_program(*(["convert"] if kind in ("sqlite", "perfetto") else ["export"]), "x.json", "-t", kind, "-o", out)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assert_inert(done, kind)
                found = []
                if kind == "sqlite":
                    with sqlite3.connect(self.folder / out) as database:
                        for table, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                            found += [cell for row in database.execute(f'SELECT * FROM "{table}"') for cell in row if isinstance(cell, str)]
                    database.close()
                elif kind == "perfetto":
                    whole = (self.folder / out).read_bytes()
                    self.assertFalse([bad for bad in (b"\x1b[", b"\x1b]", b"\x07\x07", "\u202e".encode(), "\u200b".encode(), b"fine\rERASED") if bad in whole])
                else:  # such a file is text, which may be printed
                    whole = (self.folder / out).read_text()
                    json.loads(whole)
                    found = [whole]
                for text in found:
                    self.assertIsNone(ACTING.search(text), f"{kind}: {text[:200]!r}")

        self.for_names(check)

    def test_recordings(self):
        def check(index, name):
            self.put("x.json", json.dumps(named(TRACE, name)))
            self.assertEqual(self.run_program("convert", "x.json", "-o", "x.wlens", "-f").returncode, 0)
            self.shown(name, ["summary", "x.wlens"], ["diff", "x.wlens", "x.json"], ["ranks", "x.wlens", "x.json"], codes=(0, 1))

        self.for_names(check)


class Numbers(Case):
    """Sizes, counts and times in a file are claims: any number is shown or refused, within bounds of time and memory."""

    CLAIMS = [0, -1, 1, 2**31 - 1, 2**31, 2**32, 2**53, 2**62, 2**63 - 1, -2**63]

    def read(self, path, *verbs):
        for verb in verbs or (["summary"], ["summary", "--json"], ["timeline", "--json"], ["findings", "--json"], ["query", "select * from devices"]):
            process = subprocess.Popen([PROGRAM, verb[0], path, *verb[1:]], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, env={**os.environ, "WARPLENS_CACHE": str(self.top / "cache")})
            watch = threading.Timer(30, process.kill)
            watch.start()
            with process.stdout:
                said = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            watch.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertIn(process.returncode, (0, 1, 2), f"{verb}: {said[-400:]}")
            self.assertLess(usage.ru_maxrss, 1_500_000, f"KiB: {verb}")
            if "--json" in verb and process.returncode == 0:
                json.loads(said, parse_constant=lambda word: self.fail(f"{word} is no JSON"))

    def test_databases(self):
        """Each number of each table of Nsight Systems and ROCm, one table at a time."""
        (self.folder / "clean.json").write_text(json.dumps(TRACE))
        for kind, write in {"2021": lambda p: nsys_export.write(self.folder / "clean.json", p, "2021"),
                            "2026": lambda p: nsys_export.write(self.folder / "clean.json", p, "2026"), "rpd": foreign_files_test.rpd,
                            "rocpd": foreign_files_test.rocpd}.items():
            clean = self.folder / f"{kind}.sqlite"
            write(clean)
            with sqlite3.connect(clean) as database:
                tables = [name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
                columns = {table: [row[1] for row in database.execute(f"PRAGMA table_info('{table}')") if not row[5]] for table in tables}
            database.close()
            for number, table in enumerate(tables):
                for claim in (self.CLAIMS[number % len(self.CLAIMS)], self.CLAIMS[(number + 5) % len(self.CLAIMS)]):
                    with self.subTest(kind=kind, table=table, claim=claim):
                        path = self.folder / "x.sqlite"
                        shutil.copy(clean, path)
                        with sqlite3.connect(path) as database:
                            for column in columns[table]:
                                database.execute(f"UPDATE \"{table}\" SET \"{column}\" = ? WHERE typeof(\"{column}\") IN ('integer', 'real')", (claim,))
                        database.close()
                        self.read(path, ["summary", "--json"], [["timeline", "--json"], ["findings", "--json"], ["query", "select * from devices"]][number % 3])

    def test_nsight_compute(self):
        header, units, rows = ncu_test.table("pairs")
        for at in range(0, len(header)):
            for claim in ("1e308", "-1", "nan", "inf", "9223372036854775807"):
                row = [claim if re.fullmatch(r"[-\d.,e+]+", cell or "") and (index + at) % 7 == 0 else cell for index, cell in enumerate(rows[0])]
                if row == rows[0] or (at + len(claim)) % 11:
                    continue  # each cell with some claim, in seconds
                with self.subTest(at=at, claim=claim):
                    text = io.StringIO()
                    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([header, units, row])
                    self.read(self.put("x.csv", text.getvalue()), ["kernel"], ["kernel", "--json"])

    def test_xla(self):
        def space(claim):
            claim %= 1 << 64
            event = field(4, field(1, 1) + field(2, claim) + field(3, claim))
            counted = field(4, field(1, 1) + field(5, claim))
            line = field(1, claim) + field(2, "line") + field(3, claim) + event * 3 + counted + field(9, claim)
            metadata = field(1, 1) + field(2, field(1, 1) + field(2, "kernel"))
            return field(1, field(1, claim) + field(2, "/device:GPU:0") + field(3, line) + field(4, metadata)) + field(4, "host")

        for claim in self.CLAIMS:
            with self.subTest(claim=claim):
                self.read(self.put("x.xplane.pb", space(claim)))

    def test_rocprofv3(self):
        base = foreign_files_test.rocprof_json()
        for claim in [*self.CLAIMS, 1e308]:
            with self.subTest(claim=claim):
                def claimed(value):
                    if isinstance(value, dict):
                        return {key: claimed(inner) for key, inner in value.items()}
                    if isinstance(value, list):
                        return [claimed(inner) for inner in value]
                    return claim if isinstance(value, int) and not isinstance(value, bool) else value
                for part in ("agents", "kernel_symbols", "buffer_records", "strings"):
                    whole = json.loads(json.dumps(base))
                    tool = whole["rocprofiler-sdk-tool"][0]
                    tool[part] = claimed(tool[part])
                    self.read(self.put("x.json", json.dumps(whole)), ["summary", "--json"])


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
        """An endless question and an endless answer reach a limit, with a message."""
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
                data = json.loads(gzip.decompress(base64.b64decode(packed[1])))
                self.assertEqual([text for text in texts_of(data) if ACTING.search(text)], [], "what is not seen is shown on the page too")
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
