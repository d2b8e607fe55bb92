#!/usr/bin/env python3
"""Each line of SECURITY.md's threat model names tests, and each of these exists: threat_model_test.py PROGRAM"""
import pathlib
import re
import sys
import unittest

sys.argv[1:] = []  # the program is not needed
ROOT = pathlib.Path(__file__).resolve().parents[1]
LINES = [line for line in (ROOT / "SECURITY.md").read_text().split("\n") if line.startswith("| ") and not line.startswith(("| input", "| ---"))]
PYTHON = {path: path.read_text() for path in (ROOT / "tests").glob("trust_*_test.py")}
UNIT = "\n".join(path.read_text() for path in (ROOT / "src").rglob("*_test.cpp"))
UNIT_FILES = {path.stem for path in (ROOT / "src").rglob("*_test.cpp")}


def in_python(name):
    """A class, a case of any class, or a case of that class, of tests/trust_*_test.py."""
    group, _, case = name.rpartition(".")
    for text in PYTHON.values():
        for found in re.split(r"^(?=class )", text, flags=re.MULTILINE):
            title = re.match(r"class (\w+)", found)
            if not title or "def test_" not in found and "(Outputs)" not in found:
                continue
            if name == title[1] or (not group or group == title[1]) and re.search(rf"def {case}\(self", found):
                return True
    return False


def in_units(name):
    group, _, case = name.rpartition(".")
    if case == "*":
        return re.search(rf"TEST(_F|_P)?\({group}, ", UNIT) is not None
    group = group or "[A-Za-z]+"
    return re.search(rf"TEST(_F|_P)?\({group}, {case}\)", UNIT) is not None


def exists(name):
    if "/" in name:
        return (ROOT / name).is_file()
    if name.endswith("_fuzz"):
        return any((ROOT / "fuzz").glob(f"{name}.cpp"))
    return in_python(name) or in_units(name) or name in UNIT_FILES or any(path.stem == name for path in (ROOT / "tests").iterdir())


class ThreatModel(unittest.TestCase):
    def test_every_line_names_tests_that_exist(self):
        self.assertGreater(len(LINES), 25)
        for line in LINES:
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            named = re.findall(r"`([^`]+)`", cells[-1])
            with self.subTest(line=cells[0]):
                self.assertEqual(len(cells), 4)
                self.assertTrue(named, "no test is named")
                self.assertEqual([name for name in named if not exists(name)], [])

    def test_what_does_not_exist_is_seen(self):
        for name in ["Names.test_nothing_of_the_kind", "NoSuchClass", "tests/no_test.py", "no_fuzz", "Stream.NoSuchCase", "Nothing.*", "case_test"]:
            self.assertFalse(exists(name), name)


if __name__ == "__main__":
    unittest.main()
