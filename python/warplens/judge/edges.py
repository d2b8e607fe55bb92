"""Unusual inputs: edge values, and probes that change a part of the inputs. Each is made from one of the problem's own
cases.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import torch

Leaves = list[Any]


def _floats(leaves: Sequence[Any], outputs: set[int]) -> list[int]:
    return [at for at, leaf in enumerate(leaves) if at not in outputs and isinstance(leaf, torch.Tensor) and leaf.is_floating_point() and leaf.numel()]


def _changed(leaves: Sequence[Any], change: Any, only: Sequence[int]) -> Leaves:
    """Copies of the leaves, with those in `only` changed; layouts are kept."""
    return [leaf.clone().copy_(change(leaf)) if at in only else leaf.clone() if isinstance(leaf, torch.Tensor) else leaf
            for at, leaf in enumerate(leaves)]


def _spread(tensor: torch.Tensor) -> torch.Tensor:
    """Values with the same signs, and magnitudes over six decades."""
    generator = torch.Generator().manual_seed(tensor.numel())
    decades = torch.rand(tensor.shape, generator=generator, dtype=torch.float64) * 6 - 3
    return torch.where(tensor < 0, -1.0, 1.0) * 10.0**decades


def edge_cases(leaves: Leaves, outputs: set[int]) -> Iterator[tuple[str, Leaves]]:
    """Finite values that a generator does not usually make; the reference decides which of them it is defined for.
    `outputs` are left alone.
    """
    at = _floats(leaves, outputs)
    if not at:
        return
    yield "zeros", _changed(leaves, torch.zeros_like, at)
    yield "equal values", _changed(leaves, torch.ones_like, at)
    yield "magnitudes from 0.001 to 1000", _changed(leaves, _spread, at)
    yield "100 times as large", _changed(leaves, lambda t: t * 100, at)
    yield "negated", _changed(leaves, lambda t: -t, at)
    yield "all negative", _changed(leaves, lambda t: -t.abs(), at)


def _parts(tensor: torch.Tensor) -> Iterator[tuple[str, torch.Tensor]]:
    """Masks of regions: the halves of each dimension, and every second element of the last dimension."""
    for axis, size in enumerate(tensor.shape):
        if size < 2:
            continue
        index = torch.arange(size).view([-1 if i == axis else 1 for i in range(tensor.dim())]).expand(tensor.shape)
        yield f"the second half of dimension {axis}", index >= size // 2
        if axis == tensor.dim() - 1:
            yield f"odd positions of dimension {axis}", index % 2 == 1


def probes(leaves: Leaves, outputs: set[int], most: int) -> Iterator[tuple[str, Leaves]]:
    """In each input, changes one region or one element: a candidate with an unchanged result does not read it. About
    `most` in all.
    """
    at = _floats(leaves, outputs)
    for number in at:
        for name, mask in itertools.islice(_parts(leaves[number]), max(1, most // 3 // len(at))):
            yield f"input {number}: {name} changed", _changed(leaves, lambda t, m=mask: torch.where(m, t.flip(-1) * 1.5 + 0.25, t), [number])
        for place in spots(leaves[number].numel(), max(2, most * 2 // 3 // len(at))):
            value = _beyond(leaves[number])
            yield f"input {number}: element {place} raised by {value:.3g}", _changed(leaves, lambda t, p=place, v=value: _raised(t, p, v), [number])


def spots(count: int, number: int) -> list[int]:
    """Places without a pattern of rows and columns: multiples of the golden ratio."""
    return sorted({int((k * 0.6180339887498949 % 1) * count) for k in range(1, number + 1)})


def _beyond(tensor: torch.Tensor) -> float:
    """A value larger than all elements: even a long sum shows it."""
    return 8 * max(1.0, float(tensor.abs().max()))


def _raised(tensor: torch.Tensor, place: int, by: float) -> torch.Tensor:
    out = tensor.contiguous().clone()
    out.view(-1)[place] += by
    return out


def equal_inputs(leaves: Leaves, outputs: set[int]) -> Leaves | None:
    """Sets each input that has the first input's shape to the first input: differences become zero, and differences of large sums lose digits. None if there is no such input.
    """
    at = _floats(leaves, outputs)
    alike = [number for number in at[1:] if leaves[number].shape == leaves[at[0]].shape]
    return _changed(leaves, lambda t: leaves[at[0]], alike) if alike else None


def columns_first(leaves: Leaves) -> Leaves:
    """The same values, with the last two dimensions of each input exchanged in memory."""
    return [leaf.transpose(-1, -2).contiguous().transpose(-1, -2) if isinstance(leaf, torch.Tensor) and leaf.dim() > 1 else leaf for leaf in leaves]


def is_defined(exact: Sequence[torch.Tensor], own: Sequence[torch.Tensor]) -> bool:
    """True if the reference in its own precision agrees with itself in float64."""
    for a, b in zip(exact, own):
        if not a.is_floating_point():
            continue
        if not bool(torch.isfinite(a).all()) or not bool(torch.isfinite(b).all()):
            return False
        scale = a.abs().double().square().mean().sqrt()
        difference = (a.double() - b.double()).abs()
        if bool((difference > 64 * torch.finfo(b.dtype).eps * (a.abs().double() + scale)).any()):
            return False
    return True
