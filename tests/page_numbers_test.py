"""The page says what the verbs say: each table of `warplens report` against the --json of the verb that prints it, number by number.

page_numbers_test.py PROGRAM [FILE...]: other traces, counts and snapshots than those of the tests.
"""
import base64
import gzip
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

WARPLENS = pathlib.Path(sys.argv[1]).resolve()
DATA = pathlib.Path(__file__).resolve().parent / "data"
FILES = [*sorted(DATA.glob("traces/*.json.gz")), *sorted(DATA.glob("defects/*.bad*.json.gz")),
         *sorted(DATA.glob("counters/*.counts")), DATA / "pickles/leak.pickle"]

# By title, or section and title, the verb and the list in its JSON. Rows are compared in any order: JSON has the order of the data.
TABLES = {
    "Operators": (("ops",), "rows"),
    "GPU time by module": (("ops", "--by", "module", "--limit", "0"), "rows"),
    "GPU time by source line": (("ops", "--by", "line", "--limit", "0"), "rows"),
    "GPU time by class": (("ops", "--by", "class", "--limit", "0"), "rows"),
    "Kernels": (("ops", "--by", "kernel", "--limit", "0"), "rows"),
    "Steps": (("timeline",), "steps"),
    "Idle time by cause": (("timeline",), "gaps"),
    "idle Launches": (("timeline",), "launches"),
    "Holders of memory at the peak": (("memory", "--limit", "0"), "owners"),
    "Over time, in parts with the same number of events": (("memory",), "slices"),
    "Step by step, each until another round of main in train.py": (("memory",), "steps"),
}
RANKS = {"overview Ranks": (("summary",), "ranks"), "ranks Ranks": (("ranks",), "ranks"), "Collectives by waiting": (("ranks", "--limit", "0"), "collectives")}
DIFF = ("diff", "--limit", "0", "--all")
CHANGE = {"Per step": (DIFF, "step"), "GPU time by class": (DIFF, "classes"), "GPU time by operator": (DIFF, "operators"),
          "GPU time by kernel": (DIFF, "kernels"), "Host time by operator, range and call, each without its callees": (DIFF, "host")}


def page_of(files, folder):
    out = folder / "page.html"
    done = subprocess.run([WARPLENS, "report", *files, "-f", "-o", out], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (files, done.stderr)
    packed = re.search(r'id="data">([^<]*)<', out.read_text()).group(1)
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def told(verb, files):
    name, *flags = verb
    done = subprocess.run([WARPLENS, name, *files, *flags, "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout, (verb, files, done.stderr)
    return json.loads(done.stdout)


def list_called(value, name):
    """The lists of this name, wherever they stand, as one."""
    if isinstance(value, list):
        return [row for each in value for row in list_called(each, name)]
    if not isinstance(value, dict):
        return []
    own = value.get(name)
    return own if isinstance(own, list) else [row for each in value.values() for row in list_called(each, name)]


def same(a, b):
    """`a`: of the page, which shows "-" for a time that a row does not have, as the terminal does."""
    if a is None:
        return b in (None, 0)
    if isinstance(a, float) or isinstance(b, float):
        return b is not None and math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)
    return a == b


def compare(block, rows, where):
    """How many numbers and texts are equal. `rows`: of the verb."""
    shown = [column["name"] for column in block["columns"]]
    common = [name for name in shown if rows and name in rows[0]]
    assert not rows or len(common) * 2 > len(shown), (where, shown, list(rows[0]))
    assert len(rows) == len(block["rows"]), (where, len(rows), len(block["rows"]))

    def order(values):
        return [str(value) if not isinstance(value, float) else f"{value:.9g}" for value in values]

    own = sorted(([row[shown.index(name)][1] for name in common] for row in block["rows"]), key=order)
    theirs = sorted(([row[name] for name in common] for row in rows), key=order)
    for a, b in zip(own, theirs):
        assert all(same(x, y) for x, y in zip(a, b)), (where, common, a, b)
    return len(common) * len(rows)


def check_tables(page, files, tables):
    answers, equal, missing = {}, 0, []
    for section in page["sections"]:
        for block in section["blocks"]:
            if block["kind"] != "table":
                continue
            known = tables.get(f"{section['id']} {block['title']}") or tables.get(block["title"])
            if known is None:
                missing.append(block["title"])
                continue
            verb, name = known
            if verb not in answers:
                answers[verb] = told(verb, files)
            equal += compare(block, list_called(answers[verb], name), (files, section["id"], block["title"]))
    return equal, missing


def check_findings(page, answer, files, section="findings"):
    shown = [finding for each in page["sections"] if each["id"] == section
             for block in each["blocks"] if block["kind"] == "findings" for finding in block["findings"]]
    want = list_called(answer, "findings")
    assert [finding["id"] for finding in shown] == [finding["id"] for finding in want], (files, shown, want)
    for a, b in zip(shown, want):
        assert (a["title"], a["detail"], a["advice"], a["where"]) == (b["title"], b["detail"], b["advice"], b["where"]), files
    return 4 * len(shown)


def check_launches(page, files):
    """Counted kernels: every counter of the launches that are shown."""
    launches = told(("kernel",), files)["launches"]
    equal = 0
    for section in page["sections"]:
        for block in section["blocks"]:
            if block["kind"] != "table" or block["title"] != "Counters":
                continue
            values = {row[0][0]: row[1][1] for row in block["rows"]}
            assert any(all(same(values[name], launch["metrics"].get(name)) for name in values) for launch in launches if "metrics" in launch), (files, section)
            equal += len(values)
    return equal


def check(files, folder):
    page = page_of(files, folder)
    kind = files[0].name.rpartition(".")[2]
    if kind == "counts" or files[0].name.endswith((".csv", ".csv.gz")):
        return check_launches(page, files), []
    if kind == "pickle":
        equal, missing = check_tables(page, files, TABLES)
        return equal + check_findings(page, told(("memory",), files), files, "overview"), missing
    if any(section["id"] == "change" for section in page["sections"]):
        return check_tables(page, files, CHANGE)
    equal, missing = check_tables(page, files, TABLES | RANKS if len(files) > 1 else TABLES)
    return equal + check_findings(page, told(("findings",), files), files), missing


def main():
    given = [pathlib.Path(each) for each in sys.argv[2:]]
    cases = [[file] for file in given or FILES]
    if not given:
        pair = [DATA / f"defects/allreduce_after_backward.bad.rank{rank}.pt.trace.json.gz" for rank in range(2)]
        cases += [pair, [DATA / "traces/gpt2_train.pt.trace.json.gz", DATA / "traces/gpt2_compiled.pt.trace.json.gz"]]
    total, unchecked = 0, set()
    with tempfile.TemporaryDirectory() as name:
        for files in cases:
            equal, missing = check(files, pathlib.Path(name))
            total += equal
            unchecked |= set(missing)
    print(f"{total} numbers and texts of {len(cases)} pages are the verbs'; tables without a list of their own in JSON: {sorted(unchecked)}")
    assert total > 0


if __name__ == "__main__":
    main()
