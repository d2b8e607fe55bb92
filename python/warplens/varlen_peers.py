"""Attention of packed sequences (tokens x heads x size): torch's own, its expected result in float64, and inputs."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor


def spans(starts: Tensor) -> list[tuple[int, int]]:
    places = starts.tolist()
    return list(zip(places, places[1:]))


def attend(q: Tensor, k: Tensor, v: Tensor, starts: Tensor, causal: bool, kept: dict[Any, Any] = {}) -> Tensor:  # noqa: B006
    """By torch's flash backend for packed sequences; the longest sequence is found outside the timed part."""
    from torch.nn.attention.varlen import varlen_attn

    if kept.get("starts") is not starts:
        kept.update(starts=starts, longest=max(end - begin for begin, end in spans(starts)))
    named = "is_causal" in inspect.signature(varlen_attn).parameters
    options: dict[str, Any] = {"is_causal": causal} if named else {"window_size": (-1, 0 if causal else -1)}
    if q.shape[1] != k.shape[1]:
        options["enable_gqa"] = True
    return varlen_attn(q, k, v, starts, starts, kept["longest"], kept["longest"], **options)


def attend_backward(q: Tensor, k: Tensor, v: Tensor, do: Tensor, o: Tensor, lse: Tensor, starts: Tensor, causal: bool,
                    kept: dict[Any, Any] = {}) -> Any:  # noqa: B006
    """Only the gradients: their forward pass is kept with its inputs."""
    if kept.get("q") is not q:
        leaves = [x.detach().requires_grad_() for x in (q, k, v)]
        kept.update(q=q, leaves=leaves, out=attend(leaves[0], leaves[1], leaves[2], starts, causal))
    return torch.autograd.grad(kept["out"], kept["leaves"], do, retain_graph=True)


def scores_of(q: Tensor, k: Tensor, starts: Tensor, causal: bool) -> Iterator[tuple[slice, int, int, Tensor]]:
    """For each sequence and head: its tokens, the head, the head of its keys, and the scores in float64."""
    group = q.shape[1] // k.shape[1]
    for begin, end in spans(starts):
        own = slice(begin, end)
        for head in range(q.shape[1]):
            scores = q[own, head].double() @ k[own, head // group].double().t() * q.shape[-1] ** -0.5
            if causal:
                scores.masked_fill_(torch.ones_like(scores, dtype=torch.bool).triu_(1), float("-inf"))
            yield own, head, head // group, scores


def exact(q: Tensor, k: Tensor, v: Tensor, starts: Tensor, causal: bool) -> Tensor:
    out = torch.empty_like(q, dtype=torch.float64)
    for own, head, head_k, scores in scores_of(q, k, starts, causal):
        out[own, head] = scores.softmax(-1) @ v[own, head_k].double()
    return out


def exact_backward(q: Tensor, k: Tensor, v: Tensor, do: Tensor, o: Tensor, lse: Tensor, starts: Tensor, causal: bool) -> tuple[Tensor, ...]:
    dq, dk, dv = (torch.zeros_like(x, dtype=torch.float64) for x in (q, k, v))
    for own, head, head_k, scores in scores_of(q, k, starts, causal):
        p, d = scores.softmax(-1), do[own, head].double()
        ds = p * (d @ v[own, head_k].double().t())
        ds = (ds - p * ds.sum(-1, keepdim=True)) * q.shape[-1] ** -0.5
        dq[own, head] = ds @ k[own, head_k].double()
        dk[own, head_k] += ds.t() @ q[own, head].double()
        dv[own, head_k] += p.t() @ d
    return dq, dk, dv


def inputs(point: dict[str, int], device: str) -> tuple[Tensor, ...]:
    tokens, longest, size = point["tokens"], point["longest"], point["size"]
    q, k, v = (torch.randn(tokens, point[heads], size, device=device).bfloat16() for heads in ("heads", "kv_heads", "kv_heads"))
    return q, k, v, torch.tensor([0, longest, tokens - tokens // 8, tokens], dtype=torch.int32, device=device)


def backward_inputs(causal: bool, point: dict[str, int], device: str) -> tuple[Tensor, ...]:
    """The inputs of the forward kernel, its output and log-sum-exp, and dO."""
    q, k, v, starts = inputs(point, device)
    lse = torch.empty(q.shape[:2], device=device)
    for own, head, _, scores in scores_of(q, k, starts, causal):
        lse[own, head] = scores.logsumexp(-1).float()
    return q, k, v, torch.randn_like(q), exact(q, k, v, starts, causal).bfloat16(), lse, starts


def for_both(forward: Callable[..., Any], backward: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    """By family."""
    return {f"attention_varlen{kind}{suffix}": functools.partial(call, causal=causal)
            for kind, call in (("", forward), ("_backward", backward)) for suffix, causal in (("", False), ("_causal", True))}


TORCH, EXACT = for_both(attend, attend_backward), for_both(exact, exact_backward)
INPUTS: dict[str, Callable[[dict[str, int], str], tuple[Tensor, ...]]] = {
    "attention_varlen": inputs, "attention_varlen_causal": inputs, "attention_varlen_backward": functools.partial(backward_inputs, False),
    "attention_varlen_backward_causal": functools.partial(backward_inputs, True)}
