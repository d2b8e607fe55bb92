"""The backward pass of attention beside that of SDPA's backends."""
import struct

import torch

from attention import BACKENDS, WGMMA, measure, sdpa, tensor_map, wgmma
from driver import Kernel


def truth(q, k, v, d_out, causal):
    """dQ, dK and dV of one head in float64."""
    q, k, v, d_out = (x.double() for x in (q, k, v, d_out))
    s = q @ k.t() * q.shape[1] ** -0.5
    if causal: s.masked_fill_(torch.ones_like(s, dtype=torch.bool).triu(1), float("-inf"))
    p = s.softmax(-1)
    d_s = p * (d_out @ v.t() - (d_out * (p @ v)).sum(1, keepdim=True)) * q.shape[1] ** -0.5
    return d_s @ k, d_s.t() @ q, p.t() @ d_out


def kernels(cubins, q, k, v, o, lse, d_out, grads, causal):
    """A function that runs the three kernels; as many heads of k and v as of q."""
    batch, heads, length, head = q.shape
    padded, all_heads, scale = (length + 63) // 64 * 64, batch * heads, head ** -0.5
    lse2, delta = (torch.empty(all_heads, padded, device="cuda") for _ in range(2))
    total = torch.empty(all_heads, padded, head, device="cuda")
    shared = 512 * head + 512 * head + 2 * 16384 + 256 * head + 1024 + 64 + 1024
    prepare, main, finish = (Kernel(cubins / "backward.cubin", n, s) for n, s in
                             (("backward_prepare", 0), (f"backward_{head}" + "_causal" * causal, shared), ("backward_finish", 0)))
    problem = struct.pack("<QQQQQQiiiif", *(x.data_ptr() for x in (lse2, delta, total, grads[1], grads[2])), 0, length, length, padded, 1, scale) + bytes(4)
    parts = [prepare.launcher((padded // 8, all_heads), (256,), o, d_out, lse, lse2, delta, total, length, padded, head),
             main.launcher(((length + 127) // 128, heads, batch), (384,), tensor_map(q, 64), tensor_map(k, 128), tensor_map(v, 128),
                           tensor_map(d_out, 64), problem),
             finish.launcher((padded * head // 512, all_heads), (256,), total, grads[0], length, padded, head, scale)]

    def call(keep=(lse2, delta, total)):
        for part in parts: part()
        return grads
    return call


def backward(batch, heads, length, head, causal, cubins, rounds):
    q, k, v, d_out = (torch.randn(batch, heads, length, head, device="cuda", dtype=torch.bfloat16) for _ in range(4))
    o, lse = torch.empty_like(q), torch.empty(batch, heads, length, device="cuda")
    wgmma(cubins, WGMMA[0], q, k, v, o, lse, causal)()
    grads = tuple(torch.full_like(q, float("nan")) for _ in range(3))
    calls = {"01_wgmma": kernels(cubins, q, k, v, o, lse, d_out, grads, causal)}
    inputs = tuple(x.clone().requires_grad_() for x in (q, k, v))
    for name, backend in BACKENDS.items():
        try: out = sdpa(backend, *inputs, causal)
        except RuntimeError: continue
        calls[name] = lambda out=out: torch.autograd.grad(out, inputs, d_out, retain_graph=True)
    want = truth(q[-1, -1], k[-1, -1], v[-1, -1], d_out[-1, -1], causal)

    def error(call):
        return max(((got[-1, -1].double() - w).norm() / w.norm()).item() for got, w in zip(call(), want))
    return measure(calls, error, 10 * batch * heads * length ** 2 * head / (2 if causal else 1), rounds)
