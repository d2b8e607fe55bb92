"""Whether a recording of a program gives every finding that torch.profiler's trace of it gives.

    python3 record_findings.py FOLDER [OUT [CASE...]]     FOLDER is a build's: warplens, libwarplens_collect.so and warplens_inject

Each defective program of defect_cases.py runs twice, in forked processes of their own, one after another: once in torch.profiler,
once recorded with --torch-shapes, both over the same steps. Prints what either alone finds, and how long a step takes bare, in
torch.profiler and recorded, for what a profiler itself makes slow is found in its trace alone; OUT gets both files of those programs.
"""
import concurrent.futures
import ctypes
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import traceback

import torch

from defect_cases import CASES
from record_cost import Recorder

STEPS, WARMUP, BARE_STEPS, CHILD_SECONDS = 3, 3, 5, 90


def bare_ms(step):
    def once():
        torch.cuda.synchronize()
        start = time.perf_counter()
        step()
        torch.cuda.synchronize()
        return 1e3 * (time.perf_counter() - start)

    return min(once() for _ in range(BARE_STEPS))


def by_torch(step, file):
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    schedule = torch.profiler.schedule(wait=WARMUP - 1, warmup=1, active=STEPS, repeat=1)
    with torch.profiler.profile(activities=activities, schedule=schedule, record_shapes=True) as profiler:
        for number in range(WARMUP + STEPS):
            step()
            if number == WARMUP - 1:
                torch.cuda.synchronize()  # both begin with an idle device
            profiler.step()
    profiler.export_chrome_trace(str(file))


def by_recorder(step, recorder):
    for _ in range(WARMUP):
        step()
    torch.cuda.synchronize()
    recorder.hooks.mark_steps = lambda *_: None  # steps are marked here
    recorder.start()
    for number in range(STEPS):
        recorder.library.warplens_mark_step(ctypes.c_int64(number))
        step()
    recorder.library.warplens_mark_step(ctypes.c_int64(-1))
    torch.cuda.synchronize()  # as torch.profiler does: what runs later is in no window
    recorder.stop()


def run(name, folder, file, recorded):
    """In a process of its own, with torch at hand."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            recorder = Recorder("record --torch-shapes", folder, file) if recorded else None
            torch.manual_seed(0)
            step = CASES[name][1](True)
            file.with_suffix(".ms").write_text(f"{bare_ms(step):.2f}")
            by_recorder(step, recorder) if recorder else by_torch(step, file)
            os._exit(0)
        except Exception:
            traceback.print_exc()
            os._exit(1)
    until = time.monotonic() + CHILD_SECONDS
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        if time.monotonic() > until:
            os.kill(child, 9)
        time.sleep(0.02)


def findings(folder, file):
    out = subprocess.run([folder / "warplens", "findings", "--json", str(file)], capture_output=True, text=True)
    return {finding["id"]: finding for finding in json.loads(out.stdout)["findings"]} if out.stdout else {"unreadable": {"title": out.stderr}}


def step_ms(folder, file):
    out = subprocess.run([folder / "warplens", "summary", "--no-findings", "--json", str(file)], capture_output=True, text=True)
    return json.loads(out.stdout)["ranks"][0]["median_step_ns"] / 1e6


def keep(file, out):
    """Compressed if requested."""
    if out:
        pathlib.Path(out).mkdir(parents=True, exist_ok=True)
        (pathlib.Path(out) / f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))


def main():
    folder, out = pathlib.Path(sys.argv[1]).resolve(), (sys.argv[2:] or [None])[0]
    names = sys.argv[3:] or [name for name, (finding, _, options) in CASES.items() if finding and not options]
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(4) as pool:
        files = {(name, kind): pathlib.Path(work) / f"{name}.{kind}" for name in names for kind in ("json", "wlens")}
        jobs = {}
        for (name, kind), file in files.items():
            run(name, folder, file, kind == "wlens")
            jobs[name, kind] = pool.submit(findings, folder, file)
        equal = covered = 0
        for name in names:
            theirs, ours = (jobs[name, kind].result() for kind in ("json", "wlens"))
            equal += theirs.keys() == ours.keys()
            covered += theirs.keys() <= ours.keys()
            if theirs.keys() == ours.keys():
                continue
            bare = files[name, "json"].with_suffix(".ms").read_text()
            print(f"{name} ({CASES[name][0]}): a step takes {bare} ms bare, {step_ms(folder, files[name, 'json']):.2f} in torch.profiler, "
                  f"{step_ms(folder, files[name, 'wlens']):.2f} recorded", flush=True)
            for who, findings_of, others in (("torch.profiler's", theirs, ours), ("the recording's", ours, theirs)):
                for finding in findings_of.keys() - others.keys():
                    print(f"  {who} alone: {finding}: {findings_of[finding]['title']}, saving {findings_of[finding].get('saving_fraction')}")
            for kind in ("json", "wlens"):
                keep(files[name, kind], out)
        print(f"{covered} of {len(names)} recordings give every finding that torch.profiler's trace gives, {equal} no other")


if __name__ == "__main__":
    main()
