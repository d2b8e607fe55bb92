"""The process of the truth: it runs the reference alone, on the CPU, in float64, and writes the cases."""

from __future__ import annotations

import pathlib
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from . import adapters, edges
from .truth_bits import LOWER, WARM
from .exchange import MANTISSA, Sealed, tensor_slot
from .processes import close_to_others, collect_garbage

_MOST_DOUBLINGS = 21  # of the divisor of a problem's sizes
_MOST_PROBES = 12  # each costs a call of the candidate and three of the reference


def leaf_tensors(result: Any) -> list[torch.Tensor]:
    """The tensors of a result, in order: a tensor, or nested lists, tuples and dicts of them."""
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, dict):
        return [t for value in result.values() for t in leaf_tensors(value)]
    if isinstance(result, (list, tuple)):
        return [t for value in result for t in leaf_tensors(value)]
    return [torch.tensor(result)] if isinstance(result, (int, float)) else []


def rounded_to(bits: int) -> Callable[[torch.Tensor], torch.Tensor]:
    """Rounds floats to `bits` of mantissa, to nearest."""

    def rounding(tensor: torch.Tensor) -> torch.Tensor:
        if not tensor.is_floating_point():
            return tensor
        mantissa, exponent = torch.frexp(tensor.double())
        return torch.ldexp(torch.round(mantissa * 2.0 ** (bits + 1)), exponent - bits - 1).to(tensor.dtype)

    return rounding


def _doubled(leaves: Sequence[Any]) -> list[Any]:
    return [leaf.double() if isinstance(leaf, torch.Tensor) and leaf.is_floating_point() else leaf for leaf in leaves]


def _copied(leaves: Sequence[Any]) -> list[Any]:
    return [leaf.clone() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]


class Truth:
    def __init__(self, plan: dict[str, Any], told: Sealed) -> None:
        self.plan, self.told = plan, told
        self.notes: list[str] = []
        self.whole = self._made(1)
        self.divisor, self.problem, self.main = self._timed_size() if plan["is_timed"] else self._sized()
        self.cases: list[dict[str, Any]] = []

    def _whole_elements(self) -> int:
        """The number of elements in the inputs of the problem's largest variant."""
        return max(self._elements(self.whole, variant) for variant in range(self.whole.variants))

    def _made(self, divisor: int) -> Any:
        return adapters.problem(self.plan["layout"], pathlib.Path(self.plan["reference"]), {**self.plan, "seed": self.plan["weights_seed"], "divisor": divisor})

    def _smaller(self) -> Iterator[tuple[int, Any]]:
        """The problem, and copies with its sizes divided by 2, 4, ..., each with its divisor."""
        yield 1, self.whole
        for power in range(1, _MOST_DOUBLINGS):
            yield 1 << power, self._made(1 << power)

    def _timed_size(self) -> tuple[int, Any, int]:
        """The problem's largest variant, with its sizes divided until its inputs fit the plan's limit."""
        main = max(range(self.whole.variants), key=lambda variant: self._elements(self.whole, variant))
        for divisor, problem in self._smaller():
            if self._elements(problem, main) <= self.plan["max_elements"]:
                return divisor, problem, main
        return self._sized()

    def _sized(self) -> tuple[int, Any, int]:
        """The largest variant, and the smallest divisor that makes its inputs fit the plan's limit."""
        path, limit = pathlib.Path(self.plan["reference"]), self.plan["max_elements"]
        for divisor, problem in self._smaller():
            sizes = [(self._elements(problem, variant), variant) for variant in range(problem.variants)]
            fitting = [(size, variant) for size, variant in sizes if size <= limit]
            if fitting:
                return divisor, problem, max(fitting)[1]
        least = min(size for size, _ in sizes)
        raise adapters.Unfit(f"{path.name}: its smallest inputs have {least} elements, more than {limit}: give --max-elements {least}")

    def _elements(self, problem: Any, variant: int) -> int:
        from torch._subclasses.fake_tensor import FakeTensorMode

        try:
            with FakeTensorMode():
                leaves = problem.inputs(0, variant)
        except Exception:  # a generator that reads its values cannot be asked without them
            leaves = problem.inputs(0, variant)
        return sum(leaf.numel() for leaf in leaves if isinstance(leaf, torch.Tensor))

    def add(self, name: str, kind: str, leaves: list[Any]) -> bool:
        """Writes a case with its true result. False if the reference itself has no exact answer there."""
        sealed = Sealed(self.plan["sealed"])
        own_leaves = _copied(leaves)
        own = leaf_tensors(self.problem.outputs(own_leaves, None, None))
        exact, lower = self._exact(leaves, own), self._lowered(leaves, own)
        if kind in ("edge", "equal") and not edges.is_defined(exact, own):
            return False
        changed = [at for at, (a, b) in enumerate(zip(leaves, own_leaves)) if isinstance(a, torch.Tensor) and not _same(a, b)]
        self.cases.append({
            "name": name, "kind": kind, "inputs": self._given(leaves), "changed": changed,
            "exact": [tensor_slot(sealed, tensor) for tensor in exact], "own": [tensor_slot(sealed, tensor) for tensor in own],
            "lower": [tensor_slot(sealed, tensor) for tensor in lower] if lower else None})
        return True

    def _given(self, leaves: list[Any]) -> list[dict[str, Any]]:
        """Inputs of a case. No candidate can read them before its call."""
        sealed = Sealed(self.plan["sealed"])
        return [tensor_slot(sealed, leaf) if isinstance(leaf, torch.Tensor) else {"value": leaf} for leaf in leaves]

    def _exact(self, leaves: list[Any], own: list[torch.Tensor]) -> list[torch.Tensor]:
        """In float64, or in the reference's own precision if it computes in no other, which is noted."""
        try:
            exact = leaf_tensors(self.problem.outputs(_doubled(_copied(leaves)), torch.float64, None))
        except (RuntimeError, TypeError, ValueError, AssertionError):
            note = "the reference does not run in float64, so results are compared in its own precision"
            self.notes += [note] if note not in self.notes else []
            return [tensor.clone() for tensor in own]
        return [a if a.is_floating_point() == b.is_floating_point() and a.shape == b.shape else b for a, b in zip(exact, own)]

    def _lowered(self, leaves: list[Any], own: list[torch.Tensor]) -> list[torch.Tensor] | None:
        """With inputs and weights rounded to the next lower precision."""
        floats = [str(leaf.dtype).removeprefix("torch.") for leaf in [*leaves, *own] if isinstance(leaf, torch.Tensor) and leaf.is_floating_point()]
        bits = LOWER.get(max(floats, key=lambda name: MANTISSA.get(name, 0)), 0) if floats else 0
        if not bits:
            return None
        rounding = rounded_to(bits)
        leaves = [rounding(leaf) if isinstance(leaf, torch.Tensor) else leaf for leaf in _copied(leaves)]
        try:
            return leaf_tensors(self.problem.outputs(_doubled(leaves), torch.float64, rounding))
        except (RuntimeError, TypeError, ValueError, AssertionError):
            return leaf_tensors(self.problem.outputs(leaves, None, rounding))

    def write_timed(self) -> None:
        """The timed inputs, and others for the call before, which loads and compiles: the timed call knows no inputs."""
        first = self._seeded(1)
        self.add("the timed size", "shape", first)
        self.cases.append({**self.cases[0], "name": "a call before it", "kind": WARM, "inputs": self._given(self._seeded(2, first))})
        self._write(first)

    def write_all(self) -> None:
        first = self._seeded(1)
        signature = self.problem.signature() if hasattr(self.problem, "signature") else []
        outputs = {at for at, argument in enumerate(signature) if argument["out"]}
        for seed in range(1, self.plan["seeds"] + 1):
            self.add(f"seed {seed}", "seed", first if seed == 1 else self._seeded(seed, first))
        for variant in self._others():
            self.add(f"size {variant}", "shape", self.problem.inputs(self.plan["seed"] + 1, variant))
        skipped = [name for name, leaves in edges.edge_cases(first, outputs) if not self.add(name, "edge", leaves)]
        for name, leaves in edges.probes(first, outputs, _MOST_PROBES):
            self.add(name, "probe", leaves)
        equal = edges.equal_inputs(first, outputs)
        if equal is not None:
            self.add("equal inputs", "equal", equal)
        if not hasattr(self.problem, "signature"):  # a C ABI has no strides
            self.add("columns first", "strided", edges.columns_first(first))
        if skipped:
            self.notes.append(f"edge values without an exact answer by the reference itself, not judged: {', '.join(skipped)}")
        self._write(first)

    def _write(self, first: list[Any]) -> None:
        options = {"signature": self.problem.signature() if hasattr(self.problem, "signature") else [],
                   "tree": self.problem.tree() if hasattr(self.problem, "tree") else None,
                   "constructor": getattr(self.problem, "constructor", None), "divisor": self.divisor, "variant": self.main}
        self.told.tell({"cases": self.cases, "notes": self.notes, "options": options,
                        "whole_elements": self._whole_elements(), "elements": sum(leaf.numel() for leaf in first if isinstance(leaf, torch.Tensor)),
                        "shapes": [list(leaf.shape) for leaf in first if isinstance(leaf, torch.Tensor)]})

    def _seeded(self, seed: int, first: list[Any] | None = None) -> list[Any]:
        """Inputs of a seed. The values of a generator that ignores the seed, in another order."""
        leaves = self.problem.inputs(self.plan["seed"] + seed, self.main)
        if first is None or not all(_same(a, b) for a, b in zip(first, leaves) if isinstance(a, torch.Tensor)):
            return list(leaves)
        self.notes.append("the generator ignores the seed: other seeds have its values in another order")
        generator = torch.Generator().manual_seed(self.plan["seed"] + seed)
        shuffle = lambda t: t.flatten()[torch.randperm(t.numel(), generator=generator)].view(t.shape)  # noqa: E731
        return [shuffle(leaf) if isinstance(leaf, torch.Tensor) and leaf.is_floating_point() else leaf for leaf in leaves]

    def _others(self) -> list[int]:
        """Up to three more variants of the problem's sizes."""
        limit = self.plan["max_elements"]
        others = [v for v in range(self.problem.variants) if v != self.main and self._elements(self.problem, v) <= limit]
        return others[:: max(1, len(others) // 3)][:3]


def _same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.shape == b.shape and bool(torch.equal(torch.nan_to_num(a) if a.is_floating_point() else a, torch.nan_to_num(b) if b.is_floating_point() else b))


def main() -> None:
    collect_garbage()
    close_to_others()
    written = socket.socket(fileno=int(sys.argv[1]))
    for told in map(Sealed, map(int, sys.argv[2:])):
        try:
            _write(told)
        except adapters.Unfit as error:
            print(f"{adapters.UNFIT}{error}", file=sys.stderr)
            raise SystemExit(1) from None
        except (ValueError, RuntimeError, TypeError, AttributeError, NameError, ImportError, KeyError, IndexError, AssertionError) as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            raise SystemExit(1) from None
        written.sendall(b"1")


def _write(told: Sealed) -> None:
    plan = told.take()
    truth = Truth(plan, told)
    truth.write_timed() if plan["is_timed"] else truth.write_all()
