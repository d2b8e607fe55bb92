#!/usr/bin/env python3
"""`warplens emulate --check` on whole programs: planted defects, and what was not checked. Argument: the program."""
import json
import pathlib
import re
import sys

from emulate_test import PROGRAMS, build, check, main, run
from linked_runtime_test import NVCC, nvcc


def test_planted_defects(program, folder):
    """Each planted defect of a whole program is found, with its line; the fixed kernels are clean."""
    build(program, PROGRAMS / "planted.cu", folder / "planted", "-arch=sm_90", "-lineinfo")
    done = run([program, "emulate", "--check", "--json", "-o", folder / "defects.json", "--", folder / "planted"])
    check(done.returncode == 4 and done.stdout.endswith("done\n"), "checked", done)
    defects = json.loads((folder / "defects.json").read_text())["defects"]
    ids = {"memory": {"out-of-bounds"}, "race": {"race"}, "init": {"uninitialised-read"}, "sync": {"divergent-barrier", "missing-mask-lanes"}}
    for kind, right in ids.items():
        found = {defect["where"]["kernel"] for defect in defects if defect["id"] in right and f"bad_{kind}" in defect["where"]["kernel"]}
        check(len(found) == 20, f"{kind}: {len(found)} of 20 kernels", done)
    check(not any("good_" in defect["where"]["kernel"] for defect in defects), "clean kernels", done)
    check(sum(defect["count"] for defect in defects if defect["id"] == "leak") == 20, "leaks", done)
    races = [defect for defect in defects if defect["id"] == "race"]
    check(all(side["file"].endswith("planted.cu") and side["line"] > 0 for race in races for side in (race["where"], race["other"])), "lines", done)
    build(program, PROGRAMS / "streams.cu", folder / "streams", "-arch=sm_90")
    done = run([program, "emulate", "--check=sync", "--", folder / "streams"])
    check(done.returncode == 0 and "checked sync in 120 launches of " in done.stderr and "nothing found" in done.stderr, "a clean program", done)


def test_what_was_not_checked(program, folder):
    """A program that ended early, launched nothing or was refused is not clean; the report stays out of its output."""
    build(program, PROGRAMS / "endings.cu", folder / "endings", "-arch=sm_90", "-lineinfo")
    ways = {
        "clean": (0, ["checked memory, race, init, sync, leaks in 1 launch of 1 kernel: nothing found"]),
        "none": (1, ["not checked: any kernel: none was run", "in 0 launches of 0 kernels: nothing found, and not all was checked"]),
        "refused": (4, ["launch-failed: the launch was refused, and the program never checked the error: a block of 2048x1x1 threads",
                        "not checked: fill, a launch of which was refused: a block of 2048x1x1 threads: at most 1024"]),
        "asked": (1, ["not checked: fill, a launch of which was refused", "in 1 launch of 1 kernel: nothing found, and not all was checked"]),
        "stop": (4, ["launch-failed: the launch stopped before its end", "not checked: the rest of stop after it was stopped"]),
        "signal": (134, ["not checked: the code after signal 6 (Aborted), which ended the program, and its leaks",
                         "in 1 launch of 1 kernel: nothing found, and not all was checked"]),
        "counter": (4, ["so use an atomic operation, such as atomicAdd: else updates are lost"]),
        "frees": (4, ["which is 8 bytes into an allocation of 4.00 KiB. CUDA refuses it", "which was freed before. CUDA refuses it", ": 2 defects"]),
        "leaks": (4, ["leak: 384 KiB in 6 allocations by cudaMalloc is never freed: the first of them allocation 2, called by keep_six in endings",
                      "leak: 4.00 KiB from cudaMallocManaged is never freed: allocation 1, called by main in endings"]),
    }
    for how, (code, texts) in ways.items():
        done = run([program, "emulate", "--check", "--full-names", "--", folder / "endings", how])
        told = re.sub(r"\s+", " ", done.stderr)
        check(done.returncode == code, f"{how}: exit code {code}", done)
        check(done.stdout == ("" if how == "signal" else "output\n"), f"{how}: the program's own output", done)
        for text in texts:
            check(text in told, f"{how}: {text}", done)
        check("__syncwarp" not in told, f"{how}: no other remedy", done)
    if pathlib.Path(NVCC).exists():  # as `warplens nvcc` adds -lineinfo
        nvcc(folder / "without_lines", PROGRAMS / "endings.cu")
        done = run([program, "emulate", "--check", "--", folder / "without_lines", "counter"])
        check("no source line for 1 of 1 defects in kernels: add -lineinfo to nvcc's flags" in done.stderr, "how to see lines", done)
    done = run([program, "emulate", "--check", "--json", "-o", folder / "endings.json", "--", folder / "endings", "asked"])
    told = json.loads((folder / "endings.json").read_text())
    check(told["checked"] == [{"kernel": "_Z4fillPi", "precision": "thread", "launches": 1, "stopped": 0}], str(told["checked"]), done)
    check(len(told["not_checked"]) == 1 and not told["defects"], str(told["not_checked"]), done)


def test_constants_and_sizes(program, folder):
    """Formats and words in constant memory, and what a kernel asks of its shared memory, from machine code and from PTX."""
    for flags in ([], ["--check=memory"]):
        done = run([program, "emulate", *flags, "--", folder / "endings", "speak"])
        check(done.stdout == "thread 0 says hello\nthread 1 says hello\noutput\n", "constant formats", done)
        done = run([program, "emulate", *flags, "--", folder / "endings", "sizes"])
        check(done.stdout == "1000 1024\noutput\n", "sizes of shared memory", done)


def test_planted_defects_of_machine_code(program, folder):
    """The same program without PTX: defects that machine code shows. Threads of one warp count as in order there."""
    build(program, PROGRAMS / "planted.cu", folder / "planted_code", "-gencode", "arch=compute_90,code=sm_90", "-lineinfo")
    done = run([program, "emulate", "--check", "--json", "-o", folder / "of_code.json", "--", folder / "planted_code"])
    check(done.returncode == 4 and done.stdout.endswith("done\n"), "checked", done)
    told = json.loads((folder / "of_code.json").read_text())
    check(any("checked by its machine code" in note for note in told["notes"]), "a note says so", done)
    least = {"out-of-bounds": 20, "race": 16, "uninitialised-read": 20, "missing-mask-lanes": 4}
    for kind, count in least.items():
        found = {defect["where"]["kernel"] for defect in told["defects"] if defect["id"] == kind}
        check(len(found) >= count, f"{kind}: {len(found)} of {count} kernels", done)
    check(not any("good_" in defect["where"]["kernel"] for defect in told["defects"]), "clean kernels", done)
    sides = [defect[side] for defect in told["defects"] if defect["id"] == "race" for side in ("where", "other")]
    check(all(side["file"].endswith("planted.cu") and side["line"] > 0 for side in sides), "lines", done)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], globals()))
