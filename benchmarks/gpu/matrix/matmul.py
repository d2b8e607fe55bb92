"""Matrix products: every step of kernels/matmul, variants of the fastest, cuBLAS and Triton, at one size side by side."""
import torch

import peers
from driver import Kernel, TensorMap
from timing import compare
from variants import FP32, PERSISTENT, STEPS, label

SMS = torch.cuda.get_device_properties(0).multi_processor_count
GRIDS = {"01_naive": (32, 32, 1024), "02_coalesced": (32, 32, 1024), "03_tiled": (32, 32, 1024), "04_register_1d": (64, 64, 512)}


def check(call, out, a, b_columns):
    """Relative norm of the difference from float64 on 256 sampled rows; `b_columns` is k x n."""
    out.fill_(float("nan"))
    call()
    rows = torch.randperm(a.shape[0], device="cuda")[:256]
    rows[:2] = torch.tensor([0, a.shape[0] - 1], device="cuda")
    want = a[rows].double() @ b_columns.double()
    return ((out[rows].double() - want).norm() / want.norm()).item()


def fp32(size, cubins, rounds, slow=True, variants=True):
    a, b = torch.rand(size, size, device="cuda") - 0.5, torch.rand(size, size, device="cuda") - 0.5
    c = torch.empty(size, size, device="cuda")
    calls = {"cuBLAS": lambda: torch.matmul(a, b, out=c)}
    for step in STEPS[0 if slow else 5:]:
        y, x, threads = GRIDS.get(step, (128, 128, 256))
        block = (32, 32) if threads == 1024 else (threads,)
        kernel = Kernel(cubins / f"{step}.cubin", "matmul_" + step[3:])
        calls[step] = kernel.launcher((size // x, size // y), block, a, b, c, size, size, size)
    for d in FP32 if variants else FP32[:1]:
        name, m, n = label("08_tensor_copies", d), d["WARPS_M"] * 8 * d["ROWS"], d["WARPS_N"] * 4 * d["COLUMNS"]
        kernel = Kernel(cubins / f"{name}.cubin", "matmul_tensor_copies", d["STAGES"] * (m + n) * 128 + 16 * d["STAGES"] + 1024)
        calls[name] = kernel.launcher(((size // m) * (size // n),), (32 * d["WARPS_M"] * d["WARPS_N"] + 128,),
                                      TensorMap(a, [size, size], [32, m]), TensorMap(b, [size, size], [n, 32], swizzle=0), c,
                                      size, size, size)
    return measure(calls, c, a, b, 2 * size ** 3, rounds)


def measure(calls, c, a, b_columns, flops, rounds):
    errors, good = {}, {}
    for name, call in calls.items():
        try:
            errors[name] = check(call, c, a, b_columns)
            good[name] = call
        except Exception as e:  # a candidate that cannot run is reported, the others go on
            errors[name] = str(e)[:300]
    results = compare(good, rounds)
    for name, error in errors.items():
        results.setdefault(name, {})["error"] = error
        if "ms" in results[name]: results[name]["tflops"] = flops / results[name]["ms"] / 1e9
    return results


def inputs(kind, m, n, k):
    a, b = torch.rand(m, k, device="cuda") - 0.5, torch.rand(n, k, device="cuda") - 0.5
    dtype = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp8": torch.float8_e4m3fn}[kind]
    c = torch.empty(m, n, device="cuda", dtype=torch.float16 if kind == "fp16" else torch.bfloat16)
    return a.to(dtype), b.to(dtype), c


def persistent(kind, size, cubins, d, a, b, c):
    stage, per = 16384 + d["TILE_N"] * 128, 128 if kind == "fp8" else 64
    kernel = Kernel(cubins / (label("04_persistent", d) + ".cubin"), "matmul_persistent_" + kind,
                    d["STAGES"] * (stage + 16) + 32768 + 1024)
    return kernel.launcher((SMS // d["CLUSTER"] * d["CLUSTER"],), (384,), TensorMap(a, [size, size], [per, 128]),
                           TensorMap(b, [size, size], [per, d["TILE_N"] // d["CLUSTER"]]),
                           TensorMap(c, [size, size], [64, 64]), size, size, size)


def tensor(kind, size, cubins, rounds, variants=True, steps=True):
    a, b, c = inputs(kind, size, size, size)
    calls = {}
    if kind == "fp8":
        one = torch.ones((), device="cuda")
        for fast in (True, False):
            calls["cuBLAS" if fast else "cuBLAS, exact sums"] = lambda fast=fast: torch._scaled_mm(
                a, b.t(), one, one, out_dtype=torch.bfloat16, use_fast_accum=fast, out=c)
    else:
        calls = {"cuBLAS": lambda: torch.matmul(a, b.t(), out=c), "Triton": lambda: peers.matmul(a, b, c)}
    if kind == "bf16" and steps:
        for step, tile, shared, map_b in (("01_mma", 128, 65536, None), ("02_wgmma", 128, 32768, 128), ("03_warp_specialised", 256, 196608, 256)):
            kernel = Kernel(cubins / f"{step}.cubin", "matmul_" + step[3:], shared + (1152 if map_b else 0))
            operands = (TensorMap(a, [size, size], [64, 128]), TensorMap(b, [size, size], [64, map_b])) if map_b else (a, b)
            calls[step] = kernel.launcher((size // tile, size // 128), (384,) if tile == 256 else (256,), *operands, c, size, size, size)
    for d in PERSISTENT if variants else PERSISTENT[:1]:
        calls[label("04_persistent", d)] = persistent(kind, size, cubins, d, a, b, c)
    return measure(calls, c, a.float() if kind == "fp8" else a, (b.float() if kind == "fp8" else b).t(), 2 * size ** 3, rounds)
