#!/usr/bin/env python3
"""Launches that are replayed in several passes: each sees what the program's own launch saw, in every pass, and the program's
results are its own. CUPTI and the driver are played by tests/fake_replay, whose device is this machine.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import fakes

PROGRAM = pathlib.Path(sys.argv[1]).resolve()


RANGED = fakes.NVTX + r"""
import sys, threading
ctypes.CDLL("libcupti.so.13", ctypes.RTLD_GLOBAL)
cuda = ctypes.CDLL("libcuda.so.1")
ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"]).InitializeInjection()
cuda.cuMemcpyHtoD_v2.argtypes = [ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t]
x, start = ctypes.c_uint64(), (ctypes.c_int * 256)(*range(256))
cuda.cuMemAlloc_v2(ctypes.byref(x), 1024)
cuda.cuMemcpyHtoD_v2(x, start, 1024)

def launch(addend):
    value = ctypes.c_int(addend)
    values = (ctypes.c_void_p * 2)(ctypes.addressof(x), ctypes.addressof(value))
    cuda.cuLaunchKernel(ctypes.byref(x), 1, 1, 1, 256, 1, 1, 0, None, values, None)

def in_its_own_range():
    push(b"other")
    launch(1)
    pop()

for step in range(int(sys.argv[1])):
    launch(5)  # in no range
    push(b"step")
    push(b"inner")
    for _ in range(3 + (step == 4)):
        launch(1)
    for work in (lambda: launch(1), in_its_own_range) if "threads" in sys.argv else ():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    pop()
    pop()
print("sum", sum((ctypes.c_int * 256).from_address(x.value)))
"""


def check_ranges(folder, env):
    """The counts of three passes over a range, each when the program reaches it; nothing runs twice."""
    kept, script = folder / "ranges.counts", folder / "ranged.py"
    script.write_text(RANGED)
    command = [PROGRAM, "counters", "--keep", kept, "-f", "--metric", "smsp__inst_executed.sum", "--replay", "range", "--nvtx", "step", "--skip", "1"]
    for steps in (9, 3):
        done = subprocess.run([*command, "--", sys.executable, script, str(steps)], env=dict(env, WARPLENS_TEST_PASSES="3"), capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and f"sum {sum(range(256)) + 256 * (8 * steps + (steps > 4))}" in done.stdout, done
        ranges = [line for line in map(json.loads, kept.read_text().splitlines()) if "range" in line]
        if steps == 3:
            assert [r["times"] for r in ranges] == [2] and "2 times, its metrics take 3 passes" in ranges[0]["skipped"], ranges
            assert "step was not counted: the program came to it 2 times" in done.stdout, done
            continue
        assert [(r["range"], r["times"], r.get("values"), r["least_launches"], r["most_launches"]) for r in ranges] == [
            ("step", 3, [3], 3, 3), ("step", 3, [4], 3, 4), ("step", 2, None, 3, 3)], ranges
    alone = [PROGRAM, "counters", "--keep", kept, "-f", "--metric", "smsp__inst_executed.sum", "--nvtx", "step", "--", sys.executable, script, "2", "threads"]
    done = subprocess.run(alone, env=env, capture_output=True, text=True, timeout=60)
    counted = [line for line in map(json.loads, kept.read_text().splitlines()) if "kernel" in line]
    assert len(counted) == 2 * (3 + 1), ("three of the thread with the range and one of a thread without ranges, a step", len(counted), done)
    refused = subprocess.run([*command, "-k", "add", "--", script], env=env, capture_output=True, text=True)
    assert refused.returncode == 2 and "leave out -k" in refused.stderr, refused


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        cupti = fakes.library("fake_replay/cupti.c", folder, "libcupti.so.13")
        cuda = fakes.library("fake_replay/cuda.c", folder, "libcuda.so.1", cupti)
        program = fakes.program("fake_replay/replayed.c", folder, cuda, cupti)
        env = dict(os.environ, LD_LIBRARY_PATH=str(folder))
        bare = subprocess.run([program], env=env, capture_output=True, text=True, timeout=60)
        runs = ("kernel", "3", "all", 0), ("batch", "", "all", 0), ("batch", "3", "all", 0), ("batch", "3", "none", 0), ("batch", "3", "all", 1)
        for replay, passes, caches, lost in runs:
            kept = folder / "kept.counts"
            command = [PROGRAM, "counters", "--keep", kept, "-f", "--metric", "smsp__inst_executed.sum", "--replay", replay, "--cache-control", caches, "--", program]
            counting = dict(env, **{"WARPLENS_TEST_PASSES": passes} if passes else {}, **{"WARPLENS_TEST_LOST": "1"} if lost else {})
            done = subprocess.run(command, env=counting, capture_output=True, text=True, timeout=60)
            assert bare.stdout.strip() in done.stdout, (bare.stdout, done)
            lines = [json.loads(line) for line in kept.read_text().splitlines()]
            seen = [line["values"][0] for line in lines if "kernel" in line]
            first = sum(range(256))
            again = first + 1000
            assert seen == [first, first + 256, again, again + 3 * 256], (replay, passes, caches, lost, lines)
        check_ranges(folder, env)
    print("replays see what launches saw")
    return 0


if __name__ == "__main__":
    sys.exit(main())
