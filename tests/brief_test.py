#!/usr/bin/env python3
"""--brief: every verb that has the flag prints one line of JSON of at most 2 KB, with the exit code of the same run without it.

Usage: brief_test.py PROGRAM
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
TRACES, RULES, DATA = "tests/data/traces", "tests/data/rules", "tests/data"
STEP = f"{TRACES}/square_h2d.pt.trace.json.gz"
MESSAGES = "--grid 2 --block 32 --arg x=i32[64] --arg y=i32[64] --arg i32=64 --emulate"
PAST_THE_END = f"kernel {DATA}/checks/messages/messages.ptx -k past_the_end {MESSAGES}"
PROGRAM = ""
LIMIT_BYTES = 2048
# A run of each verb: its words, its exit code, and a piece that the answer must contain.
RUNS = {
    "summary": (f"summary {STEP}", 0, "input-bound"),
    "findings": (f"findings {STEP} --fail-on critical", 3, "input-bound"),
    "ops": (f"ops {TRACES}/gpt2_train.pt.trace.json.gz", 0, "aten::"),
    "timeline": (f"timeline {STEP}", 0, "steps"),
    "diff": (f"diff {TRACES}/square.pt.trace.json.gz {STEP}", 0, "before"),
    "ranks": (f"ranks {RULES}/uneven_batches.rank0.pt.trace.json.zst {RULES}/uneven_batches.rank1.pt.trace.json.zst", 0, "2 ranks"),
    "memory": (f"memory {DATA}/pickles/leak.pickle", 0, "peak"),
    "hang": (f"hang {DATA}/pickles/hang", 0, "did not end"),
    "kernel": (PAST_THE_END + " --check all", 4, "past the end"),
    "inspect": ("inspect examples/kernels/softmax_triton.ptx", 0, "1 kernel"),
    "occupancy": ("occupancy --arch sm_90 --regs 64 --block 256", 0, "occupancy"),
    "device": ("device list", 0, "GPUs"),
    "doctor": ("doctor", 0, "checks"),
    "help": ("help", 0, "verbs"),
}
FIELDS = {"schema_version", "ok", "verdict", "details", "not_known", "next_step", "resource"}


def run(words, **more):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, cwd=ROOT, env={**os.environ, "LC_ALL": "C.UTF-8"}, check=False, **more)


def brief(words, code):
    """The answer; its form and the exit code are checked."""
    ended = run([*words, "--brief"])
    assert ended.returncode == code, (words, ended.returncode, ended.stderr)
    assert len(ended.stdout.encode()) <= LIMIT_BYTES + 1 and ended.stdout.count("\n") == 1, ended.stdout
    answer = json.loads(ended.stdout)
    assert set(answer) == FIELDS and answer["verdict"], answer
    return answer


class Brief(unittest.TestCase):
    def test_every_verb_answers(self):
        for verb, (line, code, piece) in RUNS.items():
            with self.subTest(verb):
                words = line.split()
                answer = brief(words, code)
                self.assertIn(piece, json.dumps(answer))
                self.assertEqual(run(words).returncode, code)

    def test_every_verb_that_reports_has_the_flag_and_a_plan(self):
        verbs = json.loads(run(["help", "--json"]).stdout)["verbs"]
        has = {verb["name"] for verb in verbs if any("--brief" in flag["names"] for flag in verb["common_flags"])}
        self.assertEqual({verb["name"] for verb in verbs} - has, {"nvcc", "open", "mcp", "demo", "completions", "agent-guide"})
        plans = (ROOT / "src/warplens/brief/plans.def").read_text()
        files = {"record", "report", "export", "convert", "snapshot"}  # their answer is what they told
        for verb in has - files:
            self.assertIn(f'WL_BRIEF("{verb}"', plans)

    def test_one_schema_version(self):
        version = json.loads(run(["occupancy", "--brief"]).stdout)["schema_version"]
        for verb, (line, _, _) in RUNS.items():
            words = [word for word in line.split() if word not in ("--fail-on", "critical")]
            with self.subTest(verb):
                self.assertEqual(json.loads(run([*words, "--json"]).stdout)["schema_version"], version)

    def test_the_whole_report_goes_to_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/whole.json"
            answer = brief([*f"ops {TRACES}/gpt2_train.pt.trace.json.gz".split(), "-o", path], 0)
            self.assertEqual(answer["resource"], path)
            rows = json.loads(pathlib.Path(path).read_text())["rows"]
            self.assertIn(f"{len(rows)} rows", answer["verdict"])
            self.assertIn("more in the whole report", answer["details"][-1])
            page = brief(["report", STEP, "-o", f"{folder}/page.html"], 0)
            self.assertTrue(page["ok"])
            self.assertIn("<html", pathlib.Path(f"{folder}/page.html").read_text())

    def test_json_may_be_said_too(self):
        self.assertEqual(brief(["findings", STEP, "--json"], 0), brief(["findings", STEP], 0))

    def test_a_failed_run_answers_too(self):
        for line, code, piece in (("summary no_such_file.json", 1, "no_such_file"), ("findings --no-such-flag", 2, "--no-such-flag"),
                                  (f"ops {STEP} -o -", 2, "-o FILE"),
                                  (f"findings {STEP} --fail-on nothing", 2, "--fail-on")):
            with self.subTest(line):
                answer = brief(line.split(), code)
                self.assertFalse(answer["ok"])
                self.assertIn(piece, answer["verdict"])
                self.assertTrue(answer["not_known"] and answer["next_step"])

    def test_damage_is_told(self):
        whole = (ROOT / f"{TRACES}/gpt2_train.pt.trace.json.gz").read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cut.pt.trace.json.gz"
            path.write_bytes(whole[: len(whole) // 2])
            answer = brief(["summary", str(path)], 0)
            self.assertTrue(any("integrity" in line for line in answer["not_known"]), answer)

    def test_a_fault_is_the_verdict(self):
        answer = brief(PAST_THE_END.split(), 1)
        self.assertFalse(answer["ok"])
        self.assertIn("ended early", answer["verdict"])

    def test_the_best_change_with_its_patch(self):
        launch = "--grid 2,2,4 --block 8,8,4 --arg in=f32[4096]:uniform --arg out=f32[4096] --arg i32=16 --emulate --try"
        answer = brief(f"kernel {DATA}/tried/axes.cu -k stencil {launch}".split(), 0)
        self.assertIn("swap axes x and z", answer["verdict"])
        self.assertIn("+            k = blockIdx.x", answer["details"][0])
        self.assertIn("check", answer["next_step"])

    def test_the_explanation_of_a_finding(self):
        self.assertIn("shared", json.dumps(brief(["kernel", "--explain", "bank-conflict"], 0)))

    def test_each_exit_code(self):
        codes = {each["meaning"]: each["code"] for each in json.loads(run(["help", "--json"]).stdout)["exit_codes"]}
        self.assertEqual(sorted(codes.values()), [0, 1, 2, 3, 4, 5, 130])
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "broken.cu"
            source.write_text("__global__ void broken(float* x) { x[0] = no_such_name; }\n")
            ended = run(["inspect", str(source)])
            if "no_such_name" not in ended.stderr:
                self.skipTest("no compiler here")
            self.assertEqual(ended.returncode, codes["a compiler refused the source"])
            kernel = run(["kernel", str(source), "-k", "broken", "--grid", "1", "--block", "1", "--arg", "x=f32[4]", "--emulate"])
            self.assertEqual(kernel.returncode, codes["a compiler refused the source"])


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
