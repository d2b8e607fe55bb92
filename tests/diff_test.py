"""`warplens diff` on recorded pairs: a fixed program is faster wherever the measured gain is large, two recordings' noise is no
change, and the gate for CI closes in one direction only. Argument: the program."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data/defects")
CLEAR = 0.12  # of a step, as measured without a profiler: a trace of two steps must show it


def diff(program, base, new, *flags):
    done = subprocess.run([program, "diff", "--json", *flags, base, new], capture_output=True, text=True)
    assert done.returncode in (0, 3), done.stderr
    return done.returncode, json.loads(done.stdout)


def check_sums(report):
    """The rows of each table add up to the difference of all device time."""
    total = {key: sum(row["difference_ns"] for row in report[key]) for key in ("classes", "operators", "kernels")}
    rows = max(len(report[key]) for key in total)
    assert max(total.values()) - min(total.values()) <= rows, total  # each row is rounded to a nanosecond


def check_parts(report):
    """A step is the sum of its parts."""
    rows = {row["name"]: row for row in report["step"]}
    parts = [row for name, row in rows.items() if name not in ("step", "GPU busy")]
    assert abs(sum(row["new_ns"] for row in parts) - rows["step"]["new_ns"]) <= len(parts), report["step"]


def main(program):
    pairs = 0
    for path in sorted(glob.glob(f"{DATA}/*.truth.json")):
        truth = json.load(open(path))
        bad, fixed = (f"{DATA}/{truth['case']}.{kind}.pt.trace.json.gz" for kind in ("bad", "fixed"))
        code, report = diff(program, bad, fixed, "--fail-on", "5%", "--all", "--limit", "1000000")
        assert code == 0, f"{truth['case']}: the gate closed on a faster program"
        check_sums(report)
        check_parts(report)
        if truth["saving_fraction"] < CLEAR:
            continue
        assert report["step"][0]["change"] == "faster", (truth["case"], report["step"])
        code, report = diff(program, fixed, bad, "--fail-on", "5%")
        assert code == 3 and report["step"][0]["change"] == "slower", (truth["case"], report["step"])
        pairs += 1
    memory = f"{os.path.dirname(DATA)}/traces/gpt2_train_stack.pt.trace.json.gz"
    code, _ = diff(program, memory, memory, "--fail-on", "memory=10%")
    assert code == 0
    more = subprocess.run(["zcat", memory], capture_output=True, check=True).stdout
    grown = re.sub(rb'"Total Allocated": (\d+)', lambda found: b'"Total Allocated": %d' % (int(found[1]) * 5 // 4), more)
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(grown)
        file.flush()
        code, _ = diff(program, memory, file.name, "--fail-on", "memory=10%")
    assert code == 3, "the peak is a quarter higher"
    code, report = diff(program, bad, bad, "--fail-on", "0%")
    assert code == 0 and report["step"][0]["change"] == "same"
    print(f"{pairs} pairs with a clear gain")


if __name__ == "__main__":
    main(*sys.argv[1:])
