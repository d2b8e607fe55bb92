#!/usr/bin/env python3
"""The host's cost of a call of warplens.kernels on small CUDA tensors, compared with torch's own; best of five rounds.

Usage: call_cost.py OUT      (writes OUT/cost.json: name -> [microseconds, torch's microseconds]; needs the Python package, torch and a GPU)
"""
import json
import pathlib
import sys
import time

import torch
import torch.nn.functional as F

from warplens import kernels


def cost(call, count=400, rounds=5):
    """Microseconds until a call returns; the GPU is quicker."""
    best = float("inf")
    for _ in range(rounds):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, (time.perf_counter() - begin) / count * 1e6)
    torch.cuda.synchronize()
    return best


def main(out):
    x, w, b = torch.randn(64, 1024, device="cuda"), torch.ones(1024, device="cuda"), torch.zeros(1024, device="cuda")
    q, k, v = (torch.randn(1, 16, 128, 128, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    a, recorded, flat = torch.randn(256, 256, device="cuda", dtype=torch.bfloat16), x.clone().requires_grad_(), x.flatten()
    calls = {
        "copy": (lambda: kernels.copy(x), x.clone),
        "softmax": (lambda: kernels.softmax(x), lambda: x.softmax(-1)),
        "layer_norm": (lambda: kernels.layer_norm(x, w, b), lambda: F.layer_norm(x, (1024,), w, b)),
        "scan": (lambda: kernels.scan(flat), lambda: flat.cumsum(0)),
        "matmul_bf16": (lambda: kernels.matmul_bf16(a, a), lambda: a @ a.t()),
        "attention": (lambda: kernels.attention(q, k, v), lambda: F.scaled_dot_product_attention(q, k, v)),
        "attention, causal": (lambda: kernels.attention(q, k, v, causal=True), lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True)),
        "softmax, recorded": (lambda: kernels.softmax(recorded), lambda: recorded.softmax(-1)),
    }
    result = {}
    for name, both in calls.items():
        for call in both:
            for _ in range(100):
                call()
        result[name] = [cost(call) for call in both]
        print(f"{name:20} {result[name][0]:6.2f} us   torch {result[name][1]:6.2f} us", flush=True)
    pathlib.Path(out, "cost.json").write_text(json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1])
