#!/usr/bin/env python3
"""scripts/check_layers.py finds types that two files define under one name in one namespace, and circles of folders, and only these."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
from check_layers import in_circles, twice_defined, types_of, wrong_circles  # noqa: E402


class TwiceDefined(unittest.TestCase):
    def test_one_name_in_one_namespace_of_two_files(self):
        wrong = twice_defined({"a.h": "namespace w::x {\nstruct Change {\n  int a;\n};\n}",
                               "b.h": "namespace w {\nnamespace x {\nenum class Change : char { kA };\n}\n}"})
        self.assertEqual(wrong, ["w::x::Change: defined in a.h and in b.h"])

    def test_an_alias_defines_too(self):
        self.assertTrue(twice_defined({"a.h": "namespace w { using Row = int; }", "b.h": "namespace w { class Row {}; }"}))

    def test_those_of_one_instruction_set_count(self):
        self.assertTrue(twice_defined({"a.h": "namespace w::inline WARPLENS_ISA_NAME { struct Shape {}; }",
                                       "b.h": "namespace w { enum class Shape { kRun }; }"}))

    def test_other_scopes_are_others(self):
        self.assertEqual(twice_defined({
            "a.h": "namespace w { struct Row { struct Cell { int a; }; }; struct Row::Line { int b; }; }",
            "b.cpp": "namespace w { namespace { struct Row { int a; }; }\nvoid f() { struct Cell { int b; }; } }",
            "c.h": "namespace w::y { class Row {}; }\nnamespace w { class Row; struct Row* make(); }",
            "d.h": "namespace w {\n// struct Row { };\n#define ROW struct Row {\nconst char* kText = \"struct Row {\";\n}"}), [])

    def test_what_follows_a_type_is_in_its_namespace(self):
        self.assertEqual(types_of("namespace w {\ntemplate <typename T>\nclass alignas(64) A : public B<T> { void f() { if (x) { } } };\n"
                                  "struct C final { };\n}\nstruct D { };"), ["w::A", "w::C", "D"])


class Circles(unittest.TestCase):
    FOLDERS = {".": {"read"}, "read": {"text"}, "text": {"read", "base"}, "base": set()}

    def test_folders_that_come_back_to_themselves(self):
        self.assertEqual(in_circles(self.FOLDERS), {"read", "text"})
        self.assertEqual(in_circles({"a": {"b"}, "b": {"c"}, "c": set()}), set())

    def test_a_circle_is_wrong_and_says_what_it_includes(self):
        self.assertEqual(wrong_circles({"run": self.FOLDERS, "simt": {".": {"lanes"}, "lanes": set()}}),
                         ["src/warplens/run/read: includes folders of its room that include it again: text",
                          "src/warplens/run/text: includes folders of its room that include it again: read"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
