"""Writes what `nsys export --type sqlite` writes, of the program that a trace of torch.profiler shows.

Usage: nsys_export.py TRACE.json[.gz] OUT.sqlite [2021|2026]
The columns are those that NVIDIA documents for the two schemas ("SQLite Schema Reference" of the Nsight Systems user guide).
"""
import decimal
import gzip
import json
import re
import sqlite3
import sys

PROCESS = 4711
COMMON = "start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, globalPid INT"
KERNEL = ("demangledName INT, shortName INT, registersPerThread INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, "
          "blockZ INT, staticSharedMemory INT, dynamicSharedMemory INT, localMemoryPerThread INT, localMemoryTotal INT, gridId INT, "
          "graphNodeId INT")
NVTX = ("start INT, end INT, eventType INT, rangeId INT, category INT, color INT, text TEXT, globalTid INT, endGlobalTid INT, "
        "textId INT, domainId INT, uint64Value INT, int64Value INT, doubleValue REAL, uint32Value INT, int32Value INT, "
        "floatValue REAL, jsonTextId INT, jsonText TEXT")
TABLES = {
    "2021": {
        "StringIds": "id INTEGER PRIMARY KEY, value TEXT",
        "CUPTI_ACTIVITY_KIND_KERNEL": f"{COMMON}, {KERNEL}",
        "CUPTI_ACTIVITY_KIND_MEMCPY": f"{COMMON}, bytes INT, copyKind INT, srcKind INT, dstKind INT, graphNodeId INT",
        "CUPTI_ACTIVITY_KIND_MEMSET": f"{COMMON}, value INT, bytes INT, graphNodeId INT, memKind INT",
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": f"{COMMON}, syncType INT, eventId INT",
        "CUPTI_ACTIVITY_KIND_RUNTIME": "start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT, returnValue INT",
        "NVTX_EVENTS": NVTX,
        "TARGET_INFO_CUDA_GPU": "name TEXT, globalMemorySize INT, numThreadsPerWarp INT, numMultiprocessors INT, "
                                "maxWarpsPerMultiprocessor INT, computeCapabilityMajor INT, computeCapabilityMinor INT, deviceId INT, "
                                "maxSharedMemoryPerMultiprocessor INT, maxRegistersPerMultiprocessor INT",
    },
}
OVERHEADS = ["", "", "Driver Compiler", "Buffer Flush", "Instrumentation", "Resource", "Runtime Triggered Module Loading",
             "Lazy Function Loading", "Command Buffer Full", "Activity Buffer Request"]
TABLES["2021"]["PROFILER_OVERHEAD"] = "start INT, end INT, globalTid INT, nameId INT, returnValue INT"
TABLES["2026"] = dict(TABLES["2021"])
del TABLES["2026"]["PROFILER_OVERHEAD"]
del TABLES["2026"]["TARGET_INFO_CUDA_GPU"]
TABLES["2026"].update({
    "CUPTI_ACTIVITY_KIND_KERNEL": f"{COMMON}, greenContextId INT, {KERNEL}, mangledName INT, graphId INT, clusterX INT",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": f"{COMMON}, syncType INT, eventId INT, eventSyncId INT",
    "CUPTI_ACTIVITY_KIND_OVERHEAD": "start INT, end INT, eventClass INT, globalTid INT, nameId INT, overheadType INT",
    "TARGET_INFO_SESSION_START_TIME": "utcEpochNs INT, utcTime TEXT, localTime TEXT, systemClockNs INT",
    "TARGET_INFO_GPU": "id INT, name TEXT, totalMemory INT, smCount INT, cuDevice INT, maxShmemPerSm INT, maxRegistersPerSm INT, "
                       "threadsPerWarp INT, maxWarpsPerSm INT, computeMajor INT, computeMinor INT",
    "META_DATA_EXPORT": "name TEXT, value TEXT",
})
COPIES = ["", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"]
MEMORIES = ["Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static", "Unknown"]
SYNCS = ["", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"]


def nanoseconds(microseconds):
    return int(decimal.Decimal(str(microseconds)) * 1000)


class Database:
    def __init__(self, path, schema):
        self.connection = sqlite3.connect(path)
        self.tables = TABLES[schema]
        self.strings = {}
        for table, columns in self.tables.items():
            self.connection.execute(f"CREATE TABLE {table} ({columns})")

    def string(self, text):
        if text not in self.strings:
            self.strings[text] = len(self.strings) + 1
            self.add("StringIds", id=self.strings[text], value=text)
        return self.strings[text]

    def add(self, table, **row):
        columns = [column.split()[0] for column in self.tables[table].split(", ")]
        kept = {column: value for column, value in row.items() if column in columns}
        names, marks = ", ".join(f'"{column}"' for column in kept), ", ".join("?" * len(kept))
        self.connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(kept.values()))


def device_row(event, base_ns):
    args = event["args"]
    start_ns = nanoseconds(event["ts"]) - base_ns
    return {"start": start_ns, "end": start_ns + nanoseconds(event["dur"]), "deviceId": args["device"], "contextId": args["context"],
            "streamId": args["stream"] & 0xFFFFFFFF, "correlationId": args["correlation"], "globalPid": 1 << 48 | PROCESS << 24,
            "graphNodeId": args.get("graph id", 0) << 32 | args.get("graph node id", 0) or None}


def add_overhead(database, event, base_ns, thread):
    start_ns = nanoseconds(event["ts"]) - base_ns
    row = {"start": start_ns, "end": start_ns + nanoseconds(event["dur"]), "globalTid": 1 << 48 | PROCESS << 24 | thread & 0xFFFFFF}
    if "PROFILER_OVERHEAD" in database.tables:
        database.add("PROFILER_OVERHEAD", **row, nameId=database.string(event["name"]))
    else:
        database.add("CUPTI_ACTIVITY_KIND_OVERHEAD", **row, overheadType=OVERHEADS.index(event["name"]))


def add_event(database, event, base_ns):
    category, args = event.get("cat"), event.get("args", {})
    if category == "kernel":
        names = database.string(event["name"])
        grid, block = args.get("grid", [0] * 3), args.get("block", [0] * 3)
        database.add("CUPTI_ACTIVITY_KIND_KERNEL", **device_row(event, base_ns), demangledName=names, shortName=names,
                     registersPerThread=args.get("registers per thread", 0), gridX=grid[0], gridY=grid[1], gridZ=grid[2],
                     blockX=block[0], blockY=block[1], blockZ=block[2], staticSharedMemory=args.get("shared memory", 0),
                     dynamicSharedMemory=0)
    elif category == "gpu_memcpy":
        kind, source, destination = re.fullmatch(r"Memcpy (\w+) \(([\w ]+) -> ([\w ]+)\)", event["name"]).groups()
        database.add("CUPTI_ACTIVITY_KIND_MEMCPY", **device_row(event, base_ns), bytes=args["bytes"], copyKind=COPIES.index(kind),
                     srcKind=MEMORIES.index(source), dstKind=MEMORIES.index(destination))
    elif category == "gpu_memset":
        memory = re.fullmatch(r"Memset \(([\w ]+)\)", event["name"]).group(1)
        database.add("CUPTI_ACTIVITY_KIND_MEMSET", **device_row(event, base_ns), bytes=args["bytes"], memKind=MEMORIES.index(memory))
    elif category == "cuda_sync":
        database.add("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", **device_row(event, base_ns), syncType=SYNCS.index(event["name"]),
                     eventId=args.get("wait_on_cuda_event_id", -1) & 0xFFFFFFFF)
    elif category in ("cuda_runtime", "cuda_driver", "cpu_op", "user_annotation"):
        start_ns = nanoseconds(event["ts"]) - base_ns
        host = {"start": start_ns, "end": start_ns + nanoseconds(event["dur"]),
                "globalTid": 1 << 48 | PROCESS << 24 | event["tid"] & 0xFFFFFF}
        if category.startswith("cuda"):
            runtime = category == "cuda_runtime"
            database.add("CUPTI_ACTIVITY_KIND_RUNTIME", **host, eventClass=0 if runtime else 1, correlationId=args["correlation"],
                         nameId=database.string(event["name"] + ("_v7000" if runtime else "")), returnValue=0)
        else:
            text = event["name"]
            if category == "cpu_op":  # as torch.autograd.profiler.emit_nvtx(record_shapes=True) writes it
                sequence = args.get("Sequence number", -1)
                text += f", seq = {sequence}" if sequence >= 0 else ""
                text += f", op_id = {args.get('Record function id', 1)}"
                text += f", sizes = {json.dumps(args['Input Dims'])}" if "Input Dims" in args else ""
            database.add("NVTX_EVENTS", **host, eventType=59, text=text, domainId=0)


def write(trace, path, schema="2026"):
    opened = gzip.open(trace, "rt") if str(trace).endswith(".gz") else open(trace)
    with opened as file:
        document = json.load(file, parse_float=decimal.Decimal)
    events = [event for event in document["traceEvents"] if event.get("ph") == "X" and isinstance(event.get("tid"), int)]
    shift_ns = document.get("baseTimeNanoseconds", 0)
    base_ns = min(nanoseconds(event["ts"]) for event in events)
    database = Database(path, schema)
    for number, device in enumerate(document.get("deviceProperties", [])):
        warps = device["maxThreadsPerMultiprocessor"] // device["warpSize"]
        if schema == "2021":
            database.add("TARGET_INFO_CUDA_GPU", name=device["name"], globalMemorySize=device["totalGlobalMem"],
                         numThreadsPerWarp=device["warpSize"], numMultiprocessors=device["numSms"], maxWarpsPerMultiprocessor=warps,
                         computeCapabilityMajor=device["computeMajor"], computeCapabilityMinor=device["computeMinor"], deviceId=number,
                         maxSharedMemoryPerMultiprocessor=device["sharedMemPerMultiprocessor"],
                         maxRegistersPerMultiprocessor=device["regsPerMultiprocessor"])
        else:
            database.add("TARGET_INFO_GPU", id=number, name=device["name"], totalMemory=device["totalGlobalMem"], smCount=device["numSms"],
                         cuDevice=number, maxShmemPerSm=device["sharedMemPerMultiprocessor"],
                         maxRegistersPerSm=device["regsPerMultiprocessor"], threadsPerWarp=device["warpSize"], maxWarpsPerSm=warps,
                         computeMajor=device["computeMajor"], computeMinor=device["computeMinor"])
    if schema != "2021":
        database.add("TARGET_INFO_SESSION_START_TIME", utcEpochNs=base_ns + shift_ns)
        database.add("META_DATA_EXPORT", name="EXPORT_SCHEMA_VERSION", value="3.25.0")
    thread = next((event["tid"] for event in events if event.get("cat") == "cuda_runtime"), 1)
    for event in events[::-1]:  # rows come in any order
        if event.get("cat") == "overhead":
            add_overhead(database, event, base_ns, thread)
        else:
            add_event(database, event, base_ns)
    database.connection.commit()
    database.connection.close()


if __name__ == "__main__":
    write(*sys.argv[1:])
