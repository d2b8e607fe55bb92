#!/usr/bin/env python3
"""Whole CUDA programs, built by `warplens nvcc`, run by `warplens emulate`. Argument: the program."""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "data/programs"
SKIPPED = 77
ERRORS = """\
malloc                       cudaSuccess
copy past the end            cudaErrorInvalidValue
host for device              cudaErrorInvalidValue
wrong kind                   cudaErrorInvalidMemcpyDirection
more than there is           cudaErrorMemoryAllocation
malloc                       cudaSuccess
device 7                     cudaErrorInvalidDevice
free of the host's           cudaErrorInvalidValue
stream that is none          cudaErrorInvalidResourceHandle
2,048 threads                cudaErrorInvalidValue
no blocks                    cudaErrorInvalidValue
over the launch bound        cudaErrorInvalidValue
300,000 bytes shared         cudaErrorInvalidValue
not a kernel                 cudaErrorInvalidResourceHandle
capture                      cudaSuccess
symbol that is none          cudaErrorInvalidSymbol
free                         cudaSuccess
free again                   cudaErrorInvalidValue
malloc                       cudaSuccess
launch that goes astray      cudaSuccess
afterwards                   cudaErrorIllegalAddress
and for ever                 cudaErrorIllegalAddress
"""

PRINTED = """\
before the kernel's output
block 0 thread 0:  0.00 text 5000000000 %
block 0 thread 1:  1.50 text 5000000000 %
5 arguments
block 1 thread 0:  0.00 text 5000000000 %
block 1 thread 1:  1.50 text 5000000000 %
5 arguments
sums 45 to 675
cudaSuccess
cudaErrorAssert
"""
ASSERTED = "void check(int): block: [0,0,0], thread: [63,0,0] Assertion `threadIdx.x < limit` failed."


def run(command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **more)


def build(program, source, output, *options):
    done = run([program, "nvcc", "-std=c++17", *options, "-o", output, source])
    if done.returncode != 0:
        sys.exit(f"nvcc {source.name}: {done.stdout}{done.stderr}")


def check(right, what, done):
    if not right:
        sys.exit(f"{what}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")


def checksums(text):
    """name -> numbers, in the order of the launches."""
    return [(line.split()[0], [float(n) for n in re.findall(r"sum\S* +(\S+)", line)]) for line in text.splitlines()]


def test_features(program, folder):
    build(program, PROGRAMS / "features.cu", folder / "features", "-arch=sm_90")
    done = run([program, "emulate", "--devices", "2", "--", folder / "features"])
    check(done.returncode == 0 and done.stdout.count("right") == 13, "features.cu", done)
    check(done.stdout.startswith("2 x NVIDIA H200 SXM (emulated by warplens), 9.0, 132 SMs\n"), "the GPU's name", done)


def test_errors(program, folder):
    build(program, PROGRAMS / "errors.cu", folder / "errors", "-arch=sm_90")
    done = run([program, "emulate", "--", folder / "errors"])
    check(done.returncode == 0 and done.stdout == ERRORS, "errors.cu", done)
    check("no memory at 0x" in done.stderr, "what went wrong is told", done)
    check("kernel 'write_at' block (0,0,0) thread (0,0,0)" in done.stderr, "where it went wrong is told", done)


def test_printing(program, folder):
    for arch, device, *separately in (("sm_90", "h200"), ("sm_80", "a100"), ("sm_100", "b200"), ("sm_90", "h200", "-rdc=true")):
        build(program, PROGRAMS / "printing.cu", folder / "printing", f"-arch={arch}", *separately)
        done = run([program, "emulate", "--device", device, "--", folder / "printing"])
        check(done.stdout == PRINTED and ASSERTED in done.stderr, f"printing.cu, {arch} {separately}", done)
    done = run([program, "emulate", "--", folder / "printing", "late"])
    check(done.stdout == "" and "kernels printed are lost, as on a GPU" in done.stderr, "printing.cu without a wait", done)


def test_probe(program, folder):
    """The checksums that an H200 printed, to six digits; with machine code and from PTX alone."""
    source = HERE.parent / "examples/kernels/probe.cu"
    want = checksums((HERE / "data/probe.out.txt").read_text())
    for options in (["-arch=sm_90"], ["-gencode", "arch=compute_80,code=compute_80"]):
        build(program, source, folder / "probe", *options)
        done = run([program, "emulate", "--", folder / "probe"])
        got = checksums(done.stdout)
        check(len(got) == len(want) == 28, f"probe.cu {options}: 28 launches", done)
        for (name, expected), (_, numbers) in zip(want, got):
            close = all(abs(a - b) <= 2e-6 * abs(b) for a, b in zip(numbers, expected, strict=True))
            check(close, f"{name}: {numbers} for {expected}", done)


def test_machine_code_alone(program, folder):
    """One kernel of a cubin and of an executable, without PTX: the results are right, the counters there."""
    source = PROGRAMS / "streams.cu"
    launch = ["-k", "scale", "--grid", "4", "--block", "256", "--arg", "x=f32[1000]:constant(3)", "--arg", "i32=1000",
              "--arg", "f32=2", "--emulate", "--save", f"x={folder / 'x.npy'}", "-f", "--json"]
    build(program, source, folder / "streams", "-arch=sm_90")
    build(program, source, folder / "streams.cubin", "-arch=sm_80", "-cubin")
    for file in ("streams", "streams.cubin"):
        done = run([program, "kernel", folder / file, *launch])
        check(done.returncode == 0, file, done)
        counted = json.loads(done.stdout)["launches"][0]
        stores = counted["metrics"]["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"]
        check(stores == 32 and counted["results_from"] == "machine code", f"{file}: {stores} stores", done)
        values = struct.unpack("<1000f", (folder / "x.npy").read_bytes()[-4000:])
        check(set(values) == {6.0}, f"{file}: {values[:4]}", done)
    done = run([program, "kernel", folder / "streams", "-k", "scaled", *launch[2:]])
    check(done.returncode == 1 and "(sm_90, compute_90)" in done.stderr, "no such kernel", done)
    done = run([program, "kernel", folder / "streams.cubin", *launch[:4], "--block", "1024", *launch[6:8], "--arg", "i32=4096",
                *launch[10:]])
    check(done.returncode == 1 and "no memory at" in done.stdout + done.stderr, "a wrong access", done)


def test_recording(program, folder):
    """A recording holds the program's calls and work, at their places in modelled time."""
    build(program, PROGRAMS / "streams.cu", folder / "streams", "-arch=sm_90")
    recording = folder / "streams.wlens"
    done = run([program, "record", "--emulate", "--device", "a100", "--memory", "--quiet", "-o", recording, "--", folder / "streams"])
    done = run([program, "record", "--emulate", "--memory", "--quiet", "-f", "-o", recording, "--", folder / "streams"])
    check(done.returncode == 0 and done.stdout == "1.04858e+06 cudaSuccess\n", "recorded", done)

    rows = json.loads(run([program, "ops", recording, "--json"]).stdout)["rows"]
    counts = {row["name"].split(" > ")[-1].split("(")[0].strip(): row["count"] for row in rows}
    want = {"Memcpy HtoD": 20, "tiny": 100, "scale": 20, "Memset": 20, "Memcpy DtoH": 20}
    check(counts == want, f"counts {counts}", done)
    run([program, "export", recording, "-o", folder / "streams.json.gz"])
    done = run([program, "summary", folder / "streams.json.gz"])
    check("NVIDIA H200 SXM (emulated by warplens), 132 SMs" in done.stdout, "an export names the device", done)


def test_images(program, folder):
    """Textures and surfaces give what the programming guide's formulas give."""
    build(program, PROGRAMS / "images.cu", folder / "images", "-arch=sm_90")
    done = run([program, "emulate", "--", folder / "images"])
    check(done.returncode == 0 and done.stdout == "0 wrong\n", "images", done)


def test_graphs(program, folder):
    build(program, PROGRAMS / "graphs.cu", folder / "graphs", "-arch=sm_90", "-lcuda")
    done = run([program, "emulate", "--", folder / "graphs"])
    check(done.returncode == 0 and done.stdout == "0 wrong\n", "graphs", done)


def test_conditional_graphs(program, folder):
    """Machine code for an A100 and an H200, and PTX, which checks follow; a loop without an end is stopped."""
    built = ("-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=[sm_90,compute_90]", "-lcuda")
    build(program, PROGRAMS / "conditional_graphs.cu", folder / "conditional", *built)
    for words in (["--device", "a100"], ["--device", "h200"], ["--check"]):
        done = run([program, "emulate", *words, "--", folder / "conditional"])
        check(done.returncode == 0 and done.stdout == "0 wrong\n", f"conditional graphs {words}", done)
    check("one instance at a time" in done.stderr and "none of its conditional nodes uses" in done.stderr, "refusals are told", done)
    build(program, PROGRAMS / "endless_graph.cu", folder / "endless", "-arch=sm_90")
    done = run([program, "emulate", "--launch-budget", "1s", "--", folder / "endless"])
    check(done.stdout == "cudaErrorLaunchTimeout\n" and "a while node of a graph was stopped" in done.stderr, "an endless loop", done)


def test_devices(program, folder):
    for words in ([], ["-DMANAGED"]):
        build(program, PROGRAMS / "devices.cu", folder / "devices", "-arch=sm_90", *words)
        done = run([program, "emulate", "--devices", "2", "--", folder / "devices"])
        check(done.returncode == 0 and done.stdout == "0 wrong\n", f"devices.cu {words}", done)
    for name, *words in (("devices", "--devices", "2"), ("conditional",)):  # refused launches and graphs of nothing have no kernels to lose
        done = run([program, "record", "--emulate", "--quiet", *words, "-o", folder / f"{name}.wlens", "--", folder / name])
        done = run([program, folder / f"{name}.wlens"])
        check(done.returncode == 0 and not re.search("damaged|lost", done.stdout.splitlines()[0]), f"the recording of {name}", done)


def test_compare_and_swap_loops(program, folder):
    """The loops of the programming guide have no races; a read before another atomic is reported, with the advice to use an atomic read."""
    for words in (["-arch=sm_90"], ["-gencode", "arch=compute_90,code=sm_90"]):  # with PTX, and machine code alone
        build(program, PROGRAMS / "swaps.cu", folder / "swaps", "-lineinfo", *words)
        done = run([program, "emulate", "--check", "--", folder / "swaps"])
        check(done.returncode == 4 and done.stdout == "8386560 127\n" and done.stderr.count("race:") == 1, f"one race {words}", done)
        check("swaps.cu:19" in done.stderr and "and the read before it is not" in done.stderr, "where, and how to fix it", done)


def test_warps_keep_pace_at_mbarriers(program, folder):
    """A warp that starts the next copies itself does not leave the others two phases behind; with machine code and from PTX alone."""
    for words in (["-arch=sm_90"], ["-gencode", "arch=compute_90,code=compute_90"]):
        build(program, PROGRAMS / "ahead.cu", folder / "ahead", *words)
        done = run([program, "emulate", "--", folder / "ahead"])
        check(done.returncode == 0 and done.stdout == "0 wrong\n", f"ahead.cu {words}", done)


def test_pointers_to_no_function(program, folder):
    """An H200's errors: CUDA 13.0, driver 580. With machine code and from PTX alone."""
    for words in (["-arch=sm_90"], ["-gencode", "arch=compute_90,code=compute_90"]):
        build(program, PROGRAMS / "pointers.cu", folder / "pointers", *words)
        for pointer, error in (("twice 0", "0 62"), ("null 0", "718 0"), ("null 1", "716 0"), ("null 4", "716 0"), ("null 12", "716 0"),
                               ("twice 4", "716 0"), ("null 0x7fff00000000", "718 0")):
            done = run([program, "emulate", "--", folder / "pointers", *pointer.split()])
            check(done.returncode == 0 and done.stdout == error + "\n", f"pointers.cu {words} {pointer}", done)


def test_when_errors_are_told(program, folder):
    """A launch returns before its kernel faults, unless launches wait. Device variables are device memory."""
    build(program, PROGRAMS / "late.cu", folder / "late", "-arch=sm_90")
    for words, variables in (("0\n700\n700\n", {}), ("700\n700\n700\n", {"CUDA_LAUNCH_BLOCKING": "1"})):
        done = run([program, "emulate", "--", folder / "late", "fault"], env=os.environ | variables)
        check(done.stdout == words and "no memory at" in done.stderr, f"late.cu {variables}", done)
    done = run([program, "emulate", "--", folder / "late", "kinds"])
    check(done.stdout == "0 2 0 1\n" * 3 + "0 3 0 1\n0 0 -2 0\n", "kinds of pointers", done)
    for flags in ([], ["--check=memory"]):  # PTX that is not executed: the machine code is checked
        done = run([program, "emulate", *flags, "--", folder / "late", "sums"])
        check(done.returncode == 0 and done.stdout == "0\n2010000000 2147483647\n", f"sums {flags}", done)


def test_times_between_events(program, folder):
    """The host's work counts where the stream has none. Kernels take the same time in each run."""
    build(program, PROGRAMS / "host_time.cu", folder / "host_time", "-arch=sm_90")
    done = run([program, "emulate", "--", folder / "host_time"])
    ms = {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in done.stdout.splitlines()}
    bounds = {"nothing": (0, 2), "work": (20, 60), "kernel": (0.0003, 0.01), "long kernel": (1.9, 2.6), "work beside a long kernel": (19, 26)}
    wrong = {what: ms[what] for what, (least, most) in bounds.items() if not least <= ms[what] <= most}
    kernels = ms["kernel again"] == ms["kernel"] and abs(ms["kernels"] - 100 * ms["kernel"]) < 0.01
    check(not wrong and kernels and ms["work, then a long kernel"] == ms["long kernel"], f"host_time.cu {wrong}", done)


def test_driver(program, folder):
    """The driver's calls, separately linked code, and a kernel that never ends."""
    build(program, PROGRAMS / "driver.cu", folder / "driver", "-arch=sm_90", "-rdc=true", "-lcuda")
    done = run([program, "emulate", "--", folder / "driver"])
    check(done.returncode == 0 and done.stdout == "0 wrong\n", "driver", done)
    done = run([program, "emulate", "--launch-budget", "1s", "--", folder / "driver", "forever"])
    check(done.returncode == 7 and done.stdout == "0 wrong\ncudaErrorLaunchTimeout\n", "a launch without end", done)
    check("0 of its 2 blocks" in done.stderr and "--launch-budget" in done.stderr, "what is told of it", done)


def test_counting(program, folder):
    """Launches of a whole program are counted as one kernel of a file is."""
    build(program, PROGRAMS / "streams.cu", folder / "streams", "-arch=sm_80", "-lineinfo")
    done = run([program, "counters", "--emulate", "--json", "-o", folder / "counts.json", "--", folder / "streams"])
    check(done.returncode == 0 and done.stdout == "1.04858e+06 cudaSuccess\n", "counted", done)
    counted = json.loads((folder / "counts.json").read_text())
    kernels = [launch["kernel"].split("(")[0] for launch in counted["launches"]]
    check(counted["source"] == "emulated" and kernels.count("tiny") == 100 and kernels.count("scale") == 20, str(kernels), done)
    first = next(launch for launch in counted["launches"] if launch["kernel"].startswith("scale"))
    check(first["metrics"]["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"] > 0 and first["lines"], "its counters", done)

    done = run([program, "counters", "--emulate", "--sample", "-k", "tiny", "--skip", "1", "--count", "3", "--json", "--", folder / "streams"])
    sampled = json.loads(done.stdout)  # what the program prints goes to standard error, where a script reads the report
    check(done.stderr.startswith("64 cudaSuccess\n"), "the program's own output", done)
    check(len(sampled["launches"]) == 3 and any("of 100 equal launches were run" in note for note in sampled["notes"]), "sampled", done)

    done = run([program, "counters", "--emulate", "-k", "tinny", "--", folder / "streams"])
    check("nothing was counted: the program launched no kernel that fits -k 'tinny'" in done.stderr, "a name that fits nothing", done)

    done = run([program, "record", "--emulate", "--devices-compare", "a100,h200", "-o", folder / "each.wlens", "--", folder / "streams"])
    every = next(line.split() for line in done.stderr.splitlines() if line.startswith("all "))
    check((folder / "each.a100.wlens").exists() and every[2:4] != every[4:6], "recorded as each GPU, an A100 takes longer", done)
    done = run([program, "counters", "--emulate", "--devices-compare", "a100,h200", "--format", "csv", "-o", folder / "both.csv", "--",
                folder / "streams"])
    rows = [line.split(",") for line in (folder / "both.csv").read_text().splitlines()]
    check(rows[0] == ["kernel", "launches", "a100_ns", "h200_ns"] and rows[-1][:2] == ["all", "120"], str(rows), done)
    check(int(rows[-1][2]) > int(rows[-1][3]) > 0, "an A100 takes longer", done)


def test_functions_across_kernels(program, folder):
    """Objects with virtual functions and pointers to functions that another kernel made, in a program of two units."""
    for arch, device in (("sm_90", "h200"), ("sm_80", "a100")):
        done = run([program, "nvcc", f"-arch={arch}", "-rdc=true", "-o", folder / "shapes", PROGRAMS / "shapes_make.cu", PROGRAMS / "shapes_use.cu"])
        check(done.returncode == 0, "built", done)
        done = run([program, "emulate", "--device", device, "--", folder / "shapes"])
        check(done.stdout == "0 wrong, no error\n", f"{arch}: functions of other kernels", done)


def test_cuda_12(program, folder):
    """A program linked against CUDA 12's runtime: its launches, and the calls whose arguments and structures 13 changed."""
    runtime = next(path for path in (program.parent / "cuda/12", program.parent / "../lib/warplens/cuda/12") if path.is_dir())
    build(program, PROGRAMS / "streams.cu", folder / "streams.o", "-arch=sm_90", "-c")
    build(program, PROGRAMS / "cuda12.cpp", folder / "cuda12.o", "-c")
    for name, wants in (("streams", "1.04858e+06 cudaSuccess\n"), ("cuda12", "0 wrong\n")):
        done = run(["g++", "-o", folder / f"{name}12", folder / f"{name}.o", "-L", runtime, "-l:libcudart.so.12"])
        check(done.returncode == 0, f"{name} is linked", done)
        done = run([program, "emulate", "--", folder / f"{name}12"])
        check(done.returncode == 0 and done.stdout == wants, name, done)
    (folder / "toolkit/bin").mkdir(parents=True)
    nvcc = folder / "toolkit/bin/nvcc"
    nvcc.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "release 12.9, V12.9.86" || echo "$@"\n')
    nvcc.chmod(0o755)
    done = run([program, "nvcc", "x.cu"], env={**os.environ, "CUDA_HOME": str(folder / "toolkit")})
    words = done.stdout.split()
    linked = pathlib.Path(words[words.index("-L") + 1]) if "-L" in words else folder
    check((linked / "libcudart.so").exists() and linked.name == "12" and f"-rpath-link={linked.parent}" in words, "CUDA 12's nvcc", done)


def test_launches_by_kernels(program, folder):
    """Kernels that launch kernels: results, order, a launch that CUDA refuses; each is counted as a launch of its own."""
    for arch, device in (("sm_80", "a100"), ("sm_90", "h200")):
        build(program, PROGRAMS / "nested.cu", folder / "nested", f"-arch={arch}", "-rdc=true", "-lcudadevrt")
        done = run([program, "emulate", "--device", device, "--", folder / "nested"])
        check(done.stdout == "talks 4\n0 wrong, cudaSuccess\n", f"nested launches, {arch}", done)
    check("too_wide(int*) launched add(int*, int, Pair) in a way that CUDA refuses: error 9" in done.stderr, "a refused one", done)
    check("lets that pass" not in done.stderr, "no wrong access", done)
    done = run([program, "record", "--emulate", "--quiet", "-o", folder / "nested.wlens", "--", folder / "nested"])
    done = run([program, "ops", folder / "nested.wlens", "--by", "kernel", "--format", "csv"])
    counts = {line.split("(")[0].strip('"'): line for line in done.stdout.splitlines()}
    check(any(name.startswith("append") for name in counts) and any(name.startswith("halves") for name in counts), "recorded", done)


def test_old_makefiles(program, folder):
    """A Makefile of its time: it says nvcc itself, and names architectures that this nvcc no longer knows."""
    (folder / "bin").mkdir()
    wrapper = folder / "bin/nvcc"
    wrapper.write_text(f'#!/bin/sh\nexec "{program}" nvcc "$@" # warplens\n')
    wrapper.chmod(0o755)
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    for words in (["-arch=sm_20"], ["-gencode", "arch=compute_30,code=sm_30", "--gpu-architecture", "compute_35", "-code=sm_35"]):
        done = run(["nvcc", "-std=c++17", *words, "-o", folder / "old", PROGRAMS / "streams.cu"], env=environment)
        check(done.returncode == 0 and re.search(r"this nvcc no longer supports .*: compiled for sm_90", done.stderr), "old architectures", done)
        done = run([program, "emulate", "--", folder / "old"])
        check(done.stdout == "1.04858e+06 cudaSuccess\n", "an old Makefile's program", done)
    done = run([program, "nvcc", "-dryrun", "-gencode=arch=compute_30,code=sm_30", "-gencode=arch=compute_80,code=sm_80", PROGRAMS / "streams.cu"])
    check("sm_80" in done.stderr and "compiled for the others" in done.stderr and "-arch sm_90" not in done.stderr, "the others stay", done)


def test_blocks_that_wait(program, folder):
    """Blocks of a plain launch that wait for each other run side by side, as many as the GPU has room for."""
    build(program, PROGRAMS / "persistent.cu", folder / "persistent", "-arch=sm_90")
    done = run([program, "emulate", "--", folder / "persistent", "16"])
    check(done.stdout == "cudaSuccess, 0 wrong\n", "all resident", done)
    done = run([program, "emulate", "--launch-budget", "8s", "--", folder / "persistent", "5000"])
    told = "4224 of its blocks fit on the GPU at once" in done.stderr and "cudaLaunchCooperativeKernel" in done.stderr
    check(done.stdout == "cudaErrorLaunchTimeout, 0 wrong\n" and told, "more than there is room for", done)


def test_refusals(program, folder):
    done = run([program, "emulate", "--", folder / "none"])
    check(done.returncode == 1 and "check the path" in done.stderr, "no such program", done)
    done = run([program, "emulate"])
    check(done.returncode == 2 and "name the program after --" in done.stderr, "no program named", done)
    done = run([program, "emulate", "--device", "h2000", "--", folder / "errors"])
    check(done.returncode == 2 and "did you mean h200" in done.stderr, "an unknown GPU", done)


def test_names(program, folder):
    """Programs that look up calls themselves also find their first forms."""
    table = (HERE.parent / "src/warplens/cuda_api/driver/old_names.def").read_text()
    names = re.findall(r"^OLD\((\w+), ", table, re.M)
    code = ("import ctypes, sys; driver = ctypes.CDLL('libcuda.so.1'); print([name for name in sys.argv[1:] if not hasattr(driver, name)]);"
            "address = ctypes.c_void_p(); context = ctypes.c_void_p(); driver.cuInit(0);"
            "print(driver.cuCtxCreate(ctypes.byref(context), 0, 0), driver.cuMemAlloc(ctypes.byref(address), ctypes.c_size_t(64)), driver.cuMemFree(address))")
    done = run([program, "emulate", "--", sys.executable, "-c", code, *names])
    check(len(names) > 40 and done.stdout == "[]\n0 0 0\n", "names without a version", done)


def test_first_forms_of_graphs(program, folder):
    """Edges without data, and instances with a log."""
    code = """
import ctypes
driver, context, graph, ready, count = ctypes.CDLL('libcuda.so.1'), *(ctypes.c_void_p() for _ in range(3)), ctypes.c_size_t(9)
nodes, log = (ctypes.c_void_p * 2)(), ctypes.create_string_buffer(b'before', 16)
driver.cuInit(0), driver.cuCtxCreate(ctypes.byref(context), 0, 0), driver.cuGraphCreate(ctypes.byref(graph), 0)
for k in range(2):
    driver.cuGraphAddEmptyNode(ctypes.byref(nodes, 8 * k), graph, None, ctypes.c_size_t(0))
print(driver.cuGraphAddDependencies(graph, nodes, ctypes.byref(nodes, 8), ctypes.c_size_t(1)))
print(driver.cuGraphGetEdges(graph, None, None, ctypes.byref(count)), count.value)
print(driver.cuGraphInstantiate_v2(ctypes.byref(ready), graph, None, log, ctypes.c_size_t(16)), log.value, driver.cuGraphLaunch(ready, None))
"""
    done = run([program, "emulate", "--", sys.executable, "-c", code])
    check(done.stdout == "0\n0 1\n0 b'' 0\n", "first forms of graphs", done)


def test_exit_code(program, folder):
    done = run([program, "emulate", "--", "/bin/sh", "-c", "echo out; exit 42"])
    check(done.returncode == 42 and done.stdout == "out\n", "the program's own exit code", done)
    done = run([program, "emulate", "--", "/bin/true"])
    check(done.stderr.startswith("warplens emulate: the program did not use CUDA"), "no CUDA is told", done)
    done = run([program, "emulate", "--", sys.executable, "-c", "import os; os._exit(3)"])
    check(done.returncode == 3 and "the program did not use CUDA" in done.stderr, "no CUDA is told where no destructors run", done)
    done = run([program, "emulate", "--", "/bin/sh", "-c", f"{folder}/errors; exit 42"])  # what it starts does
    check(done.returncode == 42 and "did not use" not in done.stderr, "a script", done)


def main(program, names):
    """Runs the tests of a module, given by its names."""
    program = pathlib.Path(os.path.abspath(program))
    if run([program, "nvcc", "--version"]).returncode != 0:
        print("skipped: there is no nvcc here")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tests = [value for key, value in names.items() if key.startswith("test_")]
        for test in tests:
            test(program, folder)
        print(f"{len(tests)} passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], globals()))
