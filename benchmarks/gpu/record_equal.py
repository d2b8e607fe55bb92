"""Compares a recording with torch.profiler's trace of the same program.

    python3 record_equal.py WARPLENS [WORKLOAD [together]]

Both profile the same steps: torch.profiler from inside, `warplens record --torch-shapes` within the range that marks them. By default each has a
process of its own; with `together` both watch one process, so that each kernel, and its time, must be the same one.
"""
import collections
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def device_events(chrome):
    """name -> the durations in us, in the order of their starts."""
    events = [e for e in json.loads(pathlib.Path(chrome).read_text())["traceEvents"] if e.get("ph") == "X"]
    durations = collections.defaultdict(list)
    for event in sorted((e for e in events if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")), key=lambda e: e["ts"]):
        durations[event["name"].removeprefix("void ")].append(event["dur"])
    return durations


def compare_device_events(theirs, ours):
    count, total = (lambda d: sum(map(len, d.values()))), lambda d: sum(map(sum, d.values()))
    print(f"device events: torch.profiler {count(theirs)}, recorded {count(ours)}")
    print(f"device time: torch.profiler {total(theirs):.0f} us, recorded {total(ours):.0f} us ({total(ours) / total(theirs) - 1:+.2%})")
    for kernel in sorted(set(theirs) | set(ours)):
        if len(theirs[kernel]) != len(ours[kernel]):
            print(f"  differs: {len(theirs[kernel])} {len(ours[kernel])} {kernel[:120]}")
    pairs = [(a, b) for name in theirs if len(theirs[name]) == len(ours[name]) for a, b in zip(theirs[name], ours[name])]
    same = sum(abs(a - b) < 0.0015 for a, b in pairs)
    medians = sorted(statistics.median(ours[name]) / statistics.median(theirs[name]) - 1 for name in theirs if len(theirs[name]) == len(ours[name]))
    print(f"of {len(pairs)} pairs {same} have the same duration to the nanosecond; medians by name differ by {statistics.median(map(abs, medians)):.2%} "
          f"in the median, {medians[0]:+.1%} to {medians[-1]:+.1%}")


def findings(warplens, profile):
    out = subprocess.run([warplens, "findings", "--json", str(profile)], capture_output=True, text=True)
    report = json.loads(out.stdout) if out.stdout else {"findings": [], "step_ns": 0}
    told = ", ".join(f'{f["id"]} {f["saving_fraction"] or 0:.3f}' for f in report["findings"] if not f.get("minor"))
    return f'step {report["step_ns"] / 1e3:.0f} us: {told}'


def operators(warplens, profile):
    out = subprocess.run([warplens, "ops", str(profile), "--by-shape", "--json"], capture_output=True, text=True, check=True).stdout
    return json.loads(out)


def main():
    warplens, workload, together = sys.argv[1], *(sys.argv[2:] + ["gpt2", ""][len(sys.argv) - 2:])[:2]
    program = [sys.executable, str(HERE / "record_workloads.py"), workload, "--steps", "5"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        torch_trace, recording, exported = folder / "torch.json", folder / "run.wlens", folder / "run.json"
        profiled = [*program, "--profiler", "torch-shapes", "--trace", str(torch_trace)]
        if not together:
            subprocess.run(profiled, check=True)
        subprocess.run([warplens, "record", "--torch-shapes", "--quiet", "--capture-range", "measured", "-o", str(recording), "--",
                        *(profiled if together else program)], check=True)
        subprocess.run([warplens, "export", "-t", "chrome", "-o", str(exported), str(recording)], check=True)
        compare_device_events(device_events(torch_trace), device_events(exported))
        rows = [{f'{row["name"]} {row["input_shapes"]}': row["count"] for row in operators(warplens, p)["rows"] if row["device_type"] == "CPU"}
                for p in (torch_trace, recording)]
        same = sum(rows[0][name] == rows[1].get(name) for name in rows[0])
        print(f"operators by shapes: {len(rows[0])} in torch.profiler's trace, {same} with the same calls in the recording")
        for operator in sorted(o for o in set(rows[0]) | set(rows[1]) if rows[0].get(o) != rows[1].get(o))[:10]:
            print(f"  differs: {rows[0].get(operator)} {rows[1].get(operator)} {operator}")
        for who, file in (("torch.profiler's trace", torch_trace), ("recording", recording)):
            print(f"findings of the {who}: {findings(warplens, file)}")


if __name__ == "__main__":
    main()
