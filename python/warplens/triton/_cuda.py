"""`device="cuda"` inside an emulate block: CPU tensors serve it, and torch.cuda answers for the emulated GPU.

It uses torch.overrides.TorchFunctionMode, which sees factories, `.to` and `.cuda`. Inside its own calls, the mode is off. Inside a
function that torch.compile compiled, a device is still the real one.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from ..launches import Emulation
from . import _timing


def _is_cuda(value: Any) -> bool:
    return (isinstance(value, str) and value.split(":")[0] == "cuda") or getattr(value, "type", None) == "cuda"


def _moved(value: Any) -> Any:
    return "cpu" if _is_cuda(value) else value


def _mode() -> Any:
    import torch
    from torch.overrides import TorchFunctionMode

    class OnCpu(TorchFunctionMode):
        """Makes tensors for a CUDA device on the CPU; moving one there copies it."""

        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = kwargs or {}
            if func is torch.Tensor.cuda:
                return args[0].clone()
            if func == torch.Tensor.is_cuda.__get__:
                return args[0].device.type == "cpu"
            if not any(_is_cuda(a) for a in args) and not any(_is_cuda(v) for v in kwargs.values()):
                return func(*args, **kwargs)
            placed = {name: _moved(v) for name, v in kwargs.items()}
            if func is torch.Tensor.to:
                return func(*(_moved(a) for a in args), **{"copy": True, **placed})
            if "pin_memory" in placed:
                placed["pin_memory"] = False
            return func(*(_moved(a) for a in args), **placed)

    return OnCpu()


class Stream:
    """The one stream of the emulated GPU: work is done when it is requested."""

    cuda_stream = 0

    def __init__(self, device: Any = None, priority: int = 0) -> None:
        pass

    def synchronize(self) -> None:
        pass

    def query(self) -> bool:
        return True

    def wait_stream(self, stream: Any) -> None:
        pass

    def wait_event(self, event: Any) -> None:
        pass

    def record_event(self, event: Any = None) -> Any:
        import torch

        event = event or torch.cuda.Event()
        event.record()
        return event

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: Any) -> None:
        pass


def _properties(gpu: dict[str, Any]) -> Any:
    return types.SimpleNamespace(
        name=gpu["name"], major=gpu["cc"] // 10, minor=gpu["cc"] % 10, multi_processor_count=gpu["sms"], warp_size=32,
        max_threads_per_multi_processor=gpu["threads_per_sm"], regs_per_multiprocessor=gpu["registers_per_sm"],
        shared_memory_per_block_optin=gpu["shared_optin_bytes"])


def _is_available(real: Callable[[], bool]) -> Callable[[], bool]:
    """True, except for torch's own code, which would then call the driver."""
    return lambda: real() if sys._getframe(1).f_globals.get("__name__", "").split(".")[0] == "torch" else True


def _answers(emulation: Emulation) -> dict[str, Any]:
    """The replacements in torch.cuda inside the block, by name."""
    import torch

    gpu, stream = emulation.device, Stream()
    nothing = lambda *_, **__: None  # noqa: E731
    return {
        "Event": _timing.event_class(_timing.Timeline(emulation)), "Stream": Stream, "stream": lambda s: s or contextlib.nullcontext(),
        "current_stream": lambda device=None: stream, "default_stream": lambda device=None: stream, "set_stream": nothing,
        "synchronize": nothing, "set_device": nothing, "empty_cache": nothing, "init": nothing,
        "is_available": _is_available(torch.cuda.is_available), "device_count": lambda: 1, "current_device": lambda: 0,
        "get_device_name": lambda device=None: gpu["name"], "get_device_capability": lambda device=None: divmod(gpu["cc"], 10),
        "get_device_properties": lambda device=None: _properties(gpu), "is_bf16_supported": lambda *_, **__: gpu["cc"] >= 80,
        "manual_seed": torch.random.default_generator.manual_seed, "manual_seed_all": torch.random.default_generator.manual_seed,
    }


def _generator(before: type) -> type:
    class Generator(before):
        """torch.Generator; one for a CUDA device draws the CPU's numbers."""

        def __new__(cls, device: Any = "cpu") -> Any:
            return super().__new__(cls, _moved(device))

    return Generator


@contextlib.contextmanager
def _compiled_functions_outside() -> Iterator[None]:
    """torch.compile does not trace under such a mode, so compiled functions are called without it."""
    from torch._C import _len_torch_function_stack
    from torch._dynamo.eval_frame import _TorchDynamoContext
    from torch.overrides import _pop_mode_temporarily

    original = _TorchDynamoContext.__call__

    def call(self: Any, fn: Any) -> Any:
        compiled = original(self, fn)
        if not isinstance(compiled, types.FunctionType):
            return compiled

        @functools.wraps(compiled)
        def outside(*args: Any, **kwargs: Any) -> Any:
            if _len_torch_function_stack() == 0:  # within another one's call
                return compiled(*args, **kwargs)
            with _pop_mode_temporarily():
                return compiled(*args, **kwargs)

        return outside

    _TorchDynamoContext.__call__ = call
    try:
        yield
    finally:
        _TorchDynamoContext.__call__ = original


@contextlib.contextmanager
def on_cpu(emulation: Emulation) -> Iterator[None]:
    """Inside the block, `device="cuda"` means the emulated GPU, which uses CPU memory."""
    if "torch" not in sys.modules:
        yield
        return
    import torch

    answers = {name: answer for name, answer in _answers(emulation).items() if hasattr(torch.cuda, name)}
    originals = {name: getattr(torch.cuda, name) for name in answers}
    for name, answer in answers.items():
        setattr(torch.cuda, name, answer)
    generator = torch.Generator
    torch.Generator = _generator(generator)
    try:
        with _mode(), _compiled_functions_outside():
            yield
    finally:
        for name, original in originals.items():
            setattr(torch.cuda, name, original)
        torch.Generator = generator
