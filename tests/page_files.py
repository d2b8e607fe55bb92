"""Pages for the tests: of a profile, a comparison, ranks, kernels, counters and benchmark results."""
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
TRACES = ROOT / "tests/data/traces"
STACKS = TRACES / "gpt2_train_stack.pt.trace.json.gz"

# Columns of a tile are read: 32 lanes meet in one bank. The loop makes one line costlier than the others.
KERNEL = """// <b>transpose</b> & "quotes"
extern "C" __global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][32];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
  __syncthreads();
  for (int k = 0; k < 32; k += 8)
    out[(blockIdx.x * 32 + threadIdx.y + k) * n + blockIdx.y * 32 + threadIdx.x] =
        tile[threadIdx.x][threadIdx.y + k];
}
"""
COSTLIEST = "transpose.cu:9"  # the reads of columns
LAUNCH = {"source": "transpose.cu", "arch": "sm_90", "options": ["-lineinfo"],
          "buffers": {"x": {"dtype": "f32", "count": 65536, "fill": "arange"}, "y": {"dtype": "f32", "count": 65536}},
          "launches": [{"kernel": "transpose", "grid": [8, 8], "block": [32, 8],
                        "args": [{"buffer": "x"}, {"buffer": "y"}, {"i32": 256}]}]}
HOSTILE = ['</script><script>window.hacked=1</script>', '<img src=x onerror=window.hacked=1>', '"\'`${window.hacked=1}',
           'x' * 10_000, 'tab\tand\x1b[31m', '🙂 ünïcode', '\u202egnp.exe\u202c and \u2066isolated', 'zero\x00byte', 'lines\nof\r\ntext',
           ']]><!-- {{constructor}} -->', '__proto__', 'javascript:window.hacked=1', 'lone \ud800 surrogate', 'שלום العربية']


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def profile_page(program, folder):
    out = folder / "profile.html"
    run(program, "report", STACKS, "-o", out)
    return out


def hostile_page(program, folder):
    """Every name of a program is hostile."""
    events = []
    for i, name in enumerate(HOSTILE):
        args = {"External id": i + 1, "correlation": i + 1, "device": 0, "stream": 7}
        events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": i * 20, "dur": 9,
                       "args": {"External id": i + 1, "Input Dims": name}})
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": i * 20 + 1, "dur": 2,
                       "args": args})
        events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": i * 20 + 5, "dur": 9, "args": args})
        events.append({"ph": "X", "cat": "python_function", "name": name, "pid": 1, "tid": 1, "ts": i * 20, "dur": 15,
                       "args": {"Python id": i + 1}})
        events.append({"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": name}})
    trace = folder / "<b>hostile & name.json"
    trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    out = folder / "hostile.html"
    run(program, "report", trace, "-o", out)
    return out


def change_page(program, folder):
    out = folder / "change.html"
    run(program, "report", STACKS, TRACES / "gpt2_train.pt.trace.json.gz", "-o", out)
    return out


def ranks_page(program, folder):
    """Eight ranks of which the third comes late."""
    from ranks_test import job, recorded
    files = []
    for rank, trace in enumerate(job(recorded(), lambda _: 3)):
        files.append(folder / f"rank{rank}.json")
        files[-1].write_text(json.dumps(trace))
    out = folder / "ranks.html"
    run(program, "report", *files, "-o", out)
    return out


def kernel_page(program, folder):
    """None where nothing compiles CUDA C++."""
    (folder / "transpose.cu").write_text(KERNEL)
    launch = folder / "launch.json"
    launch.write_text(json.dumps(LAUNCH))
    out = folder / "kernel.html"
    done = subprocess.run([program, "report", launch, "-o", out], capture_output=True, text=True, check=False)
    if done.returncode and "nvrtc" in done.stderr.lower():
        return None
    assert done.returncode == 0, done.stderr
    return out


PROGRAM = KERNEL + """
int main() {
  float *in, *out;
  cudaMalloc(&in, 65536 * sizeof(float));
  cudaMalloc(&out, 65536 * sizeof(float));
  for (int i = 0; i < 3; ++i) transpose<<<dim3(8, 8), dim3(32, 8)>>>(in, out, 256);
  return cudaDeviceSynchronize();
}
"""


def program_page(program, folder):
    """The page of a program whose launches are counted without a GPU. None where nothing compiles it."""
    (folder / "transpose_program.cu").write_text(PROGRAM)
    binary, out = folder / "transpose_program", folder / "program.html"
    built = subprocess.run([program, "nvcc", "-arch=sm_90", "-lineinfo", folder / "transpose_program.cu", "-o", binary],
                           capture_output=True, text=True, check=False)
    if built.returncode:
        assert "nvcc" in built.stderr, built.stderr
        return None
    run(program, "counters", "--emulate", "--page", out, "--", binary)
    return out


LIBRARY = KERNEL + """
extern "C" void turn(const float* in, float* out) { transpose<<<dim3(8, 8), dim3(32, 8)>>>(in, out, 256); }
"""
CALLER = """
extern "C" void turn(const float* in, float* out);
int main() {
  float *in, *out;
  cudaMalloc(&in, 65536 * sizeof(float));
  cudaMalloc(&out, 65536 * sizeof(float));
  turn(in, out);
  return cudaDeviceSynchronize();
}
"""
COMPILER = """#include <cuda.h>
#include <nvrtc.h>
#include <string>
const char* const source = R"CUDA(""" + KERNEL + """)CUDA";
int main() {
  nvrtcProgram program;
  const char* options[] = {"--gpu-architecture=compute_90", "-lineinfo"};
  if (nvrtcCreateProgram(&program, source, "transpose.cu", 0, nullptr, nullptr) || nvrtcCompileProgram(program, 2, options)) return 1;
  size_t size = 0;
  nvrtcGetPTXSize(program, &size);
  std::string ptx(size, 0);
  nvrtcGetPTX(program, ptx.data());
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUdeviceptr in, out;
  if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) || cuCtxSetCurrent(context)) return 2;
  if (cuModuleLoadData(&module, ptx.data()) || cuModuleGetFunction(&function, module, "transpose")) return 3;
  if (cuMemAlloc(&in, 65536 * 4) || cuMemAlloc(&out, 65536 * 4)) return 4;
  int n = 256;
  void* arguments[] = {&in, &out, &n};
  if (cuLaunchKernel(function, 8, 8, 1, 32, 8, 1, 0, nullptr, arguments, nullptr)) return 5;
  return cuCtxSynchronize();
}
"""


def carrier_pages(program, folder):
    """Of programs whose kernel is in a shared library, and in PTX that NVRTC makes."""
    for name, text in (("library.cu", LIBRARY), ("caller.cu", CALLER), ("compiler.cu", COMPILER)):
        (folder / name).write_text(text)
    build = ("nvcc", "-arch=sm_90", "-std=c++17", "-lineinfo")
    run(program, *build, "-shared", "-Xcompiler", "-fPIC", folder / "library.cu", "-o", folder / "libturn.so")
    run(program, *build, folder / "caller.cu", "-o", folder / "caller", f"-L{folder}", "-lturn", "-Xlinker", f"-rpath={folder}")
    run(program, *build, folder / "compiler.cu", "-o", folder / "compiler", "-lnvrtc", "-lcuda")
    for name in ("caller", "compiler"):
        out = folder / f"{name}.html"
        run(program, "counters", "--emulate", "--page", out, "--", folder / name)
        yield out


def snapshot_page(program, folder):
    out = folder / "snapshot.html"
    run(program, "report", ROOT / "tests/data/pickles/leak.pickle", "-o", out)
    return out


def counters_page(program, folder):
    out = folder / "counters.html"
    run(program, "report", ROOT / "tests/data/counters/stalls.counts", "-o", out)
    return out


def results_page(program, folder):
    """Made by hand, so that no GPU is needed: two benchmarks with their intervals."""
    def measured(name, median):
        return {"name": name, "source": "measured", "regime": "warm", "axes": {"n": "1024"}, "valid": True, "errors": [], "notes": [],
                "median_ns": median, "low_ns": median * 0.98, "high_ns": median * 1.03, "confidence": 0.95, "target_reached": True,
                "samples_ns": [median * (0.98 + 0.001 * (7 * i % 40)) for i in range(40)]}
    files = []
    for file, factor in (("before.json", 1.0), ("after.json", 1.4)):
        path = folder / file
        path.write_text(json.dumps({"kind": "warplens-bench", "schema_version": 1, "title": "two <kernels>", "environment": {"device": "H200"},
                                    "measurements": [measured("naive", 9000 * factor), measured("<i>tiled</i>", 4000)]}))
        files.append(path)
    out = folder / "results.html"
    run(program, "report", *files, "-o", out)
    return out
