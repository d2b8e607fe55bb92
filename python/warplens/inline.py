"""CUDA C++ in a string, called from Python and run in the emulator on CPU arrays.

    m = warplens.load_inline('''
    extern "C" __global__ void square(const float* x, float* y, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) y[i] = x[i] * x[i];
    }''')
    m.square[(n + 255) // 256, 256](x, y, n)
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from typing import Any

from . import _core
from .emulation import Dim3, Launch, Module, check_bits, dim3


def _memory_of(value: Any) -> tuple[int, int, bool] | None:
    """(address, bytes, is on a GPU) of an array; None when `value` is none. Errors: an array that is not contiguous."""
    cuda = getattr(value, "__cuda_array_interface__", None) if getattr(value, "is_cuda", True) else None
    if cuda is not None:
        return cuda["data"][0], 0, True
    if hasattr(value, "untyped_storage"):  # torch: the whole storage, so that views may reach around their own part
        storage = value.untyped_storage()
        return value.data_ptr(), storage.nbytes() - (value.data_ptr() - storage.data_ptr()), False
    if hasattr(value, "__array_interface__"):
        interface = value.__array_interface__
        if not value.flags.c_contiguous:
            raise ValueError("an array argument is not contiguous; pass numpy.ascontiguousarray(...)")
        return interface["data"][0], value.nbytes, False
    if hasattr(value, "__dlpack__"):
        import numpy

        return _memory_of(numpy.from_dlpack(value))
    return None


_PACKING = {"f32": "f", "f64": "d", "u8": "B", "s8": "b", "u16": "H", "s16": "h", "u32": "I", "s32": "i", "u64": "Q", "s64": "q",
            "b8": "B", "b16": "H", "b32": "I", "b64": "Q"}


def _scalar(kind: str, size: int, value: Any, where: str) -> bytes:
    """The bytes of a scalar argument for a parameter of PTX type `kind` and `size` bytes."""
    if isinstance(value, (bytes, bytearray)):
        packed = bytes(value)
    elif isinstance(value, ctypes.Structure):
        packed = bytes(value)
    elif hasattr(value, "tobytes"):  # numpy scalars carry their own width
        packed = value.tobytes()
    elif kind in ("f32", "f64"):
        packed = struct.pack(_PACKING[kind], value)
    elif isinstance(value, (bool, int)) and kind in _PACKING:
        packed = (int(value) & (1 << 8 * size) - 1).to_bytes(size, "little")
    else:
        raise TypeError(f"{where} is .{kind} of {size} bytes; {type(value).__name__} does not fit (pass bytes, a numpy scalar or a ctypes.Structure)")
    if len(packed) != size:
        raise TypeError(f"{where} has {size} bytes; {value!r} has {len(packed)}")
    return packed


class _Configured:
    """A kernel with its grid and block, ready to be called."""

    def __init__(self, kernel: "Kernel", grid: Dim3, block: Dim3, shared_bytes: int, mode: str) -> None:
        self._kernel, self._grid, self._block, self._shared, self._mode = kernel, grid, block, shared_bytes, mode
        self._checks = check_bits("all") if mode == "check" else 0

    def __call__(self, *arguments: Any) -> Launch | None:
        """Runs the kernel. Arrays are passed by address, never copied; scalars by the width of the parameter.

        Raises TypeError for arguments that do not fit, KernelFault when the kernel stops before its end.
        """
        kernel = self._kernel
        parameters = kernel.parameters()
        if len(arguments) != len(parameters):
            raise TypeError(f"{kernel.name} takes {len(parameters)} arguments, not {len(arguments)}")
        packed, buffers, devices = [], [], set()
        for position, (value, (name, kind, size)) in enumerate(zip(arguments, parameters)):
            memory = _memory_of(value)
            if memory is None:
                packed.append(_scalar(kind, size, value, f"argument {position} ({name}) of {kernel.name}"))
                continue
            address, nbytes, on_gpu = memory
            devices.add(on_gpu)
            packed.append(struct.pack("Q", address))
            if nbytes:
                buffers.append((address, nbytes, f"argument {position}"))
        if len(devices) > 1:
            raise TypeError(f"{kernel.name}: some arrays are on a GPU and some on the CPU; put them all on one")
        if devices == {True}:
            raise NotImplementedError(f"{kernel.name}: launching on a GPU is not supported yet; pass CPU arrays to run it in the emulator")
        launch = kernel.emulate(self._grid, self._block, self._shared, packed, buffers, self._checks, self._mode == "profile")
        return launch if self._mode != "run" else None


class _Launcher:
    """`kernel[grid, block]` or `kernel[grid, block, shared_bytes]`."""

    def __init__(self, kernel: "Kernel", mode: str) -> None:
        self._kernel, self._mode = kernel, mode  # run, profile or check

    def __getitem__(self, configuration: Sequence[Any]) -> _Configured:
        if not isinstance(configuration, tuple) or not 2 <= len(configuration) <= 3:
            raise TypeError("give kernel[grid, block] or kernel[grid, block, shared_bytes]")
        grid, block, *shared = configuration
        return _Configured(self._kernel, dim3(grid), dim3(block), int(shared[0]) if shared else 0, self._mode)


class Kernel(_Launcher):
    """One kernel of an inline module.

    kernel[grid, block](...) runs it; kernel.profile[grid, block](...) returns its Launch, with counters;
    kernel.check[grid, block](...) runs it under every check of `warplens kernel --check` and returns its Launch.
    """

    def __init__(self, module: "InlineModule", name: str) -> None:
        super().__init__(self, "run")
        self.name, self._module = name, module
        self._entry = module.compiled.kernel(name)

    @property
    def profile(self) -> _Launcher:
        return _Launcher(self, "profile")

    @property
    def check(self) -> _Launcher:
        return _Launcher(self, "check")

    def parameters(self) -> list[tuple[str, str, int]]:
        """(name, PTX type, bytes) of each parameter."""
        return self._module.emulated.parameters(self._entry)

    def emulate(self, grid: Dim3, block: Dim3, shared_bytes: int, packed: list[bytes], buffers: list[tuple[int, int, str]], checks: int, counted: bool) -> Launch:
        module = self._module
        return module.emulated.launch(self._entry, grid, block, packed, buffers, shared_bytes=shared_bytes,
                                      architecture=module.device["cc"], checks=checks,
                                      count_for=module.device["key"] if counted else "")


class InlineModule:
    """The kernels of one source, as attributes."""

    def __init__(self, source: str, functions: Sequence[str], device: str, options: Sequence[str]) -> None:
        self.device = _core.device(device)
        self.compiled = _core.compile_cuda(source, self.device["arch"], list(options), list(functions))
        self.emulated = Module(self.compiled.ptx, "inline.ptx")
        self._kernels = {name: Kernel(self, name) for name in functions}

    def __getattr__(self, name: str) -> Kernel:
        kernels = self.__dict__.get("_kernels", {})
        if name not in kernels:
            try:
                kernels[name] = Kernel(self, name)
            except (ValueError, FileNotFoundError) as error:
                raise AttributeError(str(error)) from None
        return kernels[name]


def load_inline(cuda_source: str, functions: Sequence[str] = (), *, cpp_source: str | None = None, device: str = "h200",
                options: Sequence[str] = ("-lineinfo",), **torch_options: Any) -> Any:
    """Compiles CUDA C++ and gives its kernels as attributes; a hit in the compile cache takes milliseconds.

    functions: kernels wanted, template instances such as "scale<float>" among them; others are found by name on first use.
    device: the GPU that CPU calls stand for. options: as nvrtc takes them.
    cpp_source: host functions with torch::Tensor, as in PyTorch's extension guide: torch's own builder takes over, with
    `torch_options` handed on, and the result is its module.
    Raises ValueError with the compiler's output, line by line.
    """
    if cpp_source is not None:
        from torch.utils import cpp_extension

        return cpp_extension.load_inline(name=torch_options.pop("name", "warplens_inline"), cpp_sources=[cpp_source],
                                         cuda_sources=[cuda_source] if cuda_source else [], functions=list(functions), **torch_options)
    return InlineModule(cuda_source, functions, device, options)
