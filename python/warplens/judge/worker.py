"""The process of a candidate: it makes the plan's calls, and writes their results. It judges nothing."""

from __future__ import annotations

import importlib
import pathlib
import sys
import traceback
from collections.abc import Callable
from typing import Any

from . import adapters, integrity
from .device import Device
from .exchange import load_array, read_json, save_array, tensor_of, tensor_slot, write_json

_POISONED_BLOCKS = 4  # of each size: more than a candidate allocates of one


class Worker:
    """Calls, in the plan's order. Each item of `calls` has the case, and True if inputs are at the previous call's
    addresses.
    """

    def __init__(self, plan: dict[str, Any]) -> None:
        self.plan = plan
        self.folder, self.out = pathlib.Path(plan["folder"]), pathlib.Path(plan["out"])
        self.done: list[dict[str, Any]] = []
        self.replaced: set[str] = set()
        self.settings: set[str] = set()

    def run(self, caller: Any, snapshot: integrity.Snapshot) -> None:
        for number, call in enumerate(self.plan["calls"]):
            case = self.plan["cases"][call["case"]]
            caller.place(case, call["reuse"])
            if self.plan["poison"]:
                caller.poison(case)
            caller.device.synchronize()
            if self.plan["marks"]:
                caller.device.delay()
                caller.device.mark(self.plan["marks"] + 2 * number)
            result, error = _tried(caller.call)
            if self.plan["marks"]:
                caller.device.mark(self.plan["marks"] + 2 * number + 1)
            entry: dict[str, Any] = {"error": error, "outputs": [], "types": []}
            if not error:
                error = entry["error"] = _tried(lambda: entry.update(caller.collect(self.out, number, result)))[1]
            self.replaced.update(snapshot.replaced())
            self.settings.update(snapshot.settings())
            self.done.append(entry)
            self.write()
            if error:
                break
        _tried(caller.device.synchronize)

    def write(self, failure: str = "") -> None:
        write_json(self.out / "result.json", {"calls": self.done, "replaced": sorted(self.replaced), "settings": sorted(self.settings), "failure": failure})


def _tried(work: Callable[[], Any]) -> tuple[Any, str]:
    try:
        return work(), ""
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a candidate may raise anything, SystemExit included
        last = traceback.extract_tb(error.__traceback__)[-1]
        return None, f"{type(error).__name__}: {error} ({pathlib.Path(last.filename).name}:{last.lineno})"


class TorchCaller:
    """A candidate in Python, on CUDA tensors."""

    def __init__(self, plan: dict[str, Any]) -> None:
        import torch

        self.torch, self.plan, self.folder = torch, plan, pathlib.Path(plan["folder"])
        torch.zeros(1, device="cuda")  # the context is torch's
        self.device = Device()
        self.leaves: list[Any] = []
        self.function: Callable[[list[Any]], Any] | None = None

    def load(self) -> None:
        load = adapters.reference if self.plan["role"] == "reference" else adapters.candidate
        self.function = load(self.plan["layout"], pathlib.Path(self.plan[self.plan["role"]]), {**self.plan["options"], "seed": self.plan["seed"], "spec": self.plan["spec"]})

    def place(self, case: dict[str, Any], reuse: bool) -> None:
        """The inputs of a case: at the previous addresses if the shapes allow it, or at new ones."""
        fresh = [tensor_of(self.folder, slot, "cuda") if "npy" in slot else slot["value"] for slot in case["inputs"]]
        is_alike = len(fresh) == len(self.leaves) and all(
            type(a) is type(b) and (not isinstance(a, self.torch.Tensor) or (a.shape == b.shape and a.stride() == b.stride())) for a, b in zip(fresh, self.leaves))
        if reuse and is_alike:
            self.leaves = [old.copy_(new) if isinstance(new, self.torch.Tensor) else new for old, new in zip(self.leaves, fresh)]
        else:
            self.leaves = fresh

    def poison(self, case: dict[str, Any]) -> None:
        """Blocks of the sizes of the outputs and inputs, filled and freed: unwritten parts of the next allocations show
        the fill.
        """
        held = []
        for slot in [*case["own"], *(s for s in case["inputs"] if "npy" in s)]:
            size = slot["bytes"]
            for _ in range(_POISONED_BLOCKS):
                block = self.torch.empty(size, dtype=self.torch.uint8, device="cuda")
                self.device.poison(block.data_ptr(), size)
                held.append(block)

    def call(self) -> Any:
        assert self.function is not None
        return self.function(self.leaves)

    def collect(self, out: pathlib.Path, number: int, result: Any) -> dict[str, Any]:
        tensors, types = [], []

        def visit(value: Any) -> None:
            if isinstance(value, dict):
                for inner in value.values():
                    visit(inner)
            elif isinstance(value, (list, tuple)):
                for inner in value:
                    visit(inner)
            elif value is not None:
                types.append(f"{type(value).__module__}.{type(value).__qualname__}")
                if isinstance(value, self.torch.Tensor):
                    tensors.append(value)
                elif isinstance(value, (int, float)):
                    tensors.append(self.torch.tensor(value))

        visit(result)
        return {"outputs": [tensor_slot(out / f"out{number}_{at}.npy", tensor) for at, tensor in enumerate(tensors)], "types": types,
                "devices": [str(tensor.device) for tensor in tensors],
                "inputs": [tensor_slot(out / f"after{number}_{at}.npy", leaf) if isinstance(leaf, self.torch.Tensor) else None for at, leaf in enumerate(self.leaves)]}


class AbiCaller:
    """A candidate with a C ABI: a shared library, called with addresses and scalars."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self.plan, self.folder = plan, pathlib.Path(plan["folder"])
        self.device = Device()
        self.signature = plan["options"]["signature"]
        self.buffers: list[tuple[int, int]] = []  # address and bytes of each argument, 0 for a scalar
        self.arguments: list[Any] = []
        self.function: Any = None

    def load(self) -> None:
        import ctypes

        library = ctypes.CDLL(self.plan["library"])
        for name in ("solve", "solution"):
            if hasattr(library, name):
                self.function = getattr(library, name)
                self.function.restype = None
                return
        raise ValueError("the candidate exports neither `solve` nor `solution`: is it declared extern \"C\"?")

    def place(self, case: dict[str, Any], reuse: bool) -> None:
        import ctypes

        sizes = [slot["bytes"] if "npy" in slot else 0 for slot in case["inputs"]]
        if not reuse or sizes != [size for _, size in self.buffers]:
            for address, _ in self.buffers:
                if address:
                    self.device.free(address)
            self.buffers = [(self.device.allocate(size) if "npy" in slot else 0, size) for size, slot in zip(sizes, case["inputs"])]
        self.arguments = []
        for (address, _), slot, argument in zip(self.buffers, case["inputs"], self.signature):
            if "npy" not in slot:
                self.arguments.append(getattr(ctypes, argument["type"])(slot["value"]))
                continue
            if not argument["out"] or argument.get("inout"):
                self.device.upload(address, load_array(self.folder, slot).tobytes())
            self.arguments.append(ctypes.c_void_p(address))

    def poison(self, case: dict[str, Any]) -> None:
        for (address, size), argument in zip(self.buffers, self.signature):
            if argument["out"] and not argument.get("inout"):
                self.device.poison(address, size)

    def call(self) -> None:
        self.function(*self.arguments)

    def collect(self, out: pathlib.Path, number: int, result: Any) -> dict[str, Any]:
        import numpy as np

        case = self.plan["cases"][self.plan["calls"][number]["case"]]
        outputs: list[Any] = []
        after: list[Any] = []
        for at, ((address, size), slot, argument) in enumerate(zip(self.buffers, case["inputs"], self.signature)):
            if "npy" not in slot:
                after.append(None)
                continue
            stored = load_array(self.folder, slot)
            values = np.frombuffer(self.device.download(address, size), stored.dtype).reshape(stored.shape)
            if argument["out"]:
                outputs.append(save_array(out / f"out{number}_{at}.npy", values, slot["dtype"]))
            after.append(save_array(out / f"after{number}_{at}.npy", values, slot["dtype"]))
        return {"outputs": outputs, "types": [], "devices": [], "inputs": after}


def main() -> None:
    plan_path = pathlib.Path(sys.argv[1])
    if sys.argv[2] == "torch":
        importlib.import_module("torch")  # while the truth is computed
    sys.stdin.readline()  # the plan is complete now
    plan = read_json(plan_path)
    worker = Worker(plan)
    caller = (TorchCaller if plan["caller"] == "torch" else AbiCaller)(plan)
    if plan["marks"]:
        caller.device.prepare_marks(plan["marks"] + 2 * len(plan["calls"]) + 2)
    snapshot = integrity.Snapshot()
    error = _tried(caller.load)[1]
    worker.replaced.update(snapshot.replaced())
    worker.settings.update(snapshot.settings())
    worker.write(error)
    if not error:
        worker.run(caller, snapshot)
    print("done", flush=True)


if __name__ == "__main__":
    main()
