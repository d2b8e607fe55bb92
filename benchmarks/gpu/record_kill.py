"""kill -9 at random moments: each time the file must open and hold all but about the last second.

    python3 record_kill.py WARPLENS PROGRAM [TIMES]      PROGRAM is record_launches, compiled
"""
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time


def main():
    warplens, program, times = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 100
    random.seed(1)
    unreadable, worst_s, empty = 0, 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(times):
            recording = pathlib.Path(folder) / "run.wlens"
            recorder = subprocess.Popen([warplens, "record", "--quiet", "-f", "-o", str(recording), "--", program, "0", "60"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not recording.exists() and recorder.poll() is None:
                time.sleep(0.005)
            started = time.monotonic()
            time.sleep(random.uniform(0, 3))
            children = pathlib.Path(f"/proc/{recorder.pid}/task/{recorder.pid}/children").read_text().split()
            ran_s = time.monotonic() - started
            for child in children:
                subprocess.run(["kill", "-9", child], check=False)
            code = recorder.wait()
            assert code == 128 + signal.SIGKILL, code
            done = subprocess.run([warplens, "summary", "--json", "--no-findings", str(recording)], capture_output=True, text=True)
            recording.unlink(missing_ok=True)
            if done.returncode != 0:
                unreadable += 1
                print(done.stderr[-300:])
                continue
            held_s = json.loads(done.stdout)["ranks"][0]["span_ns"] / 1e9
            empty += held_s == 0
            worst_s = max(worst_s, ran_s - held_s)
    print(f"killed {times} times: {unreadable} files unreadable, {empty} without events, at most {worst_s:.2f} s missing at the end")


if __name__ == "__main__":
    main()
