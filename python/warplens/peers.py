"""What the suite's kernels stand beside: PyTorch's own functions, what torch.compile is given, and CUB's through nvcc.

TORCH gives the reference, too, where its arguments are float64 (bytes for grey: as float64).
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import pathlib
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

GREY = torch.tensor([0.299, 0.587, 0.114])


def turn(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    a, b = x.chunk(2, -1)
    c, s = cosine[:, None], sine[:, None]
    return torch.cat((a * c - b * s, b * c + a * s), -1)


def layer(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return F.layer_norm(x, (x.shape[-1],), w, b, 1e-5)


def rms(x: Tensor, w: Tensor) -> Tensor:
    return F.rms_norm(x, (x.shape[-1],), w, 1e-6)


def loss_gradient(x: Tensor, t: Tensor, dloss: Tensor) -> Tensor:
    x = x.detach().requires_grad_()
    return torch.autograd.grad(F.cross_entropy(x, t.long(), reduction="none"), x, dloss)[0]


def layer_backward(x: Tensor, w: Tensor, dy: Tensor, kept: dict[str, Any] = {}) -> Any:  # noqa: B006
    """dx, dw and db by the operator that autograd calls, with mean and scale of the rows from the forward."""
    if kept.get("x") is not x:
        kept.update(x=x, mean=x.mean(-1, keepdim=True), rstd=(x.var(-1, unbiased=False, keepdim=True) + 1e-5).rsqrt())
    mean, rstd = kept["mean"], kept["rstd"]
    return torch.ops.aten.native_layer_norm_backward(dy, x, [x.shape[-1]], mean, rstd, w, torch.zeros_like(w), [True, True, True])


def rms_backward(x: Tensor, w: Tensor, dy: Tensor) -> Any:
    scale = (x.square().mean(-1, keepdim=True) + 1e-6).rsqrt()
    n, g = x * scale, dy * w
    return (g - n * (g * n).mean(-1, keepdim=True)) * scale, (dy * n).sum(0)


def layer_backward_formula(x: Tensor, w: Tensor, dy: Tensor) -> Any:
    scale = (x.var(-1, unbiased=False, keepdim=True) + 1e-5).rsqrt()
    n, g = (x - x.mean(-1, keepdim=True)) * scale, dy * w
    return (g - g.mean(-1, keepdim=True) - n * (g * n).mean(-1, keepdim=True)) * scale, (dy * n).sum(0), dy.sum(0)


def grey(rgb: Tensor) -> Tensor:
    wide = torch.float64 if rgb.dtype == torch.float64 else torch.float32
    return (rgb.to(wide) @ GREY.to(rgb.device, wide)).round().to(torch.uint8)


# What torch is asked for; also the reference when its arguments are float64. A second function is what torch.compile gets.
TORCH: dict[str, Callable[..., Any]] = {
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
COMPILED: dict[str, Callable[..., Any]] = {
    "layer_norm_backward": layer_backward_formula,
    "rgb_to_grey": lambda rgb: (rgb[:, 0] * 0.299 + rgb[:, 1] * 0.587 + rgb[:, 2] * 0.114).round().to(torch.uint8),
    "cross_entropy": lambda x, t: torch.logsumexp(x, -1) - x.gather(1, t.long()[:, None])[:, 0],
    "cross_entropy_backward": lambda x, t, d: (torch.softmax(x, -1) - F.one_hot(t.long(), x.shape[-1])) * d[:, None],
}
NOT_COMPILED = ("histogram", "scan")  # torch.compile hands them to the same kernels


def cub_library(source: pathlib.Path) -> ctypes.CDLL | None:
    """kernels/common/cub.cu, compiled once; None without nvcc."""
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if nvcc is None or not torch.cuda.is_available():
        return None
    cache = pathlib.Path(os.environ.get("WARPLENS_CACHE") or pathlib.Path.home() / ".cache/warplens")
    major, minor = torch.cuda.get_device_capability()
    made = cache / f"cub-{hashlib.sha256(source.read_bytes()).hexdigest()[:16]}-{major}{minor}.so"
    if not made.exists():
        cache.mkdir(parents=True, exist_ok=True)
        part = made.with_suffix(f".{os.getpid()}")
        subprocess.run([nvcc, "-O3", f"-arch=sm_{major}{minor}", "-shared", "-Xcompiler", "-fPIC", "-o", part, source], check=True)
        part.rename(made)
    return ctypes.CDLL(str(made))


CUB = {"reduction": ("cub_sum", torch.float32, 1), "scan": ("cub_scan", torch.float32, 0), "histogram": ("cub_histogram", torch.int32, 256)}


def cub_peer(library: ctypes.CDLL, family: str) -> Callable[[Tensor], Tensor]:
    name, dtype, count = CUB[family]
    function = getattr(library, name)

    def run(x: Tensor) -> Tensor:
        out = torch.empty(count or x.numel(), dtype=dtype, device=x.device)
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        if function(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(out.data_ptr()), x.numel(), stream):
            raise RuntimeError(f"{name} failed")
        return out

    return run
