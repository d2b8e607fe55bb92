#!/usr/bin/env python3
"""Files that flags name, patterns, machine code, and the newer outputs, with anybody's names and numbers: trust_flags_test.py WARPLENS"""
import base64
import gzip
import itertools
import json
import pickle
import random
import re
import unittest

import foreign_files_test
import ncu_test
import nsys_export
from hostile import ABUSES, ACTING, DATA, STORE, TRACE, Case
from trust_doors_test import renamed, results_of_bench
from trust_formats_test import dump, named, snapshot, texts_of, xplane

LONG = 60_000


def kernel_event(name, index, **args):
    """A kernel in a trace, one after the other."""
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 1000 + index * 5, "dur": 3,
            "args": {"device": 0, "stream": 7, "correlation": 1_000_000 + index, **args}}


class Patterns(Case):
    """Patterns that nearly match everywhere, on names that nearly fit: both may come from the same stranger."""

    PATTERNS = {"a piece": "*" + "a" * (LONG // 2) + "b{}", "any characters": "*" + "a?" * (LONG // 4) + "b{}", "stars": "*a" * (LONG // 4) + "b{}"}

    def setUp(self):
        super().setUp()
        self.put("x.json", json.dumps({"traceEvents": [kernel_event("a" * LONG + str(i), i) for i in range(30)]}))

    def lines(self, pattern, form):
        return "\n".join(form.format(pattern.format(i)) for i in range(30)) + "\n"

    def test_settings(self):
        for what, pattern in self.PATTERNS.items():
            with self.subTest(pattern=what):
                self.put("warplens.toml", "[classes.kernel]\n" + self.lines(pattern, '"{}" = "mine"'))
                done = self.run_program("summary", "x.json")
                self.assertEqual(done.returncode, 0, done.stderr[-300:])

    def test_files_of_classes(self):
        for what, pattern in self.PATTERNS.items():
            with self.subTest(pattern=what):
                self.put("classes.txt", self.lines(pattern, "kernel {} mine"))
                done = self.run_program("summary", "x.json", "--classes", "classes.txt")
                self.assertEqual(done.returncode, 0, done.stderr[-300:])


class Many(Case):
    """A file may have as many streams, devices or threads as it has events."""

    COUNT = 150_000

    def check(self, events, *commands):
        self.put("x.json", json.dumps({"traceEvents": events}))
        for command in commands:
            with self.subTest(command=command):
                done = self.run_program(command[0], "x.json", *command[1:])
                self.assertIn(done.returncode, (0, 1), done.stderr[-300:])

    def test_streams(self):
        self.check([kernel_event("k", i, stream=i) for i in range(self.COUNT)], ["summary"], ["ops"], ["report", "-f", "-o", "x.html"])

    def test_threads(self):
        self.check([{**kernel_event("k", i), "cat": "cpu_op", "tid": i} for i in range(self.COUNT)], ["summary"], ["timeline"])

    def test_steps(self):
        self.check([{**kernel_event(f"ProfilerStep#{i}", i), "cat": "user_annotation"} for i in range(self.COUNT)] + [kernel_event("k", i) for i in range(self.COUNT)],
                   ["summary"], ["findings"])


class Cuts(Case):
    """A file whose end is missing is never called whole, in any format."""

    CUTS = 12

    def files(self):
        """The name of a whole file of each format."""
        plain = self.put("plain.json", json.dumps(TRACE))
        self.put("packed.json.gz", gzip.compress(plain.read_bytes()))
        for name in ("own.wlens", "own.sqlite", "own.pftrace"):
            self.assertEqual(self.run_program("convert", "plain.json", "-o", name).returncode, 0)
        nsys_export.write(plain, self.folder / "nsys.sqlite", "2026")
        foreign_files_test.rpd(self.folder / "rocm.rpd")
        self.put("xla.xplane.pb", xplane("k"))
        return ["plain.json", "packed.json.gz", "own.wlens", "own.sqlite", "own.pftrace", "nsys.sqlite", "rocm.rpd", "xla.xplane.pb"]

    @staticmethod
    def packets(content):
        """Where packets of Perfetto end. A trace may end after any packet, so a cut there cannot be seen."""
        at = 0
        while at < len(content):
            at, size, shift = at + 1, 0, 0
            while True:
                size |= (content[at] & 127) << shift
                at, shift = at + 1, shift + 7
                if content[at - 1] < 128:
                    break
            at += size
            yield at

    def test_formats(self):
        chosen = random.Random(1)
        for name in self.files():
            content = (self.folder / name).read_bytes()
            self.assertEqual(self.run_program("summary", name).returncode, 0, name)
            unseen = set(self.packets(content)) if name.endswith(".pftrace") else set()
            for at in [len(content) - 1, *(chosen.randrange(1, len(content)) for _ in range(self.CUTS))]:
                with self.subTest(file=name, at=at):
                    if at in unseen:
                        continue
                    self.put(f"cut/{name}", content[:at])
                    done = self.run_program("summary", f"cut/{name}")
                    told = done.stdout.split(b"\n")[0]
                    self.assertFalse(done.returncode == 0 and told.endswith(b"whole: nothing is missing"), told)


class FlagFiles(Case):
    """What flags name is as foreign as what the command line names first."""

    def test_names_in_classes(self):
        turns = itertools.cycle([[], ["--json"], ["--brief"], []])
        self.put("x.json", json.dumps(TRACE))
        for abuse, name in ABUSES.items():
            for line in (f"kernel * {name}", f"kernel {name} mine", name):
                with self.subTest(abuse=abuse, line=line[:12]):
                    self.put("classes.txt", line + "\n")
                    flags = next(turns)
                    done = self.run_program("summary", "x.json", "--classes", "classes.txt", *flags)
                    self.assertIn(done.returncode, (0, 1, 2), done.stderr)
                    self.assert_inert(done, f"--classes {flags}")

    def test_names_in_captures(self):
        self.put("x.json", json.dumps(TRACE))
        for abuse, name in ABUSES.items():
            with self.subTest(abuse=abuse):
                self.put("earlier.json", json.dumps(named(TRACE, name)))
                for verb in ("summary", "findings", "timeline"):
                    self.assert_inert(self.run_program(verb, "x.json", "--capture", "earlier.json"), "--capture")

    def test_words_in_statements(self):
        turns = itertools.cycle([[], ["--json"], ["--brief"], ["--format", "csv"]])
        self.put("x.json", json.dumps(TRACE))
        for abuse, words in ABUSES.items():
            for statement in (words, f"select '{words}' as \"{words}\"", f"select \"{words}\" from kernels"):
                with self.subTest(abuse=abuse, statement=statement[:12]):
                    self.put("q.sql", statement)
                    for flags in (next(turns), ["--format", "md"]):
                        self.assert_inert(self.run_program("query", "x.json", "--sql", "q.sql", *flags), f"--sql {flags}")

    def test_reports_of_ncu_as_a_base(self):
        header, units, rows = ncu_test.table("pairs")
        self.put("k.ptx", STORE)
        self.launch_file(source="k.ptx")
        for abuse, name in ABUSES.items():
            if "\0" in name:
                continue
            with self.subTest(abuse=abuse):
                self.put("base.ncu-rep", ncu_test.report(header, [[name, *rows[0][1:]]]))
                for flags in ([], ["--json"]):
                    self.assert_inert(self.run_program("kernel", "launch.json", "--emulate", "--baseline", "base.ncu-rep", *flags), "--baseline")


class MachineCode(Case):
    """Names in cubins: their length stays, so that the file is read to its end."""

    def test_names_in_cubins(self):
        whole = [path for path in sorted((DATA / "cubin").iterdir()) if path.suffix == ".gz" or path.suffix == ".cubin"][:3]
        self.assertTrue(whole)
        turns = itertools.cycle([["inspect"], ["inspect", "--json"], ["inspect", "--lines"], ["inspect", "--brief"], ["occupancy"], ["kernel", "-k", "nothing"], ["inspect"]])
        for path in whole:
            content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            found = re.findall(rb"\.text\.(\w{12,})\0", content)
            if not found:
                continue
            for abuse, name in ABUSES.items():
                with self.subTest(file=path.name, abuse=abuse):
                    new = name.encode().replace(b"\0", b"?")[:len(found[0])].ljust(len(found[0]), b"x")
                    self.put("x.cubin", content.replace(found[0], new))
                    for verb, *flags in (next(turns), next(turns)):
                        done = self.run_program(verb, "x.cubin", *flags)
                        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
                        self.assert_inert(done, f"{verb} {flags}")


class BriefOfOthers(Case):
    """`--brief` of the verbs that read something else than a profile."""

    def check(self, name, *commands):
        for command in commands:
            with self.subTest(verb=command[0], name=name[:8]):
                done = self.run_program(*command, "--brief")
                self.assertIn(done.returncode, (0, 1), done.stderr)
                self.assert_inert(done, command[0])
                if done.returncode == 0 or done.stdout:
                    self.assertLessEqual(len(done.stdout), 2048)
                    self.assertIsInstance(json.loads(done.stdout), dict)

    def test_snapshots_and_dumps(self):
        for name in [*ABUSES.values(), "n\u00e9\u202e" * 30_000]:
            self.put("x.pickle", pickle.dumps(snapshot(name)))
            dumps = [self.put(f"dump_{rank}", pickle.dumps(dump(rank, name))) for rank in range(3)]
            self.check(name, ["memory", "x.pickle"], ["hang", *dumps])

    def test_kernels(self):
        for name in [*ABUSES.values(), "n\u00e9\u202e" * 30_000]:
            self.put("k.ptx", STORE)
            self.launch_file(source="k.ptx", name="launch.json", kernel=name)
            self.check(name, ["kernel", "launch.json", "--emulate"], ["occupancy", "launch.json"])
            self.launch_file(source="k.ptx", expect={name: name})
            self.check(name, ["kernel", "launch.json", "--emulate"])


class PagesOfOthers(Case):
    """Pages of what is no profile: a page's data is base64, and its names are visible."""

    def check_page(self, what, *files):
        done = self.run_program("report", *files, "-o", "x.html", "-f")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_inert(done, what)
        page = (self.folder / "x.html").read_text()
        packed = re.search(r'id="data">([A-Za-z0-9+/=\s]*)<', page)
        self.assertIsNotNone(packed, "the data is base64, which no name can end")
        data = json.loads(gzip.decompress(base64.b64decode(packed[1])))
        self.assertEqual([text for text in texts_of(data) if ACTING.search(text)], [], what)
        self.assertNotIn("onerror", page.replace(packed[0], ""))

    def test_results_of_bench(self):
        text = results_of_bench(self)
        for abuse, name in ABUSES.items():
            with self.subTest(abuse=abuse):
                self.put("b.json", renamed(text, name))
                self.check_page("bench", "b.json")
                self.check_page("bench", "b.json", "--baseline", "b.json")

    def test_ranks(self):
        for abuse, name in ABUSES.items():
            with self.subTest(abuse=abuse):
                for rank in range(2):
                    self.put(f"ranks/{rank}.json", json.dumps({**named(TRACE, name), "distributedInfo": {"rank": rank, "world_size": 2, "backend": name}}))
                self.check_page("ranks", "ranks/0.json", "ranks/1.json")


if __name__ == "__main__":
    unittest.main()
