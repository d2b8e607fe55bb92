#!/usr/bin/env python3
"""Planted defects: kernels of tests/data/checks/*.cu, each launched under every check as the comments above it say.

A line that begins with //@ is a launch: NAME[<ARGUMENTS>] KEY=VALUE... : IDS, where IDS are what the checks report, or
`clean`. Kernels take (int* x, int* y, int n): two buffers of n elements and n. Keys: grid, block, shared, cluster, n
(256), dtype (i32), y=none for a y that nobody has written, coop for a cooperative launch, stops when the launch ends at
the defect. Lines at fault end in //!: a report must name such a line, and a race no other line on either side. Without
a CUDA compiler the test is skipped. Arguments: the program [FILE[:KERNEL]].
"""
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parent / "data" / "checks"
KEYS = {"grid": 1, "block": 32, "shared": 0, "cluster": 1, "n": 256, "dtype": "i32", "y": "zeros", "coop": "", "stops": "",
        "schedule": ""}


class Launch:
    def __init__(self, line, number):
        head, _, expected = line[3:].rpartition(" : ")
        name = re.match(r"\s*(\w+(<[^>]*>)?)\s*(.*)$", head)
        self.kernel, self.line, self.expected = name[1], number, sorted(expected.split())
        given = dict(item.partition("=")[::2] for item in name[3].split())
        assert not set(given) - set(KEYS), f"line {number}: {set(given) - set(KEYS)}"
        self.keys = {key: type(KEYS[key])(given.get(key, KEYS[key])) for key in KEYS}
        self.alone = "stops" in given
        self.cooperative = "coop" in given


def read(path):
    """The launches of a file, and its lines at fault by kernel."""
    launches, marked, kernel = [], {}, None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("//@"):
            launches.append(Launch(line, number))
        found = re.search(r"__global__ void (?:__\w+__\(.*?\) )?(\w+)\(", line)
        kernel = found[1] if found else kernel
        if line.endswith("//!"):
            marked.setdefault(kernel, set()).add(number)
    return launches, marked


def describe(path, launches):
    buffers, entries = {}, []
    for i, launch in enumerate(launches):
        keys = launch.keys
        buffers[f"x{i}"] = {"dtype": keys["dtype"], "count": keys["n"], "fill": "arange"}
        if keys["dtype"] == "i8":
            buffers[f"x{i}"]["fill"] = "ones"
        buffers[f"y{i}"] = {"dtype": keys["dtype"], "count": keys["n"],
                            "fill": "uninitialised" if keys["y"] == "none" else "zeros"}
        entries.append({"kernel": launch.kernel, "grid": [keys["grid"]], "block": [keys["block"]], "cluster": [keys["cluster"]],
                        "shared_bytes": keys["shared"], "cooperative": launch.cooperative,
                        "args": [{"buffer": f"x{i}"}, {"buffer": f"y{i}"}, {"i32": keys["n"]}]})
    return {"source": str(path), "arch": "sm_90a", "options": ["-std=c++17"], "buffers": buffers, "launches": entries}


def run(program, path, launches, work):
    (work / "launch.json").write_text(json.dumps(describe(path, launches)))
    command = [program, "kernel", "launch.json", "--emulate", "--check", "all", "--format", "json", "--timeout", "20s"]
    if launches[0].keys["schedule"]:
        command += ["--schedule", launches[0].keys["schedule"]]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    if "CUDA compiler" in done.stderr and not done.stdout:
        print("skipped: " + done.stderr.strip())
        sys.exit(77)
    assert done.stdout, f"{path.name}: {done.stderr}"
    return json.loads(done.stdout)["launches"], done.stderr


def judge(launch, result, marked):
    """The mistakes in the reports of one launch, or nothing."""
    found = sorted({report["id"] for report in result["reports"]})
    texts = "".join(f"\n    {r['id']} at {r['where']['line']}{' and ' + str(r['other']['line']) if 'other' in r else ''}: {r['message']}"
                    for r in result["reports"])
    if "fault" in result and result["fault"] and not launch.alone:
        return f"stopped: {result['fault']['message']}{texts}"
    if launch.expected == ["clean"]:
        return f"should be clean{texts}" if found else None
    if found != launch.expected:
        return f"expected {' '.join(launch.expected)}, found {' '.join(found) or 'nothing'}{texts}"
    for report in result["reports"]:
        lines = [report["where"]["line"]] + ([report["other"]["line"]] if "other" in report else [])
        if not set(lines) <= marked:
            return f"names lines {lines}, at fault are {sorted(marked)}{texts}"
    return None


def check_file(program, path, kernel=None):
    launches, marked = read(path)
    launches = [x for x in launches if kernel is None or x.kernel.partition("<")[0] == kernel]
    together = [x for x in launches if not x.alone and not x.keys["schedule"]]
    groups = ([together] if together else []) + [[x] for x in launches if x not in together]
    wrong, counts = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for group in groups:
            results, errors = run(program, path, group, pathlib.Path(folder))
            for i, launch in enumerate(group):
                if i >= len(results):
                    wrong.append(f"{path.name}:{launch.line} {launch.kernel}: did not run: {errors}")
                    break
                problem = judge(launch, results[i], marked.get(launch.kernel.partition("<")[0], set()))
                if problem:
                    wrong.append(f"{path.name}:{launch.line} {launch.kernel}: {problem}")
                for name in launch.expected:
                    counts[name] = counts.get(name, 0) + 1
    return wrong, counts


def check_seeds(program):
    """A seed stands for one order: the same results again, and not those of every other seed."""
    path = DATA / "schedules.cu"
    description = describe(path, [x for x in read(path)[0] if x.kernel == "order_of_tickets"])
    description["save"] = {"y0": "y.npy"}
    results = {}
    for schedule in ("in-order", "random:1", "random:2", "random:1", "reversed"):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            (work / "launch.json").write_text(json.dumps(description))
            subprocess.run([program, "kernel", "launch.json", "--emulate", "--schedule", schedule], cwd=work,
                           capture_output=True, check=True)
            order = struct.unpack("<8i", (work / "y.npy").read_bytes()[128:160])
        assert results.setdefault(schedule, order) == order, f"{schedule}: {order} and {results[schedule]}"
    assert results["in-order"] == tuple(range(1, 9)) and results["reversed"] == tuple(range(8, 0, -1)), results
    assert len(set(results.values())) == 4 and sorted(results["random:1"]) == list(range(1, 9)), results


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    name, _, kernel = sys.argv[2].partition(":") if len(sys.argv) > 2 else ("", "", "")
    wrong, total = [], {}
    for path in sorted(DATA.glob(f"{name or '*'}.cu")):
        problems, counts = check_file(program, path, kernel or None)
        wrong += problems
        for key, count in counts.items():
            total[key] = total.get(key, 0) + count
    print(", ".join(f"{count} {key}" for key, count in sorted(total.items())))
    assert not wrong, f"{len(wrong)} launches:\n" + "\n".join(wrong)
    if not name:
        check_seeds(program)
        few = {key: count for key, count in total.items() if count < (40 if key == "clean" else 20)}
        assert not few, f"too few launches: {few}"


main()
