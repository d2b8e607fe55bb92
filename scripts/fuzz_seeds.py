#!/usr/bin/env python3
"""Writes what each fuzzer begins with, from the bundled data: fuzz_seeds.py FOLDER [WARPLENS]

With the program, native files are among them; where there is ptxas, more machine code.
"""
import gzip
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data"
sys.path.insert(0, str(ROOT / "tests" / "instructions"))
import generate  # noqa: E402

LARGEST = 48 << 10  # bytes; mutations of larger ones rarely meet anything
HEADER = ".version 9.0\n.target sm_90a\n.address_size 64\n"


def write(folder, name, content):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def ptx_of_tests():
    """The kernels that the emulator's unit tests hold as raw strings."""
    for source in sorted((ROOT / "src" / "warplens" / "run" / "ptx").rglob("*_test.cpp")):
        for number, text in enumerate(source.read_text().split('R"(')[1:]):
            body = text.split(')"')[0]
            if ".entry" in body:
                yield f"{source.stem}.{number}.ptx", body if ".version" in body else HEADER + body


def ptx_of_instructions():
    """Eight instructions a module."""
    kernels = [generate.kernel(i, row) for i, row in enumerate(generate.rows())]
    for first in range(0, len(kernels), 8):
        yield f"instructions.{first}.ptx", HEADER + "\n".join(kernels[first:first + 8]) + "\n"


def ptx_files():
    for path in sorted((DATA / "ptx").iterdir()):
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        if len(content) <= LARGEST:
            yield path.name.removesuffix(".gz"), content


def traces():
    """Whole small ones, and the heads of the others, so that mutations reach all of them."""
    for path in sorted((DATA / "traces").glob("*.pt.trace.json.gz")):
        yield path.name.removesuffix(".gz"), gzip.decompress(path.read_bytes())[:20 << 10]


def native(program, folder):
    """The program's own files; without the program its fuzzer begins with nothing."""
    for path in sorted((DATA / "traces").glob("s*.pt.trace.json.gz")):
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([program, "convert", path, "-f", "-o", folder / (path.name + ".wlens")], check=True,
                       stderr=subprocess.DEVNULL)


def assembled(folder):
    """Cubins of the PTX files."""
    ptxas = shutil.which("ptxas") or os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/bin/ptxas"
    if not os.access(ptxas, os.X_OK):
        return
    for name, content in ptx_files():
        write(folder, "source.ptx", content)
        subprocess.run([ptxas, "-arch=sm_90a", folder / "source.ptx", "-o", folder / (name + ".cubin")],
                       capture_output=True)  # some are for other architectures
    (folder / "source.ptx").unlink()


# Small inputs run often: a kernel with its call, and one event of each kind.
KERNEL = """{"traceEvents": [
{"ph": "X", "cat": "cuda_runtime", "name": "c", "pid": 9, "tid": 9, "ts": 4, "dur": 2, "args": {"correlation": 7}},
{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 9, "dur": 5, "args": {"stream": 7, "correlation": 7}}]}"""
TRACE = """{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H200", "numSms": 132, "totalGlobalMem": 150000000000}],
"distributedInfo": {"rank": 1, "world_size": 2}, "baseTimeNanoseconds": 1800000000000000000, "traceEvents": [
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 9, "tid": 9, "ts": 1.5, "dur": 90},
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 9, "tid": 9, "ts": 2, "dur": 20, "args": {"External id": 3, "Input Dims": [[8, 4], []], "Input type": ["float", ""], "Sequence number": 5}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9, "ts": 4, "dur": 2, "args": {"correlation": 7, "External id": 3}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 9, "dur": 5, "args": {"device": 0, "stream": 7, "correlation": 7, "grid": [4, 1, 1], "block": [64, 1, 1], "registers per thread": 32, "shared memory": 0}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 0, "tid": 7, "ts": 15, "dur": 3, "args": {"device": 0, "stream": 7, "correlation": 8, "bytes": 4096}},
{"ph": "X", "cat": "gpu_memset", "name": "Memset (Device)", "pid": 0, "tid": 7, "ts": 19, "dur": 1, "args": {"device": 0, "stream": 7, "correlation": 9, "bytes": 64}},
{"ph": "s", "id": 7, "pid": 9, "tid": 9, "ts": 4, "cat": "ac2g", "name": "ac2g"}, {"ph": "f", "id": 7, "pid": 0, "tid": 7, "ts": 9, "cat": "ac2g", "name": "ac2g", "bp": "e"},
{"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 9, "tid": 9, "ts": 5, "args": {"Total Allocated": 512, "Bytes": 512, "Addr": 4096, "Device Id": 0, "Device Type": 1}},
{"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "ts": 0, "args": {"name": "python"}}
]}
"""

QUESTIONS = [
    "select name, count(*), sum(duration_ns) from kernels group by name order by 3 desc limit 5",
    "with recursive n(x) as (select 1 union all select x + 1 from n where x < 9) select x, printf('%d', x) from n",
    "select o.name, k.duration_ns, rank() over (partition by k.stream order by k.start_ns) from operators o join kernels k on k.operator = o.row",
    "select json_group_array(name), hex(substr(name, 1, 3)), name like 'a%', cast(start_ns as real) / 1e3 from calls where start_ns between 1 and 99",
]

LAUNCHES = [
    '{"source": "k.ptx", "buffers": {"x": {"dtype": "f32", "count": 256, "fill": "uniform", "low": -0.5, "high": 0.5, '
    '"seed": 7},\n "y": {"dtype": "f32", "count": 256, "fill": "zeros"}},\n "launches": [\n{"kernel": "scale", '
    '"grid": [4, 1, 1], "block": [64, 1, 1], "args": [{"buffer": "x"}, {"buffer": "y"}, {"f32": 2}, {"i32": 256}]}\n]}',
    '{"source": "k.ptx", "buffers": {"x": {"dtype": "i32", "shape": [8, 16], "fill": "arange"}},\n"symbols": '
    '{"table": {"dtype": "u8", "count": 64, "fill": "ones"}},\n"launches": [\n{"kernel": "turn", "grid": [1], '
    '"block": [8, 16], "shared_bytes": 64, "cooperative": true, "cluster": [1, 1, 1], "args": [{"buffer": "x", '
    '"offset_bytes": 0}]},\n{"kernel": "spin", "grid": [2]}\n]}',
]


def main():
    seeds = pathlib.Path(sys.argv[1])
    for name, content in [*ptx_files(), *ptx_of_instructions(), *ptx_of_tests()]:
        for target in ("isa_ptx_fuzz", "run_ptx_fuzz"):
            write(seeds / target, name, content)
    for name, content in ptx_files():
        write(seeds / "inspect_fuzz", name, content)
    for path in sorted(DATA.rglob("*.cubin")):
        for target in ("isa_cubin_fuzz", "run_sass_fuzz", "inspect_fuzz"):
            write(seeds / target, path.name, path.read_bytes())
    assembled(seeds / "run_sass_fuzz")
    for path in sorted(DATA.rglob("*.fatbin")):
        write(seeds / "isa_fatbin_fuzz", path.name, path.read_bytes())
    for name, content in traces():
        write(seeds / "trace_readers_kineto_fuzz", name, content)
        write(seeds / "cli_profile_fuzz", name, content)
        write(seeds / "trace_readers_input_fuzz", name + ".gz", gzip.compress(content))
    for target in ("trace_readers_kineto_fuzz", "cli_profile_fuzz"):
        write(seeds / target, "events.json", TRACE)
        write(seeds / target, "kernel.json", KERNEL)
    write(seeds / "trace_readers_input_fuzz", "members.gz", gzip.compress(b"first " * 40) + gzip.compress(b"second"))
    for number, text in enumerate(LAUNCHES):
        write(seeds / "launch_description_fuzz", f"{number}.json", text)
        write(seeds / "launch_run_fuzz", f"{number}.json", text)
    for path in sorted((ROOT / "examples").glob("*.json")):
        write(seeds / "launch_description_fuzz", path.name, path.read_bytes())
    for path in sorted((DATA / "counters").glob("*.counts")):
        write(seeds / "counters_counts_fuzz", path.name, "\n".join(path.read_text().split("\n")[:12]))  # whole lines of one launch
    for path in sorted((DATA / "bench").glob("*.json")):
        write(seeds / "bench_results_fuzz", path.name, path.read_bytes())
    for number, text in enumerate(["y = 2*x + y0", "y = softmax(x / sqrt(n), -1) @ v", "o = relu(a - mean(a))**2"]):
        write(seeds / "bench_formula_fuzz", str(number), text)
    for number, text in enumerate(["16,16", "x=f32[8,4]:uniform(-1,1,seed=3)", "x=@file.npy", "bytes=00ff", "x+64"]):
        write(seeds / "launch_flags_fuzz", str(number), text)
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }".ljust(117) + "\n"
    write(seeds / "launch_npy_fuzz", "f4.npy", b"\x93NUMPY\x01\x00v\x00" + header.encode() + bytes(24))
    write(seeds / "program_analysis_shapes_fuzz", "shapes", "[[8, 512], [], [[4], [2, 3]]]")
    write(seeds / "cli_config_fuzz", "settings", '[ops]\nlimit = 1\nby = "module"\n[inspect]\noption = ["-DA=1"]\n[classes.kernel]\n"*gemm*" = "mine"\n')
    write(seeds / "build_compile_includes_fuzz", "source.cu", '#include <cuda_fp16.h>\n#if __has_include("a.h")\n%:import "a.h"\n#endif\n'
          '/* "*/ #\\\ninclude_next <b.h>\nconst char* s = R"(#include "c.h")";\n#embed "d" limit(3)\n')
    write(seeds / "build_compile_includes_fuzz", "options", '-DA=1\n-I\nheaders\n-arch=sm_90a\n-Xptxas\n-O3\n--std=c++17\n-maxrregcount=64\n-ccbin=x\n')
    for number, text in enumerate(QUESTIONS):
        write(seeds / "query_sql_fuzz", f"{number}.sql", text)
    write(seeds / "program_analysis_rules_fuzz", "rules", "kernel *gemm* matrix\ntensor *hmma* yes\n")
    if len(sys.argv) > 2:
        native(sys.argv[2], seeds / "trace_profile_native_fuzz")


if __name__ == "__main__":
    main()
