#!/usr/bin/env python3
"""Every family of kernels/ that is bound by bandwidth, every step, on a GPU: checked against float64 at full size, then timed cold beside
PyTorch eager, torch.compile and CUB in one process, in random order.

Usage: suite.py OUT [FAMILY...]      (writes OUT/suite.json; needs the Python package, torch and a GPU; CUB from SUITE_CUB, a library
that nvcc made of suite_cub.cu; SUITE_SECONDS bounds the sampling of each, 0.25)
"""
import ctypes
import functools
import json
import os
import pathlib
import random
import sys
import time

import torch
import torch.nn.functional as F

import warplens
from warplens import kernels

DEVICE = os.environ.get("SUITE_DEVICE", "cuda")  # cpu: tries the script, emulated, at small sizes
SECONDS = float(os.environ.get("SUITE_SECONDS", "0.25"))
GREY = torch.tensor([0.299, 0.587, 0.114])


def turn(x, cosine, sine):
    a, b = x.chunk(2, -1)
    c, s = cosine[:, None], sine[:, None]
    return torch.cat((a * c - b * s, b * c + a * s), -1)


def layer(x, w, b):
    return F.layer_norm(x, (x.shape[-1],), w, b, 1e-5)


def rms(x, w):
    return F.rms_norm(x, (x.shape[-1],), w, 1e-6)


def loss_gradient(x, t, dloss):
    x = x.detach().requires_grad_()
    return torch.autograd.grad(F.cross_entropy(x, t.long(), reduction="none"), x, dloss)[0]


def layer_backward(x, w, dy, kept={}):  # noqa: B006
    """dx, dw and db by the operator that autograd calls, with mean and scale of the rows from the forward."""
    if kept.get("x") is not x:
        kept.update(x=x, mean=x.mean(-1, keepdim=True), rstd=(x.var(-1, unbiased=False, keepdim=True) + 1e-5).rsqrt())
    mean, rstd = kept["mean"], kept["rstd"]
    return torch.ops.aten.native_layer_norm_backward(dy, x, [x.shape[-1]], mean, rstd, w, torch.zeros_like(w), [True, True, True])


def rms_backward(x, w, dy):
    scale = (x.square().mean(-1, keepdim=True) + 1e-6).rsqrt()
    n, g = x * scale, dy * w
    return (g - n * (g * n).mean(-1, keepdim=True)) * scale, (dy * n).sum(0)


def layer_backward_formula(x, w, dy):
    scale = (x.var(-1, unbiased=False, keepdim=True) + 1e-5).rsqrt()
    n, g = (x - x.mean(-1, keepdim=True)) * scale, dy * w
    return (g - g.mean(-1, keepdim=True) - n * (g * n).mean(-1, keepdim=True)) * scale, (dy * n).sum(0), dy.sum(0)


def grey(rgb):
    wide = torch.float64 if rgb.dtype == torch.float64 else torch.float32
    return (rgb.to(wide) @ GREY.to(rgb.device, wide)).round().to(torch.uint8)


# What torch is asked for; also the reference when its arguments are float64. A second function is what torch.compile gets.
TORCH = {
    "copy": lambda x: x.clone(),
    "square": torch.square,
    "gelu": lambda x: F.gelu(x, approximate="tanh"),
    "vector_add": torch.add,
    "rgb_to_grey": grey,
    "reduction": lambda x: x.sum().reshape(1),
    "scan": lambda x: x.cumsum(0),
    "transpose": lambda x: x.t().contiguous(),
    "histogram": lambda v: torch.bincount(v, minlength=256),
    "softmax": lambda x: torch.softmax(x, -1),
    "layer_norm": layer,
    "rms_norm": rms,
    "layer_norm_backward": layer_backward,
    "rms_norm_backward": rms_backward,
    "cross_entropy": lambda x, t: F.cross_entropy(x, t.long(), reduction="none"),
    "cross_entropy_backward": loss_gradient,
    "rotary": turn,
}
COMPILED = {"layer_norm_backward": layer_backward_formula,
            "rgb_to_grey": lambda rgb: (rgb[:, 0] * 0.299 + rgb[:, 1] * 0.587 + rgb[:, 2] * 0.114).round().to(torch.uint8),
            "cross_entropy": lambda x, t: torch.logsumexp(x, -1) - x.gather(1, t.long()[:, None])[:, 0],
            "cross_entropy_backward": lambda x, t, d: (torch.softmax(x, -1) - F.one_hot(t.long(), x.shape[-1])) * d[:, None]}
NOT_COMPILED = ("histogram", "scan")  # torch.compile hands them to the same kernels


def cub_peers():
    path = os.environ.get("SUITE_CUB")
    if not path:
        return {}
    library = ctypes.CDLL(path)

    def peer(name, dtype, count):
        function = getattr(library, name)

        def run(x):
            out = torch.empty(count or x.numel(), dtype=dtype, device=x.device)
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            if function(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(out.data_ptr()), x.numel(), stream):
                raise RuntimeError(name)
            return out
        return run
    return {"reduction": peer("cub_sum", torch.float32, 1), "scan": peer("cub_scan", torch.float32, 0),
            "histogram": peer("cub_histogram", torch.int32, 256)}


def inputs_of(family, point):
    """Random data as the family's file asks for it, other in every run."""
    made = []
    for name in family.inputs:
        buffer = family.buffers[name]
        sizes, text = buffer.sizes(point), str(family.described["buffers"][name])
        if buffer.dtype == torch.uint8:
            made.append(torch.randint(0, 256, sizes, dtype=torch.uint8, device=DEVICE))
        elif buffer.dtype == torch.int32:
            made.append(torch.randint(0, point["columns"], sizes, dtype=torch.int32, device=DEVICE))
        elif "normal" in text:
            made.append(torch.randn(sizes, device=DEVICE) * (0.1 if "0.1" in text else 1) + (1 if "normal(1" in text else 0))
        else:
            made.append(torch.rand(sizes, device=DEVICE) * (2 if "(-1" in text else 1) - (1 if "(-1" in text else 0))
    return tuple(made)


def error_of(got, want):
    """The largest relative norm of the difference, over the outputs, in float64 on the GPU."""
    got, want = (list(x) if isinstance(x, (tuple, list)) else [x] for x in (got, want))
    return max(((g.double() - w.double()).norm() / w.double().norm()).item() for g, w in zip(got, want, strict=True))


def measure(name, call, bytes, flops):
    one = dict(warplens.bench(call, name=name, bytes=bytes, flops=flops, device=DEVICE, limit_s=SECONDS, samples=200, target=0.005).data)
    one.pop("samples_ns", None)
    return one


def calls_of(family, tensors, cub):
    """Every step and every peer, by name, as calls without arguments."""
    name = family.__name__
    calls = {impl: functools.partial(family.launch, tensors, impl) for impl in family.impls if family.callable(impl)}
    calls = {impl: (lambda call=call: call()[0]) for impl, call in calls.items()}
    calls["torch"] = functools.partial(TORCH[name], *tensors)
    if name not in NOT_COMPILED:
        calls["torch.compile"] = functools.partial(torch.compile(COMPILED.get(name, TORCH[name]), dynamic=False), *tensors)
    if name in cub:
        calls["cub"] = functools.partial(cub[name], tensors[0])
    return calls


def one_row(family, impl, call, exact, point):
    """Checked, then timed. One that fails must not cost the others their time on the machine."""
    row = {"family": family.__name__, "impl": impl, "point": point, "tolerance": family.described.get("tolerance") or 1e-5}
    bytes, flops = (kernels._whole(family.described.get(what) or "0", point) for what in ("bytes", "flops"))
    begun = time.monotonic()
    try:
        row["error"] = error_of(call(), exact)
        row.update(measure(f"{family.__name__}/{impl}", call, bytes, flops))
    except Exception as error:
        row["failed"] = f"{type(error).__name__}: {error}"[:500]
    print(f"{family.__name__:24} {impl:14} {row.get('median_ns', 0) / 1e3:9.2f} us  {row.get('bytes_per_second', 0) / 1e9:7.0f} GB/s  "
          f"error {row.get('error', -1):.1e}  {time.monotonic() - begun:.1f} s  {row.get('failed', '')}{row.get('errors') or ''}", flush=True)
    return row


def run_family(name, cub):
    family, rows = getattr(kernels, name), []
    for point in family.described["full" if DEVICE == "cuda" else "small"]:
        tensors = inputs_of(family, point)
        exact = TORCH[name](*(t.double() if t.is_floating_point() or name == "rgb_to_grey" else t for t in tensors))
        calls = calls_of(family, tensors, cub)
        for impl in random.sample(list(calls), len(calls)):
            rows.append(one_row(family, impl, calls[impl], exact, point))
    return rows


def main(out, *names):
    cub, rows = cub_peers(), []
    torch.backends.cuda.matmul.allow_tf32 = False
    names = names or [n for n in dir(kernels) if n in TORCH]
    result = {"device": torch.cuda.get_device_name() if DEVICE == "cuda" else DEVICE, "torch": torch.__version__, "cuda": torch.version.cuda,
              "date": time.strftime("%Y-%m-%d"), "rows": rows}
    for name in names:
        try:
            rows += run_family(name, cub)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {error}", flush=True)
            rows.append({"family": name, "impl": "", "failed": f"{type(error).__name__}: {error}"[:500]})
        if DEVICE == "cuda":
            torch.cuda.empty_cache()
        pathlib.Path(out, "suite.json").write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
