"""Measures if the recorder's memory stays flat: resident memory, every second, of a program that launches without an end.

    python3 record_steady.py WARPLENS PROGRAM [SECONDS [PAUSE_US]]      PROGRAM is record_launches, compiled

PAUSE_US between batches of 1,000 launches: 6,000 makes about 100,000 a second of 260,000 on an H200's host.
"""
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time


BARE_SECONDS = "6"


def resident_mb(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def watch(command, of_child):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    time.sleep(2)
    pid = process.pid
    if of_child:
        pid = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0]
    samples = []
    while process.poll() is None:
        try:
            samples.append(resident_mb(pid))
        except (OSError, TypeError):  # it ended
            break
        time.sleep(1)
    return samples, process.communicate()[0].splitlines()[-1]


def told(name, samples, line):
    minutes = [samples[at] for at in range(0, len(samples), 60)]
    print(f"{name}: {line}; resident after 2 s {samples[0]:.1f} MB, most {max(samples):.1f}, median {statistics.median(samples):.1f}, at the end "
          f"{samples[-1]:.1f}; every minute " + " ".join(f"{mb:.1f}" for mb in minutes), flush=True)


def main():
    warplens, program, seconds = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "600"
    pause_us = sys.argv[4] if len(sys.argv) > 4 else "0"
    with tempfile.TemporaryDirectory() as folder:
        recording = pathlib.Path(folder) / "run.wlens"
        told("bare", *watch([program, "0", BARE_SECONDS, pause_us], False))
        samples, line = watch([warplens, "record", "--quiet", "-o", str(recording), "--", program, "0", seconds, pause_us], True)
        told("recorded", samples, line)
        launches = int(line.split()[1])
        size = recording.stat().st_size
        print(f"{launches} launches, {launches / float(seconds):.0f} a second; {size / 1e6:.0f} MB, {size / launches:.1f} bytes a launch", flush=True)
        print(json.dumps([round(mb, 1) for mb in samples]), flush=True)
        print(subprocess.run([warplens, "doctor", str(recording)], capture_output=True, text=True).stdout[:1500])


if __name__ == "__main__":
    main()
