"""No report of a recorded program contradicts itself: over every kept trace and recording, no saving is more than the step, none that
leaves the device's work as it is leaves less than that work takes, and what the first findings bring together is no more than they
bring one by one. Argument: the program."""
import glob
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SHARED = HERE.parent.parent / "shared/data"
# These fixes remove host time and waits: the device still does all of its work.
KEEP_DEVICE_WORK = {"launch-bound", "host-sync", "input-bound", "idle-gpu", "allocator-churn", "uncached-allocator", "cold-start"}
CLOCK = 0.02  # of a step: steps of one run differ by so much, and the busiest of them is not the mean


def told(program, verb, file):
    done = subprocess.run([program, verb, "--json", file], capture_output=True, text=True)
    return json.loads(done.stdout) if done.stdout.startswith("{") else None


def check(program, file):
    """How many savings were looked at."""
    report = told(program, "findings", file)
    if report is None or not report["step_ns"]:
        return 0
    step_ns, name = report["step_ns"], pathlib.Path(file).name
    busy_share = told(program, "summary", file)["ranks"][0]["busy_share"]
    # A recorder makes a step longer, not what the device does in it.
    busy_ns = busy_share * report["recorded_step_ns"]
    together, looked_at = 0.0, 0
    for finding in report["findings"]:
        if finding["saving_ns"] is None:
            continue
        looked_at += 1
        saving_ns, beside = finding["saving_ns"], finding.get("beside_fraction")
        assert 0 <= saving_ns <= step_ns, (name, finding["id"], saving_ns, step_ns)
        assert abs(saving_ns / step_ns - finding["saving_fraction"]) < 1e-6, (name, finding["id"])
        if finding["id"] in KEEP_DEVICE_WORK and not finding["evidence"].get("loop_over_slices"):
            left_ns = step_ns - saving_ns + finding["evidence"].get("served_ns", 0)  # host-sync: work that only serves what is read goes, too
            assert left_ns >= min(busy_ns, step_ns) - CLOCK * step_ns, f"{name}: {finding['id']} leaves {left_ns}, the device is busy for {busy_ns:.0f}"
        if beside is not None:
            assert -1e-9 <= beside <= finding["saving_fraction"] + 1e-9, (name, finding["id"], beside)
            together += beside
    assert together <= 1 + 1e-9, (name, together)
    return looked_at


def main(program):
    patterns = [HERE / "data/traces/*.gz", HERE / "data/defects/*.gz", HERE / "data/rules/*.json.*", HERE / "data/recordings/*.wlens.gz",
                SHARED / "traces/*.pt.trace.json.gz", SHARED / "defects/*.pt.trace.json.gz"]
    files = [file for pattern in patterns for file in sorted(glob.glob(str(pattern))) if ".rank" not in file]
    looked_at = sum(check(program, file) for file in files)
    assert looked_at > 100, looked_at
    print(f"{looked_at} savings in {len(files)} files agree with their steps")


if __name__ == "__main__":
    main(*sys.argv[1:])
