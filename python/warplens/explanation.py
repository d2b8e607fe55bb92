"""The result of torch.compile for a chosen GPU: kernels, sources, their operators, bytes, correctness."""

from __future__ import annotations

import dataclasses
import html
import re
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

from .emulation import emulate
from .launches import Emulation, Launch
from .table import rows_html

# Inductor writes these comments above each kernel of its output.
_KERNEL = re.compile(
    r"# Topologically Sorted Source Nodes: \[(?P<nodes>[^\]]*)\], Original ATen: \[(?P<aten>[^\]]*)\]"
    r"(?:(?!# Topologically Sorted).)*?"
    r"\n(?P<name>\w+) = async_compile\.triton\('\w+', '''(?P<source>.*?)'''", re.S)
_EXTERN = re.compile(r"extern_kernels\.(\w+)\(|torch\.ops\.aten\.(\w+)\.\w+\(")
# Operators that only rearrange metadata launch nothing on a GPU.
_NO_KERNEL = {"view", "t", "transpose", "permute", "reshape", "_unsafe_view", "expand", "unsqueeze", "squeeze", "slice", "select",
              "as_strided", "detach", "alias", "split", "split_with_sizes", "empty", "empty_like", "empty_strided", "unbind"}


def _bytes(values: Any) -> int:
    return sum(v.numel() * v.element_size() for v in tree_flatten(values)[0] if isinstance(v, torch.Tensor))


class _EagerCost(TorchDispatchMode):
    """Counts the kernels that eager mode would launch, and the bytes of the tensors that they read and write; detects
    random numbers.
    """

    def __init__(self) -> None:
        super().__init__()
        self.kernels = self.bytes = 0
        self.random = False

    def __torch_dispatch__(self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        out = function(*args, **(kwargs or {}))
        if function.overloadpacket.__name__ not in _NO_KERNEL:
            self.kernels += 1
            self.random |= torch.Tag.nondeterministic_seeded in function.tags
            self.bytes += _bytes((args, kwargs)) + _bytes(out)
        return out


@dataclasses.dataclass
class GeneratedKernel:
    """One Triton kernel that Inductor generated, and its launches."""

    name: str
    operators: list[str]  # aten operators fused into it, in order
    source: str  # Triton source
    launches: list[Launch]

    @property
    def ptx(self) -> str:
        return self.launches[0].ptx if self.launches else ""

    def time_ns(self, name: str) -> float | None:
        """Sum over launches of "bound_ns", the minimum time, or of "estimate_ns"; None if they were not counted."""
        return sum(launch.report["time"][name] for launch in self.launches) if self.launches and self.launches[0].counted else None

    @property
    def data(self) -> dict[str, Any]:
        return {"name": self.name, "operators": self.operators, "source": self.source, "launches": [launch.data for launch in self.launches]}

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self.name)}: {html.escape(', '.join(self.operators))}</p><pre>{html.escape(self.source)}</pre>"


@dataclasses.dataclass
class Explanation:
    """A compiled function. Prints as a report."""

    device: str
    kernels: list[GeneratedKernel]
    library_calls: list[str]  # left to libraries (matrix products, convolutions), in order
    eager_kernels: int
    eager_bytes: int
    launches: int  # Triton launches
    bytes_moved: int  # of the tensors that those launches read and write
    max_error: float  # largest |compiled - eager| over outputs and gradients, relative to the largest |eager| of each
    agrees: bool
    code: list[str]  # Inductor's whole output, one text a graph
    notes: list[str]  # how the comparison was made, where that is not plain

    def __str__(self) -> str:
        lines = [f"torch.compile for {self.device}: {self.eager_kernels} eager kernels became {self.launches} Triton launch{'es' * (self.launches != 1)}"
                 + (f" and {len(self.library_calls)} library call{'s' * (len(self.library_calls) != 1)} ({', '.join(dict.fromkeys(self.library_calls))})" if self.library_calls else ""),
                 f"bytes of tensors read and written: {self.eager_bytes:,} eager, {self.bytes_moved:,} in the generated kernels",
                 f"largest relative error against eager: {self.max_error:.2e} ({'agrees' if self.agrees else 'DIFFERS'})", *self.notes]
        for kernel in self.kernels:
            grids = ", ".join(dict.fromkeys(str(launch.grid) for launch in kernel.launches))
            about, least = kernel.time_ns("estimate_ns"), kernel.time_ns("bound_ns")
            time = "" if about is None else f"; about {about / 1e3:.2f} us, at least {least / 1e3:.2f} us"
            lines.append(f"  {kernel.name}: {', '.join(kernel.operators)}; grid {grids or 'not launched'}{time}")
        return "\n".join(lines)

    @property
    def data(self) -> dict[str, Any]:
        """Everything but the generated code."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.name not in ("kernels", "code")} | {
            "kernels": [kernel.data for kernel in self.kernels]}

    def _repr_html_(self) -> str:
        rows = [{"kernel": kernel.name, "operators": kernel.operators, "launches": len(kernel.launches),
                 "estimate_ns": kernel.time_ns("estimate_ns"), "bound_ns": kernel.time_ns("bound_ns")} for kernel in self.kernels]
        heads = [line for line in str(self).splitlines() if not line.startswith("  ")]
        return "".join(f"<p>{html.escape(line)}</p>" for line in heads) + (rows_html(rows) if rows else "")


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    return (v for v in tree_flatten(value)[0] if isinstance(v, torch.Tensor))


def _run(function: Callable[..., Any], arguments: tuple[Any, ...], parameters: list[torch.Tensor]) -> list[torch.Tensor]:
    """Outputs, then gradients of `parameters` if any output can be differentiated."""
    out = list(_tensors(function(*arguments)))
    differentiable = [o for o in out if o.requires_grad]
    if not differentiable or not parameters:
        return [o.detach() for o in out]
    gradients = torch.autograd.grad([o.sum() for o in differentiable], parameters, allow_unused=True)
    return [*(o.detach() for o in out), *(g for g in gradients if g is not None)]


def _relative_error(got: list[torch.Tensor], want: list[torch.Tensor]) -> float:
    worst = 0.0
    for g, w in zip(got, want, strict=True):
        if w.numel() == 0:
            continue
        scale = w.abs().double().max().clamp(min=1e-12)
        worst = max(worst, ((g.double() - w.double()).abs().max() / scale).item())
    return worst


def _generated(code: list[str], emulation: Emulation) -> list[GeneratedKernel]:
    kernels = {}
    for text in code:
        for found in _KERNEL.finditer(text):
            operators = list(dict.fromkeys(o.strip() for o in found["aten"].split(",") if o.strip()))
            kernels[found["name"]] = GeneratedKernel(found["name"], operators, found["source"].strip(), [])
    for launch in emulation.launches:
        if launch.kernel in kernels:
            kernels[launch.kernel].launches.append(launch)
    return list(kernels.values())


def _after_call(text: str) -> str:
    """The part of Inductor's output that runs, without the kernels' own sources."""
    return re.sub(r"'''.*?'''", "", text, flags=re.S)


def _seeded(function: Callable[[], Any]) -> Any:
    """The result of `function` with torch's random numbers from seed 0."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return function()


def _compiled(fn: Callable[..., Any], args: tuple[Any, ...], parameters: list[torch.Tensor], notes: list[str]) -> tuple[list[torch.Tensor], list[str]]:
    """Outputs and Inductor's code."""
    from torch._inductor import config
    from torch._inductor.utils import run_and_get_code

    try:
        return run_and_get_code(_run, torch.compile(fn), args, parameters)
    except AssertionError as problem:
        if "Guard failed on the same frame" not in str(problem):
            raise
        # torch's matcher of attention leaves a guard behind that names an unknown symbol (seen in 2.15).
        torch._dynamo.reset()
        notes.append("torch could not compile this with its pattern matcher; compiled without")
        with config.patch(pattern_matcher=False):
            return run_and_get_code(_run, torch.compile(fn), args, parameters)


def explain(fn: Callable[..., Any], *args: Any, device: str = "h200", tolerance: float = 2e-3, counters: bool = True) -> Explanation:
    """Compiles `fn` for `device`, runs the generated kernels in the emulator on CPU tensors, and compares with eager.

    fn: a function or module of tensors. Gradients are compared too when an output and an argument (or a module's
    parameter) can be differentiated. tolerance: on the largest error relative to the largest value of each output.
    counters: count every launch (each launch's .report; bounds and estimates of time). Random numbers differ between eager and
    generated kernels. A function that draws them is compared in a second run, which draws the numbers of eager mode.
    Raises NotImplementedError if this torch or the emulator does not support the function; the message gives the reason.
    """
    from torch._inductor import config

    parameters = [t for t in _tensors(args) if t.requires_grad] + (list(fn.parameters()) if isinstance(fn, torch.nn.Module) else [])
    want = _seeded(lambda: _run(fn, args, parameters))
    with _EagerCost() as eager:
        _run(fn, args, parameters)
    notes: list[str] = []
    with emulate(device, counters=counters) as emulation:
        got, code = _compiled(fn, args, parameters, notes)
    if eager.random:
        notes.append("compared with eager's random numbers, drawn outside the generated kernels")
        with emulate(device), config.patch(fallback_random=True):
            got, _ = _seeded(lambda: _compiled(fn, args, parameters, notes))
    error = _relative_error(got, want)
    return Explanation(
        device=emulation.device["name"], kernels=_generated(code, emulation),
        library_calls=[a or b for text in code for a, b in _EXTERN.findall(_after_call(text))],
        eager_kernels=eager.kernels, eager_bytes=eager.bytes, launches=len(emulation.launches),
        bytes_moved=sum(launch.argument_bytes for launch in emulation.launches), max_error=error, agrees=error <= tolerance, code=code,
        notes=notes)
