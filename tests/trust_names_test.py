#!/usr/bin/env python3
"""Names of all kinds stay text on every output: trust_names_test.py WARPLENS"""
import csv
import io
import itertools
import json
import re
import unittest
import xml.etree.ElementTree

from hostile import ABUSES, ACTING, STORE, TRACE, Case


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

    # Each verb that takes a file, with what stands behind the file.
    VERBS = [["ops"], ["findings"], ["findings", "--format", "sarif"], ["timeline"], ["ranks"], ["diff", "other.json"],
             ["query", "select * from ranks"], ["query", "no sql"], ["export", "-t", "chrome", "-o", "-"], ["export", "-t", "perfetto", "-o", "out", "-f"],
             ["convert", "-o", "out.wlens", "-f"], ["report", "-o", "out.html", "-f"], ["inspect"], ["kernel", "--emulate"], ["memory"], ["hang"],
             ["bench"], ["counters"], ["summary", "--brief"], ["summary", "--json"], ["summary", "--timing"], ["record", "-o", "out", "--"], ["judge", "x.py"],
             ["emulate", "--"], ["snapshot"], ["findings", "--counters", "other.json"]]

    def test_names_of_files_for_every_verb(self):
        self.put("other.json", json.dumps(TRACE))
        names = ["x\n::error::pwned", "\x1b]0;pwned\x07", "fine\rERASED", "\u202egnp.", "-x", "--output=other.json", "a'\"<img src=x>", "##vso[task.x]y"]
        for number, name in enumerate(names):
            self.put(f"{name}.json", json.dumps(TRACE))
            for words in self.VERBS[number % 2::2] + self.VERBS[1 - number % 2::2][number::len(names)]:  # all see all kinds in seconds
                for ending in (".json", ".absent"):
                    with self.subTest(name=name, words=words, ending=ending):
                        split = words.index("--") + 1 if words[-1] == "--" else 1
                        done = self.run_program(*words[:split], "./" + name + ending, *words[split:])
                        self.assertNotIn(done.returncode, (134, 139), done.stderr)
                        self.assert_inert(done, f"{words} {ending}")
        self.assertEqual((self.folder / "other.json").read_text(), json.dumps(TRACE))

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


if __name__ == "__main__":
    unittest.main()
