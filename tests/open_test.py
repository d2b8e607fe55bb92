"""warplens open: only a browser of this machine that knows the address gets the page; it follows a file that grows."""
import gzip
import http.client
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

from browser import Browser
from page_files import ROOT, STACKS, TRACES

WARPLENS = pathlib.Path(sys.argv[1]).resolve()


class Server:
    def __init__(self, *arguments):
        self.process = subprocess.Popen([WARPLENS, "open", "--no-browser", *map(str, arguments)], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        assert self.address, self.process.stderr.read()
        self.url = urllib.parse.urlparse(self.address)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(10) == 0

    def get(self, path, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.url.port, timeout=60)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), dict(answer.getheaders())


def check_refusals(server):
    path, here = server.url.path, f"127.0.0.1:{server.url.port}"
    status, body, headers = server.get(path)
    assert status == 200 and "Content-Security-Policy" in body and headers["Cache-Control"] == "no-store"
    assert "connect-src 'self'" in body and headers["X-Frame-Options"] == "DENY"
    assert server.get(path, Origin=f"http://{here}")[0] == 200
    for wrong in ({"Host": "localhost.evil.example"}, {"Host": f"localhost:{server.url.port}"}, {"Origin": "https://evil.example"},
                  {"Origin": "null"}):
        status, body, _ = server.get(path, **wrong)
        assert status == 403 and "<html" not in body, wrong
    for other in ("/", "/" + "0" * 32 + "/", path[:-2] + "/", path + "../etc/passwd", path + "nothing"):
        assert server.get(other)[0] in (403, 404), other
    assert server.get(path, method="POST")[0] == 403


def check_listens_here_only(server):
    with socket.socket() as other:
        other.settimeout(2)
        try:
            name = socket.gethostbyname(socket.gethostname())
        except OSError:
            return
        if not name.startswith("127."):
            assert other.connect_ex((name, server.url.port)) != 0


def check_idle_connections_do_not_delay(server):
    """Those that ask nothing, and those that ask a byte at a time."""
    idle = []
    for number in range(200):
        idle.append(socket.create_connection(("127.0.0.1", server.url.port), timeout=10))
        if number % 2:
            idle[-1].sendall(b"GET / HT")
    begin = time.monotonic()
    assert server.get(server.url.path)[0] == 200
    assert time.monotonic() - begin < 5
    for connection in idle:
        connection.close()


def check_address_is_no_argument(folder):
    """The browser gets a file of this user alone: every user of the machine sees a program's arguments."""
    opener = folder / "bin" / "xdg-open"
    opener.parent.mkdir()
    opener.write_text(f'#!/bin/sh\necho "$@" > {folder}/arguments\ncat "$1" > {folder}/page\nstat -c %a "$(dirname "$1")" > {folder}/mode\n')
    opener.chmod(0o755)
    environment = {**os.environ, "DISPLAY": ":9", "PATH": f"{opener.parent}:{os.environ['PATH']}"}
    process = subprocess.Popen([WARPLENS, "open", str(TRACES / "square.pt.trace.json.gz")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    address = process.stdout.readline().strip()
    for _ in range(200):
        if (folder / "mode").exists() and (folder / "mode").read_text().strip():
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0, process.stderr.read()
    arguments = (folder / "arguments").read_text().strip()
    assert urllib.parse.urlparse(address).path.strip("/") not in arguments, arguments
    assert address in (folder / "page").read_text() and (folder / "mode").read_text().strip() == "700"
    assert not pathlib.Path(arguments).exists(), "the file goes with the server"


def check_bad_requests(server):
    for bytes_sent in (b"", b"\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01 hello\r\n\r\n", b"GET / HTTP/1.1\r\nHost: " + b"x" * 40000):
        with socket.create_connection(("127.0.0.1", server.url.port), timeout=10) as connection:
            try:
                connection.sendall(bytes_sent)
                connection.shutdown(socket.SHUT_WR)
                connection.recv(100)
            except OSError:
                pass  # the server has ended the connection, which is its right
    assert server.get(server.url.path)[0] == 200


def check_follows(folder):
    """A trace that grows: the version changes, and the page has the new events."""
    trace = folder / "grows.json.gz"
    shutil.copy(TRACES / "square.pt.trace.json.gz", trace)
    with Server(trace) as server:
        before, first = server.get(server.url.path)[1], server.get(server.url.path + "version")[1]
        time.sleep(0.05)
        trace.write_bytes(gzip.compress(gzip.decompress(STACKS.read_bytes())))
        assert server.get(server.url.path + "version")[1] != first
        assert len(server.get(server.url.path)[1]) > len(before)
        trace.write_bytes(b"{ this is no trace")
        kept = server.get(server.url.path + "version")[1]
        assert server.get(server.url.path + "version")[1] == kept and server.get(server.url.path)[0] == 200


def check_follows_recording(folder):
    """A recording that grows, as Chromium shows it: half a block adds nothing and breaks nothing, then spans come."""
    whole = gzip.decompress((ROOT / "tests/data/recordings/norm_by_hand.wlens.gz").read_bytes())
    blocks = [match.start() for match in re.finditer(b"WBLK", whole)]
    events, end = blocks[3], blocks[-2]  # the last two blocks end the recording
    recording = folder / "grows.wlens"
    recording.write_bytes(whole[:events])

    def state():
        return browser.run("""return [Number(document.documentElement.dataset.spans), document.querySelector('.integrity').textContent,
                              document.getElementById('follows').textContent, location.hash]""")

    def reach(bytes_there, wanted):
        with recording.open("ab") as file:
            file.write(whole[recording.stat().st_size:bytes_there])
        return browser.wait(lambda: wanted(state()) and state())

    with Server(recording) as server, Browser() as browser:
        browser.open(server.address + "#timeline")
        spans, data, *_ = browser.wait(state)
        assert spans == 0 and "cut off" in data, (spans, data)
        browser.run("window.isOld = true")
        assert reach(events + 1234, lambda _: not browser.run("return window.isOld"))[0] == 0
        spans, data, follows, tab = reach(end, lambda now: now[0] > 0)
        assert spans > 300 and "cut off" in data and follows in ("", "This page follows the files.") and tab == "#timeline"
        browser.run("location.hash = 'overview'")
        told = browser.wait(lambda: browser.run("return document.getElementById('overview').textContent"))
        assert "killed or still runs" in told, told
        browser.run("location.hash = 'timeline'")
        browser.wait(lambda: not browser.run("return document.getElementById('timeline').hidden"))
        for _ in range(3):  # what is in view stays there
            browser.run("document.querySelector('#timeline [aria-label=\"Zoom in\"]').click()")
        reach(len(whole), lambda now: "whole" in now[1])
        assert browser.run("return document.querySelector('#timeline canvas').dataset.from") != "0", "the zoomed view is kept"
        recording.write_bytes(b"{ this is no recording")
        browser.wait(lambda: "before the last change" in state()[2])
        assert not browser.call("POST", f"/session/{browser.session}/se/log", {"type": "browser"})


LIVE = """#include <unistd.h>
__global__ void scale(float* x) { x[threadIdx.x] *= 2; }
int main() {
  float* x;
  cudaMalloc(&x, 1024);
  for (int i = 0; i < 40; ++i) { scale<<<1, 256>>>(x); cudaDeviceSynchronize(); usleep(200000); }
  return 0;
}
"""


def check_follows_program(folder):
    """A program that is being recorded, without a GPU: the page in Chromium gets more and more of it, then the whole."""
    (folder / "live.cu").write_text(LIVE)
    built = subprocess.run([WARPLENS, "nvcc", "-arch=sm_90", folder / "live.cu", "-o", folder / "live"], capture_output=True, text=True, check=False)
    if built.returncode:
        assert "nvcc" in built.stderr, built.stderr
        return
    recording, seen = folder / "live.wlens", []
    program = subprocess.Popen([WARPLENS, "record", "--emulate", "-o", recording, "--", folder / "live"], stdout=subprocess.DEVNULL)
    Browser.wait(recording.exists)
    with Server(recording) as server, Browser() as browser:
        browser.open(server.address + "#timeline")

        def look():
            spans, data = browser.run("return [Number(document.documentElement.dataset.spans), document.querySelector('.integrity')?.textContent]")
            if data and (not seen or seen[-1] != spans):
                seen.append(spans)
            return data and "whole" in data
        browser.wait(look)
        assert program.wait() == 0 and len(seen) > 2 and seen == sorted(seen) and seen[-1] > 40, seen
        assert browser.console() == []


def check_perfetto():
    with Server(STACKS, "--perfetto") as server:
        status, body, _ = server.get(server.url.path)
        assert status == 200 and "https://ui.perfetto.dev" in body and "unsafe" not in body
        status, trace, _ = server.get(server.url.path + "trace")
        assert status == 200 and '"traceEvents"' in trace[:2000]
        assert not re.search(r'(src|href)="http', body), "the page itself loads nothing"


def main():
    with tempfile.TemporaryDirectory() as name, Server(STACKS) as server:
        check_refusals(server)
        check_listens_here_only(server)
        check_bad_requests(server)
        check_idle_connections_do_not_delay(server)
        check_follows(pathlib.Path(name))
        check_follows_recording(pathlib.Path(name))
        check_follows_program(pathlib.Path(name))
        check_perfetto()


if __name__ == "__main__":
    main()
