"""Whether a recording holds what torch.profiler's trace of the same program holds.

    python3 record_equal.py WARPLENS [WORKLOAD]

Both profile the same steps: torch.profiler from inside, `warplens record --torch-shapes` within the range that marks them.
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def device_events(chrome):
    counts, total = collections.Counter(), 0.0
    for event in json.loads(pathlib.Path(chrome).read_text())["traceEvents"]:
        if event.get("ph") == "X" and event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
            counts[event["name"].removeprefix("void ")] += 1
            total += event["dur"]
    return counts, total


def operators(warplens, profile):
    out = subprocess.run([warplens, "ops", str(profile), "--by-shape", "--json"], capture_output=True, text=True, check=True).stdout
    return json.loads(out)


def main():
    warplens, workload = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "gpt2"
    program = [sys.executable, str(HERE / "record_workloads.py"), workload, "--steps", "5"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        torch_trace, recording, exported = folder / "torch.json", folder / "run.wlens", folder / "run.json"
        subprocess.run([*program, "--profiler", "torch-shapes", "--trace", str(torch_trace)], check=True)
        subprocess.run([warplens, "record", "--torch-shapes", "--quiet", "--capture-range", "measured", "-o", str(recording), "--", *program],
                       check=True)
        subprocess.run([warplens, "export", "-t", "chrome", "-o", str(exported), str(recording)], check=True)
        theirs, their_us = device_events(torch_trace)
        ours, our_us = device_events(exported)
        print(f"device events: torch.profiler {sum(theirs.values())}, recorded {sum(ours.values())}")
        print(f"device time: torch.profiler {their_us:.0f} us, recorded {our_us:.0f} us ({our_us / their_us - 1:+.2%})")
        for kernel in sorted(set(theirs) | set(ours)):
            if theirs[kernel] != ours[kernel]:
                print(f"  differs: {theirs[kernel]} {ours[kernel]} {kernel[:120]}")
        rows = [{f'{row["name"]} {row["input_shapes"]}': row["count"] for row in operators(warplens, p)["rows"] if row["device_type"] == "CPU"} for p in (torch_trace, recording)]
        same = sum(rows[0][name] == rows[1].get(name) for name in rows[0])
        print(f"operators by shapes: {len(rows[0])} in torch.profiler's trace, {same} with the same calls in the recording")
        for operator in sorted(o for o in set(rows[0]) | set(rows[1]) if rows[0].get(o) != rows[1].get(o))[:40]:
            print(f"  differs: {rows[0].get(operator)} {rows[1].get(operator)} {operator}")


if __name__ == "__main__":
    main()
