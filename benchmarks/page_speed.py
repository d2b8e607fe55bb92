#!/usr/bin/env python3
"""Measures pages of `warplens report`: page_speed.py BUILD [EVENTS...]

For each number of events (94 MB of trace, 1 million and 10 million without any), a trace is made from a real one, and its page is opened
in Chromium: bytes of the page, time until it can be used, and frames a second while the timeline is panned and zoomed for three seconds,
counted by Chromium's own tracing (DrawFrame of its compositor). The machine's other load is part of what is measured.
"""
import json
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))
from browser import Browser  # noqa: E402

TRACE = HERE.parent / "tests/data/traces/gpt2_train.pt.trace.json.gz"
SECONDS = 3
BYTES_OF_EVENT = 290  # of this trace

# Pans to and fro over a zoomed view, and zooms in between, as fast as frames come.
PAN = """
const canvas = document.querySelector('#timeline canvas'), times = [], done = arguments[arguments.length - 1];
canvas.focus();
const press = key => canvas.dispatchEvent(new KeyboardEvent('keydown', { key }));
for (let i = 0; i < 6; ++i) press('+');
performance.mark('panning');
const begin = performance.now();
let n = 0;
const frame = now => {
  times.push(now);
  press(n % 40 < 20 ? 'ArrowRight' : 'ArrowLeft');
  if (n % 30 === 0) press(n % 60 ? '-' : '+');
  ++n;
  if (now - begin < arguments[0] * 1000) requestAnimationFrame(frame);
  else { performance.mark('panned'); done(times.slice(1).map((t, i) => t - times[i])); }
};
requestAnimationFrame(frame);
"""


def traced_frames(browser):
    """DrawFrame events between the marks, of Chromium's trace."""
    log = [json.loads(entry["message"])["message"] for entry in browser.call("POST", f"/session/{browser.session}/se/log", {"type": "performance"})]
    events = [message["params"] for message in log if message["method"] == "Tracing.dataCollected"]
    marks = {event["name"]: event["ts"] for event in events if event.get("name") in ("panning", "panned")}
    if len(marks) < 2:
        return None
    return sum(event.get("name") == "DrawFrame" and marks["panning"] <= event["ts"] <= marks["panned"] for event in events)


def measure(program, trace, page):
    begin = time.monotonic()
    subprocess.run([program, "report", trace, "-o", page, "-f"], check=True)
    wrote_s = time.monotonic() - begin
    with Browser(1280, 900, traced=True) as browser:
        browser.call("POST", f"/session/{browser.session}/timeouts", {"script": 120000, "pageLoad": 120000})
        browser.open(f"file://{page}#timeline")
        browser.wait(lambda: browser.run("return document.documentElement.dataset.ready === 'yes'"), 120)
        ready_ms = browser.run("return performance.getEntriesByName('ready')[0].startTime")
        spans = browser.run("return Number(document.documentElement.dataset.spans)")
        gaps = sorted(browser.call("POST", f"/session/{browser.session}/execute/async", {"script": PAN, "args": [SECONDS]}))
        drawn = traced_frames(browser)
        assert browser.console() == []
    return {"wrote_s": wrote_s, "bytes": page.stat().st_size, "ready_s": ready_ms / 1000, "spans": spans,
            "fps": drawn / SECONDS if drawn is not None else None, "median_frame_ms": gaps[len(gaps) // 2],
            "slow_frame_ms": gaps[int(len(gaps) * 0.95)]}


def make_trace(data, megabytes):
    trace = data / f"page-{megabytes}.json"
    if not trace.exists():
        subprocess.run([sys.executable, HERE / "multiply_trace.py", TRACE, trace, str(megabytes * 1_000_000)], check=True)
    return trace


def main(build, *wanted):
    build = pathlib.Path(build).resolve()
    data = build / "bench-data"
    data.mkdir(exist_ok=True)
    sizes = [int(each) * BYTES_OF_EVENT // 1_000_000 for each in wanted] or [94, BYTES_OF_EVENT, 10 * BYTES_OF_EVENT]
    print(f"{'trace':>10} {'spans':>12} {'page':>10} {'written':>9} {'usable':>8} {'frames/s':>9} {'median':>9} {'95 %':>9}")
    for megabytes in sizes:
        m = measure(build / "warplens", make_trace(data, megabytes), data / f"page-{megabytes}.html")
        fps = "-" if m["fps"] is None else f"{m['fps']:.0f}"
        print(f"{megabytes:>7} MB {m['spans']:>12,} {m['bytes'] / 1e6:>7.1f} MB {m['wrote_s']:>7.1f} s {m['ready_s']:>6.2f} s {fps:>9} "
              f"{m['median_frame_ms']:>6.1f} ms {m['slow_frame_ms']:>6.1f} ms", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
