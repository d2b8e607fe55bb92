"""A pytest plugin that writes each test's result at once, so that a crash or a hang costs one test, not its file.

WARPLENS_RESULTS names the file: a line of JSON a test, {"id", "outcome", "why"}. A line without an outcome is written when a
test begins, and is the last one of a process that died. Tests that the file has already are left out of the next run.
WARPLENS_TEST_SECONDS ends the process when one test takes longer.
"""
import faulthandler
import json
import os
import pathlib

RESULTS = pathlib.Path(os.environ["WARPLENS_RESULTS"])
SECONDS = float(os.environ.get("WARPLENS_TEST_SECONDS", "120"))


def write(**row):
    with RESULTS.open("a", encoding="utf-8") as out:
        out.write(json.dumps(row) + "\n")


def pytest_collection_modifyitems(config, items):
    done = {json.loads(line)["id"] for line in RESULTS.read_text(encoding="utf-8").splitlines()} if RESULTS.exists() else set()
    left_out = [item for item in items if item.nodeid in done]
    items[:] = [item for item in items if item.nodeid not in done]
    if left_out:
        config.hook.pytest_deselected(items=left_out)


def pytest_runtest_logstart(nodeid, location):
    write(id=nodeid)
    faulthandler.dump_traceback_later(SECONDS, exit=True)


def last_line(report):
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr)
    lines = [line for line in text.splitlines() if line.strip()]
    return " | ".join(lines[:3])[:400] if lines else ""


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        expected = hasattr(report, "wasxfail")
        outcome = "skipped" if expected and report.outcome == "skipped" else report.outcome
        write(id=report.nodeid, outcome=outcome, why="" if report.outcome == "passed" else last_line(report))


def pytest_runtest_logfinish(nodeid, location):
    faulthandler.cancel_dump_traceback_later()


def pytest_collectreport(report):
    if report.outcome != "passed":
        write(id=report.nodeid or "collection", outcome=report.outcome, why=last_line(report))
