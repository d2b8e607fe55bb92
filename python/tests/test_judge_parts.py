"""What keeps `warplens judge` apart from a candidate's process: messages, layouts, limits of the process, what it tries."""
import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
import time

import numpy as np
import pytest

from warplens._command import program
from warplens.judge.channel import Broken, Channel
from warplens.judge.exchange import from_layout, laid_out
from warplens.judge.processes import module_words


def said(message: bytes, most: int = 1000):
    """What the judge makes of a worker's bytes."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(message)
        theirs.shutdown(socket.SHUT_WR)
        return Channel(ours).receive(most, time.monotonic() + 20)


def framed(header) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text


def test_messages_are_taken_whole_or_refused():
    assert said(framed({"error": "", "sizes": [3, 0]}) + b"abc") == ({"error": "", "sizes": [3, 0]}, [b"abc", b""])
    for message in (b"", b"\x01", struct.pack("<Q", 1 << 60), framed(b"{"), framed(b"[" * 100_000), framed([]), framed({}), framed({"sizes": 3}), framed({"sizes": [-1]}),
                    framed({"sizes": [True]}), framed({"sizes": [1e3]}), framed({"sizes": ["1"]}), framed({"sizes": [1 << 62]}), framed({"sizes": [600, 600]}), framed({"sizes": [5]}) + b"abc"):
        with pytest.raises(Broken):
            said(message)


def test_a_worker_that_is_silent_is_late():
    ours, theirs = socket.socketpair()
    with ours, theirs, pytest.raises(TimeoutError):
        Channel(ours).receive(10, time.monotonic() + 0.1)


def slot(array, strides=None):
    return {"dtype": str(array.dtype), "shape": list(array.shape), "strides": strides}


def test_layouts_come_back():
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    for strides in (None, [1, 3], [10, 2]):
        data = laid_out(array, slot(array, strides))
        assert (from_layout(data, "float32", [3, 4], strides, 48) == array).all()
    assert from_layout(b"", "float32", [0, 4], [4, 1], 0).shape == (0, 4)
    assert (from_layout(b"\1\0\0\0", "int32", [5], [0], 20) == 1).all(), "one element that is shown five times"


@pytest.mark.parametrize("claim", [
    ("float32", [3, 4], None), ("float32", [1 << 40], [0]), ("float32", [2], [-1]), ("float32", [-2], None), ("object", [1], None), ("O", [1], None), (None, [1], None),
    ("float32", "ab", None), ("float32", [1.0], None), ("float32", [1], [1, 1]), ("float32", [True], None), ("float32", None, None), ("float32", [1] * 65, None),
    ("float32", [1 << 47, 1 << 47], [0, 0])])
def test_layouts_that_are_claimed_are_checked(claim):
    with pytest.raises(ValueError):
        from_layout(b"\0" * 4, *claim, most_bytes=1 << 20)


def outcome(code: str, *arguments: str, cwd=None):
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


CONFINED = """
import json, os, signal, sys
from warplens import _core
own, others = sys.argv[1:]
parent = os.getppid()
try:
    _core.confine(["/"], [own])
except NotImplementedError:
    print(json.dumps(None))
    raise SystemExit
def tried(work):
    try:
        work()
        return "done"
    except OSError as error:
        return type(error).__name__
print(json.dumps({
    "own": tried(lambda: open(own + "/x", "w").close()), "read": tried(lambda: open(others + "/there").close()),
    "write": tried(lambda: open(others + "/there", "w")), "new": tried(lambda: open(others + "/new", "x")), "remove": tried(lambda: os.remove(others + "/there")),
    "its own memory": tried(lambda: open("/proc/self/mem", "r+b")), "memory": tried(lambda: open(f"/proc/{parent}/mem", "rb")), "files": tried(lambda: open(f"/proc/{parent}/fd/0")),
    "program": tried(lambda: os.truncate(others + "/there", 0))}))
"""


def test_a_confined_process_reaches_its_own_folder_alone(tmp_path):
    own, others = tmp_path / "own", tmp_path / "others"
    own.mkdir()
    others.mkdir()
    (others / "there").write_text("mine")
    got = outcome(CONFINED, str(own), str(others))
    if got is None:
        pytest.skip("this kernel has no Landlock")
    assert got.pop("own") == got.pop("read") == "done"
    assert set(got.values()) == {"PermissionError"}, got
    assert (others / "there").read_text() == "mine"


TRIES = """
import json, os, pathlib, sys, tempfile
from warplens.judge.attempts import Attempts
judges, own = map(pathlib.Path, sys.argv[1:])
attempts = Attempts(judges, own)
def tried(work):
    try:
        work()
    except OSError:
        pass
def seen(work):
    attempts.seen.clear()
    tried(work)
    return bool(attempts.seen)
"""


def test_attempts_are_seen(tmp_path):
    own = tmp_path / "judge" / "candidate" / "own"
    own.mkdir(parents=True)
    code = TRIES + """
import site
import shutil
bad = {"memory": lambda: open("/proc/self/mem", "r+b"), "judge": lambda: open(judges / "result", "wb"), "startup": lambda: open("/nowhere/sitecustomize.py", "w"),
       "package": lambda: open(os.path.join(site.getsitepackages()[0], "nowhere", "x.py"), "w"), "other": lambda: open(f"/proc/{os.getppid()}/environ"),
       "removed": lambda: os.remove(judges / "result"), "kill": lambda: sys.audit("os.kill", os.getppid(), 15)}
def folders():
    made = tempfile.mkdtemp(dir=own)
    open(made + "/x", "w").close()
    shutil.rmtree(made)
good = {"own": lambda: open(own / "x", "w").close(), "folders": folders, "read": lambda: open("/proc/self/maps").read(), "status": lambda: open("/proc/self/status").read(),
        "elsewhere": lambda: open("/nowhere/notes.txt", "w"), "asked": lambda: os.kill(os.getpid(), 0)}
print(json.dumps({"bad": [name for name, work in bad.items() if not seen(work)], "good": [name for name, work in good.items() if seen(work)]}))
"""
    assert outcome(code, str(tmp_path / "judge"), str(own), cwd=own) == {"bad": [], "good": []}


def test_workers_import_nothing_from_where_they_start(tmp_path):
    for name in ("json", "socket", "sitecustomize", "numpy"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('planted')\n")
    done = subprocess.run(module_words("worker"), cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)})
    assert "IndexError" in done.stderr and "planted" not in done.stderr, done.stderr  # it lacks its arguments
    assert pathlib.Path(tmp_path / "json.py").exists()


def test_a_reference_that_cannot_begin_is_told(tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError('no PyTorch here')\n")
    (tmp_path / "new.py").write_text("class ModelNew: pass\n")
    (tmp_path / "reference.py").write_text("class Model: pass\ndef get_inputs(): return []\n")
    done = subprocess.run([program(), "judge", "reference.py", "new.py"], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]), "WARPLENS_PYTHON": sys.executable})
    assert done.returncode == 1 and "does not run on the CPU: ImportError: no PyTorch here" in done.stderr, done.stderr
