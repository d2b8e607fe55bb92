"""Recordings of a device's work: kernels linked to their launches, waits, schedules, and a program that asks by itself.

CUPTI is played by tests/fake_cupti here, since a real one needs a GPU.
"""
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

import fakes

PROGRAM = pathlib.Path(sys.argv[1]).resolve()

RECORDED = """
import ctypes, os, sys
cupti = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
library = ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"])
library.InitializeInjection()
for _ in range(3):
    for _ in range(5):
        cupti.fake_runtime_launch()
    cupti.fake_synchronize()
    library.warplens_record_step()
"""

CAPTURED = """
import ctypes, os, sys
cupti = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"]).InitializeInjection()
def launch(times):
    for _ in range(times):
        cupti.fake_runtime_launch()
launch(3)
for times in (5, 2):
    cupti.fake_profiler(1)
    launch(times)
    cupti.fake_profiler(0)
    launch(4)
cupti.fake_profiler(0)  # a stop too many
cupti.fake_profiler(1)  # to the end
launch(6)
"""

PROFILING = """
import ctypes, os, sys
cupti = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
if sys.argv[3] == "before":
    guest = ctypes.CDLL(sys.argv[2])
library = ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"]) if "CUDA_INJECTION64_PATH" in os.environ else None
if library:
    library.InitializeInjection()
if sys.argv[3] != "before":
    guest = ctypes.CDLL(sys.argv[2])
    import time; time.sleep(1.5)  # the recorder looks for it about ten times a second
def launch(times):
    for _ in range(times):
        cupti.fake_runtime_launch()
launch(3)
for number, times in enumerate((5, 40)):  # the second time with records in more than one buffer
    assert guest.guest_begin() == 0, "refused"
    launch(times)
    seen = guest.guest_end(number)
    assert seen == times, (seen, times)
    launch(2)
print("as bare")
sys.exit(5)
"""

ASKING = """
import ctypes, os, sys
cupti = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
os.environ.update(WARPLENS_RECORD_CAPTURE="(by the program)", WARPLENS_RECORD_LEVELS="calls,host")
library = ctypes.CDLL(sys.argv[2])
library.warplens_start()
library.InitializeInjection()
for cycle, launches in ((1, 4), (2, 6)):
    cupti.fake_runtime_launch()  # between cycles nothing is recorded
    assert library.warplens_cycle_begin(f"cycle{cycle}.wlens".encode()) == 0
    library.warplens_mark_step(ctypes.c_int64(cycle))
    for _ in range(launches):
        cupti.fake_runtime_launch()
    library.warplens_mark_step(ctypes.c_int64(-1))
    assert library.warplens_cycle_end() == 0
"""


def events(folder, name):
    out = subprocess.run([PROGRAM, "export", "-t", "chrome", "-o", "-", folder / name], capture_output=True, text=True, check=True).stdout
    return [event for event in json.loads(out)["traceEvents"] if event.get("ph") in ("X", "P")]


def of(category, all_events):
    return [event for event in all_events if event.get("cat") == category]


def check_links(all_events, kernels):
    calls = {event["args"]["correlation"]: event for event in of("cuda_driver", all_events) if event["name"] == "cuLaunchKernel"}
    found = of("kernel", all_events)
    assert len(found) == len(calls) == kernels, (len(found), len(calls))
    for kernel in found:
        call = calls[kernel["args"]["correlation"]]
        assert call["ts"] <= kernel["ts"] + 5, (call, kernel)  # two clocks, one line
        assert kernel["name"] == "scale(float*, int)" and kernel["args"]["grid"] == [264, 1, 1], kernel


# A program without Python: what it does between launches is in functions that it does not export.
PLAIN = r"""
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
volatile double sink;
__attribute__((noinline)) void crunch(void) { for (long i = 0; i < 250000000; ++i) sink += i; }
__attribute__((noinline)) void doze(void) { usleep(300000); sink += 1; }
int main(int argc, char** argv) {
  void* cupti = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  void (*launch)(void) = (void (*)(void))dlsym(cupti, "fake_runtime_launch");
  int (*inject)(void) = (int (*)(void))dlsym(dlopen(getenv("CUDA_INJECTION64_PATH"), RTLD_NOW), "InitializeInjection");
  inject(), launch(), doze(), launch(), crunch(), launch();
  return argc > 2;
}
"""


def check_native_code(folder, cupti):
    """--cpu: the functions that a program without Python is in while the device waits."""
    (folder / "plain.c").write_text(PLAIN)
    subprocess.run(["cc", "-O2", "-o", "plain", "plain.c", "-ldl"], check=True, cwd=folder)
    subprocess.run([PROGRAM, "record", "--cpu", "--quiet", "-o", "plain.wlens", "--", "./plain", cupti], check=True, cwd=folder, timeout=60)
    gaps = json.loads(subprocess.run([PROGRAM, "timeline", "--json", folder / "plain.wlens"], capture_output=True, text=True, check=True).stdout)
    text = json.dumps(gaps)
    assert "plain: crunch" in text and "plain: doze" in text and '"python"' not in text, text


# CUPTI's possible answers to a request to record, and the remedy that is shown (CUptiResult's numbers).
REFUSALS = {39: "another profiler is attached", 35: "CAP_SYS_ADMIN", 33: "ask its provider", 41: "confidential computing", 43: "use a whole GPU", 45: "WSL"}


def check_refusals(folder, cupti):
    """The program continues as ever, and why nothing was recorded is said at the end."""
    for number, words in REFUSALS.items():
        command = [PROGRAM, "record", "-o", "refused.wlens", "--", sys.executable, "recorded.py", cupti]
        environment = {**os.environ, "WARPLENS_TEST_CALL": "cuptiSubscribe", "WARPLENS_TEST_REFUSAL": str(number)}
        done = subprocess.run(command, cwd=folder, timeout=60, env=environment, capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout == "", done
        assert "not recorded" in done.stderr and words in done.stderr, (number, done.stderr)
        assert not (folder / "refused.wlens").exists()


def check_guest(folder, cupti):
    """A program that profiles itself sees what it sees alone, and the recording has all of it, too."""
    flags = ["-shared", "-fPIC", "-o", folder / "guest.so", pathlib.Path(__file__).parent / "fake_cupti" / "guest.c", cupti]
    subprocess.run(["cc", *flags], check=True)
    (folder / "profiling.py").write_text(PROFILING)
    for when in ("before", "behind"):
        command = [sys.executable, "profiling.py", cupti, folder / "guest.so", when]
        bare = subprocess.run(command, cwd=folder, timeout=60, capture_output=True, text=True)
        done = subprocess.run([PROGRAM, "record", "-o", f"{when}.wlens", "--", *command], cwd=folder, timeout=60, capture_output=True, text=True)
        assert (bare.returncode, bare.stdout) == (5, "as bare\n"), bare
        assert (done.returncode, done.stdout) == (5, "as bare\n"), done
        check_links(events(folder, f"{when}.wlens"), 3 + 5 + 2 + 40 + 2)
        issues = json.loads(subprocess.run([PROGRAM, "summary", "--json", folder / f"{when}.wlens"], capture_output=True, text=True, check=True).stdout)["integrity_issues"]
        assert [issue["count"] for issue in issues if issue["id"] == "profiled-by-itself"] == [2], issues


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        cupti = fakes.library("fake_cupti/cupti.c", folder, "libcupti.so.13")
        (folder / "recorded.py").write_text(RECORDED)
        (folder / "asking.py").write_text(ASKING)
        (folder / "captured.py").write_text(CAPTURED)

        def record(name, *flags, program="recorded.py"):
            command = [PROGRAM, "record", "--quiet", *flags, "-o", name, "--", sys.executable, program, cupti]
            subprocess.run(command, check=True, cwd=folder, timeout=60)
            return events(folder, name)

        everything = record("run.wlens")
        check_links(everything, 15)
        check_links(record("early.wlens", "--cpu"), 15)  # where the recorder starts before CUDA, and ends before it all the same
        if platform.machine() == "x86_64" and pathlib.Path("/proc/self/syscall").exists():
            check_native_code(folder, cupti)
        (wait, *more) = of("cuda_sync", everything)
        assert len(more) == 2 and wait["name"] == "Stream Sync" and wait["args"]["stream"] == 7, wait
        assert not of("cuda_driver", record("kernels.wlens", "--kernels-only"))
        stacks = [event for event in of("host_sample", record("stacks.wlens", "--stacks")) if event["args"]["state"] == "launches"]
        assert stacks, "no stacks of launches"
        frames = stacks[0]["name"].split(";")
        assert frames[0].startswith("recorded.py(") and frames[0].endswith(": <module>") and frames[1].startswith("_ctypes"), frames
        check_links(record("second.wlens", "--schedule", "1,0,1,1"), 5)
        check_links(record("captured.wlens", "--capture-range", "cudaProfilerApi", program="captured.py"), 5 + 2 + 6)
        check_links(record("whole.wlens", program="captured.py"), 3 + 5 + 4 + 2 + 4 + 6)

        check_refusals(folder, cupti)
        check_guest(folder, cupti)
        for rank in ("0", "1"):
            command = [PROGRAM, "record", "--quiet", "-o", "ranks/%q{RANK}.wlens", "--", sys.executable, "recorded.py", cupti]
            (folder / "ranks").mkdir(exist_ok=True)
            subprocess.run(command, check=True, cwd=folder, timeout=60, env={**os.environ, "RANK": rank, "WORLD_SIZE": "2"})
        out = subprocess.run([PROGRAM, "summary", "--json", "--no-findings", "ranks"], capture_output=True, text=True, cwd=folder, check=True).stdout
        assert [rank["rank"] for rank in json.loads(out)["ranks"]] == [0, 1], out

        library = PROGRAM.parent / "libwarplens_collect.so"
        subprocess.run([sys.executable, "asking.py", cupti, library], check=True, cwd=folder, timeout=60)
        for cycle, launches in ((1, 4), (2, 6)):
            of_cycle = events(folder, f"cycle{cycle}.wlens")
            check_links(of_cycle, launches)
            assert [event["name"] for event in of("user_annotation", of_cycle)] == [f"ProfilerStep#{cycle}"], of_cycle
    print("record: kernels linked, waits, schedules, cycles of a program's own")
    return 0


if __name__ == "__main__":
    sys.exit(main())
