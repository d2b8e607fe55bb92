#!/usr/bin/env python3
"""The Python package on a GPU: bench, compare, load_inline and fuse checked and timed beside torch and Triton, then every example.

Usage: python_on_gpu.py OUT      (writes OUT/python.md and OUT/examples.txt; needs torch, triton and a GPU; uses CuPy and JAX if they are there)
"""
import contextlib
import ctypes
import gc
import io
import os
import pathlib
import platform
import runpy
import statistics
import subprocess
import sys
import time
import traceback

import warplens

ROOT = pathlib.Path(__file__).resolve().parents[2]
CUDA = ctypes.CDLL("libcuda.so.1")
SOURCE = """
extern "C" __global__ void square(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * x[i];
}
extern "C" __global__ void beyond(float* x) { x[1ll << 40] = 1; }
"""


def context():
    """The driver's current context, and whether the primary one of GPU 0 is active."""
    current, flags, active = ctypes.c_void_p(), ctypes.c_uint(), ctypes.c_int()
    CUDA.cuInit(0)
    CUDA.cuCtxGetCurrent(ctypes.byref(current))
    CUDA.cuDevicePrimaryCtxGetState(0, ctypes.byref(flags), ctypes.byref(active))
    return current.value, active.value


assert context() == (None, 0), "importing warplens made a context"
import torch  # noqa: E402


def event_median_us(call, rounds=200):
    """The peer's way: pairs of events around single calls, in microseconds."""
    times = []
    for _ in range(rounds):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        times.append((begin, end))
    torch.cuda.synchronize()
    return statistics.median(b.elapsed_time(e) * 1e3 for b, e in times)


def inline_kernels():
    torch.cuda.init()
    x = torch.randn(1 << 20, device="cuda")
    before = context()
    m = warplens.load_inline(SOURCE)
    y = torch.empty_like(x)
    m.square[4096, 256](x, y, x.numel())
    assert torch.equal(y, x * x) and context() == before
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):  # ordered after the slow product on the same stream, or z would be wrong
        a = torch.randn(4096, 4096, device="cuda")
        b = (a @ a).reshape(-1)[: 1 << 20].contiguous()
        z = torch.empty_like(b)
        m.square[4096, 256](b, z, b.numel())
        assert torch.equal(z, b * b)
    launch = m.square.profile[4096, 256](x, y.zero_(), x.numel())
    assert torch.equal(y, x * x) and 0 < launch.time_ns < 1e6
    assert launch.metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == (1 << 20) / 8
    short = torch.empty(100, device="cuda")
    checked = m.square.check[1, 128](x, short, 100)
    assert checked.reports == [] and torch.equal(short, x[:100] * x[:100])
    try:
        m.square[1, 4096](x, y, 1)
        raise AssertionError("a block of 4096 threads was not refused")
    except RuntimeError as error:
        refused = str(error)
    try:
        m.square[1, 32](x, torch.empty(32), 32)
        raise AssertionError("arrays on two devices were not refused")
    except TypeError as error:
        mixed = str(error)
    return [f"a block too large: `{refused}`", f"a CPU and a CUDA tensor: `{mixed}`",
            f"profile of 2^20 squares: {launch.time_ns / 1e3:.2f} us on the GPU beside exact counters"]


def other_libraries():
    m, said = warplens.load_inline(SOURCE), []
    try:
        import cupy

        x = cupy.random.rand(1000, dtype=cupy.float32)
        y = cupy.zeros_like(x)
        with cupy.cuda.Stream(non_blocking=True) as stream:
            m.square[4, 256](x, y, 1000)
            stream.synchronize()
        assert bool((y == x * x).all())
        said.append(f"CuPy {cupy.__version__}")
    except ImportError:
        said.append("no CuPy here")
    try:
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax.numpy as jnp

        x, y = jnp.arange(1000, dtype=jnp.float32), torch.zeros(1000, device="cuda")
        m.square[4, 256](x, y, 1000)
        assert y[999].item() == 999.0**2
        said.append("JAX")
    except ImportError:
        said.append("no JAX here")

    class Dlpacked:
        def __dlpack__(self, **options):
            return self.tensor.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.tensor.__dlpack_device__()

        def __init__(self, tensor):
            self.tensor = tensor

    x, y = torch.randn(1000, device="cuda"), torch.zeros(1000, device="cuda")
    m.square[4, 256](Dlpacked(x), Dlpacked(y), 1000)
    assert torch.equal(y, x * x)
    return ["arrays of " + ", ".join([*said, "DLPack alone"])]


def launch_cost():
    m = warplens.load_inline(SOURCE)
    x = torch.randn(256, device="cuda")
    y = torch.empty_like(x)
    call = m.square[1, 256]

    def per_call_us(function, calls=20_000):
        for _ in range(1000):
            function()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(calls):
            function()
        torch.cuda.synchronize()
        return (time.perf_counter() - begin) / calls * 1e6

    gc.collect()
    with open("/proc/self/statm") as file:
        before = int(file.read().split()[1])
    ours = per_call_us(lambda: call(x, y, 256))
    with open("/proc/self/statm") as file:
        grown = (int(file.read().split()[1]) - before) * os.sysconf("SC_PAGE_SIZE")
    said = [f"a launch from Python: {ours:.2f} us; torch.square(out=): {per_call_us(lambda: torch.square(x, out=y)):.2f} us",
            f"21,000 launches: {grown / 1024:.0f} KiB of memory more"]
    with contextlib.suppress(ImportError):
        import cupy

        kernel, stream = cupy.RawKernel(SOURCE, "square"), cupy.cuda.Stream.from_external(torch.cuda.current_stream())
        with stream:
            arguments = (x.data_ptr(), y.data_ptr(), cupy.int32(256))
            said[0] += f"; CuPy RawKernel: {per_call_us(lambda: kernel((1,), (256,), arguments)):.2f} us"
    return said


def synchronous_errors():
    code = f"import torch, warplens\nm = warplens.load_inline({SOURCE!r})\nm.beyond[1, 1](torch.zeros(1, device='cuda'))\nprint('not reached')"
    done = subprocess.run([sys.executable, "-c", code], env=dict(os.environ, WARPLENS_SYNC="1"), capture_output=True, text=True)
    assert done.returncode != 0 and "beyond" in done.stderr and "not reached" not in done.stdout, done.stderr
    return [f"WARPLENS_SYNC=1, an illegal address: `{done.stderr.strip().splitlines()[-1]}`"]


def times():
    from triton.testing import do_bench

    lines = ["", "| square of so many floats | cold us | warm us | throughput us | events us | do_bench median us |", "| ---: | ---: | ---: | ---: | ---: | ---: |"]
    for n in (1 << 14, 1 << 20, 1 << 24, 1 << 26):
        x = torch.randn(n, device="cuda")
        cold, warm, through = (warplens.bench(torch.square, x, regime=r, limit_s=0.5, bytes=8 * n) for r in ("cold", "warm", "throughput"))
        assert all(m.valid and m.source == "measured" for m in (cold, warm, through)), [m.errors for m in (cold, warm, through)]
        peer, triton = event_median_us(lambda: torch.square(x)), do_bench(lambda: torch.square(x), return_mode="median") * 1e3
        lines.append(f"| {n} | {cold.median_ns / 1e3:.2f} | {warm.median_ns / 1e3:.2f} | {through.median_ns / 1e3:.2f} | {peer:.2f} | {triton:.2f} |")
        if n >= 1 << 24:
            assert abs(cold.median_ns / 1e3 / triton - 1) < 0.1, (cold, triton)
    return lines


def where_work_is_seen():
    x = torch.randn(1 << 25, device="cuda")
    side = torch.cuda.Stream()

    class Holder:
        def __init__(self):
            self.x = x

        def step(self):
            return self.x * 2

    ways = {"argument": lambda: warplens.bench(torch.square, x, limit_s=0.1), "closure": lambda: warplens.bench(lambda: x * 2, limit_s=0.1),
            "method": lambda: warplens.bench(Holder().step, limit_s=0.1),
            "module": lambda: warplens.bench(torch.nn.Linear(64, 64, device="cuda"), torch.randn(8, 64, device="cuda"), limit_s=0.1)}
    for name, way in ways.items():
        assert way().source == "measured", name

    def elsewhere():
        with torch.cuda.stream(side):
            for _ in range(20):
                torch.square(x)

    astray = warplens.bench(elsewhere, limit_s=0.2)
    assert not astray.valid, astray
    with torch.cuda.stream(side):
        inside = warplens.bench(torch.square, x, limit_s=0.2)
    assert inside.valid and inside.source == "measured"
    kept = {}
    cheat = warplens.bench(lambda a: kept.setdefault(a.data_ptr(), a @ a), inputs=lambda: torch.randn(2048, 2048, device="cuda"),
                           reference=lambda a: a @ a, tolerance=1e-3, limit_s=0.3)
    assert not cheat.valid
    try:
        warplens.bench(lambda a: a @ torch.zeros(3, device="cuda"), x)
        raise AssertionError("the error of a kernel call did not come out")
    except RuntimeError:
        pass
    return [f"work on another stream: `{astray.errors[0]}`", f"kept results: `{cheat.errors[0]}`"]


def races():
    x = torch.randn(1 << 24, device="cuda")
    same = [warplens.compare(torch.square, torch.square, x).verdict for _ in range(20)]
    begin = time.perf_counter()
    verdict = warplens.compare(lambda a: 0.5 * a * (1 + torch.erf(a * 0.70710678)), torch.nn.functional.gelu, x)
    took = time.perf_counter() - begin
    assert verdict.verdict == "faster" and verdict.agrees
    return [f"20 races of torch.square against itself: {', '.join(f'{same.count(v)} {v}' for v in dict.fromkeys(same))}",
            f"GELU written out against torch's: `{verdict}`, in {took:.2f} s"]


def fusion():
    import torch.nn.functional as F

    functions = {"gelu (tanh)": lambda x: 0.5 * x * (1 + torch.tanh(0.79788456 * (x + 0.044715 * x * x * x))), "silu * x": lambda x: F.silu(x) * x,
                 "softmax": lambda x: torch.softmax(x, -1), "rms norm": lambda x: F.rms_norm(x, (x.shape[-1],)),
                 "standardise": lambda x: (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-5)}
    lines = ["", "| fused, (16384, 1024) floats | eager us | fused us | GB/s | torch.compile us |", "| --- | ---: | ---: | ---: | ---: |"]
    x = torch.randn(16384, 1024, device="cuda")
    for name, function in functions.items():
        fused = warplens.fuse(function)
        torch.testing.assert_close(fused(x), function(x), rtol=1e-4, atol=1e-5)
        eager, ours = fused.bench(x, limit_s=0.3)
        compiled = warplens.bench(torch.compile(function), x, limit_s=0.3)
        lines.append(f"| {name} | {eager.median_ns / 1e3:.1f} | {ours.median_ns / 1e3:.1f} | {ours.bytes_per_second / 1e9:.0f} | {compiled.median_ns / 1e3:.1f} |")
    return lines


def examples(out):
    lines = []
    with open(out / "examples.txt", "w") as log:
        for path in sorted((ROOT / "examples" / "python").glob("*.py")):
            said, begin = io.StringIO(), time.perf_counter()
            try:
                with contextlib.redirect_stdout(said):
                    runpy.run_path(str(path), run_name="__main__")
                lines.append(f"{path.name}: ran in {time.perf_counter() - begin:.1f} s")
            except Exception:
                said.write(traceback.format_exc())
                lines.append(f"{path.name}: FAILED: {traceback.format_exc().strip().splitlines()[-1]}")
            log.write(f"===== {path.name}\n{said.getvalue()}\n")
            log.flush()
    return lines


def main():
    out = pathlib.Path(sys.argv[1])
    version = ".".join(platform.python_version_tuple())
    text = [f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, Python {version}, warplens {warplens.__version__}", ""]
    failed = 0
    for part in (inline_kernels, other_libraries, launch_cost, synchronous_errors, times, where_work_is_seen, races, fusion, lambda: examples(out)):
        name, begin = getattr(part, "__name__", "").replace("_", " ").replace("<lambda>", "examples"), time.perf_counter()
        try:
            lines = part()
        except Exception:
            failed += 1
            lines = ["FAILED", "```", traceback.format_exc().strip(), "```"]
        text += [f"## {name.capitalize()}", "", *(line if line.startswith(("|", "`")) or not line else f"- {line}" for line in lines), ""]
        print(f"{name}: {time.perf_counter() - begin:.1f} s\n" + "\n".join(lines), flush=True)
        (out / "python.md").write_text("\n".join(text))
    return failed


if __name__ == "__main__":
    sys.exit(main())
