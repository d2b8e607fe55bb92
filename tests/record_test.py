"""warplens record, as far as it goes without a GPU: a program that calls NVTX as the real one would."""
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

import fakes

PROGRAM = fakes.NVTX + r"""
import signal, sys, time
for step in range(0 if "slow" in sys.argv else 20):
    push(b"outer")
    push(b"aten::mm, seq = 3, op_id = 7, sizes = [[2, 3], [3, 4]], input_op_ids = [(1,0)]")
    pop()
    pop()
    library.warplens_record_step()
if "slow" in sys.argv:
    for step in range(20):
        push(b"work")
        time.sleep(0.15 if step == 12 else 0.01)
        pop()
        library.warplens_record_step()
    time.sleep(0.3)
    import subprocess, urllib.request
    os.kill(os.getpid(), signal.SIGUSR2)
    time.sleep(0.3)
    print(subprocess.run([os.environ["PROGRAM"], "snapshot", str(os.getppid())], capture_output=True, text=True).stdout)
    print(urllib.request.urlopen(f"http://127.0.0.1:{os.environ['METRICS']}/metrics").read().decode())
    sys.exit(0)
print("the program's own output")
if "die" in sys.argv:
    time.sleep(2.5)
    os.kill(os.getpid(), signal.SIGKILL)
sys.exit(7)
"""


SAMPLED = r"""
import sys, threading, time
SECONDS = float(sys.argv[1])

def compute(until):
    while time.monotonic() < until:
        sum(i * i for i in range(1000))

def wait_for_the_lock():
    compute(time.monotonic() + SECONDS)

compute(time.monotonic() + 0.5)
threading.Thread(target=compute, args=(time.monotonic() + 0.5 + SECONDS,)).start()
time.sleep(0.5)
wait_for_the_lock()
"""


def samples_of(warplens, folder, seconds):
    recording = folder / "sampled.wlens"
    command = [warplens, "record", "--host", "--cpu", "--quiet", "-f", "-o", recording, "--", sys.executable, "sampled.py", str(seconds)]
    subprocess.run(command, check=True, cwd=folder, timeout=60)
    out = subprocess.run([warplens, "export", "-t", "chrome", "-o", "-", recording], capture_output=True, text=True, check=True).stdout
    return [event for event in json.loads(out)["traceEvents"] if event.get("cat") == "host_sample"]


def states_of(samples):
    """Functions that the program's own line calls, with what their thread did."""
    stacks = [([frame.split(": ")[1] for frame in event["name"].split(";") if "): " in frame], event["args"]["state"]) for event in samples]
    return {(stack[1] if len(stack) > 1 else "main", state) for stack, state in stacks}


def check_samples(warplens, folder):
    """--cpu: the code that a thread is in, and whether it runs, sleeps, or waits for another's GIL."""
    (folder / "sampled.py").write_text(SAMPLED)
    for seconds in (0.6, 2, 6):  # on a busy machine who waits for the GIL is mostly one that waits for a core
        samples = samples_of(warplens, folder, seconds)
        states = states_of(samples)
        if ("wait_for_the_lock", "waits for the GIL") in states:
            break
    functions = {frame.split(": ")[1] for event in samples for frame in event["name"].split(";")}
    assert {"<module>", "compute", "wait_for_the_lock"} <= functions, functions
    if pathlib.Path("/proc/self/syscall").exists():
        assert {("main", "sleeps"), ("compute", "running"), ("wait_for_the_lock", "waits for the GIL")} <= states, states
    svg = subprocess.run([warplens, "export", "-t", "flamegraph", "-o", "-", folder / "sampled.wlens"], capture_output=True, text=True, check=True)
    assert "wait_for_the_lock" in svg.stdout and "sleeps" in svg.stdout
    main_thread = "import time; time.sleep(0.2); import threading; assert threading.current_thread() is threading.main_thread()"
    command = [warplens, "record", "--host", "--cpu", "--quiet", "-o", "main.wlens", "--", sys.executable, "-c", main_thread]
    subprocess.run(command, check=True, cwd=folder, timeout=30)


def check_ended(warplens, folder):
    """Who ends the recorder ends the program, whose exit code and file it leaves."""
    program = "import os, time; open('started', 'w').write(str(os.getpid())); time.sleep(60)"
    recorder = subprocess.Popen([warplens, "record", "--host", "--quiet", "-o", "ended.wlens", "--", sys.executable, "-c", program], cwd=folder)
    started = folder / "started"
    while not (started.exists() and started.read_text()):
        time.sleep(0.01)
    recorder.terminate()
    assert recorder.wait(timeout=20) == 128 + signal.SIGTERM
    try:
        os.kill(int(started.read_text()), 0)
        raise AssertionError("the program goes on")
    except ProcessLookupError:
        pass


def check_needs(warplens):
    """The injected library shares a process with the program's own libraries, so it needs only the C library."""
    library = pathlib.Path(warplens).parent / "libwarplens_collect.so"
    listed = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
    needed = set(re.findall(r"NEEDED.*\[(.+?)\.so", listed))
    assert needed and needed <= {"libc", "libm", "ld-linux-x86-64", "libasan", "libubsan", "libtsan"}, needed


REHEARSED = """
import ctypes, os
library = ctypes.CDLL(os.environ["NVTX_INJECTION64_PATH"])
library.warplens_start()
library.warplens_mark_step(1)
library.warplens_rehearse(1)
for number in range(100):
    library.warplens_mark_step(1000 + number)
library.warplens_rehearse(0)
library.warplens_tell_cost(b"recording_operator_ns", ctypes.c_uint64(321))
library.warplens_mark_step(2)
library.warplens_mark_step(-1)
"""


def check_cost(warplens, folder):
    """Rehearsed operators, which measure the cost of recording, are in no recording; their cost is, also in one of an emulated GPU."""
    (folder / "rehearsed.py").write_text(REHEARSED)
    for kind in ("--host", "--emulate"):
        check_rehearsed(warplens, folder, kind)


def check_rehearsed(warplens, folder, kind):
    out = folder / f"rehearsed{kind}.wlens"
    command = [warplens, "record", kind, "--quiet", "-o", str(out), "--", sys.executable, str(folder / "rehearsed.py")]
    subprocess.run(command, check=True, cwd=folder, timeout=60)

    def rows(sql):
        done = subprocess.run([warplens, "query", str(out), sql, "--json"], capture_output=True, text=True, check=True)
        return [tuple(row.values()) for row in json.loads(done.stdout)["rows"]]

    assert rows("select value from metadata where key = 'recording_operator_ns'") in ([("321",)], [(321,)])
    names = [name for name, in rows("select name from operators")]
    assert names and not [name for name in names if "#10" in name], names


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def main():
    warplens = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "program.py").write_text(PROGRAM)

        def record(*flags, arguments=()):
            command = [warplens, "record", *flags, "--", sys.executable, str(folder / "program.py"), *arguments]
            return subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=60)

        def calls_of(file):
            out = subprocess.run([warplens, "ops", str(file), "--json"], capture_output=True, text=True, check=True).stdout
            return {row["name"]: row["count"] for row in json.loads(out)["rows"]}

        done = record("--host", "-o", "run.wlens")
        assert done.returncode == 7 and done.stdout == "the program's own output\n", done
        assert "wrote" in done.stderr and "whole" in done.stderr, done.stderr
        assert calls_of(folder / "run.wlens") == {"outer": 20, "aten::mm": 20, "ProfilerStep*": 20}, calls_of(folder / "run.wlens")

        done = record("--host", "-o", "run.wlens")
        assert done.returncode == 1 and done.stdout == "" and "exists" in done.stderr, done
        done = record("-o", "none.wlens")
        assert done.returncode == 7 and "exit code 7 and had not used CUDA" in done.stderr and not (folder / "none.wlens").exists(), done
        done = record("--host", "--quiet", "-o", "killed.wlens", arguments=["die"])
        assert done.returncode == 128 + signal.SIGKILL and done.stderr == "", done
        assert calls_of(folder / "killed.wlens")["outer"] == 20
        done = record("--host", "--quiet", "--schedule", "2,1,3,1", "-o", "some.wlens")
        assert done.returncode == 7 and calls_of(folder / "some.wlens")["outer"] == 3, calls_of(folder / "some.wlens")
        done = record("--host", "--quiet", "--capture-range", "outer", "-o", "inside.wlens")
        assert calls_of(folder / "inside.wlens")["aten::mm"] == 20
        os.environ.update(PROGRAM=warplens, METRICS=str(free_port()))
        done = record("--host", "--quiet", "--ring", "30s", "--when", "step > 5 x median", "--signal", "USR2", "--metrics-port",
                      os.environ["METRICS"], "-o", "ring.wlens", arguments=["slow"])
        assert done.returncode == 0, done
        # The slow step's file; the signal came within the same ring; then what was asked for, and the end.
        files = sorted(f.name for f in folder.glob("ring*.wlens"))
        assert files == ["ring.2.wlens", "ring.3.wlens", "ring.wlens"], files
        assert f"{folder}/ring.2.wlens\n" in done.stdout and "warplens_steps_total 19\n" in done.stdout, done.stdout
        assert 13 <= calls_of(folder / "ring.wlens")["work"] < 20 and calls_of(folder / "ring.2.wlens")["work"] == 20
        metadata = subprocess.run([warplens, "export", "-t", "chrome", "-o", "-", str(folder / "ring.wlens")], capture_output=True, text=True).stdout
        assert "took 15" in metadata and "the median 1" in metadata, metadata[:500]
        check_samples(warplens, folder)
        check_needs(warplens)
        check_ended(warplens, folder)
        check_cost(warplens, folder)
        nobody = subprocess.run([warplens, "snapshot", str(os.getpid())], capture_output=True, text=True)
        assert nobody.returncode == 1 and "no recorder answers" in nobody.stderr, nobody
        missing = subprocess.run([warplens, "record", "--", "/no/such/program"], capture_output=True, text=True, cwd=folder)
        assert missing.returncode == 1 and "/no/such/program" in missing.stderr, missing
    print("record: output and exit code kept, ranges, steps, schedules and captures recorded, a killed program's file read, threads sampled")


if __name__ == "__main__":
    main()
