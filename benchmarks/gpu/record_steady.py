"""Whether the recorder's memory is flat: resident memory of a program that launches without pause.

    python3 record_steady.py WARPLENS PROGRAM [SECONDS]      PROGRAM is record_launches, compiled
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import time


BARE_SECONDS = "6"


def resident_mb(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def watch(command, of_child, seconds):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    time.sleep(2)
    pid = process.pid
    if of_child:
        pid = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0]
    samples = []
    for _ in range(int(seconds) - 3):
        samples.append(resident_mb(pid))
        time.sleep(1)
    return samples, process.communicate()[0].splitlines()[-1]


def main():
    warplens, program, seconds = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "600"
    with tempfile.TemporaryDirectory() as folder:
        recording = pathlib.Path(folder) / "run.wlens"
        bare, bare_line = watch([program, "0", BARE_SECONDS], False, float(BARE_SECONDS))
        recorded, line = watch([warplens, "record", "--quiet", "-o", str(recording), "--", program, "0", seconds], True, float(seconds))
        print(f"bare: {bare_line}; {bare[0]:.0f} to {bare[-1]:.0f} MB resident")
        print(f"recorded: {line}; after 2 s {recorded[0]:.0f} MB, most {max(recorded):.0f} MB, at the end {recorded[-1]:.0f} MB resident")
        launches = int(line.split()[1])
        print(f"{recording.stat().st_size / launches:.1f} bytes a launch")
        print(subprocess.run([warplens, "doctor", str(recording)], capture_output=True, text=True).stdout[:900])


if __name__ == "__main__":
    main()
