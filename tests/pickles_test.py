#!/usr/bin/env python3
"""Memory snapshots and flight-recorder dumps, written as PyTorch writes them: pickles_test.py PROGRAM

Every protocol gives the same report; cut and flipped files give an error and no crash; pickles that run code run nothing.
"""
import gzip
import json
import os
import pathlib
import pickle
import random
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

MIB = 1 << 20


def frames(*places):
    return [{"filename": file, "line": line, "name": name} for file, line, name in places]


def snapshot():
    """Twelve steps of a training loop that keeps its losses with their graphs, and an allocation that fails in the end."""
    work = frames(("/v/site-packages/torch/nn/modules/linear.py", 125, "forward"), ("train.py", 30, "step"), ("train.py", 50, "main"))
    kept = frames(("train.py", 33, "log"), ("train.py", 51, "main"))
    trace, live = [], []
    for step in range(12):
        blocks = [(step * 100 + i + 1) * MIB for i in range(8)]
        trace += [{"action": "alloc", "addr": addr, "size": MIB, "stream": 0, "time_us": step, "frames": work} for addr in blocks]
        live.append((10_000 + step) * MIB)
        trace.append({"action": "alloc", "addr": live[-1], "size": MIB // 2, "stream": 0, "time_us": step, "frames": kept})
        for addr in blocks:
            trace += [{"action": action, "addr": addr, "size": MIB, "stream": 0, "time_us": step, "frames": work} for action in ("free_requested", "free_completed")]
    trace.append({"action": "oom", "addr": 0, "size": 64 * MIB, "stream": 0, "device_free": 1000, "frames": work})
    segments = [{"device": 0, "address": addr, "total_size": 2 * MIB, "stream": 0, "segment_type": "small", "is_expandable": False,
                 "blocks": [{"address": addr, "size": MIB // 2, "requested_size": MIB // 2, "state": "active_allocated", "frames": kept},
                            {"address": addr + MIB // 2, "size": 3 * MIB // 2, "requested_size": 0, "state": "inactive", "frames": []}]} for addr in live]
    return {"segments": segments, "device_traces": [trace], "allocator_settings": {"expandable_segments": False}, "external_annotations": []}


def dump(rank, last):
    """A rank whose last collective is number `last` of five."""
    entries = [{"record_id": n, "pg_id": 0, "process_group": ("0", "default_pg"), "collective_seq_id": n, "p2p_seq_id": 0, "op_id": n,
                "profiling_name": "nccl:all_reduce", "time_created_ns": 1000 * n + rank, "input_sizes": [[1024, 8]], "input_dtypes": ["Float"],
                "output_sizes": [[1024, 8]], "output_dtypes": ["Float"], "state": "completed" if n < 5 else "started", "is_p2p": False,
                "timeout_ms": 600000, "retired": n < 5, "frames": frames(("train.py", 40 + n, "sync"))} for n in range(1, last + 1)]
    return {"version": "2.4", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2]"}}, "pg_status": {}, "entries": entries}


class Runs:
    """A hostile pickle, which would write a file when it is opened."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.system, (f"touch {self.mark}",)


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 1, 2), (arguments, done.returncode, done.stderr)
    return done


def check_snapshots(program, folder):
    path, reports = folder / "snapshot.pickle", []
    for protocol in range(6):
        path.write_bytes(pickle.dumps(snapshot(), protocol))
        done = run(program, "memory", path, "--json")
        assert done.returncode == 0, (protocol, done.stderr)
        reports.append(json.loads(done.stdout))
    # Torch writes a list of frames for each event, and files may be compressed.
    apart = snapshot()
    for event in apart["device_traces"][0]:
        event["frames"] = [dict(frame) for frame in event["frames"]]
    path.write_bytes(gzip.compress(pickle.dumps(apart, 4)))
    reports.append(json.loads(run(program, "memory", path, "--json").stdout))
    assert all(report == reports[0] for report in reports)
    device = reports[0]["devices"][0]
    assert device["peak_bytes"] == 8 * MIB + 12 * MIB // 2 and device["reserved_bytes"] == 24 * MIB and device["allocated_bytes"] == 6 * MIB, device
    assert sum(owner["bytes"] for owner in device["owners"]) == device["peak_bytes"]
    assert {owner["place"]: owner["category"] for owner in device["owners"]} == {"train.py:30 step": "activations", "train.py:33 log": "other"}
    assert [f["id"] for f in reports[0]["findings"]] == ["out-of-memory", "memory-leak", "fragmentation"], reports[0]["findings"]
    assert reports[0]["findings"][1]["where"] == ["train.py:33 log"]


def check_gate(program, folder):
    path, written = folder / "snapshot.pickle", folder / "judged.xml"
    path.write_bytes(pickle.dumps(snapshot(), 4))
    for limit, code, failures in (("10MiB", 3, "1"), ("1GiB", 0, "0")):
        done = subprocess.run([program, "memory", path, "--fail-on", limit, "--junit", written, "--force"], capture_output=True, text=True, timeout=60)
        assert done.returncode == code, done
        suites = xml.etree.ElementTree.parse(written).getroot()
        assert (suites.get("tests"), suites.get("failures")) == ("1", failures), suites.attrib


def check_damage(program, folder):
    whole, path, draw = pickle.dumps(snapshot(), 4), folder / "damaged.pickle", random.Random(3)
    for size in (0, 1, 2, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        done = run(program, "memory", path)
        assert done.returncode == 1 and "Traceback" not in done.stderr and done.stderr, (size, done)
    for _ in range(60):
        flipped = bytearray(whole)
        for _ in range(draw.randrange(1, 4)):
            flipped[draw.randrange(len(flipped))] = draw.randrange(256)
        path.write_bytes(flipped)
        run(program, "memory", path, "--json")


def check_nothing_runs(program, folder):
    mark, path = folder / "was-run", folder / "rank_0"
    for protocol in range(6):
        for value in (Runs(mark), {"segments": [Runs(mark)]}, {"entries": Runs(mark)}, {"segments": [], "device_traces": {1: {Runs(mark)}}}):
            path.write_bytes(pickle.dumps(value, protocol))
            for verb in ("memory", "hang"):
                done = run(program, verb, path)
                assert done.returncode == 1 and "refused" in done.stderr and "system" in done.stderr, (protocol, verb, done)
    assert not mark.exists()
    for value in (object(), 3 + 4j, range(3), pathlib.PurePosixPath("/x")):
        path.write_bytes(pickle.dumps({"entries": [value]}))
        assert "refused" in run(program, "hang", path).stderr


def check_hangs(program, folder):
    dumps = folder / "dumps"
    dumps.mkdir()
    for rank, last in enumerate((5, 3, 5)):
        (dumps / f"nccl_trace_rank_{rank}").write_bytes(pickle.dumps(dump(rank, last), 2) if rank else json.dumps(dump(rank, last)).encode())
    report = json.loads(run(program, "hang", dumps, "--json").stdout)
    assert report["culprits"] == [1] and [h["sequence"] for h in report["hangs"]] == [5] and report["hangs"][0]["missing"] == [1]
    missing = report["hangs"][0]["ranks"][1]
    assert missing["last"] == "nccl:all_reduce number 3 of group 0" and missing["last_place"] == "train.py:43 sync" and missing["waits_elsewhere"] is False
    text = run(program, "hang", dumps).stdout
    assert "rank 1 did not arrive" in text and "called at train.py:45 sync" in text, text


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        check_snapshots(program, folder)
        check_gate(program, folder)
        check_damage(program, folder)
        check_nothing_runs(program, folder)
        check_hangs(program, folder)


if __name__ == "__main__":
    main(sys.argv[1])
