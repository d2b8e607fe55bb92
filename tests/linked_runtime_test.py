#!/usr/bin/env python3
"""Programs and libraries with their own copy of the CUDA runtime, as plain nvcc links them, run by `warplens emulate`. Argument: the program."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "data/programs"
SKIPPED = 77
NVCC = shutil.which("nvcc") or pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "bin/nvcc"
STREAMS = "1.04858e+06 cudaSuccess\n"
OPENED = "opened: 0 wrong\n" * 3


def run(command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **more)


def check(right, what, done):
    if not right:
        sys.exit(f"{what}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")


def build(*command):
    done = run(command)
    check(done.returncode == 0, " ".join(map(str, command)), done)


def nvcc(output, source, *options):
    build(NVCC, "-std=c++17", "-arch=sm_90", *options, "-o", output, source)


def test_executables(program, folder):
    """Position-independent and not, separately compiled, and in what a script starts."""
    nvcc(folder / "streams", PROGRAMS / "streams.cu")
    nvcc(folder / "fixed", PROGRAMS / "streams.cu", "-Xcompiler", "-no-pie", "-Xlinker", "-no-pie")
    nvcc(folder / "features", PROGRAMS / "features.cu", "-rdc=true")
    for name in ("streams", "fixed"):
        done = run([program, "emulate", "--", folder / name])
        check(done.stdout == STREAMS and done.returncode == 0 and done.stderr == "", name, done)
    done = run([program, "emulate", "--devices", "2", "--", folder / "features"])
    check(done.stdout.count("right") == 13, "features", done)
    done = run([program, "emulate", "--", "/bin/sh", "-c", f"{folder}/streams; env {folder}/fixed"])
    check(done.stdout == STREAMS * 2, "children", done)


def test_units_of_an_older_gpu(program, folder):
    """Separately compiled units are linked again from their PTX, where nvcc linked them for another GPU."""
    build(NVCC, "-std=c++17", "-arch=sm_80", "-rdc=true", "-o", folder / "shapes", PROGRAMS / "shapes_make.cu", PROGRAMS / "shapes_use.cu")
    done = run([program, "emulate", "--device", "h200", "--", folder / "shapes"])
    check(done.stdout == "0 wrong, no error\n", "linked again", done)


def test_verbs(program, folder):
    done = run([program, "record", "--emulate", "--quiet", "-o", folder / "streams.wlens", "--", folder / "streams"])
    rows = json.loads(run([program, "ops", folder / "streams.wlens", "--json"]).stdout)["rows"]
    check(sum(row["count"] for row in rows if row["name"].split(" > ")[-1].startswith("tiny")) == 100, "recorded", done)
    done = run([program, "counters", "--emulate", "--json", "-k", "scale", "--count", "1", "--", folder / "streams"])
    check(len(json.loads(done.stdout)["launches"]) == 1, "counted", done)
    done = run([program, "emulate", "--check=race", "--", folder / "streams"])
    check("nothing found" in done.stdout + done.stderr, "checked", done)


def test_libraries(program, folder):
    """A library that is linked, and calls CUDA before main; one that is opened and closed again; both at once."""
    library = folder / "liblinked.so"
    nvcc(library, PROGRAMS / "linked_library.cu", "-shared", "-Xcompiler", "-fPIC")
    build("g++", "-o", folder / "opens", PROGRAMS / "linked_user.cpp", "-ldl")
    build("g++", "-DUSES_IT_AT_START", "-o", folder / "starts", PROGRAMS / "linked_user.cpp", library, f"-Wl,-rpath,{folder}")
    for words, wanted in ((["opens", library], OPENED), (["starts"], "at start: 0 and 0 wrong\n"),
                          (["starts", library], "at start: 0 and 0 wrong\n" + OPENED)):
        done = run([program, "emulate", "--", folder / words[0], *words[1:]])
        check(done.stdout == wanted and done.stderr == "", f"{words}", done)


def test_stripped(program, folder):
    """Without a symbol table nothing can be replaced: one line says so, of programs, of their children and of libraries."""
    build("strip", "-o", folder / "stripped", folder / "streams")
    build("strip", "-o", folder / "libcudnn_linked.so", folder / "liblinked.so")
    wanted = f"{folder}/stripped has its own copy of the CUDA runtime, but no symbol table, so it cannot be emulated. Link it without -s"
    done = run([program, "emulate", "--", folder / "stripped"])
    check(done.returncode == 1 and wanted in done.stderr and done.stderr.count("\n") == 1, "a stripped program", done)
    done = run([program, "emulate", "--", "/bin/sh", "-c", f"{folder}/stripped"])
    check(wanted in done.stderr and done.stderr.count("\n") == 1, "a stripped child", done)
    done = run([program, "emulate", "--", folder / "opens", folder / "libcudnn_linked.so"])
    check(done.stderr.startswith(f"warplens: cuDNN ({folder}/libcudnn_linked.so)") and done.stderr.count("\n") == 1, "a known library", done)


def test_copies_never_run(program, folder):
    """A stand-in for CUDA 12's static runtime, each function of which ends the program: none of them is reached."""
    for name, source in (("streams", "streams.cu"), ("cuda12", "cuda12.cpp")):
        nvcc(folder / f"{name}.o", PROGRAMS / source, "-c")
        needed = set(re.findall(r" U ((?:__)?cuda\w+)", run(["nm", folder / f"{name}.o"]).stdout))
        needed |= {"__cudaRegisterFatBinary", "cudaGetDeviceProperties_v2"}
        (folder / "copy.c").write_text("#include <stdlib.h>\n" + "".join(f"__attribute__((aligned(16))) int {call}(void) {{ abort(); }}\n" for call in sorted(needed))
                                       + "__attribute__((aligned(16))) void behind_them_all(void) {}\n")
        build("gcc", "-O1", "-fvisibility=hidden", "-c", "-o", folder / "copy.o", folder / "copy.c")
        build("g++", "-o", folder / f"{name}_copy", folder / f"{name}.o", folder / "copy.o")
        check(run([folder / f"{name}_copy"]).returncode != 0, "the copy ends the program", run(["true"]))
        done = run([program, "emulate", "--", folder / f"{name}_copy"])
        check(done.returncode == 0 and done.stdout == (STREAMS if name == "streams" else "0 wrong\n"), f"{name} of CUDA 12", done)


VERSIONS = """\
#include <cstdio>
__global__ void kernel() {}
int main() {
  cudaFuncAttributes of;
  cudaError_t error = cudaFuncGetAttributes(&of, kernel);
  printf("%d %d %d\\n", error, of.ptxVersion, of.binaryVersion);
}
"""
REMOVES = """\
#include <thrust/device_vector.h>
#include <thrust/remove.h>
#include <cstdio>
int main() {
  thrust::device_vector<int> all(300, 1);
  all[3] = all[299] = -1;
  printf("%d left\\n", int(thrust::remove(all.begin(), all.end(), -1) - all.begin()));
}
"""


def test_the_ptx_it_came_from(program, folder):
    """Thrust chooses its kernels by the PTX version of a kernel, which is nvcc's default of sm_75, not the GPU's."""
    (folder / "versions.cu").write_text(VERSIONS)
    for options, printed in (("-arch=sm_75", "0 75 90\n"), ("-gencode=arch=compute_80,code=sm_90", "0 80 90\n"), ("-arch=sm_90", "0 90 90\n")):
        build(NVCC, options, "-o", folder / "versions", folder / "versions.cu")
        done = run([program, "emulate", "--", folder / "versions"])
        check(done.returncode == 0 and done.stdout == printed, f"cudaFuncGetAttributes of {options}", done)
    (folder / "removes.cu").write_text(REMOVES)
    build(NVCC, "-std=c++17", "-arch=sm_75", "-o", folder / "removes", folder / "removes.cu")
    done = run([program, "emulate", "--", folder / "removes"])
    check(done.returncode == 0 and done.stdout == "298 left\n", "thrust::remove", done)


def test_old_runtime(program, folder):
    (folder / "old.c").write_text("int __cudaRegisterFatBinary(void) { return 0; }\nint cudaBindTexture(void) { return 0; }\n"
                                  "int main(void) { return __cudaRegisterFatBinary(); }\n")
    build("gcc", "-o", folder / "old", folder / "old.c")
    done = run([program, "emulate", "--", folder / "old"])
    check(done.returncode == 1 and "versions 12 and 13 are emulated" in done.stderr, "CUDA 11", done)


def main(program):
    program = pathlib.Path(os.path.abspath(program))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if not pathlib.Path(NVCC).exists() or run([NVCC, "-o", folder / "probe", PROGRAMS / "streams.cu"]).returncode != 0:
            print("skipped: there is no nvcc here, or it has no static CUDA runtime")
            return SKIPPED
        tests = [value for key, value in globals().items() if key.startswith("test_")]
        for test in tests:
            test(program, folder)
        print(f"{len(tests)} passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
