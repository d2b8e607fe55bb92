"""The peers of the suite's kernels: PyTorch's own functions, the functions for torch.compile, SDPA's backends, Triton's
tutorial kernels, and CUB's through nvcc.

TORCH gives the reference, too, with float64 arguments (bytes for grey: as float64), unless EXACT has one.
"""

from __future__ import annotations

import ctypes
import functools
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
from torch.nn.attention import SDPBackend, sdpa_kernel

from . import varlen_peers

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


def softmax_backward(y: Tensor, dy: Tensor) -> Tensor:
    return torch.ops.aten._softmax_backward_data(dy, y, -1, y.dtype)


def attend(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=q.shape[-3] != k.shape[-3])


def attend_backward(q: Tensor, k: Tensor, v: Tensor, do: Tensor, o: Tensor, lse: Tensor, causal: bool, kept: dict[Any, Any] = {}) -> Any:  # noqa: B006
    """Only the gradients: each backend keeps their forward pass with its inputs."""
    backend = tuple(name() for name in (torch.backends.cuda.cudnn_sdp_enabled, torch.backends.cuda.flash_sdp_enabled,
                                        torch.backends.cuda.mem_efficient_sdp_enabled))
    if kept.get("q") is not q:
        kept.clear()
        kept["q"] = q
    if backend not in kept:
        leaves = [x.detach().requires_grad_() for x in (q, k, v)]
        kept[backend] = leaves, attend(leaves[0], leaves[1], leaves[2], causal)
    leaves, out = kept[backend]
    return torch.autograd.grad(out, leaves, do, retain_graph=True)


def gathered(pages: Tensor, table: Tensor) -> Tensor:
    """A paged cache in one piece: sequences x heads x tokens x size."""
    return pages[table.long()].flatten(1, 2).transpose(1, 2).contiguous()


def decode(q: Tensor, k: Tensor, v: Tensor, table: Tensor, lengths: Tensor, kept: dict[str, Any] = {}) -> Tensor:  # noqa: B006
    """One query a sequence, on keys and values in one piece (made outside the timed part); all sequences have one
    length.
    """
    if kept.get("q") is not q:
        kept.update(q=q, keys=gathered(k, table), values=gathered(v, table))
    return attend(q[:, :, None], kept["keys"], kept["values"], False)[:, :, 0]


def product(a: Tensor, b: Tensor) -> Tensor:
    return a @ b.t()


def product_fp8(a: Tensor, b: Tensor) -> Tensor:
    one = torch.ones((), device=a.device)
    a, b = a.view(torch.float8_e4m3fn), b.view(torch.float8_e4m3fn)
    return torch._scaled_mm(a, b.t(), one, one, out_dtype=torch.bfloat16, use_fast_accum=True)


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
    "softmax_backward": softmax_backward,
    "matmul": torch.matmul,
    "matmul_bf16": product,
    "matmul_fp16": product,
    "matmul_fp8": product_fp8,
    "attention": functools.partial(attend, causal=False),
    "attention_causal": functools.partial(attend, causal=True),
    "attention_backward": functools.partial(attend_backward, causal=False),
    "attention_backward_causal": functools.partial(attend_backward, causal=True),
    "attention_decode": decode,
    **varlen_peers.TORCH,
}
def exact_head(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    scores = q @ k.t() * q.shape[-1] ** -0.5
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu_(1), float("-inf"))
    return scores.softmax(-1) @ v


def heads_of(q: Tensor, k: Tensor) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """The places of every head and of its keys. Heads are computed one after another, because all scores together would not fit for long sequences.
    """
    group = q.shape[1] // k.shape[1]
    return [((batch, head), (batch, head // group)) for batch in range(q.shape[0]) for head in range(q.shape[1])]


def exact_attention(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    out = torch.empty_like(q, dtype=torch.float64)
    for at, keys in heads_of(q, k):
        out[at] = exact_head(q[at].double(), k[keys].double(), v[keys].double(), causal)
    return out


def exact_attention_backward(q: Tensor, k: Tensor, v: Tensor, do: Tensor, o: Tensor, lse: Tensor, causal: bool) -> list[Tensor]:
    gradients = [torch.zeros_like(x, dtype=torch.float64) for x in (q, k, v)]
    for at, keys in heads_of(q, k):
        leaves = [x.double().requires_grad_() for x in (q[at], k[keys], v[keys])]
        parts = torch.autograd.grad(exact_head(leaves[0], leaves[1], leaves[2], causal), leaves, do[at].double())
        for gradient, place, part in zip(gradients, (at, keys, keys), parts, strict=True):
            gradient[place] += part
    return gradients


EXACT: dict[str, Callable[..., Any]] = {
    "attention": functools.partial(exact_attention, causal=False),
    "attention_causal": functools.partial(exact_attention, causal=True),
    "attention_backward": functools.partial(exact_attention_backward, causal=False),
    "attention_backward_causal": functools.partial(exact_attention_backward, causal=True),
    "matmul_fp8": lambda a, b: product(a.view(torch.float8_e4m3fn).double(), b.view(torch.float8_e4m3fn).double()),
    **varlen_peers.EXACT,
}
COMPILED: dict[str, Callable[..., Any]] = {
    "layer_norm_backward": layer_backward_formula,
    "rgb_to_grey": lambda rgb: (rgb[:, 0] * 0.299 + rgb[:, 1] * 0.587 + rgb[:, 2] * 0.114).round().to(torch.uint8),
    "cross_entropy": lambda x, t: torch.logsumexp(x, -1) - x.gather(1, t.long()[:, None])[:, 0],
    "cross_entropy_backward": lambda x, t, d: (torch.softmax(x, -1) - F.one_hot(t.long(), x.shape[-1])) * d[:, None],
}
# torch.compile hands these to the same kernels.
NOT_COMPILED = ("histogram", "scan", "matmul", "matmul_bf16", "matmul_fp16", "matmul_fp8", "attention", "attention_causal",
                "attention_backward", "attention_backward_causal", "attention_decode", *varlen_peers.TORCH)
SDPA = {"sdpa.cudnn": SDPBackend.CUDNN_ATTENTION, "sdpa.flash": SDPBackend.FLASH_ATTENTION, "sdpa.efficient": SDPBackend.EFFICIENT_ATTENTION}


def with_backend(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    """Makes `call` with torch's attention limited to one backend; fails if this backend does not support the arguments."""
    def run(*tensors: Tensor) -> Any:
        with sdpa_kernel(SDPA[name]):
            return call(*tensors)

    return run


def triton_peer(family: str) -> Callable[..., Any] | None:
    """The tutorial kernel for the family's computation; None if there is none, or no Triton."""
    try:
        from . import triton_peers as peers
    except ImportError:
        return None
    named: dict[str, Callable[..., Any]] = {
        "vector_add": peers.vector_add, "softmax": peers.softmax, "layer_norm": peers.layer_norm, "matmul_bf16": peers.matmul,
        "matmul_fp16": peers.matmul, "attention": peers.attention, "attention_causal": functools.partial(peers.attention, causal=True)}
    return named.get(family)


def softmax_inputs(point: dict[str, int], device: str) -> tuple[Tensor, ...]:
    shape = point["rows"], point["columns"]
    return torch.softmax(torch.randn(shape, device=device), -1), torch.randn(shape, device=device)


def backward_inputs(causal: bool, point: dict[str, int], device: str) -> tuple[Tensor, ...]:
    """Random q, k, v and dO, with the matching output and log-sum-exp."""
    batch, heads, kv_heads, length, size = (point[axis] for axis in ("batch", "heads", "kv_heads", "length", "size"))
    q, k, v, do = (torch.randn(batch, each, length, size, device=device).bfloat16() for each in (heads, kv_heads, kv_heads, heads))
    scores = q.float() @ k.float().repeat_interleave(heads // kv_heads, 1).transpose(-1, -2) * size ** -0.5
    if causal:
        scores.masked_fill_(torch.ones(length, length, device=device, dtype=torch.bool).triu(1), float("-inf"))
    return q, k, v, do, attend(q.float(), k.float(), v.float(), causal).bfloat16(), scores.logsumexp(-1)


def decode_inputs(point: dict[str, int], device: str) -> tuple[Tensor, ...]:
    batch, heads, length, size = (point[axis] for axis in ("batch", "heads", "length", "size"))
    pages = batch * length // 16
    k, v = (torch.randn(pages, 16, point["kv_heads"], size, device=device).bfloat16() for _ in range(2))
    return (torch.randn(batch, heads, size, device=device).bfloat16(), k, v,
            torch.randperm(pages, device=device).to(torch.int32).reshape(batch, -1), torch.full((batch,), length, dtype=torch.int32, device=device))


def fp8_inputs(point: dict[str, int], device: str) -> tuple[Tensor, ...]:
    n = point["n"]
    return tuple((torch.rand(n, n, device=device) - 0.5).to(torch.float8_e4m3fn).view(torch.uint8) for _ in range(2))


# Inputs that hang together; those of other families are random as their files say.
INPUTS: dict[str, Callable[[dict[str, int], str], tuple[Tensor, ...]]] = {
    "softmax_backward": softmax_inputs, "attention_backward": functools.partial(backward_inputs, False),
    "attention_backward_causal": functools.partial(backward_inputs, True), "attention_decode": decode_inputs, "matmul_fp8": fp8_inputs,
    **varlen_peers.INPUTS}


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
