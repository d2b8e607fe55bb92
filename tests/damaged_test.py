#!/usr/bin/env python3
"""Every verb that reads profiles says what its data lacks, and no gate passes on it: damaged_test.py WARPLENS

The verbs are those that take --step, as the program lists them: a new one is tested as soon as it is there.
"""
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
TRACES = pathlib.Path(__file__).resolve().parent / "data" / "traces"
WHOLE = TRACES / "gpt2_compiled.pt.trace.json.gz"
# They write files: standard error has the verdict.
OTHERS = {"export": "json", "convert": "wlens", "report": "html"}
SERVERS = {"open"}  # it serves the page of `report` until it is ended


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments), "--config", "none"], capture_output=True, text=True, timeout=120)


def verbs_that_read():
    known = json.loads(run("help", "--json").stdout)["verbs"]
    return [verb["name"] for verb in known if any("--step" in flag["names"] for flag in verb["flags"]) and verb["name"] not in SERVERS]


class Damaged(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.cut = pathlib.Path(cls.temporary.name) / "cut.json"
        text = gzip.decompress(WHOLE.read_bytes())
        cls.cut.write_bytes(text[:len(text) * 19 // 20])

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def operands(self, verb, profile):
        return [WHOLE, profile] if verb == "diff" else [profile]

    def test_every_verb_tells(self):
        verbs = verbs_that_read()
        self.assertLessEqual({"summary", "ops", "findings", "timeline", "diff", "ranks", "doctor", "export", "convert"}, set(verbs))
        for verb in verbs:
            operands = self.operands(verb, self.cut)
            if verb in OTHERS:
                done = run(verb, *operands, "-o", pathlib.Path(self.temporary.name) / f"{verb}.{OTHERS[verb]}")
                self.assertIn("damaged: ", done.stderr, verb)
                continue
            with self.subTest(verb):
                text = run(verb, *operands)
                self.assertIn("damaged: ", "".join(text.stdout.splitlines(True)[:2]), text.stderr)
                data = json.loads(run(verb, *operands, "--json").stdout)
                self.assertIn("damaged: ", data["integrity"])
                self.assertEqual([issue["severity"] for issue in data["integrity_issues"] if issue["id"] == "truncated"], ["error"])
                self.assertIn("integrity: ", run(verb, *operands, "--format", "md").stdout)
                self.assertIn("integrity: ", run(verb, *operands, "--format", "csv").stderr)

    def test_answers_to_queries_tell(self):
        sql = "select count(*) as kernels from kernels"
        self.assertIn("integrity: damaged: ", run("query", self.cut, sql).stdout)
        data = json.loads(run("query", self.cut, sql, "--json").stdout)
        self.assertIn("damaged: ", data["integrity"])
        self.assertGreater(data["rows"][0]["kernels"], 0)
        self.assertNotIn("integrity", run("query", WHOLE, sql).stdout)
        self.assertIn("integrity: damaged: ", run("query", self.cut, sql, "--format", "csv").stderr)

    def test_other_formats_tell_on_standard_error(self):
        for arguments in (["findings", self.cut, "--format", "github"], ["findings", self.cut, "--format", "sarif"], ["ops", self.cut, "--torch"]):
            self.assertIn("integrity: damaged", run(*arguments).stderr, arguments)
        for arguments in (["findings", WHOLE, "--format", "sarif"], ["ops", WHOLE, "--torch"]):
            self.assertEqual(run(*arguments).stderr, "", arguments)

    def test_no_gate_passes(self):
        gates = {"findings": ["--fail-on", "critical", "--ignore", "launch-bound"], "diff": ["--fail-on", "900%"]}
        for verb, gate in gates.items():
            judged = run(verb, *self.operands(verb, WHOLE), *gate)
            self.assertIn(judged.returncode, (0, 3), judged.stderr)
            damaged = run(verb, *self.operands(verb, self.cut), *gate)
            self.assertEqual(damaged.returncode, 1, damaged.stdout)
            self.assertIn("--fail-on cannot judge: ", damaged.stderr)
            self.assertIn("cut.json: the file ends", damaged.stderr)
            allowed = run(verb, *self.operands(verb, self.cut), *gate, "--allow-damaged")
            self.assertIn(allowed.returncode, (0, 3), allowed.stderr)
            self.assertIn("damaged: ", allowed.stdout)

    def test_nothing_found_says_what_was_seen(self):
        little = pathlib.Path(self.temporary.name) / "little.json"
        little.write_bytes(gzip.decompress(WHOLE.read_bytes())[:20000])
        told = run("findings", little).stdout
        self.assertIn("No rule ran", told)
        self.assertNotIn("No findings", told)
        self.assertIn("The trace has no ", told)


if __name__ == "__main__":
    unittest.main()
