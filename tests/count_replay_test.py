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
            command = [PROGRAM, "kernel", "--keep", kept, "-f", "--metric", "smsp__inst_executed.sum", "--replay", replay, "--cache-control", caches, "--", program]
            counting = dict(env, **{"WARPLENS_TEST_PASSES": passes} if passes else {}, **{"WARPLENS_TEST_LOST": "1"} if lost else {})
            done = subprocess.run(command, env=counting, capture_output=True, text=True, timeout=60)
            assert bare.stdout.strip() in done.stdout, (bare.stdout, done)
            lines = [json.loads(line) for line in kept.read_text().splitlines()]
            seen = [line["values"][0] for line in lines if "kernel" in line]
            first = sum(range(256))
            again = first + 1000
            assert seen == [first, first + 256, again, again + 3 * 256], (replay, passes, caches, lost, lines)
    print("replays see what launches saw")
    return 0


if __name__ == "__main__":
    sys.exit(main())
