"""Attention: every step of kernels/attention, variants of the fastest, SDPA's backends and Triton, side by side."""
import struct

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

import peers
from driver import Kernel, TensorMap
from timing import compare
from variants import WGMMA, label

BACKENDS = {"SDPA cuDNN": SDPBackend.CUDNN_ATTENTION, "SDPA flash": SDPBackend.FLASH_ATTENTION,
            "SDPA efficient": SDPBackend.EFFICIENT_ATTENTION}
SHARED_LIMIT = 232448


def shared_bytes(d, head):
    return (64 * d["CONSUMERS"] + 2 * d["STAGES"] * d["TILE_N"]) * head * 2 + 8 * (1 + 4 * d["STAGES"]) + 1024


def runs(d, head):
    return shared_bytes(d, head) <= SHARED_LIMIT and (head == 64 or d["CONSUMERS"] == 2)


def problem(x, queries, keys, group, scale):
    batch, heads, tokens, head = x.stride()
    return struct.pack("<qqqQQiiif", batch, heads, tokens, 0, 0, queries, keys, group, scale)


def tensor_map(x, rows):
    """Of (batch, heads, length, head size)."""
    b, h, s, d = x.shape
    return TensorMap(x, [d, s, h, b], [64, rows, 1, 1], [2 * x.stride(2), 2 * x.stride(1), 2 * x.stride(0)])


def wgmma(cubins, d, q, k, v, o, lse, causal):
    batch, heads, length, head = q.shape
    kernel = Kernel(cubins / (label("04_flash_wgmma", d) + ".cubin"), f"flash_wgmma_{head}" + "_causal" * causal, shared_bytes(d, head))
    m = 64 * d["CONSUMERS"]
    return kernel.launcher(((length + m - 1) // m, heads, batch), (128 * (d["CONSUMERS"] + 1),), tensor_map(q, m),
                           tensor_map(k, d["TILE_N"]), tensor_map(v, d["TILE_N"]), o, lse,
                           problem(o, length, k.shape[2], heads // k.shape[1], head ** -0.5))


def simple_steps(cubins, q, k, v, o, causal):
    """The steps before wgmma; the naive one where its scores take at most 9 GB."""
    batch, heads, length, head = q.shape
    group, all_heads, scale, calls = heads // k.shape[1], batch * heads, head ** -0.5, {}
    if all_heads * length ** 2 * 4 < 9e9:
        s = torch.empty(all_heads, length, length, device="cuda")
        scores, softmax, values = (Kernel(cubins / "01_naive_attention.cubin", "attention_" + n) for n in ("scores", "softmax", "values"))
        parts = [scores.launcher((length // 32, length // 8, all_heads), (32, 8), q, k, s, length, length, head, group, int(causal), scale),
                 softmax.launcher((length // 8, all_heads), (32, 8), s, length, length),
                 values.launcher((head // 32, length // 8, all_heads), (32, 8), s, v, o, length, length, head, group)]
        calls["01_naive"] = lambda: [part() for part in parts][:0]
        tiled = Kernel(cubins / f"02_tiled-size{head}.cubin", "attention_tiled", 4 * (96 * (head + 4) + 32 * head + 64 * 33))
        calls["02_tiled"] = tiled.launcher((length // 64, all_heads), (256,), q, k, v, o, length, length, group, int(causal), scale)
    mma = Kernel(cubins / "03_flash_mma.cubin", f"flash_mma_{head}" + "_causal" * causal, 2 * head * (128 + 4 * 64))
    calls["03_flash_mma"] = mma.launcher((length // 128, all_heads), (256,), q, k, v, o, length, length, group, scale)
    return calls


def check(o, q, k, v, causal):
    """Relative norm of the difference from float64 on sampled rows of the first and last head."""
    batch, heads, length, head = q.shape
    rows = torch.randperm(length, device="cuda")[:192]
    rows[:2] = torch.tensor([0, length - 1], device="cuda")
    difference = norm = 0.0
    for b, h in ((0, 0), (batch - 1, heads - 1)):
        kv = h // (heads // k.shape[1])
        s = q[b, h, rows].double() @ k[b, kv].double().t() * head ** -0.5
        if causal: s.masked_fill_(torch.arange(k.shape[2], device="cuda")[None] > rows[:, None], float("-inf"))
        want = s.softmax(-1) @ v[b, kv].double()
        difference += (o[b, h, rows].double() - want).norm().item() ** 2
        norm += want.norm().item() ** 2
    return (difference / norm) ** 0.5


def sdpa(backend, q, k, v, causal):
    with sdpa_kernel(backend):
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=q.shape[1] != k.shape[1])


def measure(calls, check, flops, rounds):
    """Every call is checked, then those that ran are timed."""
    errors, good = {}, {}
    for name, call in calls.items():
        try:
            errors[name] = check(call)
            good[name] = call
        except Exception as e:  # a candidate that cannot run is reported, the others go on
            errors[name] = str(e)[:300]
    results = compare(good, rounds)
    for name, error in errors.items():
        results.setdefault(name, {})["error"] = error
        if "ms" in results[name]: results[name]["tflops"] = flops / results[name]["ms"] / 1e9
    return results


def forward(batch, heads, length, head, causal, cubins, rounds, group=1):
    shape = (batch, heads, length, head)
    q = torch.randn(shape, device="cuda", dtype=torch.bfloat16)
    k, v = (torch.randn(batch, heads // group, length, head, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    o, lse = torch.empty_like(q), torch.empty(shape[:3], device="cuda")
    calls = {name: lambda backend=backend: sdpa(backend, q, k, v, causal) for name, backend in BACKENDS.items()}
    if group == 1: calls["Triton"] = lambda: peers.attention(q, k, v, o, causal)
    calls |= simple_steps(cubins, q, k, v, o, causal)
    for d in WGMMA:
        if runs(d, head): calls[label("04_flash_wgmma", d)] = wgmma(cubins, d, q, k, v, o, lse, causal)

    def error(call):
        o.fill_(float("nan"))
        got = call()
        return check(got if isinstance(got, torch.Tensor) else o, q, k, v, causal)
    return measure(calls, error, 4 * batch * heads * length ** 2 * head / (2 if causal else 1), rounds)
