"""The suite of kernels (kernels/ in the repository) as functions of torch tensors. On CUDA tensors they run on their
GPU, on CPU tensors in the emulator.

    y = warplens.kernels.softmax(x)                 # the fastest step for such shapes
    y = warplens.kernels.softmax(x, impl="naive")
    o = warplens.kernels.attention(q, k, v, causal=True)       # k and v may have fewer heads than q

Each function has the name of its family; dir(warplens.kernels) lists them. Families with a backward are differentiable.
"""

from __future__ import annotations

import functools
import json
import os
import pathlib
import re
from typing import Any

import torch

from ._expressions import filled, whole
from ._ready import Made, Ready, struct_of
from ._tensor_maps import Packed, tensor_map
from .inline import InlineModule
from .launches import dim3

_DTYPES = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16, "i8": torch.int8, "u8": torch.uint8,
           "i16": torch.int16, "i32": torch.int32, "i64": torch.int64, "u32": torch.int32, "u64": torch.int64}
_MOST_READY = 1024  # sets of shapes that a family keeps launches ready for


def _folder() -> pathlib.Path:
    chosen = os.environ.get("WARPLENS_KERNELS")
    here = pathlib.Path(__file__)
    places = [pathlib.Path(chosen)] if chosen else [here.parent / "share/warplens/kernels", here.resolve().parents[2] / "kernels"]
    for place in places:
        if (place / "README.md").exists():
            return place
    raise FileNotFoundError(f"the kernels of the suite are not in {places[0]}; name their folder in WARPLENS_KERNELS")


class _Buffer:
    """dtype and shape of a buffer, the shape as expressions."""

    def __init__(self, text: Any) -> None:
        if isinstance(text, dict):
            text = f"{text['dtype']}[{','.join(str(s) for s in text.get('shape', [text.get('count', len(text.get('values', [])))]))}]"
        found = re.match(r"(\w+)\[([^\]]*)\]", text)
        assert found, text
        self.dtype = _DTYPES[found[1]]
        self.shape = [re.sub(r"^\$\{(.*)\}$", r"\1", each.strip()) for each in found[2].split(",")]

    def bind(self, name: str, tensor: torch.Tensor, point: dict[str, int]) -> torch.Tensor:
        """The tensor in the kernels' form; axes that its shape gives are added to `point`."""
        wanted = torch.int32 if self.dtype == torch.int32 and tensor.dtype == torch.int64 else tensor.dtype
        if wanted != self.dtype:
            raise TypeError(f"{name} is {tensor.dtype}; these kernels take {self.dtype}")
        tensor = _settled(tensor.to(wanted))
        extra = tensor.dim() - len(self.shape)
        tensor = tensor.flatten(0, extra) if extra > 0 else tensor[(None,) * -extra]
        for expression, size in zip(self.shape, tensor.shape):
            if found := re.fullmatch(r"([a-z_]+)(?:/(\d+)|\+(\d+))?", expression):  # length/16: pages of 16; sequences+1: where each begins
                axis, given = found[1], size * int(found[2] or 1) - int(found[3] or 0)
                if point.setdefault(axis, given) != given:
                    raise ValueError(f"{name} has {given} {axis}, another argument {point[axis]}")
        return tensor

    def sizes(self, point: dict[str, int]) -> list[int]:
        return [whole(each, point) for each in self.shape]


def _buffers_in(argument: Any) -> list[str]:
    if isinstance(argument, str):
        return [argument]
    if not isinstance(argument, dict):
        return []
    return [argument["buffer"]] if "tensor_map" in argument else [member["buffer"] for member in argument["struct"] if "buffer" in member]


def _settled(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor as kernels need it: contiguous, at an address that is a multiple of 16."""
    tensor = tensor.contiguous()
    return tensor.clone() if tensor.data_ptr() % 16 else tensor


class _Plan:
    """A step prepared for one set of sizes: kernels with their grids and arguments."""

    def __init__(self, family: Family, step: dict[str, Any], point: dict[str, int]) -> None:
        made = filled({key: step.get(key) for key in ("launches", "options", "arch")}, point)
        self.buffers = {**family.buffers, **{name: _Buffer(text) for name, text in step.get("buffers", {}).items()}}
        self.point, self._scratch = point, {}  # type: ignore[var-annotated]
        module = family.module(step["source"], tuple(str(option) for option in made["options"] or []), made["arch"])
        self.launches = []
        for launch in made["launches"]:
            kernel = getattr(module, launch.get("kernel") or step["kernel"])
            self.launches.append((kernel, self._size(launch["grid"]), self._size(launch["block"]), int(launch.get("shared_bytes", 0)),
                                  bool(launch.get("cooperative")), [self._argument(a) for a in launch["args"]]))

    @staticmethod
    def _size(value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value

    @staticmethod
    def _argument(value: Any) -> Any:
        """A buffer's name, a number, or the description of a tensor map or struct."""
        if isinstance(value, str):
            dtype, _, number = value.partition("=")
            return value if not number else float(number) if dtype.startswith("f") else int(number)
        if "tensor_map" in value or "struct" in value:
            return value
        (key, item), = value.items()
        return item if key == "buffer" else float(item) if key.startswith("f") else int(item)

    def scratch(self, name: str, like: torch.Tensor) -> torch.Tensor:
        """Zeros at first, kept between calls: kernels leave zeros where they need them."""
        key = name, like.device
        if key not in self._scratch:
            buffer = self.buffers[name]
            self._scratch[key] = torch.zeros(buffer.sizes(self.point), dtype=buffer.dtype, device=like.device)
        return self._scratch[key]

    def ready(self, gpu: int, inputs: list[str], outputs: dict[str, Made]) -> Ready:
        """For tensors of a GPU; outputs have the shapes that the caller gets."""
        used = [name for *_, arguments in self.launches for argument in arguments for name in _buffers_in(argument)]
        scratch = {name: (tuple(self.buffers[name].sizes(self.point)), self.buffers[name].dtype) for name in dict.fromkeys(used)
                   if name not in inputs and name not in outputs}
        out = Ready(gpu, inputs, outputs, scratch)
        for kernel, grid, block, shared_bytes, cooperative, arguments in self.launches:
            out.add(kernel, dim3(grid), dim3(block), shared_bytes, cooperative, arguments, {name: buffer.dtype for name, buffer in self.buffers.items()})
        return out

    def _value(self, argument: Any, tensors: dict[str, torch.Tensor], like: torch.Tensor) -> Any:
        if isinstance(argument, str):
            return tensors[argument] if argument in tensors else self.scratch(argument, like)
        if not isinstance(argument, dict):
            return argument
        if "tensor_map" in argument:
            made = argument["tensor_map"]
            return tensor_map(self._value(argument["buffer"], tensors, like), made["dimensions"], made["box"], made.get("swizzle", 0),
                              made.get("strides_bytes"))
        data, places = struct_of(argument["struct"])
        held, packed = [self._value(name, tensors, like) for _, name in places], bytearray(data)
        for (at, _), tensor in zip(places, held):
            packed[at:at + 8] = tensor.data_ptr().to_bytes(8, "little")
        return Packed(bytes(packed), held)

    def run(self, tensors: dict[str, torch.Tensor], mode: str) -> list[Any]:
        like, done = next(iter(tensors.values())), []
        for kernel, grid, block, shared, cooperative, args in self.launches:
            values = [self._value(a, tensors, like) for a in args]
            done.append((kernel if mode == "run" else getattr(kernel, mode))[grid, block, shared, cooperative](*values))
        return done


class Family:
    """One computation, implemented in steps from a naive kernel to a fast one. A call runs one of the steps."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder, self.__name__ = folder, folder.name
        self.described = json.loads((folder / "family.json").read_text())
        self.__doc__ = self.described["title"]
        self.steps: dict[str, dict[str, Any]] = {step["name"]: step for step in self.described["steps"]}
        self.impls = list(self.steps)
        self.buffers = {name: _Buffer(text) for name, text in self.described["buffers"].items()}
        self.inputs, self.outputs = self.described["python"]["inputs"], self.described["python"]["outputs"]
        self._modules: dict[Any, InlineModule] = {}
        self._plans: dict[Any, _Plan] = {}
        self._ready: dict[Any, Ready] = {}
        self._chosen: dict[Any, tuple[Family, dict[str, int]]] = {}

    def __repr__(self) -> str:
        return f"<warplens.kernels.{self.__name__}: {self.__doc__}; {', '.join(self.impls)}>"

    def module(self, source: str, options: tuple[str, ...], arch: str | None = None) -> InlineModule:
        key, path = (source, options, arch), self.folder / source
        if key not in self._modules:
            self._modules[key] = InlineModule(path.read_text(), [], "h200", ("-lineinfo", f"-I{path.parent}", *options), arch)
        return self._modules[key]

    def fits(self, impl: str, point: dict[str, int]) -> bool:
        return all(whole(need, point) == 0 for need in self.steps[impl].get("needs", []))

    def _plan(self, impl: str | None, point: dict[str, int]) -> _Plan:
        key = impl, tuple(sorted(point.items()))
        if key not in self._plans:
            if impl is None:
                fitting = [name for name in self.impls if self.callable(name) and self.fits(name, point)]
            else:
                impl = self.step_named(impl)
                fitting = [impl] if self.fits(impl, point) else []
            if not fitting:
                raise ValueError(f"{self.__name__}: {impl or 'no kernel'} does not take {point}; needs to be 0: "
                                 f"{self.steps[impl].get('needs') if impl else [s.get('needs', []) for s in self.steps.values()]}")
            self._plans[key] = _Plan(self, self.steps[fitting[-1]], point)
        return self._plans[key]

    def step_named(self, impl: str) -> str:
        """The step of that name, or the last one whose name begins with it (flash: flash_wgmma)."""
        found = [impl] if impl in self.steps else [name for name in self.impls if name.startswith(impl + "_")]
        if not found:
            raise ValueError(f"{self.__name__} has no '{impl}'; there are {', '.join(self.impls)}")
        return found[-1]

    def callable(self, impl: str) -> bool:
        """True if Python can launch it: only `warplens bench` can launch clusters."""
        return not any("cluster" in launch for launch in self.steps[impl]["launches"])

    def _shape(self, name: str, shape: list[int], first: torch.Tensor) -> list[int]:
        """The shape of an output, with the axes that the first input has before those of its kernels."""
        pattern, own = self.buffers[name].shape, self.buffers[self.inputs[0]].shape
        if pattern == own:
            return list(first.shape)
        return list(first.shape[:-1]) if pattern == own[:-1] else shape

    def launch(self, inputs: tuple[torch.Tensor, ...], impl: str | None = None, mode: str = "run", axes: dict[str, int] | None = None,
               saved: dict[str, torch.Tensor] | None = None) -> tuple[list[torch.Tensor], list[Any]]:
        """Outputs, and the launches' results: with mode "profile" counters, with "check" reports (see load_inline).

        saved: gets inputs, outputs and the values that the family saves for its backward, by name.
        """
        if len(inputs) != len(self.inputs):
            raise TypeError(f"{self.__name__} takes {', '.join(self.inputs)}; {len(inputs)} tensors were given")
        if mode == "run" and (done := self._launch_ready(inputs, impl, axes or {}, saved)) is not None:
            return done, []
        point = dict(axes or {})
        tensors = {name: self.buffers[name].bind(name, tensor, point) for name, tensor in zip(self.inputs, inputs)}
        plan = self._plan(impl, point)
        for name in [*self.outputs, *([] if saved is None else self._kept(plan))]:
            buffer = plan.buffers[name]
            tensors[name] = torch.empty(buffer.sizes(point), dtype=buffer.dtype, device=inputs[0].device)
        done = plan.run(tensors, mode)
        out = [tensors[name].reshape(self._shape(name, list(tensors[name].shape), inputs[0])) for name in self.outputs]
        if saved is not None:  # inputs and outputs in the shapes that the caller has
            saved.update({**tensors, **dict(zip(self.inputs, inputs)), **dict(zip(self.outputs, out))})
        return out, done

    def _launch_ready(self, inputs: tuple[torch.Tensor, ...], impl: str | None, axes: dict[str, int],
                      saved: dict[str, torch.Tensor] | None) -> list[torch.Tensor] | None:
        """The outputs, by launches prepared for such shapes; None for tensors that are not on a GPU."""
        gpu, taken = inputs[0].get_device(), inputs
        key: list[Any] = [impl, saved is None, gpu, *axes.items()]
        for i, tensor in enumerate(inputs):
            if gpu < 0 or tensor.get_device() != gpu:
                return None
            dtype = tensor.dtype
            key += (tensor.shape, dtype)
            if not tensor.is_contiguous() or tensor.data_ptr() & 15 or dtype is torch.int64:
                taken = (*taken[:i], self._as_taken(self.inputs[i], tensor), *taken[i + 1:])
        shapes = tuple(key)
        ready = self._ready.get(shapes)
        if ready is None:
            if len(self._ready) >= _MOST_READY:
                self._ready.clear()
            ready = self._ready[shapes] = self._make_ready(inputs, impl, axes, saved is not None, gpu)
        made = ready(taken)
        if saved is None:
            return made
        saved.update(zip([*self.inputs, *ready.outputs], [*inputs, *made]))
        return made[:len(self.outputs)]

    def _as_taken(self, name: str, tensor: torch.Tensor) -> torch.Tensor:
        dtype = self.buffers[name].dtype
        return _settled(tensor.to(dtype) if tensor.dtype == torch.int64 and dtype == torch.int32 else tensor)

    def _make_ready(self, inputs: tuple[torch.Tensor, ...], impl: str | None, axes: dict[str, int], keeps: bool, gpu: int) -> Ready:
        point = dict(axes)
        for name, tensor in zip(self.inputs, inputs):
            self.buffers[name].bind(name, tensor, point)
        plan, made = self._plan(impl, point), {}
        for name in [*self.outputs, *(self._kept(plan) if keeps else [])]:
            buffer, sizes = plan.buffers[name], plan.buffers[name].sizes(point)
            made[name] = tuple(self._shape(name, sizes, inputs[0]) if name in self.outputs else sizes), buffer.dtype
        return plan.ready(gpu, self.inputs, made)

    def _kept(self, plan: _Plan) -> list[str]:
        """The values of this step that the family saves for its backward."""
        return [name for name in self.described["python"].get("saved", []) if name in plan.buffers]

    def _chosen_by(self, axes: dict[str, Any]) -> tuple[Family, dict[str, int]]:
        """The family that the choices among `axes` name (causal=True), and the remaining axes. Raises TypeError for
        others.
        """
        key = tuple(axes.items())
        if key not in self._chosen:
            left, choices, known = dict(axes), self.described["python"].get("choices", {}), self.described["small"][0]
            chosen = [choices[name] for name in choices if left.pop(name, False)]
            for name in left:
                if name not in known:
                    raise TypeError(f"{self.__name__} has no '{name}'; there are {', '.join([*choices, *known])}")
            self._chosen[key] = (globals()["__getattr__"](chosen[0]) if chosen else self), left
        return self._chosen[key]

    def __call__(self, *inputs: torch.Tensor, impl: str | None = None, **axes: int) -> Any:
        """impl: the version of the kernel to run (default: the last one that supports these sizes). axes: sizes that the tensors' shapes do not show, and
        choices of the family (causal=True).

        Raises TypeError for other dtypes and unknown axes, and ValueError for sizes that no step supports. Raises
        RuntimeError if a gradient is needed and the family has no backward.
        """
        if axes:
            family, axes = self._chosen_by(axes)
            if family is not self:
                return family(*inputs, impl=impl, **axes)
        if torch.is_grad_enabled() and any(t.requires_grad for t in inputs):
            if "backward" not in self.described["python"]:
                raise RuntimeError(f"{self.__name__} has no backward; call it under torch.no_grad()")
            return _Differentiable.apply(self, impl, axes, *inputs)
        out, _ = self.launch(inputs, impl, axes=axes)
        return out[0] if len(out) == 1 else tuple(out)


class _Differentiable(torch.autograd.Function):  # type: ignore[misc]
    """A family whose backward is another family. The backward takes the forward's inputs, outputs and saved values, and
    dOUTPUT, and returns dINPUT.
    """

    @staticmethod
    def forward(ctx: Any, family: Family, impl: str | None, axes: dict[str, int], *inputs: torch.Tensor) -> Any:
        behind = globals()["__getattr__"](family.described["python"]["backward"])
        saved: dict[str, Any] = {}
        out, _ = family.launch(inputs, impl, axes=axes, saved=saved)
        missing = [name for name in behind.inputs if name not in saved and name.removeprefix("d") not in family.outputs]
        if missing:
            raise RuntimeError(f"{family.__name__}: {impl} does not keep {', '.join(missing)}, which the backward takes; use {family.impls[-1]}")
        ctx.family, ctx.axes, ctx.names = family, axes, [name for name in behind.inputs if name in saved]
        ctx.save_for_backward(*(saved[name] for name in ctx.names))
        return out[0] if len(out) == 1 else tuple(out)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        family = ctx.family
        behind = globals()["__getattr__"](family.described["python"]["backward"])
        known = dict(zip(ctx.names, ctx.saved_tensors))
        known.update({"d" + name: gradient for name, gradient in zip(family.outputs, gradients)})
        out, _ = behind.launch(tuple(known[name] for name in behind.inputs), axes=ctx.axes)
        made = dict(zip(behind.outputs, out))
        return None, None, None, *(made.get("d" + name) for name in family.inputs)


@functools.cache
def _families() -> dict[str, Family]:
    return {file.parent.name: Family(file.parent) for file in sorted(_folder().glob("*/family.json")) if "python" in json.loads(file.read_text())}


def __getattr__(name: str) -> Family:
    if name.startswith("__") or name not in _families():
        raise AttributeError(f"warplens.kernels has no '{name}'" + ("" if name.startswith("__") else f"; there are {', '.join(_families())}"))
    return _families()[name]


def __dir__() -> list[str]:
    return list(_families())
