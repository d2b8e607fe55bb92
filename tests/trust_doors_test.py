#!/usr/bin/env python3
"""Contents that are nested as deeply as anybody likes, and names that reach an agent, a build service or a terminal by the newer doors:
trust_doors_test.py WARPLENS"""
import itertools
import json
import struct
import unittest

from hostile import ABUSES, STORE, TRACE, Case

DEEP = 30_000
HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
ENTRY = ".visible .entry k() {"


def event(category, name, start_us, duration_us, **args):
    return {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1, "ts": start_us, "dur": duration_us, "args": args}


def nested(category):
    """Ranges of a thread, each in the one before, around a launch and its kernel."""
    events = [event(category, f"r{i % 7}", i, 2 * (DEEP - i) + 10, **{"External id": i + 1}) for i in range(DEEP)]
    return json.dumps({"traceEvents": [*events, event("cuda_runtime", "cudaLaunchKernel", DEEP + 1, 2, correlation=7, **{"External id": DEEP}),
                                       {**event("kernel", "k", DEEP + 4, 5, correlation=7, stream=7, device=0), "pid": 0, "tid": 7}]})


def field(number, content):
    """A message within a message of Protocol Buffers."""
    def varint(value):
        return (bytes([value & 127 | 128]) + varint(value >> 7)) if value > 127 else bytes([value])
    return varint(number << 3 | 2) + varint(len(content)) + content


def messages(number):
    out = b""
    for _ in range(4000):
        out = field(number, out)
    return out


class Nested(Case):
    """What nests without end is read, or refused with a sentence; it ends no process and takes no minutes."""

    # The name of a file, its content, and the verbs that read it.
    INPUTS = {
        "operators.json": (nested("cpu_op"), ["summary", "ops --by-stack 5", "findings", "timeline", "report -f -o out.html", "export -t flamegraph -f -o out.svg",
                                              "export -t stacks -f -o out.txt", "convert -f -o out.wlens", "export -t perfetto -f -o out.pftrace"]),
        "frames.json": (nested("python_function"), ["summary", "ops --by module", "findings", "report -f -o out.html", "export -t flamegraph -f -o out.svg"]),
        "ranges.json": (nested("user_annotation"), ["summary", "timeline", "report -f -o out.html"]),
        "objects.json": ('{"traceEvents": [{"args": ' + '{"a":' * DEEP + "1" + "}" * DEEP + "}]}", ["summary", "doctor"]),
        "lists.json": ("[" * DEEP + "]" * DEEP, ["summary", "kernel --emulate", "bench", "counters"]),
        "open.json": ("[" * DEEP, ["summary", "kernel --emulate", "bench", "counters"]),
        "names.json": (json.dumps({"traceEvents": [{**event("kernel", name, i * 9, 5, stream=7), "pid": 0, "tid": 7} for i, name in enumerate(
            ["_Z" + "P" * DEEP + "v", "_ZN" + "1a" * DEEP + "E", "_Z1fI" + "1aI" * 20000 + "i" + "E" * 20001 + "vv", "void " + "a<" * DEEP + ">" * DEEP + "(int)"])]}),
            ["summary", "ops --by-shape", "report -f -o out.html", "export -t stacks -f -o out.txt"]),
        "launch.json": ('{"source": "k.ptx", "launches": ' + "[" * DEEP + "]" * DEEP + "}", ["kernel --emulate"]),
        "scopes.ptx": (HEAD + ENTRY + "{" * DEEP + "}" * DEEP + " ret; }", ["inspect", "occupancy"]),
        "brackets.ptx": (HEAD + ".global .u32 a = " + "(" * DEEP + "1" + ")" * DEEP + ";" + ENTRY + " ret; }", ["inspect"]),
        "signs.ptx": (HEAD + ".global .u32 a = " + "-" * DEEP + "1;" + ENTRY + " ret; }", ["inspect"]),
        "initial.ptx": (HEAD + ".global .b8 a" + "[1]" * DEEP + " = " + "{" * DEEP + "1" + "}" * DEEP + ";" + ENTRY + " ret; }", ["inspect"]),
        "lists.pickle": (b"\x80\x02" + b"]" * DEEP + b"a" * DEEP + b".", ["memory", "hang"]),
        "tuples.pickle": (b"\x80\x02" + b"(" * DEEP + b"t" * DEEP + b".", ["memory", "hang"]),
        "pairs.pickle": (b"\x80\x02K\x01" + b"K\x01\x86" * DEEP + b".", ["memory", "hang"]),
        "self.pickle": (b"\x80\x02]q\x00h\x00a.", ["memory", "hang"]),
        "deep.xplane.pb": (messages(1), ["summary"]),
        "deep.pftrace": (messages(1), ["summary"]),
        "deep.ncu-rep": (b"NVR\0" + struct.pack("<I", 3) + messages(2)[:3], ["counters"]),
        "packets.pftrace": (field(1, messages(14)), ["summary"]),
        "shapes.json": (json.dumps({"traceEvents": [event("cpu_op", "aten::mm", 1, 9, **{"Input Dims": "[" * 5000 + "]" * 5000}),
                                                    {**event("kernel", "k", 2, 5, stream=7), "pid": 0, "tid": 7}]}), ["ops --by-shape", "findings"]),
    }

    def test_every_reader(self):
        self.put("k.ptx", STORE)
        for name, (content, verbs) in self.INPUTS.items():
            self.put(name, content)
            for words in verbs:
                verb, *flags = words.split()
                with self.subTest(input=name, verb=verb):
                    done = self.run_program(verb, name, *flags)
                    self.assertIn(done.returncode, (0, 1, 2), done.stderr[-300:])
                    self.assertEqual(done.returncode != 0, bool(done.stderr.strip().startswith(b"warplens")), done.stderr[:300])
                    self.assertLess(len(done.stderr), 20_000)

    def test_what_people_write(self):
        for formula in ["y = " + "(" * DEEP + "x" + ")" * DEEP, "y = " + "-" * DEEP + "x", "y = " + "x**" * DEEP + "2", "y = " + "exp(" * DEEP + "x" + ")" * DEEP,
                        "y = " + "x + " * DEEP + "x", ";".join(f"y{i + 1} = y{i}" for i in range(3000))]:
            with self.subTest(formula=formula[:12]):
                done = self.run_program("fuse", formula[:130_000], "--no-run")
                self.assertIn(done.returncode, (0, 1, 2), done.stderr[-300:])
        self.put("x.json", json.dumps(TRACE))
        for sql in ["select " + "(" * DEEP + "1" + ")" * DEEP, "select " + "-" * DEEP + "1", "select 1" + "+1" * 60_000, "select " + "not " * 30_000 + "1"]:
            with self.subTest(sql=sql[:12]):
                done = self.run_program("query", "x.json", sql[:130_000])
                self.assertIn(done.returncode, (1, 2), done.stderr[-300:])

    def test_settings(self):
        self.put("x.json", json.dumps(TRACE))
        for name, text in {"parts of a key": "a." * DEEP + "b = 1\n", "parts of a table": "[" + "a." * DEEP + "b]\n", "lists": "[ops]\nlimit = " + "[" * DEEP + "]" * DEEP,
                           "tables": "[ops]\nlimit = " + "{a = " * DEEP + "1" + "}" * DEEP, "keys in lists": "[ops]\nlimit = [" + "{" + "a." * DEEP + "b = 1}]"}.items():
            with self.subTest(settings=name):
                self.put("warplens.toml", text)
                done = self.run_program("summary", "x.json")
                self.assertEqual(done.returncode, 2, done.stderr[-300:])
                self.assertIn(b"nested" if "parts" in name or "keys" in name else b"depth", done.stderr)


    def test_headers_of_settings(self):
        self.put("x.json", json.dumps(TRACE))
        for header in ("[=]", "[[=]]", "[", "[\x0e\x00", "[ ", "[[", "[]", "[.a]"):
            with self.subTest(header=header):
                self.put("warplens.toml", header + "\n")
                done = self.run_program("summary", "x.json")
                self.assertEqual(done.returncode, 2, done.stderr[-300:])
                self.assertIn(b"line 1: the name of a table is expected", done.stderr)
        self.put("warplens.toml", '[ ops ]\nlimit = 3\n["classes"."kernel"]\n"*mine*" = "own"\n')
        self.assertEqual(self.run_program("summary", "x.json").returncode, 0)


class Brief(Case):
    """`--brief` is what agents read: JSON of 2 KB, in which a name is a name."""

    VERBS = ["summary", "findings", "ops", "timeline", "ranks", "doctor", "query", "diff"]

    def trace(self, where, name):
        trace = json.loads(json.dumps(TRACE))
        for each in trace["traceEvents"]:
            if each.get("cat") == where:
                each["name"] = name
        return json.dumps(trace)

    def test_names(self):
        self.put("plain.json", json.dumps(TRACE))
        for number, ((abuse, name), where) in enumerate(itertools.product(ABUSES.items(), ("kernel", "cpu_op", "user_annotation"))):
            self.put("x.json", self.trace(where, name))
            for verb in self.VERBS[number % 2::2]:
                with self.subTest(verb=verb, abuse=abuse, where=where):
                    more = {"query": ["select name from kernels limit 3"], "diff": ["plain.json"]}.get(verb, [])
                    done = self.run_program(verb, "x.json", *more, "--brief")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assert_inert(done, verb)
                    self.assertLessEqual(len(done.stdout), 2048)
                    self.assertIsInstance(json.loads(done.stdout), dict)

    def test_long_names(self):
        self.put("plain.json", json.dumps(TRACE))
        for where in ("kernel", "cpu_op", "user_annotation"):
            self.put("x.json", self.trace(where, "n\u00e9\u202e" * 100_000))
            for verb in self.VERBS:
                with self.subTest(verb=verb, where=where):
                    more = {"query": ["select name from kernels limit 3"], "diff": ["plain.json"]}.get(verb, [])
                    done = self.run_program(verb, "x.json", *more, "--brief")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertLessEqual(len(done.stdout), 2048)
                    json.loads(done.stdout)
                    self.assert_inert(done, verb)


class Sources(Case):
    """Lines of sources are anybody's words too."""

    def test_lines_of_sources(self):
        for abuse in ("escape", "title", "link", "bell", "return", "first", "azure", "c1", "bidi", "hidden", "backspace"):
            words = ABUSES[abuse].replace("\n", " ")
            with self.subTest(abuse=abuse):
                self.put("k.cu", f"__global__ void k(float* x) {{\n  x[threadIdx.x * 32] = VALUE;  // {words}\n  /* {words} */ x[threadIdx.x] += 1;\n}}\n")
                self.launch_file(buffers={"x": {"dtype": "f32", "count": 1024}})
                done = self.run_program("kernel", "launch.json", "--emulate", "--lines")
                if b"no CUDA compiler" in done.stderr:
                    self.skipTest("no CUDA compiler")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assert_inert(done, "--lines")
                self.put("k.cu", f"__global__ void k(float* x) {{ {words} }}\n")
                self.assert_inert(self.run_program("kernel", "launch.json", "--emulate"), "an error of the compiler")

    def test_names_in_ptx(self):
        for abuse, name in ABUSES.items():
            with self.subTest(abuse=abuse):
                self.put("k.ptx", HEAD + f'.file 1 "{name}"\n' + ENTRY + f"\n.loc 1 1 0\n// {name}\n{name}\nret;\n}}\n")
                self.assert_inert(self.run_program("inspect", "k.ptx"), "a wrong instruction")
                self.put("k.ptx", HEAD + f'.file 1 "{name}"\n' + ENTRY + "\n.loc 1 1 0\nret;\n}\n")
                for flags in ([], ["--lines"], ["--json"], ["--brief"]):
                    self.assert_inert(self.run_program("inspect", "k.ptx", *flags), f"{flags}")


class Folders(Case):
    """Folders of ranks: their names, and what lies in them."""

    def test_names_of_ranks(self):
        for abuse, name in ABUSES.items():
            if "\0" in name or "/" in name:
                continue
            with self.subTest(abuse=abuse):
                for rank in range(2):
                    trace = {**TRACE, "distributedInfo": {"rank": rank, "world_size": 2, "backend": name, "pg_config": [{"pg_desc": name}]}}
                    self.put(f"ranks/{name}/{rank}.json", json.dumps(trace))
                for words in (["ranks"], ["ranks", "--json"], ["ranks", "--brief"], ["summary"]):
                    done = self.run_program(words[0], f"ranks/{name}", *words[1:])
                    self.assertIn(done.returncode, (0, 1), done.stderr)
                    self.assert_inert(done, f"{words}")

    def test_folders_that_lead_to_themselves(self):
        self.put("ranks/0.json", json.dumps(TRACE))
        self.put("ranks/1.json", json.dumps(TRACE))
        (self.folder / "ranks" / "again").symlink_to(self.folder / "ranks")
        (self.folder / "ranks" / "2.json").symlink_to(self.folder / "ranks" / "2.json")
        for verb in ("ranks", "summary", "hang"):
            with self.subTest(verb=verb):
                self.assertIn(self.run_program(verb, "ranks", timeout=30).returncode, (0, 1, 2))


class Results(Case):
    """Results of earlier measurements, which people send each other."""

    def test_names_in_results_of_bench(self):
        text = results_of_bench(self)
        for abuse, name in ABUSES.items():
            with self.subTest(abuse=abuse):
                self.put("r.json", renamed(text, name))
                for words in (["bench", "compare", "r.json", "r.json"], ["bench", "plot", "r.json"]):
                    for flags in ([], ["--json"], ["--brief"]):
                        done = self.run_program(*words, *flags)
                        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
                        self.assert_inert(done, f"{words} {flags}")


def results_of_bench(case):
    """Of a kernel that stores: counted, where no GPU is."""
    case.put("k.ptx", STORE)
    case.launch_file(source="k.ptx")
    done = case.run_program("bench", "launch.json", "-o", "results.json", env={"CUDA_VISIBLE_DEVICES": ""})
    case.assertEqual(done.returncode, 0, done.stderr)
    return (case.folder / "results.json").read_text()


def renamed(text, name):
    """With this in place of each text that names something or says something."""
    def changed(value, key=""):
        if isinstance(value, dict):
            return {k: changed(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [changed(v, key) for v in value]
        return name if isinstance(value, str) and key in ("name", "title", "device", "driver", "host", "cpu", "program", "notes", "errors", "date") else value
    return json.dumps(changed(json.loads(text)))


if __name__ == "__main__":
    unittest.main()
