#!/usr/bin/env python3
"""Files of rocprofv3 (rocpd, JSON, Perfetto) and Proton: made here by their writers' own schemas, read, and compared with what was
put in; cut off anywhere, each is read or refused in a sentence.

Usage: foreign_files_test.py PROGRAM
"""
import contextlib
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None
START = 1_700_000_000_000
KERNELS = [("gemm(float*)", 1000, 500, (2048, 1, 1), (256, 1, 1)), ("add", 1600, 40, (100, 3, 1), (64, 1, 1)), ("gemm(float*)", 1700, 480, (2048, 1, 1), (256, 1, 1))]


def run(*arguments, fails=False):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=120)
    if (done.returncode != 0) != fails:
        raise AssertionError(f"{arguments}: {done.returncode} {done.stderr}")
    return done.stderr if fails else done.stdout


def query(path, sql):
    return json.loads(run("query", path, sql, "--json"))["rows"]


def rocpd(path, suffix="_0193c1e2", extra=""):
    """The tables and columns of rocprofiler-sdk's schema 3 that hold what ran; one process."""
    tables = {
        "rocpd_string": "id INTEGER PRIMARY KEY, guid TEXT, string TEXT",
        "rocpd_info_process": "id INTEGER PRIMARY KEY, guid TEXT, nid INT, ppid INT, pid INT, command TEXT",
        "rocpd_info_thread": "id INTEGER PRIMARY KEY, guid TEXT, nid INT, ppid INT, pid INT, tid INT, name TEXT",
        "rocpd_info_agent": "id INTEGER PRIMARY KEY, guid TEXT, nid INT, pid INT, type TEXT, absolute_index INT, logical_index INT, type_index INT,"
                            " name TEXT, product_name TEXT, extdata TEXT",
        "rocpd_info_kernel_symbol": "id INTEGER PRIMARY KEY, guid TEXT, kernel_name TEXT, display_name TEXT, group_segment_size INT, arch_vgpr_count INT",
        "rocpd_event": "id INTEGER PRIMARY KEY, guid TEXT, category_id INT, stack_id INT, parent_stack_id INT, correlation_id INT",
        "rocpd_region": "id INTEGER PRIMARY KEY, guid TEXT, nid INT, pid INT, tid INT, start INT, end INT, name_id INT, event_id INT, extdata TEXT",
        "rocpd_kernel_dispatch": "id INTEGER PRIMARY KEY, guid TEXT, nid INT, pid INT, tid INT, agent_id INT, kernel_id INT, dispatch_id INT, queue_id INT,"
                                 " stream_id INT, start INT, end INT, private_segment_size INT, group_segment_size INT, workgroup_size_x INT,"
                                 " workgroup_size_y INT, workgroup_size_z INT, grid_size_x INT, grid_size_y INT, grid_size_z INT, event_id INT",
        "rocpd_memory_copy": "id INTEGER PRIMARY KEY, guid TEXT, nid INT, pid INT, tid INT, start INT, end INT, name_id INT, dst_agent_id INT,"
                             " src_agent_id INT, size INT, queue_id INT, stream_id INT, event_id INT",
        "rocpd_pmc_event": "id INTEGER PRIMARY KEY, guid TEXT, event_id INT, pmc_id INT, value REAL",
    }
    with sqlite3.connect(path) as database:
        for table, columns in tables.items():
            database.execute(f'CREATE TABLE "{table}{suffix}" ({columns})')
            database.execute(f'CREATE VIEW "{table}" AS SELECT * FROM "{table}{suffix}"')

        def put(table, **values):
            names = ", ".join(f'"{name}"' for name in values)
            database.execute(f'INSERT INTO "{table}{suffix}" ({names}) VALUES ({", ".join("?" * len(values))})', list(values.values()))

        for number, text in enumerate(("HIP_RUNTIME_API", "hipLaunchKernel", "MEMORY_COPY_HOST_TO_DEVICE", "MARKER_CORE_RANGE_API", "roctxRangePush"), 1):
            put("rocpd_string", id=number, string=text)
        put("rocpd_info_process", id=1, nid=1, pid=4711)
        put("rocpd_info_thread", id=1, nid=1, pid=1, tid=4712, name="main")
        put("rocpd_info_agent", id=1, pid=1, type="CPU", type_index=0, name="EPYC", extdata="{}")
        put("rocpd_info_agent", id=2, pid=1, type="GPU", type_index=0, name="gfx942", product_name="MI300X", extdata=json.dumps({"cu_count": 304, "wave_front_size": 64}))
        names = sorted({kernel[0] for kernel in KERNELS})
        for number, name in enumerate(names, 1):
            put("rocpd_info_kernel_symbol", id=number, display_name=name, arch_vgpr_count=32)
        for number, (name, start, duration, grid, group) in enumerate(KERNELS, 1):
            put("rocpd_event", id=number, category_id=1, stack_id=100 + number)
            put("rocpd_region", pid=1, tid=1, start=START + start - 300, end=START + start - 290, name_id=2, event_id=number, extdata="{}")
            put("rocpd_kernel_dispatch", pid=1, tid=1, agent_id=2, kernel_id=names.index(name) + 1, queue_id=1, stream_id=2, start=START + start,
                end=START + start + duration, group_segment_size=1024, workgroup_size_x=group[0], workgroup_size_y=group[1], workgroup_size_z=group[2],
                grid_size_x=grid[0], grid_size_y=grid[1], grid_size_z=grid[2], event_id=number)
        put("rocpd_memory_copy", pid=1, tid=1, start=START, end=START + 200, name_id=3, dst_agent_id=2, src_agent_id=1, size=4096, queue_id=1, stream_id=2)
        put("rocpd_event", id=50, category_id=4, stack_id=150)
        put("rocpd_region", pid=1, tid=1, start=START + 600, end=START + 2500, name_id=5, event_id=50, extdata=json.dumps({"message": "training step"}))
        put("rocpd_pmc_event", event_id=1, pmc_id=1, value=3.5)
        put("rocpd_region", pid=1, tid=1, start=START + 900, end=START + 800, name_id=2, event_id=1, extdata="{}")
        if extra:
            database.executescript(extra)
    return path


def rpd(path):
    """A file of rocmProfileData: calls, work and their sizes in tables of their own; hipLaunchKernel counts blocks, hipExtModuleLaunchKernel items."""
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.executescript("""
            create table rocpd_string (id integer primary key, string text);
            create table rocpd_api (id integer primary key, pid int, tid int, start int, end int, apiName_id int, args_id int);
            create table rocpd_op (id integer primary key, gpuId int, queueId int, sequenceId int, completionSignal text, start int, end int, description_id int, opType_id int);
            create table rocpd_api_ops (id integer primary key, api_id int, op_id int);
            create table rocpd_kernelapi (api_ptr_id integer primary key, stream text, gridX int, gridY int, gridZ int, workgroupX int, workgroupY int, workgroupZ int, groupSegmentSize int);
            create table rocpd_copyapi (api_ptr_id integer primary key, stream text, size int, kind int);
            create table rocpd_monitor (id integer primary key, deviceType text, deviceId int, monitorType text, start int, end int, value text);""")
        texts = ["", "hipLaunchKernel", "hipExtModuleLaunchKernel", "hipMemcpyAsync", "UserMarker", "training step", "OpTable::writeRows", "KernelExecution",
                 "CopyHostToDevice", "FillBuffer", "gemm(float*)", "add"]
        database.executemany("insert into rocpd_string values (?, ?)", enumerate(texts))
        at = texts.index
        calls = [("hipLaunchKernel", 0), ("hipExtModuleLaunchKernel", 100), ("hipMemcpyAsync", 200), ("UserMarker", 50), ("OpTable::writeRows", 900)]
        database.executemany("insert into rocpd_api values (?, 4711, 4712, ?, ?, ?, ?)",
                             [(i, START + t, START + t + 10, at(name), at("training step") if name == "UserMarker" else 0) for i, (name, t) in enumerate(calls, 1)])
        work = [(1, 300, 40, "gemm(float*)", "KernelExecution"), (2, 400, 50, "add", "KernelExecution"), (3, 500, 60, "", "CopyHostToDevice"), (9, 600, 7, "", "FillBuffer")]
        database.executemany("insert into rocpd_op values (?, 2, 0, 0, '', ?, ?, ?, ?)",
                             [(i, START + t, START + t + ns, at(name), at(kind)) for i, t, ns, name, kind in work])
        database.executemany("insert into rocpd_api_ops (api_id, op_id) values (?, ?)", [(1, 1), (2, 2), (3, 3)])
        database.executemany("insert into rocpd_kernelapi values (?, '0x0', ?, 1, 1, 64, 1, 1, 512)", [(1, 10), (2, 640)])
        database.execute("insert into rocpd_copyapi values (3, '0x0', 4096, 1)")
        database.execute("insert into rocpd_monitor values (1, 'gpu', 2, 'sclk', 0, 1, '800')")
    return path


def rocprof_json():
    agent, cpu = {"handle": 77}, {"handle": 11}
    correlation = lambda number: {"internal": number, "external": 0}
    records = {"kernel_dispatch": [], "hip_api": [], "memory_copy": [], "marker_api": [], "scratch_memory": [{}]}
    for number, (name, start, duration, grid, group) in enumerate(KERNELS, 1):
        records["kernel_dispatch"].append({
            "kind": 2, "operation": 0, "thread_id": 4712, "correlation_id": correlation(number), "start_timestamp": START + start,
            "end_timestamp": START + start + duration, "dispatch_info": {
                "agent_id": agent, "queue_id": {"handle": 9}, "kernel_id": 1 if "gemm" in name else 2, "dispatch_id": number, "group_segment_size": 1024,
                "workgroup_size": dict(zip("xyz", group)), "grid_size": dict(zip("xyz", grid))}})
        records["hip_api"].append({"kind": 0, "operation": 1, "thread_id": 4712, "correlation_id": correlation(number),
                                   "start_timestamp": START + start - 300, "end_timestamp": START + start - 290})
    records["memory_copy"].append({"kind": 1, "operation": 2, "thread_id": 4712, "correlation_id": correlation(60), "start_timestamp": START,
                                   "end_timestamp": START + 200, "dst_agent_id": agent, "src_agent_id": cpu, "bytes": 4096})
    records["marker_api"].append({"kind": 3, "operation": 0, "thread_id": 4712, "correlation_id": correlation(70), "start_timestamp": START + 600,
                                  "end_timestamp": START + 2500})
    return {"rocprofiler-sdk-tool": [{
        "metadata": {"pid": 4711, "init_time": START, "fini_time": START + 9999},
        "agents": [{"id": cpu, "type": 1, "name": "EPYC"}, {"id": agent, "type": 2, "product_name": "MI300X", "cu_count": 304, "wave_front_size": 64}],
        "strings": {"buffer_records": [{"kind": "HIP_RUNTIME_API", "operations": ["hipMalloc", "hipLaunchKernel"]},
                                       {"kind": "MEMORY_COPY", "operations": ["NONE", "DEVICE_TO_HOST", "MEMORY_COPY_HOST_TO_DEVICE"]},
                                       {"kind": "KERNEL_DISPATCH", "operations": ["DISPATCH"]}, {"kind": "MARKER", "operations": ["roctxRangePush"]}],
                    "marker_api": [{"key": 70, "value": "training step"}]},
        "kernel_symbols": [{"kernel_id": 1, "formatted_kernel_name": "gemm(float*)", "arch_vgpr_count": 32}, {"kernel_id": 2, "kernel_name": "add", "arch_vgpr_count": 32}],
        "callback_records": {"counter_collection": [{}]}, "buffer_records": records}]}


HATCHET = [{"frame": {"name": "ROOT", "type": "function"}, "metrics": {}, "children": [
    {"frame": {"name": "forward", "type": "function"}, "metrics": {"flops": 12.0}, "children": [
        {"frame": {"name": "matmul_kernel", "type": "function"}, "metrics": {"time (ns)": 1003, "count": 4, "device_id": "0", "device_type": "CUDA"}, "children": []},
        {"frame": {"name": "softmax", "type": "function"}, "metrics": {"time (ns)": 500.0, "count": 2, "device_id": "0", "device_type": "CUDA", "bytes": 64}, "children": []}]},
    {"frame": {"name": "idle_scope", "type": "function"}, "metrics": {}, "children": []}]},
    {"CUDA": {"0": {"arch": "90", "num_sms": 132, "clock_rate": 1, "bus_width": 2, "memory_clock_rate": 3}}}]


class ForeignFiles(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return pathlib.Path(self.folder.name) / name

    def check_amd(self, path):
        kernels = query(path, "select name, duration_ns, start_ns, grid_x, grid_y, block_x, registers_per_thread, shared_bytes, stream from kernels order by start_ns")
        self.assertEqual([(k["name"], k["duration_ns"], k["grid_x"], k["grid_y"], k["block_x"]) for k in kernels],
                         [(name, duration, -(-grid[0] // group[0]), grid[1], group[0]) for name, _, duration, grid, group in KERNELS])
        self.assertEqual({(k["registers_per_thread"], k["shared_bytes"]) for k in kernels}, {(32, 1024)})
        copies = query(path, "select name, duration_ns, bytes, copy_kind from copies")
        self.assertEqual([(c["duration_ns"], c["bytes"], c["copy_kind"]) for c in copies], [(200, 4096, "host to device")])
        calls = query(path, "select name, count(*) as n from calls group by name")
        self.assertEqual([(c["name"], c["n"]) for c in calls], [("hipLaunchKernel", 3)])
        self.assertEqual([r["name"] for r in query(path, "select name from operators")], ["training step"])
        launched = query(path, "select count(*) as n from device_events d join calls c on c.correlation = d.correlation where d.kind = 'kernel'")
        self.assertEqual(launched[0]["n"], 3)
        summary = json.loads(run("summary", path, "--json"))
        self.assertEqual(summary["ranks"][0]["devices"][0]["name"] if "devices" in summary["ranks"][0] else summary["ranks"][0]["device"], "MI300X")
        return {issue["id"]: issue["count"] for issue in summary["integrity_issues"]}

    def test_rocpd(self):
        issues = self.check_amd(rocpd(self.path("run.db")))
        self.assertEqual(issues["negative-durations"], 1)
        self.assertEqual(issues["rows-not-read"], 1)  # the counter's value

    def test_rocpd_sums_equal_plain_sql(self):
        path = rocpd(self.path("sum.db"))
        with sqlite3.connect(path) as database:
            want = database.execute("select count(*), sum(end - start) from rocpd_kernel_dispatch").fetchone()
        row = query(path, "select count(*) as n, sum(duration_ns) as t from kernels")[0]
        self.assertEqual((row["n"], row["t"]), want)

    def test_rocpd_without_anything_says_so(self):
        path = self.path("empty.db")
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE rocpd_info_process_x (id INT, pid INT)")
        self.assertIn("without a kernel, copy, call or range", run("summary", path, fails=True))

    def test_rocprof_json(self):
        path = self.path("results.json")
        path.write_text(json.dumps(rocprof_json()))
        issues = self.check_amd(path)
        self.assertEqual(issues["rows-not-read"], 2)

    def test_rocprof_json_cut_off_is_refused(self):
        path = self.path("cut.json")
        whole = json.dumps(rocprof_json())
        for part in (0.2, 0.5, 0.99):
            path.write_text(whole[:int(len(whole) * part)])
            self.assertIn("cut off or damaged", run("summary", path, fails=True))

    def test_rpd(self):
        path = rpd(self.path("trace.rpd"))
        kernels = query(path, "select name, duration_ns, grid_x, block_x, shared_bytes, device from kernels order by start_ns")
        self.assertEqual([tuple(k.values()) for k in kernels], [("gemm(float*)", 40, 10, 64, 512, 2), ("add", 50, 10, 64, 512, 2)])
        work = query(path, "select kind, copy_kind, bytes, duration_ns from copies order by start_ns")
        self.assertEqual([(w["bytes"], w["duration_ns"]) for w in work], [(4096, 60), (0, 7)])
        self.assertEqual(work[0]["copy_kind"], "host to device")
        self.assertEqual([r["name"] for r in query(path, "select name from operators")], ["training step"])
        self.assertEqual([r["name"] for r in query(path, "select name from overheads")], ["OpTable::writeRows"])
        self.assertEqual(len(query(path, "select row from device_events where call is not null")), 3)
        issues = {i["id"]: i["count"] for i in json.loads(run("summary", path, "--json"))["integrity_issues"]}
        self.assertEqual(issues["rows-not-read"], 1)

    def test_hatchet(self):
        path = self.path("proton.hatchet")
        path.write_text(json.dumps(HATCHET))
        rows = query(path, "select name, count(*) as n, sum(duration_ns) as t from kernels group by name order by name")
        self.assertEqual([(r["name"], r["n"], r["t"]) for r in rows], [("matmul_kernel", 4, 1003), ("softmax", 2, 500)])
        summary = json.loads(run("summary", path, "--json"))
        issues = {issue["id"]: issue["count"] for issue in summary["integrity_issues"]}
        self.assertEqual((issues["no-timeline"], issues["paths-without-time"]), (2, 1))
        operators = query(path, "select distinct operator from kernels")
        self.assertEqual([o["operator"] for o in operators], ["forward"])

    def test_hatchet_demangles_names_of_kernels(self):
        path = self.path("mangled.hatchet")
        kernel = {"frame": {"name": "_Z6squarePKfPfi"}, "metrics": {"time (ns)": 5, "count": 1, "device_id": "0", "device_type": "CUDA"}, "children": []}
        path.write_text(json.dumps([{"frame": {"name": "ROOT"}, "metrics": {}, "children": [kernel]}, {"CUDA": {"0": {"arch": "90", "num_sms": 132}}}]))
        self.assertEqual([r["name"] for r in query(path, "select name from kernels")], ["square(float const*, float*, int)"])

    def test_hatchet_without_times_says_so(self):
        path = self.path("cycles.hatchet")
        path.write_text(json.dumps([{"frame": {"name": "ROOT"}, "metrics": {"cycles": 5}, "children": []}]))
        self.assertIn("without a kernel's time", run("summary", path, fails=True))

    def test_proton_trace_of_several_documents(self):
        path = self.path("proton.chrome_trace")
        lines = [{"displayTimeUnit": "us", "traceEvents": [{"name": f"k{stream}", "cat": "kernel", "ph": "X", "ts": 5 + stream, "dur": 2, "tid": stream, "pid": 0,
                                                            "args": {"call_stack": ["ROOT"]}}]} for stream in (7, 9)]
        path.write_text("\n".join(json.dumps(line) for line in lines) + "\n")
        self.assertEqual([r["name"] for r in query(path, "select name from kernels order by name")], ["k7", "k9"])

    def test_rocpd_any_to_any(self):
        path = rocpd(self.path("again.db"))
        for ending in ("sqlite", "pftrace", "json", "wlens"):
            out = self.path(f"copy.{ending}")
            run("convert", path, "-o", out)
            self.check_amd(out)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
