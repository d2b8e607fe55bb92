#!/usr/bin/env python3
"""Counters that are refused: the reason and the remedy in words, and times, occupancy and launches all the same.

CUPTI is played by tests/fake_cupti here, since a real one refuses on machines with a GPU only.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import fakes

PROGRAM = pathlib.Path(sys.argv[1]).resolve()

REFUSALS = [
    ("cuptiProfilerGetCounterAvailability", 35, "NVreg_RestrictProfilingToAdminUsers=0"),
    ("cuptiRangeProfilerEnable", 26, "stop DCGM"),
    ("cuptiProfilerGetCounterAvailability", 33, "virtual GPU"),
    ("cuptiProfilerInitialize", 40, "ask its provider"),
    ("cuptiProfilerInitialize", 41, "confidential computing"),
    ("cuptiRangeProfilerEnable", 43, "use a whole GPU"),
    ("cuptiProfilerInitialize", 45, "WSL"),
    ("cuptiProfilerHostInitialize", 999, "cuptiProfilerHostInitialize: 999"),
]


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        cupti = fakes.library("fake_cupti/cupti.c", folder, "libcupti.so.13")
        program = fakes.program("fake_cupti/program.c", folder)

        def count(call, result):
            env = dict(os.environ, WARPLENS_TEST_CUPTI=str(cupti), WARPLENS_TEST_CALL=call, WARPLENS_TEST_REFUSAL=str(result),
                       LD_LIBRARY_PATH=str(folder), LD_PRELOAD=str(cupti))
            kept = folder / "kept.counts"
            done = subprocess.run([PROGRAM, "counters", "--keep", kept, "-f", "--", program], env=env, capture_output=True, text=True, timeout=60)
            return done, [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []

        for call, result, words in REFUSALS:
            done, lines = count(call, result)
            assert done.returncode == 7 and "results of the program" in done.stdout, (call, done)
            assert words in done.stderr, (call, result, done.stderr)
            launches = [line for line in lines if "kernel" in line]
            assert [line.get("ns") for line in launches] == [5000, 10000, 15000], (call, lines)
            assert lines[-1]["launches"] == 3, lines
        done, lines = count("cuptiSubscribe", 39)
        assert done.returncode == 7 and "another profiler is attached" in done.stderr and not lines, done
    print(f"{len(REFUSALS) + 1} refusals told")
    return 0


if __name__ == "__main__":
    sys.exit(main())
