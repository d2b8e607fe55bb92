"""warplens report: pages open in a real browser without an error or a request, and do what a person asks of them."""
import base64
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from browser import Browser

WARPLENS = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parent.parent
TRACES = ROOT / "tests/data/traces"
HOSTILE = ['</script><script>window.hacked=1</script>', '<img src=x onerror=window.hacked=1>', '"\'`${window.hacked=1}',
           'x' * 10_000, 'tab\tand\x1b[31m', '🙂 ünïcode']


def report(folder, trace, *flags):
    out = folder / f"{pathlib.Path(trace).name}.html"
    subprocess.run([WARPLENS, "report", trace, "-o", out, "-f", *flags], check=True)
    return out


def data_of(page):
    packed = re.search(r'id="data">([^<]*)<', page.read_text()).group(1)
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def show(browser, page, section=""):
    browser.open(f"file://{page}#{section}")
    browser.run("location.reload()")
    browser.wait(lambda: browser.run("return document.documentElement.dataset.ready === 'yes'"))


def centre(browser, selector):
    box = browser.run("const b = document.querySelector(arguments[0]).getBoundingClientRect(); return [b.x, b.y, b.width, b.height]", selector)
    return box


def test_sections(browser, page):
    """Each tab opens, with no error, no request, and the words of the other verbs."""
    show(browser, page)
    data = data_of(page)
    for section in data["sections"]:
        browser.run("document.getElementById('tab-' + arguments[0]).click()", section["id"])
        shown = browser.run("return document.getElementById(arguments[0]).innerText", section["id"])
        assert len(shown) > 40 or section["id"] == "timeline", (section["id"], shown)
    assert browser.run("return performance.getEntriesByType('resource').length") == 0
    assert browser.console() == [], "the console is silent"
    found = subprocess.run([WARPLENS, "findings", TRACES / "gpt2_train_stack.pt.trace.json.gz", "--json"], capture_output=True, check=True)
    browser.run("document.getElementById('tab-findings').click()")
    titles = browser.run("return document.getElementById('findings').innerText")
    for finding in json.loads(found.stdout)["findings"]:
        assert finding["title"] in titles, finding["title"]


def test_policy(page):
    text = page.read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy and "http" not in policy, policy
    assert not re.search(r'(src|href)="', text), "nothing is loaded from elsewhere"


def test_times(browser, page):
    """The script's times are the program's."""
    cells = [cell for section in data_of(page)["sections"] for block in section["blocks"] if block["kind"] == "table"
             for row in block["rows"] for cell in row if re.fullmatch(r"[\d.]+ (ns|us|ms|s)", cell[0])]
    assert len(cells) > 200
    units = (ROOT / "src/warplens/page/assets/units.js").read_text()
    texts = browser.run(units + "return arguments[0].map(formatNs)", [cell[1] for cell in cells])
    wrong = [(cell, text) for cell, text in zip(cells, texts) if cell[0] != text]
    assert not wrong, wrong[:5]


def test_timeline(browser, page):
    """Search, the next match, a click, a range, zoom and keys."""
    show(browser, page, "timeline")
    browser.run("const box = document.querySelector('#timeline input'); box.value = 'aten::addmm'; box.dispatchEvent(new Event('input'))")
    status = browser.run("return document.querySelector('#timeline [role=status]').textContent")
    assert re.match(r"\d+ spans, .* on GPUs", status), status
    browser.run("document.querySelector('#timeline button[aria-label=\"Next match\"]').click()")
    details = browser.wait(lambda: browser.run("return document.querySelector('#timeline .details').innerText"))
    assert "aten::addmm" in details and "takes" in details, details
    x, y, width, height = centre(browser, "#timeline canvas")
    browser.run('document.querySelector(`#timeline button[aria-label="Show everything"]`).click()')
    browser.actions(("move", x + width / 2, y + 30), ("down",), ("up",))
    details = browser.run("return document.querySelector('#timeline .details').innerText")
    assert "step" in details, details
    browser.actions(("key", "+"), ("key", "0"), ("key", "/"))
    assert browser.run("return document.activeElement.type") == "search"
    assert browser.console() == []


def test_table(browser, page):
    """Sorting by a heading and filtering."""
    show(browser, page, "operators")
    first = "return document.querySelector('#operators tbody tr').innerText"
    before = browser.run(first)
    browser.run("document.querySelector('#operators th button').click()")
    assert browser.run("return document.querySelector('#operators th').getAttribute('aria-sort')") == "ascending"
    assert browser.run(first) != before
    browser.run("const box = document.querySelector('#operators input'); box.value = 'softmax'; box.dispatchEvent(new Event('input'))")
    rows = browser.run("return [...document.querySelectorAll('#operators section:first-child tbody tr')].map(r => r.innerText)")
    assert rows and all("softmax" in row.lower() for row in rows), rows


def hostile_trace(folder):
    events = []
    for i, name in enumerate(HOSTILE):
        args = {"External id": i + 1, "correlation": i + 1, "device": 0, "stream": 7}
        events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": i * 20, "dur": 9, "args": {"External id": i + 1}})
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": i * 20 + 1, "dur": 2, "args": args})
        events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": i * 20 + 5, "dur": 9, "args": args})
    trace = folder / "<b>hostile & name.json"
    trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return trace


def test_hostile_names(browser, folder):
    page = report(folder, hostile_trace(folder))
    show(browser, page)
    for section in data_of(page)["sections"]:
        browser.run("document.getElementById('tab-' + arguments[0]).click()", section["id"])
    assert browser.run("return window.hacked === undefined && document.querySelectorAll('img, b').length === 0")
    assert browser.console() == []


def test_narrow(page):
    """Nothing is wider than a telephone."""
    with Browser(390, 800) as browser:
        show(browser, page)
        for section in data_of(page)["sections"]:
            browser.run("document.getElementById('tab-' + arguments[0]).click()", section["id"])
            wide = browser.run("return document.documentElement.scrollWidth - window.innerWidth")
            assert wide <= 0, (section["id"], wide)


def main():
    with tempfile.TemporaryDirectory() as name, Browser() as browser:
        folder = pathlib.Path(name)
        page = report(folder, TRACES / "gpt2_train_stack.pt.trace.json.gz")
        test_sections(browser, page)
        test_policy(page)
        test_times(browser, page)
        test_timeline(browser, page)
        test_table(browser, page)
        test_hostile_names(browser, folder)
        test_narrow(page)


if __name__ == "__main__":
    main()
