#!/usr/bin/env python3
"""On a terminal, a verb names the file that -o wrote and its size. In a pipe it prints nothing: written_test.py PROGRAM"""
import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
TRACE = pathlib.Path(__file__).resolve().parent / "data/traces/square.pt.trace.json.gz"


def on_terminal(*arguments):
    """The exit code, and the text that a terminal on standard error shows."""
    ours, theirs = pty.openpty()
    done = subprocess.run([PROGRAM, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=theirs, stdin=subprocess.DEVNULL)
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 4096):
            shown += chunk
    except OSError:  # the end of a terminal
        pass
    os.close(ours)
    return done.returncode, shown.decode()


class Written(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_the_file_and_its_size_on_a_terminal(self):
        for verb, name in (("report", "page.html"), ("export", "flames.svg"), ("findings", "found.json"), ("convert", "square.wlens")):
            file = self.folder / name
            code, shown = on_terminal(verb, TRACE, "-o", file)
            self.assertEqual(code, 0, shown)
            self.assertIn(f"warplens {verb}: wrote {file} (", shown)
            self.assertRegex(shown, r"\([\d.]+ (B|KiB|MiB)\)\r?\n$")

    def test_nothing_elsewhere(self):
        file = self.folder / "found.json"
        done = subprocess.run([PROGRAM, "findings", TRACE, "-o", file], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertNotIn("wrote", on_terminal("findings", TRACE)[1])
        self.assertNotIn("wrote", on_terminal("findings", TRACE, "-o", self.folder / "none" / "found.json")[1])
        self.assertNotIn("wrote", on_terminal("findings", TRACE, "--brief", "-o", self.folder / "brief.json")[1])


unittest.main(argv=sys.argv[:1])
