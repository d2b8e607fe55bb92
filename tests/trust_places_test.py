#!/usr/bin/env python3
"""Folders, caches and sockets that others share with the user: trust_places_test.py WARPLENS"""
import json
import os
import pathlib
import re
import socket
import stat
import subprocess
import sys
import threading
import time
import unittest

import fakes
from hostile import KERNEL, PROGRAM, TRACE, Case


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

    def test_what_others_put_there_gives_nothing(self):
        """Neither the permissions of a file that another user put under the name, nor the reader of such a pipe."""
        if os.geteuid() != 0:
            self.skipTest("only root can give files to another user")
        self.folder.chmod(0o777)
        self.put("out", "old", 0o666)
        os.chown(self.folder / "out", 12345, 12345)
        (self.folder / "link").symlink_to(self.put("open", "old", 0o777))
        os.lchown(self.folder / "link", 12345, 12345)
        for name in ("out", "link"):
            self.assertEqual(self.run_program("summary", "x.json", "-o", name, "-f").returncode, 0)
            self.assertEqual(stat.S_IMODE((self.folder / name).stat().st_mode) & ~0o644, 0, name)
        os.mkfifo(self.folder / "pipe", 0o666)
        os.chown(self.folder / "pipe", 12345, 12345)
        done = self.run_program("summary", "x.json", "-o", "pipe", timeout=20)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"a pipe of another user", done.stderr)

    def test_own_pipes_are_written_to(self):
        os.mkfifo(self.folder / "pipe")
        with subprocess.Popen(["cat", "pipe"], cwd=self.folder, stdout=subprocess.PIPE) as reader:
            self.assertEqual(self.run_program("summary", "x.json", "-o", "pipe").returncode, 0)
            self.assertIn(b"integrity", reader.communicate()[0])

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


class OutputsWithoutUnnamedFiles(Outputs):
    """The same on a file system that has no files without a name (NFS, older overlays)."""

    SHIM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
static int opened(const char* name, const char* path, int flags, mode_t mode) {
  if ((flags & O_TMPFILE) == O_TMPFILE) {
    const char* seen = getenv("SHIM_SEEN");
    if (seen) close(((int (*)(const char*, mode_t))dlsym(RTLD_NEXT, "creat"))(seen, 0600));
    errno = EOPNOTSUPP;
    return -1;
  }
  return ((int (*)(const char*, int, ...))dlsym(RTLD_NEXT, name))(path, flags, mode);
}
#define WRAP(name) int name(const char* path, int flags, ...) { \\
  va_list more; va_start(more, flags); mode_t mode = va_arg(more, mode_t); va_end(more); return opened(#name, path, flags, mode); }
WRAP(open)
WRAP(open64)
"""

    def setUp(self):
        super().setUp()
        (self.top / "shim.c").write_text(self.SHIM)
        built = subprocess.run(["cc", "-shared", "-fPIC", "-o", self.top / "shim.so", self.top / "shim.c", "-ldl"], capture_output=True)
        self.assertEqual(built.returncode, 0, built.stderr)

    def run_program(self, *arguments, env=None, **more):
        shim = {"LD_PRELOAD": str(self.top / "shim.so"), "SHIM_SEEN": str(self.top / "seen")}
        return super().run_program(*arguments, env={**shim, **(env or {})}, **more)

    def test_the_other_way_is_taken(self):
        self.assertEqual(self.run_program("summary", "x.json", "-o", "out").returncode, 0)
        self.assertTrue((self.top / "seen").exists())

    test_nothing_stays_after_a_kill = None  # a file with a name stays there, under a name that says what it is
    test_two_writers_do_not_lose_a_file = None  # its processes are started without the shim


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

    def test_temporary_folders_of_all_kinds(self):
        """A TMPDIR that is none, that holds traps or has a hostile name: a message, or the work done; nothing elsewhere."""
        self.put("k.cu", "#include <vector>\nint main() { return 0; }\n" + KERNEL)  # nvcc's, which needs such a folder
        victim = self.put("../victim", "mine")
        odd = self.top / "odd"
        odd.mkdir()
        (odd / "file").write_text("")
        os.mkfifo(odd / "pipe")
        (odd / "dangling").symlink_to(self.top / "absent")
        (odd / "loop").symlink_to("loop")
        (odd / "link").symlink_to(self.folder)
        (odd / "\x1b]0;x\x07\n::error::x").mkdir()
        (odd / "full").mkdir()
        for number in range(200):
            (odd / "full" / f"warplens-{number:06}").symlink_to(victim)
            (odd / "full" / f"tmpxft_{number:08x}_00000000-6_k.cpp1.ii").symlink_to(victim)
        (odd / "closed").mkdir(mode=0o555)
        names = ["file", "pipe", "dangling", "loop", "link", "\x1b]0;x\x07\n::error::x", "full", "closed", "absent", "x" * 5000]
        for name in [*(str(odd / name) for name in names), "", ".", "relative", "/proc", "/dev/null", "%s%n%d"]:
            for words in (["inspect", "k.cu", "--option=-DVALUE=1"], ["report", "absent.json", "-o", "out.html"], ["judge", "k.cu", "k.cu"]):
                with self.subTest(name=name[:60], words=words):
                    done = self.run_program(*words, env={"TMPDIR": name, "WARPLENS_CACHE": str(self.top / "cache" / str(len(name)))})
                    self.assertIn(done.returncode, (0, 1, 2, 5), done.stderr)
                    self.assertNotIn(b"Traceback", done.stderr)
                    self.assert_inert(done, name)
                    self.assertEqual(victim.read_text(), "mine")
                    left = {path.name for path in self.folder.iterdir()} - {"k.cu", "warplens_ccache", "__pycache__"}
                    self.assertEqual(left, set(), "left in the current folder")

    def test_relative_homes_are_not_used(self):
        self.put("k.cu", KERNEL)
        for variables in ({"HOME": "there"}, {"XDG_CACHE_HOME": "there", "HOME": "there"}, {"HOME": ""}):
            with self.subTest(variables=variables):
                self.run_program("inspect", "k.cu", "--opt=-DVALUE=1", env={"WARPLENS_CACHE": "", "TMPDIR": str(self.top), **variables})
                self.assertEqual([path.name for path in self.folder.iterdir()], ["k.cu"])

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
    """A process that holds the name of a recorder's socket."""

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
        answers = {"b'bench --option=-ccbin=/tmp/evil x.cu\\n'": "is not a recording", "b'x'*50000000": "longer than a file", "b'/etc/passwd\\n'": "is not a recording",
                   "b'/dev/zero\\n'": "is not a recording", "b'\\x1b]0;x\\x07\\n'": "is not a recording", f"{str(recording)!r}.encode() + b'\\n'": None}
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
        # A parent holds the name of its child before the child's recorder starts.
        used = self.put("used.py", fakes.NVTX + 'push(b"range"); pop()\n')
        code = ("import os, socket\n"
                "ready, go = os.pipe()\n"
                "child = os.fork()\n"
                "if child == 0:\n"
                "    os.read(ready, 1)\n"
                f"    os.execv({sys.executable!r}, [{sys.executable!r}, {str(used)!r}])\n"
                "s = socket.socket(socket.AF_UNIX)\n"
                "s.bind(b'\\0warplens-record-%d' % child)\n"
                "os.write(go, b'x')\n"
                "os.waitpid(child, 0)\n")
        done = self.run_program("record", "--host", "-o", "x-%p.wlens", "--", sys.executable, "-c", code)
        self.assertIn(b"the name of its socket is taken", done.stderr)

    def test_idle_connections_do_not_delay(self):
        port = 39000 + os.getpid() % 2000
        program = (fakes.NVTX + "push(b'range'); pop()\n"
                   "import socket,subprocess,sys,os,time\n"
                   "time.sleep(0.5)\n"
                   f"idle=[]\n"
                   f"for _ in range(100):\n"
                   f"    try: idle.append(socket.create_connection(('127.0.0.1',{port}),1))\n"
                   f"    except OSError: break\n"
                   "begin=time.monotonic()\n"
                   f"subprocess.run([{PROGRAM!r},'snapshot',str(os.getpid())],capture_output=True)\n"
                   "print('took',time.monotonic()-begin,'beside',len(idle))\n")
        done = self.run_program("record", "--host", "--quiet", "--metrics-port", port, "-o", "x.wlens", "--", sys.executable, "-c", program, timeout=60)
        took = re.search(rb"took ([\d.]+) beside (\d+)", done.stdout)
        self.assertIsNotNone(took, done)
        self.assertGreater(int(took[2]), 4, "the recorder listens")
        self.assertLess(float(took[1]), 3)


if __name__ == "__main__":
    unittest.main()
