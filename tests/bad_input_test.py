#!/usr/bin/env python3
"""Mistakes of people in the input of every verb: bad_input_test.py WARPLENS

Each must end with an exit code of the documentation and one line that names the verb and the file; nothing may crash,
hang or pass in silence.
"""
import gzip
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
DATA = pathlib.Path(__file__).resolve().parent / "data"
TRACE = gzip.decompress((DATA / "traces" / "square.pt.trace.json.gz").read_bytes())
HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n"
SPIN = HEADER + ".visible .entry spin() { again: bra again; }\n"
STORE = HEADER + """.visible .entry k(.param .u64 x) { .reg .b64 %rd<2>; .reg .b32 %r;
ld.param.u64 %rd1, [x]; mov.u32 %r, %tid.x; st.global.u32 [%rd1], %r; ret; }
"""
LAUNCH = ["kernel", "store.ptx", "-k", "k", "--emulate", "--no-counters", "--arg", "x=i32[1]"]

PROFILE_VERBS = [["summary"], ["ops"], ["findings"], ["timeline"], ["doctor"], ["export", "-t", "chrome"], ["convert"]]
# Made of bytes; whether a profile may be read from them.
FILES = {
    "empty": b"", "garbage": random.Random(1).randbytes(50000), "zeros": bytes(50000), "object.json": b"{}",
    "list.json": b"[]", "null.json": b"null", "five.json": b'{"traceEvents": 5}', "none.json": b'{"traceEvents": []}',
    "deep.json": b"[" * 200000, "cut.gz": gzip.compress(TRACE)[:40], "elf.cubin": b"\x7fELF", "short.ptx": b".version 9.0",
    "cut.cubin": (DATA / "cubin" / "resources.sm_90.cubin").read_bytes()[:500],
}
NO_FILES = ["nowhere", "empty/x", "folder", "a" * 300, "/dev/null"]


class BadInput(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        for name, content in {**FILES, "trace.json": TRACE}.items():
            (cls.folder / name).write_bytes(content)
        (cls.folder / "spin.ptx").write_text(SPIN)
        (cls.folder / "store.ptx").write_text(STORE)
        (cls.folder / "folder").mkdir()

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def run_program(self, arguments, **more):
        more.setdefault("stdout", subprocess.PIPE)
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              timeout=60, text=True, errors="replace", **more)

    def refused(self, arguments, codes=(1, 2), **more):
        """Ends with one of `codes` and one line that names the verb."""
        done = self.run_program(arguments, **more)
        self.assertIn(done.returncode, codes, (arguments, done.stderr))
        self.assertEqual(done.stderr.count("\n"), 1, (arguments, done.stderr))
        self.assertTrue(done.stderr.startswith(f"warplens {arguments[0]}: "), (arguments, done.stderr))
        return done.stderr

    def test_files_that_are_no_profiles(self):
        for verb in PROFILE_VERBS:
            for name in [*FILES, *NO_FILES]:
                self.assertIn(name, self.refused([*verb, name, "-o", "out", "-f"], codes=(1,)))
        for verb in ("diff", "ranks"):
            for name in ("garbage", "none.json", "nowhere", "folder"):
                self.assertIn(name, self.refused([verb, name, "trace.json"], codes=(1,)))
                self.assertIn(name, self.refused([verb, "trace.json", name], codes=(1,)))

    def test_environment(self):
        message = self.refused(LAUNCH, codes=(2,), env={**os.environ, "WARPLENS_ISA": "nonsense"})
        self.assertIn("WARPLENS_ISA=nonsense", message)
        self.assertIn("avx512, avx2 or baseline", message)

    def test_files_that_are_no_kernels(self):
        names = [n for n in [*FILES, *NO_FILES] if n not in ("short.ptx", "null.json")]  # those have errors of their own
        for name in names:
            self.assertIn(name, self.refused(["inspect", name], codes=(1,)))
            self.assertIn(name, self.refused(["kernel", name, "-k", "k", "--emulate"], codes=(1,)))
            self.assertIn(name, self.refused(["bench", name, "-k", "k", "--emulate"], codes=(1,)))
            self.assertIn(name, self.refused(["bench", "compare", name, name], codes=(1,)))
            self.assertIn(name, self.refused(["bench", "plot", name], codes=(1,)))

    def test_flags(self):
        for verb in ("summary", "ops", "timeline", "diff", "ranks"):
            files = ["trace.json"] * (2 if verb == "diff" else 1)
            self.assertIn("-1", self.refused([verb, *files, "--limit", "-1"], codes=(2,)))
            self.assertIn("abc", self.refused([verb, *files, "--limit", "abc"], codes=(2,)))
            self.assertIn("table, json, csv, md", self.refused([verb, *files, "--format", "xml"], codes=(2,)))
            self.assertIn("--format needs a value", self.refused([verb, *files, "--format"], codes=(2,)))
        for flags in (["--timeout", "nan"], ["--timeout", "inf"], ["--grid", "4294967296"], ["--block", "0"],
                      ["--fail-on", "5%"]):
            self.assertIn(flags[0], self.refused([*LAUNCH[:5], "--arg", "x=i32[1]", *flags], codes=(2,)))
        self.refused(["timeline", "trace.json", "--range", "0-inf"], codes=(2,))

    def test_more_memory_than_there_is(self):
        message = self.refused([*LAUNCH[:6], "--arg", "x=i32[200000000000]"], codes=(1,))
        self.assertRegex(message, "'x'.* free")
        text = STORE.replace("{ .reg", "{ .local .b8 l[200000000]; .reg .b64 %l; mov.u64 %l, l; st.local.u32 [%l], 1; .reg", 1)
        (self.folder / "local.ptx").write_text(text)
        self.assertIn("local memory", self.refused([LAUNCH[0], "local.ptx", *LAUNCH[2:]], codes=(2,)))

    def test_outputs_that_cannot_be_written(self):
        for verb in [*PROFILE_VERBS, ["inspect"]]:
            file = "store.ptx" if verb == ["inspect"] else "trace.json"
            for out in ("/dev/full", "folder", "nowhere/x", "empty"):
                self.assertIn(out, self.refused([*verb, file, "-o", out], codes=(1,)))
        for arguments in (["summary", "trace.json"], ["export", "trace.json", "-t", "chrome"], ["device"], LAUNCH,
                          ["ops", "--help"]):
            with open("/dev/full", "w") as full:
                self.assertIn("No space left", self.refused(arguments, codes=(1,), stdout=full))

    def test_errors_that_need_no_run_come_before_it(self):
        spin = ["kernel", "spin.ptx", "-k", "spin", "--emulate"]  # which never ends
        for name in ("nowhere", "garbage", "object.json", "folder"):
            self.assertIn(name, self.refused([*spin, "--baseline", name], codes=(1,)))
        self.assertIn("--fail-on x", self.refused([*spin, "--baseline", "list.json", "--fail-on", "x"], codes=(2,)))
        for flag in ("--save", "-o", "--roofline-svg"):
            for out in ("trace.json", "folder", "none/x"):
                self.assertIn(out, self.refused([*spin, flag, out], codes=(1,)))
        self.assertIn("--emulate", self.refused([*spin, "--no-counters", "--save", "new.json"], codes=(2,)))
        self.assertIn("trace.json", self.refused(["kernel", "spin.ptx", "-k", "spin", "--emulate", "--arg", "x=i32[1]",
                                                  "--save", "x=trace.json"], codes=(1,)))

    def test_an_assembler_that_takes_too_long(self):
        choose = random.Random(1).randrange
        lines = [f"L{i}: mad.lo.u32 %r{choose(64)}, %r{choose(64)}, %r{choose(64)}, %r{choose(64)};\n"
                 f"setp.lt.u32 %p, %r{choose(64)}, %r{choose(64)};\n@%p bra L{choose(8000)};\n" for i in range(8000)]
        (self.folder / "tangle.ptx").write_text(
            HEADER + ".visible .entry k() { .reg .pred %p; .reg .b32 %r<64>;\n" + "".join(lines) + "ret; }\n")
        done = self.run_program(["inspect", "tangle.ptx"], env={**os.environ, "WARPLENS_COMPILE_TIMEOUT": "1"})
        if "no PTX assembler" in done.stdout:
            self.skipTest("no ptxas here")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("ptxas was ended after 1 s", done.stdout)
        self.assertIn("WARPLENS_COMPILE_TIMEOUT", done.stdout)

    def test_terminals_of_any_width(self):
        for columns in ("0", "1", "7", "25", "41", "99999999", "-3", "x"):
            environment = {**os.environ, "COLUMNS": columns, "FORCE_COLOR": "1"}
            for verb in PROFILE_VERBS[:5]:
                done = self.run_program([*verb, "trace.json"], env=environment)
                self.assertEqual(done.returncode, 0, (verb, columns, done.stderr))

    def test_a_reader_that_goes_away(self):
        program = subprocess.Popen([PROGRAM, "export", "trace.json", "-t", "chrome"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
        program.stdout.close()
        self.assertIn(program.wait(60), (0, -signal.SIGPIPE))
        self.assertEqual(program.stderr.read(), b"")
        program.stderr.close()

    def test_interruption(self):
        for flags in ([], ["--no-counters"], ["--check", "all"]):
            program = subprocess.Popen([PROGRAM, "kernel", "spin.ptx", "-k", "spin", "--emulate", *flags],
                                       cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(0.5)
            program.send_signal(signal.SIGINT)
            _, errors = program.communicate(timeout=60)
            self.assertEqual(program.returncode, 130, (flags, errors))
            self.assertIn("cancelled", errors)


if __name__ == "__main__":
    unittest.main()
