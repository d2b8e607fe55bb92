"""The process of a candidate: it gets the inputs of one call at a time, calls, and gives the results. It judges nothing, and never holds the inputs of a later call.
"""

from __future__ import annotations

import glob
import importlib
import os
import pathlib
import socket
import sys
import traceback
from collections.abc import Callable
from typing import Any

from .. import _core
from . import adapters, integrity
from .attempts import Attempts
from .channel import Broken, Channel
from .device import Device
from .exchange import is_array, span_bytes
from .processes import collect_garbage

_POISONED_BLOCKS = 4  # of each size: more than a candidate allocates of one
_MOST_BYTES = 1 << 40  # of inputs: the judge's own message
Header = dict[str, Any]
_DEVICES = ("/dev/null", "/dev/zero", "/dev/tty", "/dev/dri")
# Temporary files and caches of a candidate: each has its own.
_FOLDERS = {"TMPDIR": "tmp", "XDG_CACHE_HOME": "cache", "TRITON_CACHE_DIR": "triton", "TORCH_EXTENSIONS_DIR": "extensions",
            "TORCHINDUCTOR_CACHE_DIR": "inductor", "CUDA_CACHE_PATH": "cuda", "MPLCONFIGDIR": "matplotlib"}
_NOTHING: Header = {"odd": [], "outputs": [], "after": []}


def _tried(work: Callable[[], Any]) -> tuple[Any, str]:
    try:
        return work(), ""
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a candidate may raise anything, SystemExit included
        last = traceback.extract_tb(error.__traceback__)[-1]
        return None, f"{type(error).__name__}: {error} ({pathlib.Path(last.filename).name}:{last.lineno})"


def _bytes_of(slot: Header) -> int:
    return span_bytes(slot["dtype"], slot["shape"], slot.get("strides"))


class TorchCaller:
    """A candidate in Python, on CUDA tensors. Slots: an attribute of the object cannot hide a method."""

    __slots__ = ("torch", "setup", "device", "leaves", "slots", "function")

    def __init__(self, setup: Header) -> None:
        import torch

        self.torch, self.setup = torch, setup
        torch.zeros(1, device="cuda")  # the context is torch's
        self.device = Device()
        self.leaves: list[Any] = []
        self.slots: list[Header] = []
        self.function: Callable[[list[Any]], Any] | None = None

    def load(self) -> None:
        role = self.setup["role"]
        load = adapters.reference if role == "reference" else adapters.candidate
        self.function = load(self.setup["layout"], pathlib.Path(self.setup[role]), self.setup["options"])

    def place(self, slots: list[Header], arrays: list[bytes], reuse: bool) -> None:
        """The inputs of a call: at the previous addresses if the layouts allow it, or at new ones."""
        if not reuse or slots != self.slots:
            self.leaves = [self._made(slot) if is_array(slot) else slot["value"] for slot in slots]
        self.slots = slots
        given = iter(arrays)
        for leaf, slot in zip(self.leaves, slots):
            if is_array(slot):
                self.device.upload(leaf.data_ptr(), next(given))
        self.leaves = [leaf if is_array(slot) else slot["value"] for leaf, slot in zip(self.leaves, slots)]

    def _made(self, slot: Header) -> Any:
        dtype = getattr(self.torch, slot["dtype"])
        if slot["strides"] is None:
            return self.torch.empty(slot["shape"], dtype=dtype, device="cuda")
        return self.torch.empty_strided(slot["shape"], slot["strides"], dtype=dtype, device="cuda")

    def poison(self, sizes: list[int]) -> None:
        """Blocks of the sizes of the outputs and inputs, filled and freed: unwritten parts of the next allocations show
        the fill.
        """
        held = []
        for size in sizes:
            for _ in range(_POISONED_BLOCKS):
                block = self.torch.empty(size, dtype=self.torch.uint8, device="cuda")
                self.device.poison(block.data_ptr(), size)
                held.append(block)

    def call(self) -> Any:
        assert self.function is not None
        return self.function(self.leaves)

    def collect(self, result: Any) -> tuple[Header, list[bytes]]:
        tensors, odd = [], []
        plain = (self.torch.Tensor, self.torch.nn.Parameter)

        def visit(value: Any) -> None:
            if isinstance(value, dict):
                for inner in value.values():
                    visit(inner)
            elif isinstance(value, (list, tuple)):
                for inner in value:
                    visit(inner)
            elif isinstance(value, self.torch.Tensor):
                tensors.append(value)
                if type(value) not in plain:
                    odd.append(f"{type(value).__module__}.{type(value).__qualname__}")
            elif type(value) in (int, float):
                tensors.append(self.torch.tensor(value))
            elif value is not None:
                odd.append(f"{type(value).__module__}.{type(value).__qualname__}")

        visit(result)
        after = [leaf for leaf, slot in zip(self.leaves, self.slots) if is_array(slot)]
        outputs, kept = [self._slot(tensor) for tensor in tensors], [slot for slot in self.slots if is_array(slot)]
        return {"odd": odd, "outputs": outputs, "after": kept}, [self._bytes(tensor, slot) for tensor, slot in zip(tensors + after, outputs + kept)]

    def _slot(self, tensor: Any) -> Header:
        if tensor.layout is not self.torch.strided:
            raise TypeError(f"the result is a {tensor.layout} tensor, not a dense one")
        return {"dtype": str(tensor.dtype).removeprefix("torch."), "shape": list(tensor.shape), "strides": None if tensor.is_contiguous() else list(tensor.stride())}

    def _bytes(self, tensor: Any, slot: Header) -> bytes:
        if tensor.device.type == "cuda":
            return self.device.download(tensor.data_ptr(), _bytes_of(slot))
        import ctypes

        return ctypes.string_at(tensor.data_ptr(), _bytes_of(slot))


class AbiCaller:
    """A candidate with a C ABI: a shared library, called with addresses and scalars."""

    __slots__ = ("setup", "device", "signature", "slots", "buffers", "arguments", "function")

    def __init__(self, setup: Header) -> None:
        self.setup = setup
        self.device = Device()
        self.signature = setup["options"]["signature"]
        self.slots: list[Header] = []
        self.buffers: list[tuple[int, int]] = []  # address and bytes of each argument, 0 for a scalar
        self.arguments: list[Any] = []
        self.function: Any = None

    def load(self) -> None:
        import ctypes

        library = ctypes.CDLL(self.setup["library"])
        for name in ("solve", "solution"):
            if hasattr(library, name):
                self.function = getattr(library, name)
                self.function.restype = None
                return
        raise ValueError("the candidate exports neither `solve` nor `solution`: is it declared extern \"C\"?")

    def place(self, slots: list[Header], arrays: list[bytes], reuse: bool) -> None:
        import ctypes

        sizes = [_bytes_of(slot) if is_array(slot) else 0 for slot in slots]
        if not reuse or sizes != [size for _, size in self.buffers]:
            for address, _ in self.buffers:
                if address:
                    self.device.free(address)
            self.buffers = [(self.device.allocate(size) if is_array(slot) else 0, size) for size, slot in zip(sizes, slots)]
        self.slots, self.arguments, given = slots, [], iter(arrays)
        for (address, _), slot, argument in zip(self.buffers, slots, self.signature):
            if not is_array(slot):
                self.arguments.append(getattr(ctypes, argument["type"])(slot["value"]))
                continue
            content = next(given)
            if not argument["out"] or argument.get("inout"):
                self.device.upload(address, content)
            self.arguments.append(ctypes.c_void_p(address))

    def poison(self, sizes: list[int]) -> None:
        for (address, size), argument in zip(self.buffers, self.signature):
            if argument["out"] and not argument.get("inout"):
                self.device.poison(address, size)

    def call(self) -> None:
        self.function(*self.arguments)

    def collect(self, result: Any) -> tuple[Header, list[bytes]]:
        held = [(slot, buffer, argument) for slot, buffer, argument in zip(self.slots, self.buffers, self.signature) if is_array(slot)]
        outputs = [(slot, buffer) for slot, buffer, argument in held if argument["out"]]
        read = [*outputs, *((slot, buffer) for slot, buffer, _ in held)]
        return {"odd": [], "outputs": [slot for slot, _ in outputs], "after": [slot for slot, _, _ in held]}, [self.device.download(*buffer) for _, buffer in read]


def _answer(caller: Any, snapshot: integrity.Snapshot, call: Header, arrays: list[bytes]) -> tuple[Header, list[bytes]]:
    caller.place(call["inputs"], arrays, call["reuse"])
    if call["poison"]:
        caller.poison(call["poison"])
    caller.device.synchronize()
    if call["mark"]:
        caller.device.delay()
        caller.device.mark(call["mark"])
    result, error = _tried(caller.call)
    if call["mark"]:
        caller.device.mark(call["mark"] + 2)
    snapshot.replaced()  # before the results are read
    collected = None
    if not error:
        collected, error = _tried(lambda: caller.collect(result))
    header, data = collected or (_NOTHING, [])
    return {**header, "error": error}, data


def _confine(own: pathlib.Path) -> None:
    """From now on, this thread and the threads and processes that it starts can write only into the folder `own` and to devices."""
    _core.confine(["/"], [str(own), *_DEVICES, *glob.glob("/dev/nvidia*")])


def main() -> None:
    own = pathlib.Path(sys.argv[3])
    sys.dont_write_bytecode, os.environ["PYTHONDONTWRITEBYTECODE"] = True, "1"  # others' folders stay as they are
    for name, folder in _FOLDERS.items():
        (own / folder).mkdir(exist_ok=True)
        os.environ[name] = str(own / folder)
    os.chdir(own)
    if sys.argv[2] == "torch":
        importlib.import_module("torch")  # while the truth is computed
    collect_garbage()
    channel = Channel(socket.socket(fileno=int(sys.argv[1])))
    setup, _ = channel.receive(0)
    caller = (TorchCaller if sys.argv[2] == "torch" else AbiCaller)(setup)
    if setup["marks"]:
        caller.device.prepare_marks(setup["marks"])
    snapshot, attempts = integrity.Snapshot(), Attempts(own.parent.parent, own)
    confined = _tried(lambda: _confine(own))[1]
    error = _tried(caller.load)[1]

    def state() -> Header:
        return {"replaced": snapshot.replaced(), "settings": snapshot.settings(), "attempts": sorted(attempts.seen), "confined": not confined}

    channel.send({**state(), **_NOTHING, "error": error})
    while not error:
        try:
            call, arrays = channel.receive(_MOST_BYTES)
        except Broken:
            break  # the judge has no further call
        header, data = _answer(caller, snapshot, call, arrays)
        channel.send({**state(), **header}, data)
        error = header["error"]
    _tried(caller.device.synchronize)

