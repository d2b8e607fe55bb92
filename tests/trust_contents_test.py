#!/usr/bin/env python3
"""Claims of a file or a program cannot use up the machine or wait for ever: trust_contents_test.py WARPLENS"""
import gzip
import json
import os
import pickle
import resource
import socket
import sqlite3
import subprocess
import sys
import threading
import unittest
import zlib

from hostile import PROGRAM, STORE, TRACE, Case

from ncu_test import field


def sharing(name, count):
    """Files of each format in which `count` events share one name: their bytes, or what fills a database."""
    def packet(fields):
        return field(1, fields)

    def database(name_table, *tables):
        def fill(to):
            to.execute(f"CREATE TABLE {name_table} (id INTEGER PRIMARY KEY, {'value' if name_table == 'StringIds' else 'string'} TEXT)")
            to.executemany(f"INSERT INTO {name_table} VALUES (?, ?)", [(1, name), (2, "KernelExecution")])
            for table, columns, row in tables:
                to.execute(f"CREATE TABLE {table} ({', '.join(columns.split())})")
                to.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns.split()))})", (row(i) for i in range(1, count)))
        return fill

    events = b"".join(field(4, field(1, 1) + field(2, i * 10) + field(3, 5)) for i in range(count))
    plane = field(2, "/device:GPU:0") + field(3, field(1, 7) + field(3, 1000) + events) + field(4, field(1, 1) + field(2, field(1, 1) + field(2, name)))
    interned = packet(field(10, 1) + field(13, 1) + field(12, field(2, field(1, 1) + field(2, name)) + field(29, field(1, 1) + field(2, name))))
    named = [packet(field(10, 1) + field(8, i * 100 + 1) + field(13, 2) + field(11, field(9, 3) + field(10, 1) + field(11, 5))) for i in range(count)]
    argued = [packet(field(10, 1) + field(8, i * 100 + 1) + field(13, 2) + field(11, field(9, 3) + field(23, "x") + field(11, 5) + field(4, field(10, "k") + field(17, 1))))
              for i in range(count)]
    tree = [{"frame": {"name": "ROOT", "type": "function"}, "metrics": {}, "children": [
        {"frame": {"name": name, "type": "function"}, "children": [],
         "metrics": {"time (ns)": 10**9, "count": count * 100, "device_id": "0", "device_type": "CUDA"}}]}]
    size = {"x": 1, "y": 1, "z": 1}
    dispatches = [{"thread_id": 1, "start_timestamp": i * 10 + 1, "end_timestamp": i * 10 + 5, "correlation_id": {"internal": i}, "dispatch_info": {
        "agent_id": {"handle": 1}, "queue_id": {"handle": 1}, "kernel_id": 1, "workgroup_size": size, "grid_size": size}} for i in range(count)]
    rocprof = {"rocprofiler-sdk-tool": [{"metadata": {"pid": 5}, "agents": [{"id": {"handle": 1}, "type": 2}], "buffer_records": {"kernel_dispatch": dispatches},
                                         "kernel_symbols": [{"kernel_id": 1, "demangled_kernel_name": name}]}]}
    return {
        "x.xplane.pb": field(1, field(1, 1) + plane), "names.pftrace": interned + b"".join(named), "arguments.pftrace": interned + b"".join(argued),
        "x.hatchet": json.dumps(tree).encode(), "rocprof.json": json.dumps(rocprof).encode(),
        "x.rpd": database("rocpd_string", ("rocpd_api", "id pid tid start end apiName_id args_id", lambda i: (i, 7, 8, i * 10, i * 10 + 5, 1, 1)),
                          ("rocpd_op", "id gpuId queueId start end description_id opType_id", lambda i: (i, 0, 0, i * 10, i * 10 + 5, 1, 2)),
                          ("rocpd_api_ops", "id api_id op_id", lambda i: (i, i, i))),
        "x.sqlite": database("StringIds", ("CUPTI_ACTIVITY_KIND_KERNEL", "start end deviceId contextId streamId correlationId globalPid demangledName",
                                           lambda i: (i * 10, i * 10 + 5, 0, 1, 7, i, 1 << 24, 1)),
                             ("NVTX_EVENTS", "start end eventType textId globalTid domainId", lambda i: (i * 10, i * 10 + 5, 59, 1, (1 << 24) + 7, 0)))}


class Contents(Case):
    """Claims of a file about itself."""

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
        process.stdout.read()
        told = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertLess(usage.ru_maxrss, 1_500_000, "KiB")
        self.assertLess(usage.ru_utime + usage.ru_stime, 30, "seconds of processor time")
        self.assertNotEqual(told, "")

    def spent(self, *arguments):
        """Bytes and seconds of the processor that the program took, and what it said in errors."""
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        with process.stderr:
            told = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return usage.ru_maxrss << 10, usage.ru_utime + usage.ru_stime, told

    def test_pickles_do_not_repeat_themselves(self):
        """7 KB that name one block a million times, and 43 KB whose 20,000 entries share a stack of 1,000 frames."""
        frames = [{"name": "a" * 1000, "filename": "b", "line": 1}] * 1000
        block = {"size": 1, "state": "active_allocated", "frames": frames}
        segment = {"address": 1, "total_size": 10, "blocks": [block] * 1000, "device": 0, "stream": 0}
        deep = [{"name": "a", "filename": "b", "line": 1}] * 20000
        events = [{"action": "alloc", "addr": n, "size": 1, "stream": 0, "time_us": n, "frames": deep} for n in range(2000)]
        entry = {"record_id": 1, "pg_id": 0, "process_group": ("0", "d"), "collective_seq_id": 1, "profiling_name": "nccl:all_reduce", "frames": frames}
        files = {"blocks": ("memory", {"segments": [segment] * 1000, "device_traces": [[]]}, "repeats itself"),
                 "deep": ("memory", {"segments": [], "device_traces": [events]}, ""),
                 "texts": ("hang", {"version": "2.4", "entries": [entry] * 20000, "note": ["n" * 20000] * 40000}, "repeats itself")}
        for name, (verb, content, said) in files.items():
            with self.subTest(name):
                path = self.put(f"{name}.pickle", pickle.dumps(content, protocol=4))
                taken, seconds, told = self.spent(verb, path.name)
                self.assertIn(said, told)
                self.assertLess(taken, (192 << 20) + 400 * path.stat().st_size)
                self.assertLess(seconds, 4)

    def test_names_do_not_multiply(self):
        """A mangled name of 300 bytes whose parameters repeat the ones before: gigabytes in readable form."""
        letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        numbers = [*letters, *("1" + letter for letter in letters)]
        name = "_Z1fPFviiE" + "".join(f"PFvS{numbers[2 * level]}_S{numbers[2 * level]}_E" for level in range(30))
        self.put("k.ptx", STORE.replace(".entry k", f".entry {name}"))
        taken, seconds, told = self.spent("inspect", "k.ptx")
        self.assertLess(taken, 256 << 20)
        self.assertLess(seconds, 4)
        self.assertIn("kernel " + name[:40], self.run_program("inspect", "k.ptx").stdout.decode())

    def test_layers_do_not_multiply(self):
        """300 MB of events in 1.4 KB: gzip in gzip in gzip."""
        event = b'{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":1},' * 10_000
        packed = zlib.compressobj(1, zlib.DEFLATED, 31)
        text = packed.compress(b'{"traceEvents": [') + b"".join(packed.compress(event) for _ in range(400)) + packed.flush()
        self.put("x.json.gz", gzip.compress(gzip.compress(text)))
        self.assertLess((self.folder / "x.json.gz").stat().st_size, 5_000)
        done = self.run_program("summary", "x.json.gz", "--json")
        self.assertIn(b"more than 200 times as large when unpacked", done.stdout + done.stderr)
        self.assertNotIn(b'"verdict": "whole', done.stdout)

    # The processor time that a file of a few megabytes may take; a sanitized build takes ten times as long.
    CPU_SECONDS = 60

    def run_bounded(self, *arguments):
        def bound():
            resource.setrlimit(resource.RLIMIT_CPU, (self.CPU_SECONDS, self.CPU_SECONDS))

        done = self.run_program(*arguments, preexec_fn=bound, timeout=600)
        self.assertGreaterEqual(done.returncode, 0, f"ended by signal {-done.returncode}: {arguments}")
        return done

    def test_long_identifiers(self):
        """8 MB as the name of a kernel, of a register, of a buffer, of an event."""
        name = "k" * 8_000_000
        self.put("kernel.ptx", STORE.replace("entry k(", f"entry {name}("))
        self.put("register.ptx", STORE.replace("%r", f"%{name}"))
        for source in ("kernel.ptx", "register.ptx"):
            with self.subTest(source=source):
                done = self.run_bounded("inspect", source)
                self.assertEqual(done.returncode, 1)
                self.assertIn(b"a name of more than 64 KiB", done.stderr)
                self.assertLess(len(done.stderr), 10_000)
        self.put("k.ptx", STORE)
        self.put("buffer.json", json.dumps({"source": "k.ptx", "kernel": "k", "buffers": {name: {"dtype": "f32", "count": 32}},
                                            "launches": [{"grid": 1, "block": 32, "args": [{"buffer": name}]}]}))
        self.run_bounded("kernel", "buffer.json", "--emulate", "--no-counters")
        trace = json.loads(json.dumps(TRACE))
        for event in trace["traceEvents"]:
            event["name"] = name if event.get("cat") == "kernel" else event.get("name")
        kernel = next(event for event in trace["traceEvents"] if event.get("cat") == "kernel")
        self.put("event.json", json.dumps({**trace, "traceEvents": trace["traceEvents"][:20] + [kernel]}))
        for verb in ("summary", "ops", "findings"):
            done = self.run_bounded(verb, "event.json")
            self.assertLess(len(done.stdout), 1_000_000)
            self.assertIn(b"shortened names", done.stdout + done.stderr, "what was cut is told")

    def test_one_text_in_many_places(self):
        """A stack of 60 KB that 20,000 operators share is kept once in a recording; an export would hold it 20,000 times."""
        stack = ";".join(f"/x/{'d' * 200}{i}.py(12): f{i}" for i in range(280))
        events = [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": i * 10, "dur": 5,
                   "args": {"External id": i, "Call stack": stack}} for i in range(20_000)]
        with gzip.open(self.folder / "x.json.gz", "wt", compresslevel=1) as file:
            json.dump({"traceEvents": events}, file)
        self.assertEqual(self.run_program("convert", "x.json.gz", "-o", "x.wlens").returncode, 0)
        (self.folder / "x.json.gz").unlink()
        for kind in ("stacks", "chrome", "perfetto"):
            with self.subTest(kind=kind):
                done = self.run_bounded("export", "-t", kind, "x.wlens", "-o", "out")
                self.assertFalse((self.folder / "out").exists() and (self.folder / "out").stat().st_size > 250_000_000)
                if done.returncode != 0:
                    self.assertIn(b"--any-size", done.stderr)
        self.assertEqual(self.run_bounded("export", "-t", "stacks", "x.wlens", "-o", "out").returncode, 1)
        self.assertFalse((self.folder / "out").exists())

    def test_texts_that_events_name_by_number(self):
        """A name of 60 KB that 5,000 events share: 300 MB, and as much again for each copy, if each had its own."""
        name, count = "n" * 60_000, 5_000
        for file, content in sharing(name, count).items():
            with self.subTest(file=file):
                path = self.put(file, content if isinstance(content, bytes) else b"")
                if callable(content):
                    path.unlink()
                    with sqlite3.connect(path) as database:
                        content(database)
                    database.close()
                said, code, most_kib = self.run_measured("summary", file)
                self.assertLess(most_kib << 10, 4 * ((64 << 20) + 200 * path.stat().st_size), said[:200])
                self.assertTrue(code == 0 or b"repeat texts" in said, said[:300])

    def test_many_processes(self):
        """A process for each kernel costs at most the square of their number, which is seconds, not its cube."""
        path, count = self.folder / "x.sqlite", 4000
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
            database.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName)")
            database.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, 7, ?, ?, 1)",
                                 ((i * 10, i * 10 + 5, i, i << 24) for i in range(count)))
        database.close()
        process = subprocess.Popen([PROGRAM, "summary", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        self.assertLess(usage.ru_utime, 20)

    def test_many_kernels(self):
        """Tens of thousands of functions in one module cost as many steps, not their square."""
        head = STORE[:STORE.index(".visible")]
        self.put("many.ptx", head + "".join(f".visible .entry k{i}() {{ ret; }}\n" for i in range(20_000)))
        self.put("launch.json", json.dumps({"source": "many.ptx", "kernel": "k19999", "launches": [{"grid": 1, "block": 32, "args": []}]}))
        self.assertEqual(self.run_bounded("kernel", "launch.json", "--emulate", "--no-counters").returncode, 0)

    def test_claims_are_refused_before_memory_is_taken(self):
        launch = {"source": "k.ptx", "kernel": "k", "buffers": {"x": {"dtype": "f32", "count": 32}},
                  "launches": [{"grid": 1, "block": 32, "args": [{"buffer": "x"}]}]}
        self.put("k.ptx", STORE)
        self.put("registers.ptx", STORE.replace("%rd<2>", "%rd<2000000000>"))
        for what in ({"buffers": {"x": {"dtype": "f32", "count": 99999999999999}}}, {"buffers": {"x": {"dtype": "f64", "count": 2**63 - 1}}},
                     {"source": "registers.ptx"}, {"launches": [{**launch["launches"][0], "block": 4294967295}]},
                     {"launches": [{**launch["launches"][0], "shared_bytes": 4294967295}]},
                     {"launches": [{**launch["launches"][0], "grid": [2**31, 1, 1]}]}):
            with self.subTest(what=str(what)[:80]):
                self.put("launch.json", json.dumps({**launch, **what}))
                done = self.run_bounded("kernel", "launch.json", "--emulate", "--no-counters")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertNotEqual(done.stderr, b"")


    # Each verb that opens a file, in each place where it takes one.
    READERS = [["summary", "F"], ["ops", "F"], ["findings", "F"], ["timeline", "F"], ["ranks", "F", "x.json"], ["diff", "x.json", "F"],
               ["query", "F", "select 1"], ["query", "x.json", "--sql", "F"], ["export", "-t", "chrome", "F", "-o", "out", "-f"],
               ["convert", "F", "-o", "out.wlens", "-f"], ["report", "F", "-o", "out.html", "-f"], ["memory", "F"], ["hang", "F"], ["inspect", "F"],
               ["kernel", "F", "-k", "k", "--emulate"], ["kernel", "k.ptx", "-k", "k", "--arg", "x=f32@F", "--emulate"],
               ["kernel", "k.ptx", "-k", "k", "--arg", "x=f32[32]", "--emulate", "--baseline", "F"], ["findings", "x.json", "--counters", "F"],
               ["summary", "x.json", "--classes", "F"], ["summary", "x.json", "--config", "F"], ["bench", "F"], ["judge", "F", "F"], ["learn", "F"],
               ["doctor", "F"], ["summary", "folder"], ["ranks", "folder"], ["hang", "folder"], ["memory", "folder"]]

    def run_measured(self, *arguments):
        """Its output, its exit code and its peak memory in KiB."""
        process = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   env={**os.environ, "WARPLENS_CACHE": str(self.top / "cache")})
        watch = threading.Timer(30, process.kill)
        watch.start()
        with process.stdout:
            said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        watch.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        return said, process.returncode, usage.ru_maxrss

    def test_what_never_ends_is_not_read(self):
        """A pipe that nobody writes to, devices, and a terabyte of holes behind a beginning that looks right."""
        self.put("x.json", json.dumps(TRACE))
        self.put("k.ptx", STORE)
        (self.folder / "folder").mkdir()
        for place in (self.folder, self.folder / "folder"):
            os.mkfifo(place / "pipe.json")
            for name in ("zero", "urandom", "full", "tty"):
                (place / f"{name}.json").symlink_to(f"/dev/{name}")
            for name, begin in {"trace": b'{"traceEvents": [', "pickle": b"\x80\x04", "sqlite": b"SQLite format 3\0", "toml": b"[ops]\n"}.items():
                path = place / f"holes.{name}.json"
                path.write_bytes(begin)
                os.truncate(path, 1 << 40)
        names = sorted(path.name for path in (self.folder / "folder").iterdir())
        for number, words in enumerate(self.READERS):
            for name in names if "folder" not in words else names[:1]:
                if "F" in words and words[0] not in ("summary", "inspect", "kernel") and (names.index(name) + number) % 2:
                    continue  # all see all kinds in seconds
                with self.subTest(words=words, name=name):
                    said, code, most = self.run_measured(*(word.replace("F", f"./{name}") if "F" in word else word for word in words))
                    self.assertIn(code, (0, 1, 2, 5), said[-400:])
                    self.assertLess(most, 1_500_000, said[-400:])
                    if "folder" not in words:
                        self.assertNotEqual(code, 0, "as if it had been read")

    def test_what_folders_hold_is_told(self):
        """Ranks that are pipes, devices or links to nowhere are left out with a word, not as if they were not there."""
        for rank in range(2):
            self.put(f"job/rank{rank}.json", json.dumps({**TRACE, "distributedInfo": {"rank": rank, "world_size": 5}}))
        os.mkfifo(self.folder / "job" / "rank2.json")
        (self.folder / "job" / "rank3.json").symlink_to("/dev/zero")
        (self.folder / "job" / "rank4.json").symlink_to("nowhere")
        said = self.run_program("ranks", "job").stdout.decode()
        for rank in (2, 3, 4):
            self.assertIn(f"left out: job/rank{rank}.json", said)
        self.assertNotEqual(self.run_program("hang", "job").returncode, 0)

    @staticmethod
    def bind(path):
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(path))

    def test_settings_in_odd_places(self):
        """A warplens.toml that is not a file, or more than one; the one above counts."""
        below = self.folder / "below"
        below.mkdir()
        self.put("warplens.toml", "[ops]\nlimit = 1\n")
        self.put("below/x.json", json.dumps(TRACE))
        odd = {"folder": lambda p: p.mkdir(), "pipe": os.mkfifo, "device": lambda p: p.symlink_to("/dev/zero"), "dangling": lambda p: p.symlink_to("absent"),
               "loop": lambda p: p.symlink_to(p.name), "socket": self.bind}
        for name, make in odd.items():
            with self.subTest(name=name):
                path = below / "warplens.toml"
                make(path)
                done = self.run_program("ops", "x.json", cwd=below)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(b"7 more rows", done.stdout)
                path.rmdir() if path.is_dir() else path.unlink()
        texts = {"nested": "x = " + "[" * 100_000, "tables": "[" + "a." * 50_000 + "b]\n", "keys": "".join(f"k{i} = 1\n" for i in range(50_000)),
                 "nul": "[ops]\nlimit = 1\0\n", "utf8": "[ops]\nlimit = '\udcff'\n", "long": "[ops]\nlimit = '" + "x" * 5_000_000 + "'\n",
                 "number": "[ops]\nlimit = " + "9" * 100_000 + "\n", "comment": "#" + "\x1b[2J" * 1000 + "\n", "key": "[ops]\n'\x1b]0;x\x07' = 1\n"}
        for name, text in texts.items():
            with self.subTest(name=name):
                self.put("below/warplens.toml", text.encode("utf-8", "surrogateescape"))
                done = self.run_program("ops", "x.json", cwd=below, timeout=20)
                self.assertIn(done.returncode, (0, 2), done.stderr[:300])
                self.assertLess(len(done.stderr), 10_000)
                self.assert_inert(done, name)


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


if __name__ == "__main__":
    unittest.main()
