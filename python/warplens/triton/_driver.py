"""Triton's driver plug-in: compiles for a chosen GPU and launches into the emulator.

It relies on these internals of Triton 3.4 to 3.9: `triton.backends.backends` (name to compiler and driver),
`driver.set_active`, and the launcher protocol of `triton.backends.nvidia.driver.CudaLauncher`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import struct
from collections.abc import Iterator
from typing import Any

import triton.backends
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import CUDABackend
from triton.runtime import driver as triton_driver

from .. import _core
from ..launches import Emulation, Module, active, current
from . import _cuda, _memory, _parameters, _ptxas, _timing

# Bytes of an argument by its Triton type; half precisions go through torch, which rounds as the GPU's host side does.
_SCALARS = {"i1": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u1": "?", "u8": "B", "u16": "H", "u32": "I", "u64": "Q",
            "fp16": "e", "fp32": "f", "f32": "f", "fp64": "d"}
_TABLES = ("*i64", "*u64")  # may hold addresses


class EmulatedBackend(CUDABackend):
    """Triton's NVIDIA compiler, stopped at PTX, for the emulated GPU."""

    def __init__(self, target: GPUTarget) -> None:
        super().__init__(GPUTarget("cuda", current().device["cc"], 32))
        self.binary_ext = "ptx"

    def add_stages(self, stages: dict[str, Any], options: Any, language: Any) -> None:
        super().add_stages(stages, options, language)
        del stages["cubin"]
        make_ptx = stages["ptx"]
        stages["ptx"] = lambda source, metadata: _core.with_true_lines(make_ptx(source, metadata))

    def hash(self) -> str:
        return f"warplens-ptx-3-{self.target.arch}"


class _InductorBackend(EmulatedBackend):
    """The same under the name that Inductor uses for CPU tensors."""

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return target.backend == "cpu"

    def __init__(self, target: GPUTarget) -> None:
        self.supports_target = lambda _: True  # the base class asserts it of the target that this one stands for
        super().__init__(target)


@functools.lru_cache(maxsize=512)
def _parsed(ptx: str, name: str) -> Module:
    return Module(ptx, name)


class _Utilities:
    """Triton's queries of a driver about its device and binaries."""

    def get_device_properties(self, device: int) -> dict[str, int]:
        gpu = current().device
        return {"max_shared_mem": gpu["shared_optin_bytes"], "multiprocessor_count": gpu["sms"], "max_num_regs": gpu["registers_per_sm"],
                "warpSize": 32, "sm_clock_rate": gpu["boost_mhz"] * 1000, "mem_clock_rate": 0, "mem_bus_width": 0}

    def load_binary(self, name: str, ptx: str | bytes, shared: int, device: int) -> tuple[None, Module, int, int, int]:
        # No module handle: Triton would hand it to whatever driver is active when the kernel dies. Registers and spills
        # are ptxas' to say: see warplens.triton.inspect.
        return None, _parsed(ptx if isinstance(ptx, str) else ptx.decode(), f"{name}.ptx"), 0, 0, 1024

    def unload_module(self, module: Module) -> None:
        pass


def _bfloat16(value: float) -> bytes:
    import torch

    return torch.tensor(value, dtype=torch.bfloat16).view(torch.int16).numpy().tobytes()


class _Arguments:
    """The parameter bytes of one launch, and the host memory that the kernel may access."""

    def __init__(self) -> None:
        self.packed: list[bytes] = []
        self.buffers: dict[int, tuple[int, int, str]] = {}

    def add_memory(self, tensor: Any, name: str) -> None:
        storage = tensor.untyped_storage()
        self.buffers[storage.data_ptr()] = (storage.data_ptr(), storage.nbytes(), name)

    def add_pointees(self, table: Any, name: str) -> None:
        """The tensors that a table of addresses points to, as kernels over groups of matrices take them."""
        for tensor, address in _memory.pointees(table):
            self.add_memory(tensor, f"{name} -> {address:#x}")

    def add(self, kind: str, value: Any) -> None:
        if kind.startswith("*"):
            _memory.require(value, f"argument {len(self.packed)}")
            if hasattr(value, "untyped_storage") and value.untyped_storage().nbytes():
                self.add_memory(value, f"argument {len(self.packed)}")
                if kind in _TABLES:
                    self.add_pointees(value, f"argument {len(self.packed)}")
            address = value.data_ptr() if hasattr(value, "data_ptr") else int(value or 0)
            self.packed.append(struct.pack("Q", address))
        elif kind == _parameters.TENSOR_MAP:
            _memory.require(value.tensor, f"argument {len(self.packed)}")
            self.add_memory(value.tensor, f"argument {len(self.packed)}")
            self.packed.append(value.map)
        elif kind == "bf16":
            self.packed.append(_bfloat16(value))
        else:
            self.packed.append(struct.pack(_SCALARS[kind], value))


class _Launcher:
    def __init__(self, source: Any, metadata: Any) -> None:
        self._metadata = metadata
        self._kinds = list(source.signature.values())

    def __call__(self, grid_x: int, grid_y: int, grid_z: int, stream: int, function: Module, kernel_metadata: Any, launch_metadata: Any,
                 enter_hook: Any, exit_hook: Any, *arguments: Any) -> None:
        if enter_hook is not None:
            enter_hook(launch_metadata)
        if grid_x * grid_y * grid_z > 0:
            self._start((grid_x, grid_y, grid_z), function, arguments)
        if exit_hook is not None:
            exit_hook(launch_metadata)

    def _start(self, grid: tuple[int, int, int], module: Module, values: Any) -> None:
        emulation, metadata = current(), self._metadata
        arguments = _Arguments()
        for kind, value in _parameters.of(self._kinds, values, getattr(metadata, "tensordesc_meta", None)):
            arguments.add(kind, value)
        sizes = (getattr(metadata, f"{kind}_scratch_size", None) for kind in ("global", "profile"))  # Triton 3.4 has no profile
        scratch = [self._scratch(arguments, grid, size) for size in sizes if size is not None]
        clusters = getattr(metadata, "num_ctas", 1)
        if emulation.counters:
            module.use_cubin(_ptxas.assemble(module.ptx))
        launch = module.launch(
            metadata.name, (grid[0] * clusters, grid[1], grid[2]), (module.threads(metadata.name) or metadata.num_warps * 32, 1, 1),
            arguments.packed, list(arguments.buffers.values()), shared_bytes=metadata.shared, cluster=(clusters, 1, 1),
            architecture=emulation.device["cc"], checks=emulation.checks,
            count_for=emulation.device["key"] if emulation.counters else "")
        del scratch  # was alive during the launch
        emulation.launches.append(launch)

    def _scratch(self, arguments: _Arguments, grid: tuple[int, int, int], size: int) -> Any:
        """Memory of the hidden trailing parameters, `size` bytes per program."""
        import torch

        blocks = grid[0] * grid[1] * grid[2] * getattr(self._metadata, "num_ctas", 1)
        memory = torch.empty(size * blocks, dtype=torch.uint8) if size else None
        arguments.add("*i8", memory)
        return memory


class EmulatedDriver:
    """An active Triton driver whose device is the emulator."""

    def __init__(self) -> None:
        self.utils = _Utilities()
        self.launcher_cls = _Launcher

    @staticmethod
    def is_active() -> bool:
        return active() is not None

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cuda", current().device["cc"], 32)

    def get_current_device(self) -> int:
        # Compiled kernels are cached by device: one number a compute capability, apart from any real device's.
        return 1000 + current().device["cc"]

    def set_current_device(self, device: int) -> None:
        pass

    def get_current_stream(self, device: int | None = None) -> int:
        return 0

    def get_device_interface(self) -> Any:
        import torch

        return torch.cuda  # inside the block it answers for the emulated GPU

    def get_active_torch_device(self) -> Any:
        import torch

        return torch.device("cpu")

    def get_benchmarker(self) -> Any:
        return _timing.counted_benchmark

    def get_empty_cache_for_benchmark(self) -> Any:
        return None

    def clear_cache(self, cache: Any) -> None:
        pass


@contextlib.contextmanager
def installed(emulation: Emulation) -> Iterator[Emulation]:
    """While the block runs, the emulated backend replaces Triton's NVIDIA backend, and is also Inductor's "cpu" backend."""
    from . import _inductor

    backends, previous = triton.backends.backends, dict(vars(triton_driver))
    nvidia = backends["nvidia"]
    backends["nvidia"] = dataclasses.replace(nvidia, compiler=EmulatedBackend, driver=EmulatedDriver)
    backends["cpu"] = dataclasses.replace(nvidia, compiler=_InductorBackend, driver=EmulatedDriver)
    triton_driver.set_active(EmulatedDriver())
    try:
        with _inductor.on_emulator(emulation.device, _timing.issue_benchmark), _timing.benchmarks_by_model(), _cuda.on_cpu(emulation):
            yield emulation
    finally:
        backends["nvidia"] = nvidia
        del backends["cpu"]
        vars(triton_driver).update(previous)
