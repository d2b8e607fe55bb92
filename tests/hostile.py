"""Shared code of trust_*_test.py: files of somebody else in a folder of its own, the commands that open them, and what a name may hold."""
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
DATA = pathlib.Path(__file__).resolve().parent / "data"
TRACE = json.loads(gzip.decompress((DATA / "traces" / "square.pt.trace.json.gz").read_bytes()))
KERNEL = "__global__ void k(float* x) { x[threadIdx.x] = VALUE; }\n"
STORE = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x) { .reg .b64 %rd<2>; .reg .b32 %r;
ld.param.u64 %rd1, [x]; mov.u32 %r, %tid.x; st.global.u32 [%rd1], %r; ret; }
"""

# Names that files may contain, and the effects that they must not have.
ABUSES = {
    "escape": "\x1b[2J\x1b[31;7m", "title": "\x1b]0;pwned\x07", "link": "\x1b]8;;http://x\x1b\\y", "bell": "\x07\x07", "return": "fine\rERASED",
    "line": "x\n::error::pwned", "first": "::error file=a::pwned", "azure": "##vso[task.setvariable variable=x]y", "group": "##[group]x",
    "c1": "\x9b2J\x9d0;x\x9c", "bidi": "\u202egnp.\u2066", "hidden": "a\u200b\u2060b\ufeff", "filler": "a\u3164b\u115f\uffa0", "variant": "a\ufe0fb\U000e0131\u034f", "backspace": "ok\b\bno", "delete": "a\x7fb", "nul": "a\x00b",
    "formula": "=HYPERLINK(\"http://x\",\"y\")", "plus": "+cmd|' /C calc'!A0", "at": "@SUM(1)", "tab": "\t=1+1", "markup": "<img src=x onerror=alert(1)>",
    "attribute": "' onload='alert(1)", "markdown": "![x](http://x/y) | a", "entity": "&lt;script&gt;", "cdata": "]]><script>alert(1)</script>",
}
COMMANDS = re.compile(r"^\s*::[a-z-]+.*::|##vso\[|##\[", re.MULTILINE)
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u034f\u115f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]")


class Case(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.top = pathlib.Path(temporary.name)
        self.folder = self.top / "theirs"
        self.folder.mkdir()
        self.marker = self.top / "acted"

    def run_program(self, *arguments, cwd=None, env=None, timeout=60, **more):
        environment = {**os.environ, "WARPLENS_CACHE": str(self.top / "cache"), **(env or {})}
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=cwd or self.folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=timeout, **more)

    def put(self, name, content, mode=None):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        if mode is not None:
            path.chmod(mode)
        return path

    def script(self, name="evil.sh"):
        return self.put(name, f"#!/bin/sh\ntouch '{self.marker}'\nexec g++ \"$@\"\n", 0o755)

    def launch_file(self, name="launch.json", source="k.cu", **more):
        description = {"source": source, "kernel": "k", "options": ["-DVALUE=1"], "buffers": {"x": {"dtype": "f32", "count": 32}},
                       "launches": [{"grid": 1, "block": 32, "args": [{"buffer": "x"}]}], **more}
        return self.put(name, json.dumps(description))

    def assert_nothing_acted(self, done=None):
        self.assertFalse(self.marker.exists(), done and done.stderr.decode())

    def assert_inert(self, done, what):
        for text in (done.stdout, done.stderr):
            shown = text.decode("utf-8", "strict")
            found = ACTING.search(shown)
            self.assertIsNone(found, f"{what}: {found and shown[max(0, found.start() - 60):found.end() + 20]!r}")
            found = COMMANDS.search(shown)
            self.assertIsNone(found, f"{what}: {found and found[0]!r}")
