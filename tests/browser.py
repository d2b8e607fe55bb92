"""A browser for tests: Chromium through its WebDriver, with the standard library alone. Exits with 77 where there is none."""
import base64
import json
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request


class Browser:
    """with Browser(width, height) as b: b.open(path); b.run("return document.title")"""

    def __init__(self, width=1280, height=900, dark=False, traced=False):
        driver, chromium = shutil.which("chromedriver"), shutil.which("chromium") or shutil.which("google-chrome")
        if not driver or not chromium:
            print("no Chromium and chromedriver here (scripts/browser.sh installs them)")
            sys.exit(77)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.driver = subprocess.Popen([driver, f"--port={self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        options = {"binary": chromium, "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                                                f"--window-size={width},{height}"]}
        if width < 500:  # narrower windows are not made; a telephone's screen is
            options["mobileEmulation"] = {"deviceMetrics": {"width": width, "height": height, "pixelRatio": 1, "touch": True}}
        if dark:
            options["args"].append("--force-dark-mode")
        logs = {"browser": "ALL"}
        if traced:  # Chromium's own tracing, for benchmarks
            logs["performance"] = "ALL"
            options["perfLoggingPrefs"] = {"traceCategories": "devtools.timeline,disabled-by-default-devtools.timeline.frame,blink.user_timing"}
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options, "goog:loggingPrefs": logs}}}
        self.session = self.wait(lambda: self.call("POST", "/session", wanted))["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", f"/session/{self.session}")
        finally:
            self.driver.terminate()
            self.driver.wait()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=240) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"].splitlines()[0]) from None

    @staticmethod
    def wait(action, seconds=90):
        end = time.time() + seconds
        while True:
            try:
                value = action()
                if value:
                    return value
            except (OSError, RuntimeError):
                if time.time() > end:
                    raise
            if time.time() > end:
                raise TimeoutError("nothing came within the time")
            time.sleep(0.05)

    def open(self, address):
        self.call("POST", f"/session/{self.session}/url", {"url": address if "://" in address else f"file://{address}"})

    def show(self, page, section=""):
        """A page of `warplens report`, loaded again."""
        self.open(f"file://{page}#{section}".replace("<", "%3C").replace(" ", "%20"))
        self.run("location.reload()")
        self.wait(lambda: self.run("return document.documentElement.dataset.ready === 'yes'"))

    def click(self, selector, **where):
        """A real click in the middle of an element, which must be in view; x and y: there instead."""
        x, y = self.run("const e = document.querySelector(arguments[0]); e.scrollIntoView({block: 'center'}); "
                        "const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]", selector)
        self.actions(("move", where.get("x", x), where.get("y", y)), ("down",), ("up",))

    def run(self, script, *arguments):
        return self.call("POST", f"/session/{self.session}/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script, *arguments):
        """The script calls its last argument with the answer."""
        return self.call("POST", f"/session/{self.session}/execute/async", {"script": script, "args": list(arguments)})

    def frames(self):
        """Waits until two frames are drawn, so that canvases show what they will."""
        self.run_async("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)))")

    def cdp(self, command, **parameters):
        """A command of Chromium's own protocol."""
        return self.call("POST", f"/session/{self.session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def actions(self, *steps):
        """Mouse and keyboard: ("move", x, y), ("down",), ("up",), ("key", "a"), in the page's pixels."""
        pointer, keys = [], []
        for kind, *rest in steps:
            pause = {"type": "pause", "duration": 10}
            if kind == "move":
                pointer.append({"type": "pointerMove", "duration": 20, "x": int(rest[0]), "y": int(rest[1])})
                keys.append(pause)
            elif kind in ("down", "up"):
                pointer.append({"type": f"pointer{kind.title()}", "button": 0})
                keys.append(pause)
            elif kind == "key":
                for phase in ("keyDown", "keyUp"):
                    keys.append({"type": phase, "value": rest[0]})
                    pointer.append(pause)
        self.call("POST", f"/session/{self.session}/actions", {"actions": [
            {"type": "pointer", "id": "mouse", "actions": pointer}, {"type": "key", "id": "keys", "actions": keys}]})

    def screenshot(self):
        """The window's contents as PNG bytes."""
        return base64.b64decode(self.call("GET", f"/session/{self.session}/screenshot"))

    def console(self):
        """The page's messages of level WARNING or worse since the last call."""
        entries = self.call("POST", f"/session/{self.session}/se/log", {"type": "browser"})
        return [e["message"] for e in entries if e["level"] in ("WARNING", "SEVERE")]
