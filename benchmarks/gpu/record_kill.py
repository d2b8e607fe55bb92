"""kill -9 at random moments: each time the file must open and hold all but about the last second.

    python3 record_kill.py WARPLENS PROGRAM [TIMES [AT_ONCE]]      PROGRAM is record_launches, compiled
"""
import concurrent.futures
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time


def killed(warplens, program, recording, after_s):
    """Seconds of launches that ran and that the file holds; the latter None where it cannot be read."""
    recorder = subprocess.Popen([warplens, "record", "--quiet", "-f", "-o", str(recording), "--", program, "0", "60"],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert recorder.stdout.readline() == "began\n"
    started = time.monotonic()
    time.sleep(after_s)
    children = pathlib.Path(f"/proc/{recorder.pid}/task/{recorder.pid}/children").read_text().split()
    ran_s = time.monotonic() - started
    for child in children:
        subprocess.run(["kill", "-9", child], check=False)
    code = recorder.wait()
    assert code == 128 + signal.SIGKILL, code
    done = subprocess.run([warplens, "summary", "--json", "--no-findings", str(recording)], capture_output=True, text=True)
    recording.unlink(missing_ok=True)
    if done.returncode != 0:
        print(done.stderr[-300:])
        return ran_s, None
    return ran_s, json.loads(done.stdout)["ranks"][0]["span_ns"] / 1e9


def main():
    warplens, program = sys.argv[1:3]
    times, at_once = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((3, 100), (4, 1)))
    draws = random.Random(1)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        runs = list(pool.map(lambda i: killed(warplens, program, pathlib.Path(folder) / f"{i}.wlens", draws.uniform(0, 3)), range(times)))
    read = [(ran, held) for ran, held in runs if held is not None]
    print(f"killed {times} times, {at_once} at once: {times - len(read)} files unreadable, {sum(held == 0 for _, held in read)} without events, "
          f"at most {max(ran - held for ran, held in read):.2f} s missing at the end")


if __name__ == "__main__":
    main()
