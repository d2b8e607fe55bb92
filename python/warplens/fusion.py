"""Pointwise functions and their last-axis reductions as one CUDA kernel: traced, generated, compiled, checked against eager."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

import torch
from torch.fx.experimental.proxy_tensor import make_fx

from . import _core
from .benchmarking import sweep
from .launches import Launch
from .inline import InlineModule
from .results import Results

_DTYPES = {torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16", torch.int8: "i8", torch.uint8: "u8",
           torch.int16: "i16", torch.int32: "i32", torch.int64: "i64"}
# aten operators that a formula spells the same way, or under another name.
_CALLS = {"pow": "pow", "neg": "neg", "abs": "abs", "sign": "sign", "floor": "floor", "ceil": "ceil", "round": "round", "sqrt": "sqrt",
          "rsqrt": "rsqrt", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2", "log1p": "log1p", "sin": "sin",
          "cos": "cos", "tan": "tan", "atan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "erf": "erf", "erfc": "erfc",
          "maximum": "maximum", "minimum": "minimum", "where": "where", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge", "eq": "eq", "ne": "ne",
          "reciprocal": "reciprocal", "relu": "relu", "sigmoid": "sigmoid", "silu": "silu", "mul": "mul", "div": "div",
          "leaky_relu": "leaky_relu", "mish": "mish", "hardswish": "hardswish"}
_REDUCTIONS = {"sum": "sum", "mean": "mean", "amax": "max", "amin": "min", "_softmax": "softmax", "softmax": "softmax",
               "_log_softmax": "log_softmax", "log_softmax": "log_softmax", "logsumexp": "logsumexp"}
_COPIES = {"to", "_to_copy", "clone", "alias", "detach", "expand", "contiguous"}


class _Formula:
    """A traced graph as statements of warplens' formula language, one line for each node."""

    def __init__(self, graph: torch.fx.Graph) -> None:
        self.names: dict[torch.fx.Node, str] = {}
        self.inputs: list[torch.fx.Node] = []
        self.outputs: list[torch.fx.Node] = []
        lines: list[str] = []
        for node in graph.nodes:
            if node.op == "placeholder":
                self.names[node] = f"x{len(self.inputs)}"
                self.inputs.append(node)
            elif node.op == "call_function":
                text = self._expression(node)
                self.names[node] = f"t{len(lines)}"
                lines.append(f"{self.names[node]} = {text}")
            elif node.op == "output":
                self.outputs = list(node.args[0]) if isinstance(node.args[0], (list, tuple)) else [node.args[0]]
        for position, node in enumerate(self.outputs):
            lines.append(f"out{position} = {self.names[node]} + 0")
        self.text = "\n".join(lines)

    def _value(self, argument: Any) -> str:
        if isinstance(argument, torch.fx.Node):
            return self.names[argument]
        if isinstance(argument, (bool, int, float)):
            return repr(float(argument)) if argument >= 0 else f"({float(argument)!r})"
        raise NotImplementedError(f"an argument {argument!r} cannot be part of a fused formula")

    def _expression(self, node: torch.fx.Node) -> str:
        operator = node.target.overloadpacket.__name__
        given = node.args
        if operator in _COPIES:
            return self._value(given[0]) + " + 0"
        if operator in ("add", "sub"):
            sign, scale = "+" if operator == "add" else "-", node.kwargs.get("alpha", 1)
            return f"{self._value(given[0])} {sign} {self._value(given[1])}" + (f" * {scale}" if scale != 1 else "")
        if operator == "rsub":
            return f"{self._value(given[1])} - {self._value(given[0])}"
        if operator == "gelu":
            return f"{'gelu_tanh' if node.kwargs.get('approximate') == 'tanh' else 'gelu'}({self._value(given[0])})"
        if operator == "clamp":
            low, high = (*given[1:], None, None)[:2]
            text = self._value(given[0])
            text = text if low is None else f"maximum({text}, {self._value(low)})"
            return text if high is None else f"minimum({text}, {self._value(high)})"
        if operator in ("var", "std"):
            return self._variance(node, operator)
        if operator in ("layer_norm", "rms_norm"):
            return self._norm(node, operator)
        if operator in _REDUCTIONS:
            self._last_axis(node, given[1] if len(given) > 1 else None, keeps=operator.endswith("softmax"))
            return f"{_REDUCTIONS[operator]}({self._value(given[0])})"
        if operator in _CALLS and not node.kwargs:
            return f"{_CALLS[operator]}({', '.join(self._value(a) for a in given)})"
        raise NotImplementedError(f"aten.{operator} is neither pointwise nor a reduction that can be fused; "
                                  f"torch.compile or a kernel of your own (warplens.load_inline) can do it")

    def _variance(self, node: torch.fx.Node, operator: str) -> str:
        self._last_axis(node, node.args[1] if len(node.args) > 1 else None)
        length = node.args[0].meta["val"].shape[-1]
        correction = node.kwargs.get("correction", 1)
        text = f"var({self._value(node.args[0])}) * {length / (length - (1 if correction is None else correction))!r}"
        return f"sqrt({text})" if operator == "std" else text

    def _norm(self, node: torch.fx.Node, operator: str) -> str:
        """layer_norm(x, shape, weight, bias, eps) or rms_norm(x, shape, weight, eps)."""
        x, shape, *rest = node.args
        if len(shape) != 1:
            raise NotImplementedError(f"{operator} over {len(shape)} axes: only the last axis can be fused")
        weight, bias, eps = (*rest, *(None,) * 3)[:3] if operator == "layer_norm" else (*(*rest, None, None)[:1], None, (*rest, None, None)[1])
        name = self._value(x)
        eps = eps if eps is not None else 1e-5 if operator == "layer_norm" else torch.finfo(x.meta["val"].dtype).eps
        text = f"({name} - mean({name})) * rsqrt(var({name}) + {eps!r})" if operator == "layer_norm" else f"{name} * rsqrt(mean({name} ** 2) + {eps!r})"
        text = text if weight is None else f"{text} * {self._value(weight)}"
        return text if bias is None else f"{text} + {self._value(bias)}"

    def _last_axis(self, node: torch.fx.Node, axes: Any, keeps: bool = False) -> None:
        """Refuses reductions over other axes, and ones that drop the axis in the middle of the formula."""
        tensor = node.args[0].meta["val"]
        wanted = [axes] if isinstance(axes, int) else list(axes or [])
        if [a % tensor.dim() for a in wanted] != [tensor.dim() - 1]:
            raise NotImplementedError(f"{node.target}: only reductions along the last axis can be fused, not {axes}")
        if not keeps and node.meta["val"].dim() != tensor.dim() and any(u.op != "output" for u in node.users):
            raise NotImplementedError(f"{node.target}: a reduction needs keepdim=True if other operations use its result")


def _decompositions() -> Any:
    from torch._decomp import get_decompositions

    aten = torch.ops.aten
    return get_decompositions([aten.addcmul, aten.addcdiv, aten.lerp, aten.hardtanh, aten.elu, aten.softplus, aten.hardsigmoid])


class Fused:
    """A function as one kernel. On CUDA tensors it runs on their GPU, on their current stream; on CPU tensors in the emulator.

    .formula: what was traced, in warplens' formula language. .source(*args): the CUDA kernel for such arguments.
    .profile(*args): a launch with counters. .bench(*args): times beside eager. It has no backward: arguments that require
    gradients are refused while gradients are recorded.
    """

    def __init__(self, function: Callable[..., Any], device: str, tolerance: float) -> None:
        self._function, self._device, self._tolerance = function, device, tolerance
        self._made: dict[Any, tuple[Any, Any, Any]] = {}
        self.formula = ""

    def _prepare(self, tensors: tuple[torch.Tensor, ...]) -> tuple[Any, Any, Any]:
        if torch.is_grad_enabled() and any(t.requires_grad for t in tensors):
            raise RuntimeError("a fused kernel has no backward; call it under torch.no_grad(), or use torch.compile")
        key = tuple((t.shape, t.dtype, t.device.type) for t in tensors)
        if key not in self._made:
            graph = make_fx(self._function, decomposition_table=_decompositions(), tracing_mode="fake", pre_dispatch=True)(*tensors).graph
            formula = _Formula(graph)
            self.formula = formula.text
            inputs = [(formula.names[n], _DTYPES[t.dtype], list(t.shape)) for n, t in zip(formula.inputs, tensors)]
            wanted = [node.meta["val"] for node in formula.outputs]
            kernel = _core.fuse(formula.text, inputs, [_DTYPES[w.dtype] for w in wanted])
            module = InlineModule(kernel.source, [kernel.name], self._device, [])
            self._made[key] = kernel, module, [(w.shape, w.dtype) for w in wanted]
            self._check(tensors, key)
        return self._made[key]

    def _check(self, tensors: tuple[torch.Tensor, ...], key: Any) -> None:
        """The first call of each kind of arguments is compared with eager."""
        got, want = self._run(tensors, *self._made[key]), self._function(*tensors)
        for g, w in zip(got, want if isinstance(want, (tuple, list)) else [want], strict=True):
            if g.numel() and not torch.allclose(g.double(), w.double(), rtol=self._tolerance, atol=self._tolerance * w.double().abs().max().item(), equal_nan=True):
                del self._made[key]
                raise RuntimeError(f"the fused kernel differs from eager by {(g.double() - w.double()).abs().max().item():.3e}; formula:\n{self.formula}")

    @staticmethod
    def _launch(tensors: tuple[torch.Tensor, ...], kernel: Any, launcher: Any, wanted: Any) -> tuple[list[torch.Tensor], Launch | None]:
        by_name = {f"x{i}": t.contiguous() for i, t in enumerate(tensors)}
        out = [torch.empty(shape, dtype=dtype, device=tensors[0].device) for shape, dtype in wanted]
        arguments = [by_name[name] for name, _, _ in kernel.inputs]
        return out, launcher[kernel.grid, tuple(kernel.block)](*arguments, *out, kernel.count)

    def _run(self, tensors: tuple[torch.Tensor, ...], kernel: Any, module: Any, wanted: Any) -> list[torch.Tensor]:
        return self._launch(tensors, kernel, getattr(module, kernel.name), wanted)[0]

    def __call__(self, *tensors: torch.Tensor) -> Any:
        out = self._run(tensors, *self._prepare(tensors))
        return out[0] if len(out) == 1 else tuple(out)

    def source(self, *tensors: torch.Tensor) -> str:
        """The CUDA source for arguments of these shapes and types."""
        return str(self._prepare(tensors)[0].source)


    @property
    def data(self) -> dict[str, Any]:
        """Shows the formula, its GPU, and the kinds of arguments that it was compiled for."""
        return {"formula": self.formula, "device": self._device, "made": [
            [{"shape": list(shape), "dtype": str(dtype), "device": device} for shape, dtype, device in key] for key in self._made]}

    def __repr__(self) -> str:
        return f"<Fused for {self._device}: {self.formula or 'not called yet'}>"

    def _repr_html_(self) -> str:
        return f"<p>one CUDA kernel for {html.escape(self._device)}</p><pre>{html.escape(self.formula or 'not called yet')}</pre>"

    def profile(self, *tensors: torch.Tensor) -> Launch:
        """One launch with its counters and findings. For CUDA tensors, the kernel is counted on copies of the tensors (see load_inline)."""
        kernel, module, wanted = self._prepare(tensors)
        launch = self._launch(tensors, kernel, getattr(module, kernel.name).profile, wanted)[1]
        assert launch is not None
        return launch

    def bench(self, *tensors: torch.Tensor, **options: Any) -> Results:
        """The times of eager and of the fused kernel on CUDA tensors; options as for warplens.bench.

        Raises NotImplementedError on CPU tensors: an emulated kernel has counters (.profile), not a time.
        """
        if not tensors or not all(t.is_cuda for t in tensors):
            raise NotImplementedError("a fused kernel on CPU tensors runs in the emulator, which has no time of a GPU; .profile(...) counts it")
        kernel = self._prepare(tensors)[0]
        return sweep({"eager": self._function, "fused": self}, axes={}, inputs=lambda: tensors, bytes=float(kernel.bytes), **options)


def fuse(fn: Callable[..., Any], *, device: str = "h200", tolerance: float = 2e-2) -> Fused:
    """One CUDA kernel for a function of tensors that is pointwise, with reductions along the last axis.

    device: the emulated GPU of calls on CPU tensors. tolerance: relative, against eager, checked at the first call of
    each kind. When you call the function, it raises NotImplementedError if an operator cannot be fused; the message
    names it.
    """
    return Fused(fn, device, tolerance)
