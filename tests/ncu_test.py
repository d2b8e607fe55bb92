#!/usr/bin/env python3
"""Nsight Compute's files: tables in any language and unit, reports, damage.

Usage: ncu_test.py PROGRAM
"""
import csv
import gzip
import io
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest

TABLES = pathlib.Path(__file__).resolve().parent / "data" / "ncu"
PROGRAM = None
IDENTITY = ("Kernel Name", "Block Size", "Grid Size")


def run(*arguments):
    """Runs the program, with --device only for tables that do not say which GPU it was."""
    def once(*more):
        return subprocess.run([PROGRAM, *map(str, arguments), *more], capture_output=True, text=True, errors="replace", timeout=60)

    done = once()
    return once("--device", "h200") if "give --device GPU" in done.stderr else done


def launches(path):
    done = run("kernel", path, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["launches"]


def table(name):
    """Header, units and rows of a table that ncu wrote on an H200."""
    with gzip.open(TABLES / f"{name}.csv.gz", "rt") as file:
        header, units, *rows = csv.reader(file)
    return header, units, rows


def number(text):
    return float(text.replace(",", ""))


def varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def field(number, value):
    """A Protocol Buffers field: an integer, a double, a text or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def sized(message):
    return struct.pack("<I", len(message)) + message


def sizes(text):
    return b"".join(field(k + 1, int(n)) for k, n in enumerate(re.findall(r"\d+", text)))


def report(header, rows, extra=()):
    """A .ncu-rep of a table: blocks with the texts and then the launches, as ncu lays them out."""
    names = [*header[3:], "device__attribute_compute_capability_major", "device__attribute_multiprocessor_count",
             "device__attribute_display_name", "smsp__pcsamp_warps_issue_stalled_wait", "inst_executed"]
    blocks = b""
    for row in rows:
        result = field(5, row[0]) + field(10, sizes(row[2])) + field(11, sizes(row[1]))
        for k, cell in enumerate(row[3:]):
            result += field(13, field(1, k) + field(2, field(3, number(cell))))
        base = len(header) - 3
        result += field(13, field(1, base) + field(2, field(5, 9))) + field(13, field(1, base + 1) + field(2, field(5, 132)))
        result += field(13, field(1, base + 2) + field(2, field(1, "NVIDIA H200")))
        for metric, counts in ((base + 3, (5, 7)), (base + 4, (64, 32))):
            places = b"".join(field(3, field(1, field(5, 4096 + 16 * k)) + field(2, field(5, n))) for k, n in enumerate(counts))
            result += field(13, field(1, metric) + field(2, field(5, sum(counts))) + places)
        result += field(15, field(1, 77)) + field(19, field(1, "SOLBottleneck") + field(3, field(1, field(1, field(1, "High Throughput")
                                                                                              + field(2, 4)) + field(10, field(2, 12.5)))))
        result += b"".join(extra)
        texts = b"".join(field(1, name) for name in names) if not blocks else b""
        source = sized(field(1, 77) + field(9, field(1, field(1, row[0]) + field(2, 4096))))
        payload = source + sized(result)
        blocks += sized(field(1, 1) + field(2, 1) + field(4, texts) + field(5, len(payload))) + payload
    return b"NVR\0" + sized(field(1, 7)) + blocks


class Ncu(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, contents=None):
        path = pathlib.Path(self.folder.name) / name
        if contents is not None:
            path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        return path

    def written(self, header, units, rows, name="table.csv"):
        text = io.StringIO()
        csv.writer(text, quoting=csv.QUOTE_ALL).writerows([header, units, *rows])
        return self.path(name, text.getvalue())

    def assert_values(self, got, header, rows, factors=None):
        self.assertEqual(len(got), len(rows))
        for launch, row in zip(got, rows):
            self.assertEqual(launch["function"], row[0])
            self.assertEqual(launch["grid"], [int(n) for n in re.findall(r"\d+", row[2])])
            for name, cell in zip(header[3:], row[3:]):
                self.assertAlmostEqual(launch["metrics"][name], number(cell), delta=1e-9 * abs(number(cell)), msg=name)

    def test_values_are_those_of_the_table(self):
        for name in ("pairs", "probe", "defects"):
            header, units, rows = table(name)
            got = launches(TABLES / f"{name}.csv.gz")
            self.assertEqual(len(got), len(rows))
            for launch, row in zip(got, rows):
                for metric, unit, cell in list(zip(header, units, row))[3:]:
                    if metric in launch["metrics"] and cell and unit in ("", "byte", "ns", "sector", "inst", "%", "branches", "cycle"):
                        self.assertAlmostEqual(launch["metrics"][metric], number(cell), delta=1e-9 * abs(number(cell)), msg=metric)

    def test_any_language_and_unit_gives_the_same(self):
        header, units, rows = table("pairs")
        want = launches(self.written(header, units, rows))
        spoken = {"German": str.maketrans(",.", ".,"), "French": str.maketrans(",.", "\u202f,"),
                  "Swedish": str.maketrans(",.", "\u00a0,"), "old French": str.maketrans(",.", " ,"), "Swiss": str.maketrans(",.", "'."),
                  "plain": {ord(","): None}}
        for language, letters in spoken.items():
            with self.subTest(language=language):
                changed = [[*row[:3], *(cell.translate(letters) for cell in row[3:])] for row in rows]
                self.assertEqual(launches(self.written(header, units, changed)), want)
        scaled = {"byte": ("Kbyte", 1e3), "ns": ("msecond", 1e6)}
        changed = [[cell if unit not in scaled else repr(number(cell) / scaled[unit][1]) for cell, unit in zip(row, units)] for row in rows]
        for launch, same in zip(launches(self.written(header, [scaled.get(u, (u,))[0] for u in units], changed)), want):
            for name, value in same["metrics"].items():
                self.assertAlmostEqual(launch["metrics"][name], value, delta=1e-6 * abs(value) + 1e-12, msg=name)

    def test_what_is_printed_around_a_table_is_no_row(self):
        header, units, rows = table("pairs")
        plain = self.written(header, units, rows).read_text()
        lines = plain.splitlines(keepends=True)
        noisy = "hello, world\n==PROF== Connected to process 4711\n" + "".join(lines[:4]) + "==PROF== Profiling \"k\" - 1\n" + "".join(lines[4:])
        self.assertEqual(launches(self.path("noisy.csv", noisy)), launches(self.written(header, units, rows)))
        shown = run("kernel", self.path("noisier.csv", noisy + "loss 3.5, step 7\n")).stdout
        self.assertIn("1 line of the table was not understood", shown)

    def test_the_details_page_is_read_by_its_labels(self):
        rows = ["\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\","
                "\"Metric Value\",\"Rule Name\",\"Rule Type\",\"Rule Description\",\"Estimated Speedup Type\",\"Estimated Speedup\""]
        for section, label, unit, value in (("GPU Speed Of Light Throughput", "Duration", "us", "5.31"),
                                            ("GPU Speed Of Light Throughput", "Elapsed Cycles", "cycle", "10,396"),
                                            ("Memory Workload Analysis", "Memory Throughput", "Gbyte/s", "790.12"),
                                            ("GPU Speed Of Light Throughput", "Memory Throughput", "%", "27.70"),
                                            ("Occupancy", "Achieved Occupancy", "%", "66.52"), ("My Section", "My Label", "", "3.25")):
            rows.append(f'"0","7","k(float *)","(256, 1, 1)","(64, 1, 1)","0","9.0","{section}","{label}","{unit}","{value}",')
        rows.append('"0","7","k(float *)","(256, 1, 1)","(64, 1, 1)","0","9.0","Occupancy","","","","AchievedOccupancy","OPT","Say ""more"", please","global","33.5"')
        path = self.path("details.csv", "\n".join(rows) + "\n")
        launch, = launches(path)
        metrics = launch["metrics"]
        self.assertAlmostEqual(metrics["gpu__time_duration.sum"], 5310)
        self.assertEqual(metrics["gpc__cycles_elapsed.max"], 10396)
        self.assertAlmostEqual(metrics["dram__bytes.sum.per_second"], 790.12e9)
        self.assertAlmostEqual(metrics["gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"], 27.7)
        self.assertEqual(launch["nsight_rules"], [{"id": "AchievedOccupancy", "kind": "OPT", "text": 'Say "more", please', "speedup_percent": 33.5}])
        self.assertIn("1 values of the details page have labels", run("kernel", path).stdout)

    def test_a_report_has_the_values_of_its_table(self):
        header, units, rows = table("pairs")
        path = self.path("report.ncu-rep", report(header, rows))
        got = launches(path)
        self.assert_values(got, header, rows)
        same = launches(self.written(header, units, rows))
        self.assertEqual([launch["nsight_rules"][0]["speedup_percent"] for launch in got], [12.5] * len(rows))
        self.assertIn("measured on H200 SXM", run("kernel", path).stdout)
        lines = run("kernel", path, "--lines").stdout
        self.assertIn("samples", lines)
        self.assertEqual(len(same), len(got))

    def test_a_metric_is_told_once(self):
        header, _, rows = table("pairs")
        path = self.path("waves.ncu-rep", report([*header, "launch__waves_per_multiprocessor"], [[*rows[0], "12.5"]]))
        done = run("kernel", path, "--json")
        self.assertEqual(done.stdout.count('"launch__waves_per_multiprocessor"'), done.stdout.count('"gpu__time_duration.sum"'))
        self.assertEqual(json.loads(done.stdout)["launches"][0]["metrics"]["launch__waves_per_multiprocessor"], 12.5)

    def test_files_compare_as_baselines_and_by_diff(self):
        header, units, rows = table("pairs")
        base = self.path("base.ncu-rep", report(header, rows))
        duration = header.index("gpu__time_duration.sum")
        slower = [[*row[:duration], str(2 * number(row[duration])), *row[duration + 1:]] for row in rows]
        new, base_2 = self.written(header, units, slower, "new.csv"), self.path("slow.ncu-rep", report(header, slower))
        for command in (["kernel", new, "--baseline", base, "--fail-on", "50%"], ["diff", base, base_2, "--fail-on", "50%"]):
            done = run(*command)
            self.assertEqual(done.returncode, 3, done.stderr + done.stdout)
        self.assertEqual(run("diff", base, base, "--fail-on", "50%").returncode, 0)

    def test_damage_is_told(self):
        header, units, rows = table("pairs")
        whole = report(header, rows)
        dice = random.Random(2)
        for case in range(40):
            damaged = bytearray(whole)
            if case % 2:
                del damaged[dice.randrange(4, len(damaged) - 1):]
            else:
                for _ in range(dice.choice([1, 8, 200])):
                    damaged[dice.randrange(4, len(damaged))] = dice.randrange(256)
            done = run("kernel", self.path("damaged.ncu-rep", bytes(damaged)))
            self.assertIn(done.returncode, (0, 1), f"case {case}: {done.stderr}")
            if case % 2:
                self.assertIn("cut off or damaged", done.stdout + done.stderr + "", f"case {case}")

    def test_claims_and_names_of_any_kind(self):
        header, units, rows = table("pairs")
        gigabyte = varint(13 << 3 | 2) + varint(1 << 30)
        told = run("kernel", self.path("huge.ncu-rep", report(header, rows[:1], [gigabyte])))
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("damaged", told.stdout)
        for name in ("<script>alert(1)</script>", "'; DROP TABLE x; --", "$(id)", "\x1b[31mred"):
            hostile = [[name, *rows[0][1:]]]
            for path in (self.path("names.ncu-rep", report(header, hostile)), self.written(header, units, hostile)):
                done = run("kernel", path)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("\x1b", done.stdout)

    def test_a_table_that_names_no_gpu_needs_one(self):
        header, units, rows = table("pairs")
        written, page = self.written(header, units, rows), self.path("page.html", b"")
        for flag, verb in (("--device", ["kernel", written]), ("--gpu-name", ["report", written, "-f", "-o", page])):
            done = subprocess.run([PROGRAM, *verb], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"give {flag} GPU", done.stderr)
            self.assertEqual(subprocess.run([PROGRAM, *verb, flag, "h200"], capture_output=True).returncode, 0)

    def test_what_holds_no_launch_is_an_error(self):
        header, units, _ = table("pairs")
        for path, words in ((self.written(header, units, []), "a table of ncu without a launch"),
                            (self.path("empty.ncu-rep", b"NVR\0" + sized(field(1, 7))), "without a launch"),
                            (self.path("cut.ncu-rep", b"NVR\0\x02"), "cut off in its header")):
            done = run("kernel", path)
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
