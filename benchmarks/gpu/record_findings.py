"""Whether a recording of a program gives every finding that torch.profiler's trace of it gives.

    python3 record_findings.py FOLDER [AT_ONCE]     FOLDER is a build's: warplens, libwarplens_collect.so and warplens_inject

Each defective program of defect_cases.py runs twice, in processes of their own: once in torch.profiler, once recorded with
--torch-shapes, both over the same two steps. Prints what either alone finds.
"""
import concurrent.futures
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import torch

from defect_cases import CASES
from record_cost import Recorder

STEPS, WARMUP, CHILD_SECONDS = 3, 3, 90


def by_torch(step, file):
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    schedule = torch.profiler.schedule(wait=WARMUP - 1, warmup=1, active=STEPS, repeat=1)
    with torch.profiler.profile(activities=activities, schedule=schedule, record_shapes=True) as profiler:
        for _ in range(WARMUP + STEPS):
            step()
            profiler.step()
    profiler.export_chrome_trace(str(file))


def by_recorder(step, recorder):
    for _ in range(WARMUP):
        step()
    recorder.start()
    for number in range(STEPS):
        recorder.library.warplens_mark_step(ctypes.c_int64(number))
        step()
    recorder.library.warplens_mark_step(ctypes.c_int64(-1))
    torch.cuda.synchronize()  # as torch.profiler does: what runs later is in no window
    recorder.stop()


def run(name, folder, file, recorded):
    """In a process of its own."""
    recorder = Recorder("record --torch-shapes", folder, file) if recorded else None
    torch.manual_seed(0)
    step = CASES[name][1](True)
    by_recorder(step, recorder) if recorder else by_torch(step, file)
    os._exit(0)


def findings(folder, name, work, recorded):
    file = work / f"{name}.{'wlens' if recorded else 'json'}"
    subprocess.run([sys.executable, __file__, folder, "--run", name, str(file), str(int(recorded))], check=True, timeout=CHILD_SECONDS)
    out = subprocess.run([folder / "warplens", "findings", "--json", str(file)], capture_output=True, text=True).stdout
    file.unlink()
    return {finding["id"] for finding in json.loads(out)["findings"]}


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    if "--run" in sys.argv:
        name, file, recorded = sys.argv[3:6]
        return run(name, folder, pathlib.Path(file), recorded == "1")
    names = [name for name, (finding, _, options) in CASES.items() if finding and not options]
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(int((sys.argv[2:] or ["1"])[0])) as pool:
        jobs = {(name, recorded): pool.submit(findings, folder, name, pathlib.Path(work), recorded) for name in names for recorded in (False, True)}
        same = 0
        for name in names:
            try:
                theirs, ours = (jobs[name, recorded].result() for recorded in (False, True))
            except (subprocess.SubprocessError, json.JSONDecodeError, KeyError) as error:
                print(f"{name}: {error!r}"[:300])
                continue
            same += theirs == ours
            if theirs != ours:
                print(f"{name} ({CASES[name][0]}): torch.profiler's alone {sorted(theirs - ours)}, the recording's alone {sorted(ours - theirs)}", flush=True)
    print(f"{same} of {len(names)} programs give the same findings by both")


if __name__ == "__main__":
    main()
