"""Programs that are recorded do what they do bare: what they print and their exit codes, looked at thousands of times a second.

    record_unchanged_test.py WARPLENS [ROUNDS [TIMES]]

CUPTI is played by tests/fake_cupti.
"""
import json
import pathlib
import signal
import subprocess
import sys
import tempfile

import fakes

HERE = pathlib.Path(__file__).resolve().parent
OFTEN = "WARPLENS_RECORD_CPU=200"  # microseconds from one look to the next


def block_stack_signal():
    """As a supervisor may: the recorder's signal must reach the program all the same."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGURG])


def run(command, folder):
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, timeout=300, preexec_fn=block_stack_signal)
    return done.returncode, done.stdout, done.stderr


def main():
    warplens = pathlib.Path(sys.argv[1]).resolve()
    rounds, times = (int(word) for word in [*sys.argv[2:], "60", "1"][:2])
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        cupti = fakes.library("fake_cupti/cupti.c", folder, "libcupti.so.13")
        subprocess.run(["cc", "-O2", "-pthread", "-o", "threads", HERE / "sampled/threads.c", "-ldl"], check=True, cwd=folder)
        programs = {"threads": ["./threads", cupti, rounds], "processes": [sys.executable, HERE / "sampled/processes.py", rounds // 20]}
        wrong = False
        for name, program in programs.items():
            bare, differ = run(program, folder), 0
            for turn in range(times):
                recorded = run([warplens, "record", "--host", "--cpu", "--quiet", "-f", "-o", "run.wlens", "--", "env", OFTEN, *program], folder)
                if recorded != bare:
                    differ += 1
                    for what, (code, out, error) in (("bare", bare), ("recorded", recorded)):
                        print(f"{name}, turn {turn}, {what}: {code}\n{out[-300:]}{error[-300:]}")
            out = subprocess.run([warplens, "export", "-t", "chrome", "-o", "-", folder / "run.wlens"], capture_output=True, text=True).stdout
            samples = [event for event in json.loads(out)["traceEvents"] if event.get("cat") == "host_sample"]
            looks = [event["args"]["state"] for event in samples]
            print(f"{name}: {times} recorded, {differ} other than bare; {len(looks)} looks in the last, {looks.count('running')} at what runs")
            assert looks.count("running") > 5, "hardly a look"
            unseen = sum(event["name"] == "no stack: running" for event in samples)
            assert name != "threads" or unseen > 5, "a thread that blocks signals and runs is left out"
            wrong |= differ > 0
        assert not wrong


if __name__ == "__main__":
    main()
