"""warplens report: pages open in a real browser without an error or a request, and show their data as text."""
import base64
import gzip
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import page_files
from browser import Browser
from page_files import ROOT, STACKS

WARPLENS = pathlib.Path(sys.argv[1]).resolve()


def data_of(page):
    packed = re.search(r'id="data">([^<]*)<', page.read_text()).group(1)
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def check_sections(browser, page):
    """Each section opens with no error and no request; its tables are whole."""
    browser.show(page)
    for section in data_of(page)["sections"]:
        browser.run("location.hash = arguments[0]", section["id"])
        browser.wait(lambda: browser.run("return !document.getElementById(arguments[0]).hidden", section["id"]))
        shown = browser.run("return document.getElementById(arguments[0]).innerText", section["id"])
        for block in section["blocks"]:
            title = block.get("title", "")
            assert title in shown, (section["id"], title)
            if block["kind"] == "table" and block["rows"]:
                assert block["rows"][0][0][0].split("\n")[0][:20] in shown, (section["id"], block["rows"][0])
    assert browser.run("return performance.getEntriesByType('resource').length") == 0, page
    assert browser.run("return window.hacked === undefined && document.querySelectorAll('img, iframe, link, b, i').length === 0"), page
    assert browser.console() == [], page


def check_policy(page):
    text = page.read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy and "http" not in policy, policy
    assert "connect-src" not in policy, policy
    assert not re.search(r'<[a-z]+ [^>]*(src|href)=', text), "nothing is loaded from elsewhere"


def check_words(browser, page):
    """Findings are those of the verb, and the script's times are the program's."""
    found = subprocess.run([WARPLENS, "findings", STACKS, "--json"], capture_output=True, check=True)
    browser.show(page, "findings")
    titles = browser.run("return document.getElementById('findings').innerText")
    for finding in json.loads(found.stdout)["findings"]:
        assert finding["title"] in titles, finding["title"]
    cells = [cell for section in data_of(page)["sections"] for block in section["blocks"] if block["kind"] == "table"
             for row in block["rows"] for cell in row if re.fullmatch(r"[\d.]+ (ns|us|ms|s)", cell[0])]
    assert len(cells) > 200
    units = (ROOT / "src/warplens/page/assets/units.js").read_text()
    texts = browser.run(units + "return arguments[0].map(formatNs)", [cell[1] for cell in cells])
    wrong = [(cell, text) for cell, text in zip(cells, texts) if cell[0] != text]
    assert not wrong, wrong[:5]


def check_table(browser, page):
    """Sorting by a heading and filtering."""
    browser.show(page, "operators")
    first = "return document.querySelector('#operators tbody tr').innerText"
    before = browser.run(first)
    browser.run("document.querySelector('#operators th button').click()")
    assert browser.run("return document.querySelector('#operators th').getAttribute('aria-sort')") == "ascending"
    assert browser.run(first) != before
    browser.run("const box = document.querySelector('#operators input'); box.value = 'softmax'; box.dispatchEvent(new Event('input'))")
    rows = browser.run("return [...document.querySelectorAll('#operators section:first-child tbody tr')].map(r => r.innerText)")
    assert rows and all("softmax" in row.lower() for row in rows), rows


def check_places(browser, page):
    """Every place that a finding names is found in the timeline, the first time too."""
    browser.show(page, "findings")
    count = browser.run("return document.querySelectorAll('#findings .place').length")
    assert count > 5, count
    for k in range(count):
        browser.run("location.hash = 'findings'")
        browser.wait(lambda: browser.run("return !document.getElementById('findings').hidden"))
        browser.run("document.querySelectorAll('#findings button.place')[arguments[0]].click()", k)
        found, details = browser.run("return ['.note', '.details h3'].map(each => document.querySelector(`#timeline ${each}`).innerText)")
        assert re.match(r"\d+ spans", found) and details, (k, found, browser.run("return document.querySelector('#timeline input').value"))


def check_spots(browser, page, finding):
    """A finding about a moment leads to it: the longest span that it is about is selected."""
    browser.show(page, "findings")
    [button] = browser.run("return [...document.querySelectorAll('#findings .finding')].filter(e => e.querySelector('.saving').textContent"
                           ".startsWith(arguments[0])).map(e => e.querySelector('.spot').textContent)", finding)
    browser.run("[...document.querySelectorAll('#findings .finding')].find(e => e.querySelector('.saving').textContent"
                ".startsWith(arguments[0])).querySelector('.spot').click()", finding)
    facts = browser.run("return document.querySelector('#timeline .details').innerText")
    assert button[3:] in facts, (button, facts)


def check_search(browser, page):
    """A new search begins with kernels, also where a span of idle time that fits it is selected; the next match follows."""
    browser.show(page, "timeline")

    def search(text):
        browser.run("const box = document.querySelector('#timeline input'); box.focus(); box.select()")
        browser.actions(*[("key", letter) for letter in text], ("key", "\ue007"))
        browser.frames()
        return selected()

    def selected():
        return browser.run("return document.querySelector('#timeline .details').innerText")

    idle = search("idle: launch-bound")
    operator = re.search(r"the host is in (aten::\w+)", idle)
    assert "idle, by cause" in idle and operator, idle
    first = search(operator[1])
    assert re.search(r"lane\nGPU 0 stream", first), first
    browser.actions(("key", "\ue007"))
    browser.frames()
    assert selected() != first, first


def check_print(browser, page):
    """On paper: every section with its title, light, headings of columns and places of findings, and no text that is cut off."""
    browser.show(page)
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    browser.cdp("Emulation.setEmulatedMedia", media="print")
    browser.frames()
    hidden = browser.run("return [...document.querySelectorAll('main, th button, .place, .cell, .code td.text')].filter(e => !e.offsetHeight && "
                         "e.textContent.trim()).map(e => e.textContent.slice(0, 80))")
    assert hidden == [], hidden[:5]
    assert browser.run("return document.documentElement.dataset.theme") == "light"
    cut = browser.run("return [...document.querySelectorAll('.code, .cell')].filter(e => e.scrollHeight > e.clientHeight + 2).map(e => "
                      "[e.className, e.textContent.slice(0, 80)])")
    assert cut == [], cut[:5]
    drawn = browser.run("return [...document.querySelectorAll('canvas')].map(c => c.width && new Set(c.getContext('2d').getImageData(0, 0, c.width, "
                        "c.height).data.filter((_, k) => k % 4 === 3)).size > 1)")
    assert all(drawn), drawn
    browser.cdp("Emulation.setEmulatedMedia", media="")
    browser.run("window.dispatchEvent(new Event('afterprint'))")


def check_reach(browser, page):
    """Everything that acts has a name for a screen reader, and is reached by the keyboard."""
    browser.show(page)
    for section in data_of(page)["sections"]:
        browser.run("location.hash = arguments[0]", section["id"])
    nameless = browser.run("return [...document.querySelectorAll('button, input, select, canvas, svg')].filter(e => !(e.innerText || "
                           "e.getAttribute('aria-label') || e.title || e.closest('label'))).map(e => e.outerHTML)")
    assert nameless == [], nameless
    unreached = browser.run("return [...document.querySelectorAll('canvas, .scroll')].filter(e => e.tabIndex < 0).length")
    assert unreached == 0


ROWS = """
let seed = 7;
const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647, wrong = [];
for (let round = 0; round < 200; ++round) {
  const starts = [], durations = [];
  for (let time = 0; time < 1e6;) {  // short and long spans, some without a gap between them
    starts.push(time);
    durations.push(Math.floor(10 ** (1 + 4.5 * random())));
    time += durations[durations.length - 1] + (random() < 0.5 ? 0 : Math.floor(3000 * random()));
  }
  const lane = { count: starts.length, start: Float64Array.from(starts), duration: Float64Array.from(durations), kind: 'stream' };
  layOut(lane);
  const from = 4e5 * random(), to = from + 5e5, view = { from, to, left: 100, width: 1100, scale: 1000 / (to - from) }, painted = new Map();
  drawRow(lane, lane.rows[0], 0, view, (i, x, y, width) => painted.set(i, [x, width]));
  for (let i = 0; i < lane.count; ++i) {
    const x = Math.max(100, 100 + (starts[i] - from) * view.scale);
    const width = Math.min(1100, 100 + (starts[i] + durations[i] - from) * view.scale) - x;
    if (durations[i] * view.scale < 1 || width < 1) continue;
    const [at, wide] = painted.get(i) || [-1, 0];
    if (Math.abs(at - x) > 0.01 || Math.abs(wide - width) > 0.6) wrong.push([round, i, x, width, at, wide]);
  }
}
return wrong;"""


def check_rows(browser):
    """Every span of a pixel and more is drawn where it is, also when it begins in the pixel of shorter ones."""
    wrong = browser.run((ROOT / "src/warplens/page/assets/lanes.js").read_text() + ROWS)
    assert wrong == [], (len(wrong), wrong[:3])


def check_pictures(page, folder):
    """--png draws every section whole, however tall it is, in the requested theme."""
    pictures = folder / "pictures"
    page_files.run(WARPLENS, "report", STACKS, "--png", pictures, "--theme", "dark")
    sections = [section["id"] for section in data_of(page)["sections"]]
    assert sorted(file.stem for file in pictures.iterdir()) == sorted(sections)
    with Browser(1280, 1100, dark=True) as browser:
        browser.show(page)
        for section in sections:
            width, height = struct.unpack(">II", (pictures / f"{section}.png").read_bytes()[16:24])
            browser.run("location.hash = arguments[0]", section)
            browser.wait(lambda section=section: browser.run("return !document.getElementById(arguments[0]).hidden", section))
            browser.frames()
            bottom = browser.run("return document.getElementById(arguments[0]).getBoundingClientRect().bottom + scrollY", section)
            short = section in ("operators", "kernels")  # a file has whole names of kernels, pictures and terminals short ones
            assert width == 1280 and (1500 < height < bottom + 60 if short else abs(height - bottom) < 60), (section, width, height, bottom)
        first = browser.run_async(CORNER, base64.b64encode((pictures / "overview.png").read_bytes()).decode())
        assert max(first[:3]) < 80, f"dark: {first}"


CORNER = """
const [picture, done] = arguments;
createImageBitmap(new Blob([Uint8Array.from(atob(picture), c => c.charCodeAt(0))], { type: 'image/png' })).then(bitmap => {
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
  context.drawImage(bitmap, 0, 0);
  done([...context.getImageData(2, bitmap.height - 2, 1, 1).data]);
});"""


def check_verdict(browser, folder):
    """Data that lack something say so where nobody overlooks it; whole data do not."""
    text = gzip.decompress(STACKS.read_bytes())
    (folder / "cut.json").write_bytes(text[:len(text) // 2])
    page_files.run(WARPLENS, "report", folder / "cut.json", "-o", folder / "cut.html")
    for page, broken in ((folder / "cut.html", True), (folder / "profile.html", False)):
        browser.show(page)
        said = browser.run("return document.querySelector('.integrity').innerText")
        assert browser.run("return document.querySelector('.integrity').classList.contains('broken')") == broken, said
        assert ("\u26a0" in said) == broken, said


def check_flames(browser, page, folder):
    """The file and the page draw one chart: the same frames in one order, with the same colours; and both search alike."""
    page_files.run(WARPLENS, "export", STACKS, "-t", "flamegraph", "-o", folder / "flames.svg")
    drawn = re.findall(r'data-x="([\d.]+)" data-w="([\d.]+)" data-d="(\d+)".*?class="b(\d+)"', (folder / "flames.svg").read_text())
    browser.show(page, "flames")
    browser.frames()
    block = next(block for section in data_of(page)["sections"] if section["id"] == "flames" for block in section["blocks"])
    assert block["title"].startswith("GPU time")
    rows = {}
    for x, width, depth, colour in drawn:
        if float(width) > 60:
            rows.setdefault(int(depth), []).append((float(x), block["light"][int(colour)]))
    canvas = "const c = document.querySelector('#flames canvas'), r = devicePixelRatio; const all = c.getContext('2d'); "
    for depth, boxes in rows.items():
        for x, colour in boxes:  # near the left edge, where no letter is
            at = browser.run(canvas + "const [x, y] = arguments; return [...all.getImageData((x * c.clientWidth / 1200 + 1.5) * r, (y * 18 + 2) * r, 1, 1)"
                             ".data].slice(0, 3).map(v => v.toString(16).padStart(2, '0')).join('')", x, depth)
            assert "#" + at == colour, (depth, x, at, colour)
    browser.run("const box = document.querySelector('#flames input'); box.value = 'gemm|cutlass'; box.dispatchEvent(new Event('input'))")
    assert re.fullmatch(r"[\d.]+ % of all", browser.run("return document.querySelector('#flames [role=status]').textContent"))


def check_files_of_others(folder):
    """Counters from elsewhere may name any file. Its text is on the page only if the file is below the current folder."""
    counts = (ROOT / "tests/data/counters/stalls.counts").read_text()
    named = re.search(r'"([^"]*counters_stalls\.cu)"', counts).group(1)
    secret = folder / "outside" / "counters_stalls.cu"
    secret.parent.mkdir()
    secret.write_text("SECRET\n" * 200)
    (folder / "others.counts").write_text(counts.replace(named, str(secret)))
    for where, shown in ((folder / "outside", True), (ROOT, False)):
        out = folder / f"others-{shown}.html"
        subprocess.run([WARPLENS, "report", folder / "others.counts", "-o", out], cwd=where, check=True, capture_output=True)
        assert ("SECRET" in json.dumps(data_of(out))) == shown, where


EXIT = "4d79000000000000" "0000800300ea0f00"  # a machine instruction


def check_code_of_counts(folder):
    """Counts that hold the machine code of a kernel show its text, other kernels' addresses alone."""
    counts = (ROOT / "tests/data/counters/stalls.counts").read_text()
    (folder / "code.counts").write_text(counts + json.dumps({"code": "_Z4waitPf", "hex": EXIT * 3}) + "\n")
    page_files.run(WARPLENS, "report", folder / "code.counts", "-o", folder / "code.html")
    last = {}
    for section in data_of(folder / "code.html")["sections"]:
        for block in section["blocks"]:
            if block["kind"] == "code":
                last[section["part"]] = block["panes"][-1]
    texts = [pane for pane in last.values() if pane["name"] == "Machine code (SASS)"]
    assert len(texts) == 1 and [line[1] for line in texts[0]["lines"][:3]] == ["EXIT"] * 3, last
    assert sum(pane["name"] == "Machine code by address" for pane in last.values()) == len(last) - 1
    # An H200's counts of three launches of 64 blocks of 8 warps.
    page_files.run(WARPLENS, "report", ROOT / "tests/data/counters/transpose.counts", "-o", folder / "transpose.html")
    code = next(block for section in data_of(folder / "transpose.html")["sections"] for block in section["blocks"] if block["kind"] == "code")
    _, machine = code["panes"]
    executed = [column["title"] for column in machine["columns"]].index("executed")
    by_text = {}
    for _, text, place, *cells in machine["lines"]:
        by_text.setdefault(text.split()[0], []).append((place, cells[0][executed][1] if cells else None))
    assert by_text["LDG.E"] == [("transpose.cu:5", 1536)] * 4 and by_text["STS"] == [("transpose.cu:5", 1536)] * 4, by_text
    assert by_text["STG.E"] == [("transpose.cu:8", 1536)] * 4 and by_text["LDS"] == [("transpose.cu:9", 1536)] * 4, by_text
    assert by_text["BAR.SYNC.DEFER_BLOCKING"] == [("transpose.cu:6", 1536)], by_text
    texts = [line[1] for line in machine["lines"]]
    assert "S2R R4, SR_CTAID.X" in texts and "LDS R19, [R18+0x20]" in texts, texts
    assert sum(text.startswith("STG.E desc[UR") for text in texts) == 4 and "BAR.SYNC.DEFER_BLOCKING 0x0" in texts, texts


def check_carried_ptx(folder):
    """A program's page has the PTX of its kernels, wherever the program took it from."""
    for page in page_files.carrier_pages(WARPLENS, folder):
        panes = [pane for section in data_of(page)["sections"] for block in section["blocks"] if block["kind"] == "code" for pane in block["panes"]]
        ptx = next(pane for pane in panes if pane["name"] == "PTX")
        assert any("ld.shared.f32" in line[1] and line[2].endswith(":9") for line in ptx["lines"]), (page, ptx["lines"][:40])


def main():
    with tempfile.TemporaryDirectory() as name, Browser() as browser, Browser(390, 800, dark=True) as narrow:
        folder = pathlib.Path(name)
        page = page_files.profile_page(WARPLENS, folder)
        pages = [page] + [make(WARPLENS, folder) for make in (
            page_files.hostile_page, page_files.change_page, page_files.ranks_page, page_files.kernel_page, page_files.counters_page,
            page_files.program_page, page_files.snapshot_page, page_files.results_page)]
        for each in filter(None, pages):
            check_policy(each)
            check_sections(browser, each)
            check_sections(narrow, each)
            check_reach(browser, each)
            check_print(narrow, each)
        check_rows(browser)
        check_flames(browser, page, folder)
        check_pictures(page, folder)
        check_verdict(browser, folder)
        check_files_of_others(folder)
        check_code_of_counts(folder)
        if (folder / "program.html").exists():  # something compiles programs here
            check_carried_ptx(folder)
        check_search(browser, page)
        check_words(browser, page)
        check_table(browser, page)
        check_places(browser, page)
        page_files.run(WARPLENS, "report", ROOT / "tests/data/recordings/norm_by_hand.wlens.gz", "-o", folder / "rows.html")
        check_spots(browser, folder / "rows.html", "memory-bound")
        check_spots(browser, folder / "ranks.html", "straggler")


if __name__ == "__main__":
    main()
