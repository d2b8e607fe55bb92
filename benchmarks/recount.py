#!/usr/bin/env python3
"""Counts files of other profilers again, each by its own short reader, and compares the sums with warplens' reading.

    recount.py PROGRAM FILE_OR_FOLDER...

Nsight Systems' SQLite and rocpd by plain SQL, `.ncu-rep` by a Protocol Buffers reader, PyTorch's traces by their JSON, and memory snapshots by
a replay of their events. Exits with 1 if a number differs.
"""
import argparse
import decimal
import gzip
import json
import math
import pathlib
import pickle
import sqlite3
import struct
import subprocess
import sys

MACHINE = ("device__", "nvlink__", "numa__", "c2clink__", "profiler__")  # metrics that ncu keeps of the machine
COPIES, SETS = "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"
KERNELS, GRAPHS = "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"


class Differs(Exception):
    pass


def ask(program, *arguments):
    done = subprocess.run([program, *map(str, arguments), "--json"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Differs(done.stderr.strip()[:200])
    return json.loads(done.stdout)


def query(program, path, sql):
    return [tuple(row.values()) for row in ask(program, "query", path, sql)["rows"]]


def same(what, theirs, ours):
    if theirs != ours:
        raise Differs(f"{what}: the file has {str(theirs)[:150]}, warplens {str(ours)[:150]}")


BY_KIND = "select kind, count(*), sum(duration_ns) from device_events where kind != 'range' group by 1 order by 1"
BY_STREAM = ("select d.ordinal, e.stream, count(*), sum(l.grid_x * l.grid_y * l.grid_z), sum(l.block_x * l.block_y * l.block_z), "
             "sum(l.registers_per_thread), sum(l.shared_bytes) from device_events e join devices d on d.row = e.device "
             "join launch_configs l on l.row = e.launch_config where e.kind = 'kernel' group by 1, 2 order by 1, 2")


def nsys(program, path, database, tables):
    kinds = {"copy": COPIES, "graph": GRAPHS, "kernel": KERNELS, "set": SETS}
    sums = [(kind, *database.execute(f"select count(*), sum(end - start) from {table}").fetchone())
            for kind, table in kinds.items() if table in tables]
    sums = [row for row in sums if row[1]]
    same("device work", sums, query(program, path, BY_KIND))
    if KERNELS in tables:
        rows = database.execute(f"""select deviceId, streamId, count(*), sum(gridX * gridY * gridZ), sum(blockX * blockY * blockZ),
            sum(registersPerThread), sum(staticSharedMemory + dynamicSharedMemory) from {KERNELS} group by 1, 2 order by 1, 2""").fetchall()
        same("kernels by device and stream", rows, query(program, path, BY_STREAM))
    calls = sum(database.execute(f"select count(*) from {table}").fetchone()[0]
                for table in ("CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_DRIVER") if table in tables)
    same("calls", [(calls,)], query(program, path, "select count(*) from calls"))
    return f"{calls} calls, " + ", ".join(f"{count} {kind}" for kind, count, _ in sums)


def rocpd(program, path, database, tables):
    def sums(table):
        names = [name for name in tables if name.startswith(table)]
        rows = [database.execute(f'select count(*), coalesce(sum("end" - start), 0) from "{name}"').fetchone() for name in names]
        return sum(row[0] for row in rows), sum(row[1] for row in rows)

    rows = [("copy", *sums("rocpd_memory_copy")), ("kernel", *sums("rocpd_kernel_dispatch"))]
    rows = [row for row in rows if row[1]]
    same("device work", rows, query(program, path, BY_KIND))
    return ", ".join(f"{count} {kind}" for kind, count, _ in rows)


def of_sqlite(program, path):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        tables = {row[0] for row in database.execute("select name from sqlite_master where type = 'table'")}
        if "StringIds" in tables:
            return nsys(program, path, database, tables)
        return rocpd(program, path, database, tables) if any(name.startswith("rocpd_kernel_dispatch") for name in tables) else None


def varint(data, at):
    out = shift = 0
    while True:
        byte = data[at]
        at += 1
        out |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return out, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(key & 7)
            if size is None:
                size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        yield key >> 3, value


def number(data):
    out = None
    for field, value in fields(data):
        out = struct.unpack("<f", value)[0] if field == 2 else struct.unpack("<d", value)[0] if field == 3 else None if field == 1 else value
    return out


def launches(data):
    """Of each launch its metrics that are numbers; a later pass wins."""
    at, strings = 4, []

    def message():
        nonlocal at
        size = struct.unpack_from("<I", data, at)[0]
        at += 4 + size
        return data[at - size:at]

    message()
    while at < len(data):
        header = dict.fromkeys((1, 2, 5), 0)
        for field, value in fields(message()):
            header[field] = value
            if field == 4:
                strings += [text.decode() for _, text in fields(value)]
        end = at + header[5]
        for _ in range(header[1]):
            message()
        for _ in range(header[2]):
            metrics = {}
            for field, value in fields(message()):
                if field == 13:
                    parts = dict((name, part) for name, part in fields(value) if name < 3)
                    metrics[strings[parts[1]]] = number(parts.get(2, b""))
            yield {name: value for name, value in metrics.items()
                   if isinstance(value, (int, float)) and math.isfinite(value) and not name.startswith(MACHINE) and ".Triage" not in name}
        at = end


def of_ncu(program, path):
    theirs, ours = list(launches(path.read_bytes())), ask(program, "kernel", path)["launches"]
    same("launches", len(theirs), len(ours))
    count = 0
    for expected, launch in zip(theirs, ours):
        if "skipped" in launch:
            continue
        values = {name: metric["value"] if isinstance(metric, dict) else metric for name, metric in launch["metrics"].items()}
        for name, value in expected.items():
            same(name, True, name in values and math.isclose(value, values[name] or 0, rel_tol=1e-12))
            count += 1
    return f"{len(theirs)} launches, {count} numbers"


class Plain(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name}: only plain data is read")


def of_snapshot(program, path):
    with open(path, "rb") as file:
        snapshot = Plain(file).load()
    if not isinstance(snapshot, dict) or "segments" not in snapshot:
        return None
    reports = ask(program, "memory", path)["devices"]
    for report in reports:
        live, reserved = {}, 0
        for segment in snapshot["segments"]:
            if segment["device"] != report["device"]:
                continue
            reserved += segment["total_size"]
            address = segment["address"]
            for block in segment["blocks"]:
                if block["state"].startswith("active"):
                    live[block.get("address", address)] = block["size"]
                address += block["size"]
        now = peak = allocated = sum(live.values())
        traces = snapshot.get("device_traces", [])
        for event in reversed(traces[report["device"]] if report["device"] < len(traces) else []):
            rounded = -(-max(event["size"], 1) // 512) * 512
            if event["action"] == "alloc":
                now -= live.pop(event["addr"], rounded)
            elif event["action"] == "free_completed":
                live[event["addr"]] = rounded
                now += rounded
            peak = max(peak, now)
        same("reserved, allocated, peak", (reserved, allocated, peak), tuple(report[f"{name}_bytes"] for name in ("reserved", "allocated", "peak")))
    return f"{len(reports)} devices"


def of_json(program, path):
    data = path.read_bytes()
    trace = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data, parse_float=decimal.Decimal)
    sums = {}
    for event in trace["traceEvents"] if isinstance(trace, dict) else trace:
        if event.get("ph") == "X":
            count, total = sums.get(event.get("cat"), (0, 0))
            sums[event.get("cat")] = count + 1, total + int(decimal.Decimal(str(event.get("dur", 0))) * 1000)
    wanted = [(kind, *sums[cat]) for kind, cat in (("copy", "gpu_memcpy"), ("kernel", "kernel"), ("set", "gpu_memset")) if cat in sums]
    if "cpu_op" not in sums and not wanted:
        return None
    same("device work", wanted, query(program, path, BY_KIND))
    if "cpu_op" in sums:
        same("operators", [sums["cpu_op"]], query(program, path, "select count(*), sum(duration_ns) from operators where kind = 'operator'"))
    return f"{sums.get('cpu_op', (0,))[0]} operators, " + ", ".join(f"{count} {kind}" for kind, count, _ in wanted)


READERS = {".sqlite": of_sqlite, ".db": of_sqlite, ".ncu-rep": of_ncu, ".pickle": of_snapshot, ".json": of_json, ".gz": of_json}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    given = parser.parse_args()
    files = [file for path in given.paths for file in ([path] if path.is_file() else sorted(path.rglob("*"))) if file.suffix in READERS]
    equal = differ = 0
    for file in files:
        try:
            told = READERS[file.suffix](given.program, file)
            equal += told is not None
            print(f"{'equal' if told is not None else 'other'}  {file}: {told or 'not a file of these profilers'}")
        except (Differs, KeyError, ValueError, IndexError, struct.error, pickle.UnpicklingError, sqlite3.Error) as error:
            differ += 1
            print(f"differs  {file}: {type(error).__name__}: {error}")
    print(f"{equal} files are equal, {differ} differ")
    return differ > 0


if __name__ == "__main__":
    sys.exit(main())
