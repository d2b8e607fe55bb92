#!/usr/bin/env python3
"""Nothing that warplens opens can act: trust_test.py WARPLENS

Each attack is a file, a folder or a socket that somebody else made, and a command that a user types. None may run a
program, write or change a file that the user did not name, or make a terminal, a build service or a spreadsheet do
anything. SECURITY.md names these tests."""
import csv
import gzip
import io
import itertools
import json
import os
import pathlib
import re
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import xml.etree.ElementTree

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


class LaunchFiles(Case):
    """A launch file comes from anybody."""

    # What names a program, a library or a file of its own, as nvcc and NVRTC take it.
    ACTING = [["-ccbin=./evil.sh"], ["--compiler-bindir", "./evil.sh"], ["--compiler-bindir=./evil.sh"], ["-ccbin", "./evil.sh"],
              ["-Xcompiler", "-fplugin=./evil.so"], ["-Xcompiler=-wrapper,./evil.sh"], ["--compiler-options=-B."], ["--create-pch=./victim"],
              ["-time=./victim"], ["--time", "./victim"], ["-o", "./victim"], ["--output-file=./victim"], ["-optf", "options.txt"],
              ["--options-file=options.txt"], ["@options.txt"], ["-odir", "."], ["--keep", "--keep-dir=."], ["-MF", "./victim"], ["-M"],
              ["-fdevice-time-trace=./victim"], ["--use-pch=./victim"], ["-Xptxas", "-o,victim"], ["-Xptxas=--output-file=victim"],
              ["-I/etc"], ["-I", "../outside"], ["--include-path=/"], ["-isystem/usr"], ["-include", "evil.h"], ["--pre-include=evil.h"],
              ["-DX=$(touch acted)"], ["-DX=`touch acted`"], ["-DX=\";touch acted;\""], ["-D", "A=1\nB"], ["-Icommon$(touch acted)"],
              ["--dryrun"], ["-save-temps"], ["-ldir", "."], ["-L."], ["-lib"], ["-run"], ["--run-args", "x"], ["-Xnvlink", "-o"],
              ["--threads=9999999999"], ["-arch=sm_90;x"], ["-std=gnu++17 -x"], ["--split-compile-extended=0"], ["-allow-unsupported-compiler"],
              ["--ptxas-options=-O3,-o"], ["-O9999999999"], ["-maxrregcount=$(id)"]]

    def test_options_cannot_act(self):
        self.put("k.cu", KERNEL)
        self.put("options.txt", "-ccbin=./evil.sh\n")
        self.script()
        for options in self.ACTING:
            with self.subTest(options=options):
                victim = self.put("victim", "mine")
                self.launch_file(options=["-DVALUE=1", *options], compiler="nvcc")
                done = self.run_program("kernel", "launch.json", "--emulate", "--no-counters")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(b"is not taken from a file", done.stderr)
                self.assertEqual(victim.read_bytes(), b"mine")
                self.assert_nothing_acted(done)
                self.assertFalse((self.folder / "acted").exists())

    def test_options_that_kernels_need(self):
        self.put("k.ptx", STORE)
        (self.folder / "headers").mkdir()
        needed = ["-lineinfo", "--generate-line-info", "-std=c++17", "--std=c++20", "-O3", "-DTHREADS=768", "-D", "TILE=(4+2*3)", "-DT=unsigned int",
                  "-UX", "-Iheaders", "-I", "headers", "--include-path=headers", "-arch=sm_90a", "--use_fast_math", "-use_fast_math", "-ftz=true",
                  "--fmad=false", "-maxrregcount=64", "--maxrregcount", "64", "-Xptxas", "-O3", "-Xptxas=-dlcm=ca", "-w", "-G", "--restrict",
                  "--expt-relaxed-constexpr", "--extended-lambda", "-diag-suppress=177"]
        self.launch_file(source="k.ptx", options=needed)
        done = self.run_program("kernel", "launch.json", "--emulate", "--no-counters")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_headers_come_from_its_folder(self):
        self.put("headers/value.h", "#define VALUE 3\n")
        self.put("k.cu", "#include <value.h>\n" + KERNEL)
        self.launch_file(options=["-Iheaders"], save={"x": "x.npy"})
        done = self.run_program("kernel", "theirs/launch.json", "--emulate", "--no-counters", cwd=self.top)
        if b"no CUDA compiler" in done.stderr:
            self.skipTest("no CUDA compiler")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "x.npy").exists())

    def test_saves_stay_in_its_folder(self):
        self.put("k.ptx", STORE)
        (self.folder / "link").symlink_to(self.top)
        for path in ["../out.npy", str(self.top / "out.npy"), "link/out.npy", "a/../../out.npy", "out.bin", "warplens.toml", "/dev/null", "./../out.npy"]:
            with self.subTest(path=path):
                self.launch_file(source="k.ptx", save={"x": path})
                done = self.run_program("kernel", "launch.json", "--emulate", "--no-counters", "-f")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertFalse((self.top / "out.npy").exists() or (self.folder / "out.bin").exists())
        victim = self.put("../victim", "mine")
        (self.folder / "x.npy").symlink_to(victim)
        self.launch_file(source="k.ptx", save={"x": "x.npy"})
        self.run_program("kernel", "launch.json", "--emulate", "--no-counters", "-f")
        self.assertEqual(victim.read_bytes(), b"mine")

    def test_names_are_no_options_and_no_shell(self):
        for name in ["-ccbin=.cu", "a$(touch acted).cu", "b`touch acted`.cu", "c\";touch acted;\".cu", "--run.cu", "d\\$(touch acted).cu"]:
            with self.subTest(name=name):
                self.put(name, "#include <vector>\nint main() { return 0; }\n" + KERNEL)
                self.launch_file(source=name, compiler="nvcc")
                self.run_program("kernel", "launch.json", "--emulate", "--no-counters")
                self.run_program("inspect", f"./{name}")
                self.assertFalse((self.folder / "acted").exists())

    def test_pipes_and_devices_are_no_sources(self):
        os.mkfifo(self.folder / "pipe")
        (self.folder / "zero.cu").symlink_to("/dev/zero")
        (self.folder / "stdin.cu").symlink_to("/dev/stdin")
        self.put("k.ptx", STORE)
        self.put("endless.cu", '#include "pipe"\n#include "/dev/zero"\n' + KERNEL)
        for source in ["pipe", "/dev/zero", "zero.cu", "stdin.cu", "/dev/tty", "endless.cu"]:
            with self.subTest(source=source):
                self.launch_file(source=source)
                begin = time.monotonic()
                done = self.run_program("kernel", "launch.json", "--emulate", "--no-counters", timeout=20)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertLess(time.monotonic() - begin, 15)
        for array in ["pipe", "/dev/zero"]:
            with self.subTest(array=array):
                self.launch_file(source="k.ptx", buffers={"x": {"npy": array}})
                self.assertEqual(self.run_program("kernel", "launch.json", "--emulate", "--no-counters", timeout=20).returncode, 1)


class Settings(Case):
    """warplens.toml of a folder that somebody else made, and a user in a folder below."""

    def setUp(self):
        super().setUp()
        self.below = self.folder / "a" / "b"
        self.below.mkdir(parents=True)
        (self.below / "x.json").write_text(json.dumps(TRACE))
        self.put("a/b/k.cu", KERNEL)

    def test_found_files_write_nothing(self):
        victim = self.put("../victim", "mine")
        for verb, flags in {"summary": ["output"], "ops": ["output"], "export": ["output"], "convert": ["output"], "findings": ["output"]}.items():
            with self.subTest(verb=verb):
                lines = "".join(f'{flag} = "{victim}"\n' for flag in flags) + "force = true\n"
                self.put("warplens.toml", f"[{verb}]\n{lines}")
                done = self.run_program(verb, "x.json", cwd=self.below)
                self.assertEqual(victim.read_bytes(), b"mine")
                self.assertEqual(done.stderr.count(b"left out, since nobody named this file"), 1, done.stderr)

    def test_flags_that_write_are_all_known(self):
        """Each flag of a FILE that a verb writes, by its help, is one that a found file cannot give."""
        victim = self.top / "victim"
        for verb, flag in [("kernel", "trace"), ("kernel", "roofline-svg"), ("kernel", "line-svg"), ("kernel", "keep"), ("kernel", "save"),
                           ("bench", "trace"), ("learn", "copy"), ("record", "output"), ("bench", "output"), ("kernel", "output")]:
            with self.subTest(verb=verb, flag=flag):
                value = f'"x={victim}"' if flag == "save" else f'"{victim}"'
                self.put("warplens.toml", f"[{verb}]\n{flag} = {value}\n")
                done = self.run_program(verb, "nothing-there", cwd=self.below)
                self.assertIn(f"--{flag} left out".encode(), done.stderr)
                self.assertFalse(victim.exists())

    def test_found_files_give_no_acting_options(self):
        script = self.script()
        for verb in ["kernel", "inspect", "bench", "occupancy"]:
            for option in [f"-ccbin={script}", f"--compiler-bindir={script}", "-Xcompiler=-fplugin=./evil.so", "--create-pch=x", "-time=x", "-I/etc"]:
                with self.subTest(verb=verb, option=option):
                    self.put("warplens.toml", f'[{verb}]\noption = ["-DVALUE=1", "{option}"]\n')
                    done = self.run_program(verb, "nothing-there.cu", cwd=self.below)
                    self.assertIn(b"--option left out", done.stderr)
        self.put("warplens.toml", f'[inspect]\noption = ["-DVALUE=1", "-ccbin={script}"]\n')
        self.run_program("inspect", "k.cu", cwd=self.below)
        self.assert_nothing_acted()

    def test_named_files_give_all(self):
        out = self.top / "out.txt"
        settings = self.put("mine.toml", f'[summary]\noutput = "{out}"\n')
        self.assertEqual(self.run_program("summary", "x.json", "--config", settings, cwd=self.below).returncode, 0)
        self.assertTrue(out.exists())

    def test_harmless_settings_are_taken(self):
        self.put("warplens.toml", '[ops]\nlimit = 1\n[inspect]\noption = ["-DVALUE=1"]\n')
        done = self.run_program("ops", "x.json", cwd=self.below)
        self.assertIn(b"7 more rows", done.stdout)
        self.assertEqual(done.stderr, b"")

    def test_files_that_others_may_write_are_not_read(self):
        for name, spoil in {"writable": lambda p: p.chmod(0o666), "group": lambda p: p.chmod(0o664), "link": self.as_link,
                            "owner": lambda p: os.chown(p, 12345, 12345)}.items():
            if name == "owner" and os.geteuid() != 0:
                continue
            with self.subTest(name=name):
                settings = self.put("warplens.toml", "[ops]\nlimit = 1\n", 0o644)
                spoil(settings)
                done = self.run_program("ops", "x.json", cwd=self.below)
                self.assertNotIn(b"7 more rows", done.stdout)
                self.assertEqual(done.stderr.count(b"is not read"), 1, done.stderr)
                settings.unlink()

    def as_link(self, path):
        path.rename(path.with_suffix(".real"))
        path.symlink_to(path.with_suffix(".real"))


class Outputs(Case):
    """-o in a folder that others may write to."""

    def setUp(self):
        super().setUp()
        self.put("x.json", json.dumps(TRACE))
        self.victim = self.put("../victim", "mine")

    def test_a_planted_link_is_replaced(self):
        (self.folder / "out").symlink_to(self.victim)
        self.assertEqual(self.run_program("summary", "x.json", "-o", "out").returncode, 1)
        self.assertEqual(self.run_program("summary", "x.json", "-o", "out", "-f").returncode, 0)
        self.assertEqual(self.victim.read_text(), "mine")
        self.assertFalse((self.folder / "out").is_symlink())
        (self.folder / "dangling").symlink_to(self.top / "absent")
        self.assertEqual(self.run_program("summary", "x.json", "-o", "dangling").returncode, 0)
        self.assertFalse((self.top / "absent").exists())

    def test_no_temporary_can_be_foreseen(self):
        # Links under every name of the pattern that a process of the next numbers would take.
        highest = int(pathlib.Path("/proc/sys/kernel/pid_max").read_text())
        now = subprocess.Popen(["true"])
        now.wait()
        for pid in range(now.pid, min(now.pid + 400, highest)):
            for count in (1, 2):
                (self.folder / f"out.{pid}.{count}.tmp").symlink_to(self.victim)
        self.assertEqual(self.run_program("summary", "x.json", "-o", "out").returncode, 0)
        self.assertEqual(self.victim.read_text(), "mine")
        self.assertIn("integrity", (self.folder / "out").read_text())

    def test_permissions_stay(self):
        for mode in (0o600, 0o640, 0o644):
            out = self.put("out", "old", mode)
            self.assertEqual(self.run_program("summary", "x.json", "-o", "out", "-f").returncode, 0)
            self.assertEqual(stat.S_IMODE(out.stat().st_mode), mode)
        previous = os.umask(0o077)
        self.addCleanup(os.umask, previous)
        self.assertEqual(self.run_program("summary", "x.json", "-o", "new").returncode, 0)
        self.assertEqual(stat.S_IMODE((self.folder / "new").stat().st_mode), 0o600)

    def test_nothing_stays_after_a_kill(self):
        before = set(os.listdir(self.folder))
        for verb in (["convert", "-", "-o", "out.wlens"], ["export", "-t", "chrome", "-", "-o", "out.json.gz"]):
            process = subprocess.Popen([PROGRAM, *verb], cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            process.stdin.write(json.dumps(TRACE).encode()[:2000])
            process.stdin.flush()
            time.sleep(0.2)
            process.kill()
            process.communicate()
        self.assertEqual(set(os.listdir(self.folder)), before)

    def test_two_writers_do_not_lose_a_file(self):
        processes = [subprocess.Popen([PROGRAM, "summary", "x.json", "-o", "out"], cwd=self.folder, stderr=subprocess.PIPE) for _ in range(6)]
        codes = [(p.communicate(), p.returncode)[1] for p in processes]
        self.assertEqual(sorted(codes), [0, 1, 1, 1, 1, 1])


class Caches(Case):
    """The cache is this user's alone."""

    def test_without_a_home_nobody_elses_folder_is_used(self):
        environment = {k: v for k, v in os.environ.items() if k not in ("HOME", "XDG_CACHE_HOME", "WARPLENS_CACHE")}
        environment["TMPDIR"] = str(self.top)
        self.put("k.cu", KERNEL)
        shared = self.top / "warplens"
        shared.mkdir(mode=0o777)
        done = subprocess.run([PROGRAM, "inspect", "k.cu", "--opt=-DVALUE=1"], cwd=self.folder, env=environment, capture_output=True, timeout=60)
        if b"no CUDA compiler" in done.stderr:
            self.skipTest("no CUDA compiler")
        self.assertEqual(list(shared.iterdir()), [])
        own = self.top / f"warplens-{os.geteuid()}"
        self.assertEqual(stat.S_IMODE(own.stat().st_mode), 0o700)

    def compiled(self, **more):
        return self.run_program("inspect", "k.cu", "--opt=-DVALUE=1", "--json", **more)

    def test_entries_of_others_are_not_used(self):
        self.put("k.cu", KERNEL)
        first = self.compiled()
        if b"no CUDA compiler" in first.stderr:
            self.skipTest("no CUDA compiler")
        cache = self.top / "cache"
        self.assertEqual(stat.S_IMODE(cache.stat().st_mode), 0o700)
        entries = [p for p in cache.rglob("*") if p.is_file()]
        self.assertTrue(entries)
        spoils = {"writable entry": lambda: [p.chmod(0o666) for p in entries], "writable cache": lambda: cache.chmod(0o777)}
        if os.geteuid() == 0:
            spoils |= {"entry of another": lambda: [os.chown(p, 12345, 12345) for p in entries],
                       "cache of another": lambda: os.chown(cache, 12345, 12345)}
        for name, spoil in spoils.items():
            with self.subTest(name=name):
                spoil()
                self.assertEqual(self.compiled().stdout, first.stdout)
                if "cache" in name:
                    self.assertEqual({p: p.stat().st_mtime_ns for p in cache.rglob("*") if p.is_file()},
                                     {p: p.stat().st_mtime_ns for p in entries}, "nothing is put there")
                cache.chmod(0o700)
                if os.geteuid() == 0:
                    os.chown(cache, 0, 0)
                    for p in entries:
                        os.chown(p, 0, 0)


class Sockets(Case):
    """Whoever holds the name of a recorder's socket."""

    def listen(self, pid, serve):
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        server.bind(b"\0warplens-record-%d" % pid)
        server.listen(4)

        def run():
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return
                with client:
                    try:
                        serve(client)
                    except OSError:
                        pass

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        self.addCleanup(server.close)

    def test_another_process_is_not_believed(self):
        victim = subprocess.Popen(["sleep", "60"])
        self.addCleanup(victim.wait)
        self.addCleanup(victim.kill)
        recording = self.put("x.wlens", b"WLENR\r\n\x1a" + bytes(8))
        for answer in [b"bench --option=-ccbin=/tmp/evil x.cu\n", str(recording).encode() + b"\n"]:
            with self.subTest(answer=answer):
                pid = subprocess.Popen(["sleep", "60"])
                self.addCleanup(pid.wait)
                self.addCleanup(pid.kill)
                self.listen(pid.pid, lambda client, answer=answer: (client.recv(100), client.sendall(answer)))
                done = self.run_program("snapshot", pid.pid)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stdout, b"")
                self.assertIn(b"answers in the name of process", done.stderr)

    def test_answers_are_recordings_and_short(self):
        """The process itself may be hostile: what it says is a recording's name or nothing."""
        recording = self.put("x.wlens", b"WLENR\r\n\x1a" + bytes(8))
        hostile = "import socket,sys,time\ns=socket.socket(socket.AF_UNIX)\nimport os\ns.bind(b'\\0warplens-record-%d'%os.getpid())\ns.listen(4)\n" \
                  "print('up',flush=True)\nanswer=eval(sys.argv[1])\nwhile 1:\n c,_=s.accept()\n c.recv(99)\n" \
                  " try:\n  c.sendall(answer)\n except OSError: pass\n c.close()\n"
        answers = {"b'bench --option=-ccbin=/tmp/evil x.cu\\n'": "is no recording", "b'x'*50000000": "longer than a file", "b'/etc/passwd\\n'": "is no recording",
                   "b'/dev/zero\\n'": "is no recording", "b'\\x1b]0;x\\x07\\n'": "is no recording", f"{str(recording)!r}.encode() + b'\\n'": None}
        for answer, error in answers.items():
            with self.subTest(answer=answer):
                process = subprocess.Popen([sys.executable, "-c", hostile, answer], stdout=subprocess.PIPE)
                process.stdout.readline()
                done = self.run_program("snapshot", process.pid, timeout=20)
                process.kill()
                process.communicate()
                if error is None:
                    self.assertEqual(done.stdout.decode(), f"{recording}\n")
                else:
                    self.assertEqual((done.returncode, done.stdout), (1, b""), done)
                    self.assertIn(error, done.stderr.decode())
                    self.assertNotIn(b"\x1b", done.stderr)

    def test_a_taken_name_is_told(self):
        name = 'b"\\0warplens-record-%d" % os.getpid()'
        code = f"import os,socket\ns=socket.socket(socket.AF_UNIX)\ns.bind({name})\ns.listen(1)\nos.execv('/bin/sleep', ['sleep', '0.3'])"
        # The name outlives exec in the same process, as it would for a wrapper that means harm.
        code = code.replace("s.listen(1)", "s.listen(1)\nos.set_inheritable(s.fileno(), True)")
        done = self.run_program("record", "--host", "-o", "x.wlens", "--", sys.executable, "-c", code)
        if b"the name of its socket is taken" not in done.stderr:
            self.assertNotIn(b"wrote", done.stderr, "a recorder ran and said nothing of the socket")

    def test_idle_connections_do_not_delay(self):
        port = 39000 + os.getpid() % 2000
        program = ("import socket,subprocess,sys,os,time\n"
                   "import ctypes\n"
                   "time.sleep(0.5)\n"
                   f"idle=[]\n"
                   f"for _ in range(100):\n"
                   f"    try: idle.append(socket.create_connection(('127.0.0.1',{port}),1))\n"
                   f"    except OSError: break\n"
                   "begin=time.monotonic()\n"
                   f"subprocess.run([{PROGRAM!r},'snapshot',str(os.getpid())],capture_output=True)\n"
                   "print('took',time.monotonic()-begin)\n")
        done = self.run_program("record", "--host", "--quiet", "--metrics-port", port, "-o", "x.wlens", "--", sys.executable, "-c", program, timeout=60)
        took = re.search(rb"took ([\d.]+)", done.stdout)
        self.assertIsNotNone(took, done)
        self.assertLess(float(took[1]), 3)


# What a name may hold, and what must not come of it.
ABUSES = {
    "escape": "\x1b[2J\x1b[31;7m", "title": "\x1b]0;pwned\x07", "link": "\x1b]8;;http://x\x1b\\y", "bell": "\x07\x07", "return": "fine\rERASED",
    "line": "x\n::error::pwned", "first": "::error file=a::pwned", "azure": "##vso[task.setvariable variable=x]y", "group": "##[group]x",
    "c1": "\x9b2J\x9d0;x\x9c", "bidi": "\u202egnp.\u2066", "hidden": "a\u200b\u2060b\ufeff", "backspace": "ok\b\bno", "delete": "a\x7fb", "nul": "a\x00b",
    "formula": "=HYPERLINK(\"http://x\",\"y\")", "plus": "+cmd|' /C calc'!A0", "at": "@SUM(1)", "tab": "\t=1+1", "markup": "<img src=x onerror=alert(1)>",
    "attribute": "' onload='alert(1)", "markdown": "![x](http://x/y) | a", "entity": "&lt;script&gt;", "cdata": "]]><script>alert(1)</script>",
}
COMMANDS = re.compile(r"^\s*::[a-z-]+.*::|##vso\[|##\[", re.MULTILINE)
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


class Names(Case):
    """Names of kernels, operators, devices, ranges, threads, files and metadata are anybody's words."""

    WHERE = ["kernel", "operator", "device", "range", "thread", "metadata"]
    OUTPUTS = [["summary"], ["ops"], ["findings"], ["timeline"], ["summary", "--json"], ["ops", "--format", "csv"], ["ops", "--format", "md"],
               ["findings", "--format", "sarif"], ["export", "-t", "stacks", "-o", "-"]]

    def trace(self, where, name):
        trace = json.loads(json.dumps(TRACE))
        events = trace["traceEvents"]
        if where == "device":
            trace["deviceProperties"][0]["name"] = name
        elif where == "metadata":
            trace[name] = name
            trace["trace_id"] = name
        elif where == "thread":
            for event in events:
                if event.get("name") in ("process_name", "thread_name"):
                    event["args"]["name"] = name
        else:
            category = {"kernel": "kernel", "operator": "cpu_op", "range": "user_annotation"}[where]
            for event in events:
                if event.get("cat") == category:
                    event["name"] = name
        return json.dumps(trace)

    def assert_inert(self, done, what):
        for text in (done.stdout, done.stderr):
            shown = text.decode("utf-8", "strict")
            found = ACTING.search(shown)
            self.assertIsNone(found, f"{what}: {found and shown[max(0, found.start() - 60):found.end() + 20]!r}")
            found = COMMANDS.search(shown)
            self.assertIsNone(found, f"{what}: {found and found[0]!r}")

    def test_names_in_traces(self):
        for where, (abuse, name) in itertools.product(self.WHERE, ABUSES.items()):
            with self.subTest(where=where, abuse=abuse):
                self.put("x.json", self.trace(where, name))
                # Each pair sees some of the outputs, so that all see all of them in seconds.
                index = self.WHERE.index(where) + list(ABUSES).index(abuse)
                for arguments in (self.OUTPUTS[index % 4], self.OUTPUTS[4 + index % 5]):
                    done = self.run_program(arguments[0], "x.json", *arguments[1:])
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assert_inert(done, f"{arguments}")

    def test_pages_and_pictures(self):
        for abuse, name in ABUSES.items():
            with self.subTest(abuse=abuse):
                self.put("x.json", self.trace("kernel", name))
                done = self.run_program("export", "-t", "flamegraph", "x.json", "-o", "-")
                root = xml.etree.ElementTree.fromstring(done.stdout)
                for element in root.iter():
                    self.assertFalse(any(key.startswith("on") and "alert" in value for key, value in element.attrib.items()))
                    self.assertNotIn("img", element.tag)
                    self.assertFalse(element.tag.endswith("script") and "alert(1)" in (element.text or ""))
                json.loads(self.run_program("export", "-t", "chrome", "x.json", "-o", "-").stdout)

    def test_cells_are_no_formulas(self):
        for abuse, name in ABUSES.items():
            with self.subTest(abuse=abuse):
                self.put("x.json", self.trace("operator", name))
                rows = list(csv.reader(io.StringIO(self.run_program("ops", "x.json", "--format", "csv").stdout.decode())))
                self.assertEqual({len(row) for row in rows}, {len(rows[0])})
                for row in rows[1:]:
                    self.assertNotRegex(row[0], r"^[=+\-@\t\r]")

    def test_markdown_loads_nothing(self):
        for name in ["<img src=http://x>", "![x](http://x/y)", "[x](javascript:y)", "a | b"]:
            with self.subTest(name=name):
                self.put("x.json", self.trace("operator", name))
                text = self.run_program("ops", "x.json", "--format", "md").stdout.decode()
                self.assertNotRegex(text, r"<img|!\[x\]\(|\[x\]\(")
                self.assertEqual(len({len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines() if line.startswith("|")}), 1)

    def test_annotations_are_one_each(self):
        """GitHub's own format is commands; a name adds none and changes none."""
        named = self.run_program("findings", self.put("x.json", self.trace("kernel", "plain_name")), "--format", "github").stdout
        plain = named.count(b"\n")
        self.assertIn(b"plain_name", named)
        for abuse, name in ABUSES.items():
            with self.subTest(abuse=abuse):
                self.put("x.json", self.trace("kernel", name))
                done = self.run_program("findings", "x.json", "--format", "github")
                lines = done.stdout.decode().splitlines()
                self.assertEqual(len(lines), plain)
                for line in lines:
                    self.assertRegex(line, r"^::(error|warning|notice) ")
                    self.assertIsNone(ACTING.search(line))

    def test_names_of_files(self):
        for abuse, name in ABUSES.items():
            if "\0" in name or "/" in name:
                continue
            with self.subTest(abuse=abuse):
                self.put(f"{name}.json", "{}")
                self.assert_inert(self.run_program("summary", f"./{name}.json"), "not a trace")
                self.assert_inert(self.run_program("summary", f"./{name}.absent.json"), "absent")
                self.put(f"{name}.json", json.dumps(TRACE))
                self.assert_inert(self.run_program("summary", f"./{name}.json"), "a trace")
                self.assert_inert(self.run_program("doctor", f"./{name}.json"), "doctor")

    def test_names_in_launch_files(self):
        self.put("k.ptx", STORE)
        for abuse, name in ABUSES.items():
            with self.subTest(abuse=abuse):
                self.launch_file(source="k.ptx", buffers={name: {"dtype": "f32", "count": 32}},
                                 launches=[{"grid": 1, "block": 32, "args": [{"buffer": name}]}], expect={name: {"fill": "ones"}})
                self.assert_inert(self.run_program("kernel", "launch.json", "--emulate", "--no-counters"), "expect")
                self.launch_file(source="k.ptx", kernel=name)
                self.assert_inert(self.run_program("kernel", "launch.json", "--emulate"), "kernel")
                self.put("launch.json", json.dumps({name: 1}))
                self.assert_inert(self.run_program("kernel", "launch.json", "--emulate"), "key")

    def test_names_in_settings(self):
        for abuse in ("escape", "return", "line", "azure", "bell"):
            with self.subTest(abuse=abuse):
                self.put("x.json", json.dumps(TRACE))
                self.put("warplens.toml", f"[ops]\n{json.dumps(ABUSES[abuse])} = 1\n")
                self.assert_inert(self.run_program("ops", "x.json"), "key")

    def test_what_kernels_print(self):
        self.put("k.cu", '#include <cstdio>\n__global__ void k(float* x) { printf("\\033]0;pwned\\007\\n::error::pwned\\n"); *x = VALUE; }\n')
        self.launch_file()
        done = self.run_program("kernel", "launch.json", "--emulate", "--no-counters")
        if b"no CUDA compiler" in done.stderr:
            self.skipTest("no CUDA compiler")
        self.assertIn(b"pwned", done.stdout)
        self.assert_inert(done, "printf")


class Emulated(Case):
    """A program that forks while another of its threads calls the emulated runtime."""

    def test_forked_children_do_not_wait_for_ever(self):
        code = """
import ctypes, os, sys, threading, time
cuda = ctypes.CDLL("libcudart.so.13")
going = True
def work():
    while going:
        at = ctypes.c_void_p()
        cuda.cudaMalloc(ctypes.byref(at), ctypes.c_size_t(1 << 22))
        cuda.cudaMemset(at, 1, ctypes.c_size_t(1 << 22))
        cuda.cudaFree(at)
count = ctypes.c_int()
cuda.cudaGetDeviceCount(ctypes.byref(count))
threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads: thread.start()
stuck = 0
for _ in range(20):
    child = os.fork()
    if child == 0:
        cuda.cudaGetDeviceCount(ctypes.byref(count))
        os._exit(0)
    end = time.monotonic() + 5
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() > end:
            os.kill(child, 9)
            os.waitpid(child, 0)
            stuck += 1
            break
        time.sleep(0.001)
    if stuck: break
going = False
for thread in threads: thread.join()
print("stuck", stuck)
"""
        done = self.run_program("emulate", "--", sys.executable, "-c", code)
        self.assertIn(b"stuck 0", done.stdout, done.stderr)


class Contents(Case):
    """What a file says of itself."""

    def test_metadata_stays_data(self):
        events = '[{"ph": "X", "name": "injected", "ts": 1, "dur": 1, "pid": 1, "tid": 1}]'
        trace = json.loads(json.dumps(TRACE))
        for key, value in [("note", "1"), ("displayTimeUnit", "ms")]:
            trace[key] = value
        text = json.dumps(trace)
        # Two members of one name, and one that is called as what the writer writes itself.
        text = text[:-1] + f', "traceEvents": {events}, "schemaVersion": 7, "note": {events}' + "}"
        self.put("x.json", text)
        out = self.run_program("export", "-t", "chrome", "x.json", "-o", "-").stdout
        pairs = []
        json.loads(out, object_pairs_hook=lambda members: pairs.append([key for key, _ in members]) or dict(members))
        self.assertEqual(pairs[-1].count("traceEvents"), 1)
        self.assertEqual(len(pairs[-1]), len(set(pairs[-1])))

    def test_small_files_do_not_take_all(self):
        """One name of 800 MB in 0.8 MB of gzip."""
        path = self.folder / "big.json.gz"
        with gzip.open(path, "wb", 1) as file:
            file.write(b'{"traceEvents": [{"ph": "X", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "name": "')
            for _ in range(800):
                file.write(b"a" * 1_000_000)
            file.write(b'"}]}')
        process = subprocess.Popen([PROGRAM, "summary", path.name], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        begin = time.monotonic()
        process.stdout.read()
        told = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertLess(usage.ru_maxrss, 1_500_000, "KiB")
        self.assertLess(time.monotonic() - begin, 30)
        self.assertNotEqual(told, "")


if __name__ == "__main__":
    unittest.main()
