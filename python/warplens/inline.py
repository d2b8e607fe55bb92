"""CUDA C++ in a string, called from Python: on CUDA arrays it runs on their GPU, on CPU arrays in the emulator.

    m = warplens.load_inline('''
    extern "C" __global__ void square(const float* x, float* y, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) y[i] = x[i] * x[i];
    }''')
    m.square[(n + 255) // 256, 256](x, y, n)
"""

from __future__ import annotations

import ctypes
import functools
import operator
import os
import struct
from collections.abc import Sequence
from typing import Any

from . import _core, _gpu
from ._arrays import HostCopies, Memory, dtype_of, is_read_only, memory_of
from .counting import Counted, count
from .launches import Launch, Module, active, check_bits, dim3

_PACKING = {"f32": "f", "f64": "d", "u8": "B", "s8": "b", "u16": "H", "s16": "h", "u32": "I", "s32": "i", "u64": "Q", "s64": "q",
            "b8": "B", "b16": "H", "b32": "I", "b64": "Q"}


def _scalar(kind: str, size: int, wanted: str, value: Any, where: str) -> bytes:
    """The bytes of a scalar argument for a parameter of PTX type `kind`, `size` bytes and dtype `wanted` ("": none of the usual ones)."""
    if isinstance(value, (bytes, bytearray, ctypes.Structure)):
        packed = bytes(value)
        if len(packed) != size:
            raise TypeError(f"{where}, has {size} bytes; {value!r} has {len(packed)}")
        return packed
    if wanted.startswith(("i", "u")):
        return _whole(size, value, where)
    if wanted in ("f16", "f32", "f64") and isinstance(value, (int, float)) or hasattr(value, "tobytes") and wanted in ("f32", "f64"):
        return struct.pack({"f16": "e", "f32": "f", "f64": "d"}[wanted], float(value))
    if hasattr(value, "tobytes") and len(value.tobytes()) == size:
        return bytes(value.tobytes())
    if isinstance(value, int) and kind in _PACKING:
        return _whole(size, value, where)
    raise TypeError(f"{where}, takes {size} bytes; {type(value).__name__} does not fit (pass bytes, a numpy scalar or a ctypes.Structure)")


def _whole(size: int, value: Any, where: str) -> bytes:
    """A whole number that fits `size` bytes, signed or not."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{where}, takes a whole number, not {type(value).__name__}: pass int(...)") from None
    if not -(1 << 8 * size - 1) <= number < 1 << 8 * size:
        raise ValueError(f"{where}, has {8 * size} bits, too few for {number}")
    return (number & (1 << 8 * size) - 1).to_bytes(size, "little")


class _Build:
    """The source compiled for one GPU model, runnable in the emulator."""

    def __init__(self, source: str, functions: Sequence[str], device: dict[str, Any], options: Sequence[str]) -> None:
        self.device = device
        self.compiled = _core.compile_cuda(source, device["arch"], list(options), list(functions))
        self.emulated = Module(self.compiled.ptx, "inline.ptx")

    def emulate(self, entry: str, shape: "_Shape", packed: list[bytes], arrays: Sequence[Memory | None], checks: int, counted: bool) -> Launch:
        buffers = {a.start: (a.start, a.nbytes, f"argument {position}") for position, a in reversed(list(enumerate(arrays))) if a and a.nbytes}
        return self.emulated.launch(entry, shape.grid, shape.block, packed, list(buffers.values()), shared_bytes=shape.shared_bytes,
                                    cooperative=shape.cooperative, architecture=self.device["cc"], checks=checks, count_for=self.device["key"] if counted else "")


class _OnGpu:
    """The source compiled for and loaded on one GPU of this machine."""

    def __init__(self, module: "InlineModule", gpu: int) -> None:
        info = _core.gpu_info(gpu)
        self.gpu, self.name = gpu, str(info["name"])
        self.build = module.build_for(self.name, info["arch"])
        compiled = self.build.compiled
        self.native = _core.GpuModule(compiled.cubin or compiled.ptx.encode(), gpu)
        self.wait = os.environ.get("WARPLENS_SYNC", "0") not in ("", "0")


class _Shape:
    """Grid, block and dynamic shared memory of a launch, and whether all of its blocks must be resident at once."""

    def __init__(self, configuration: Any) -> None:
        if not isinstance(configuration, tuple) or not 2 <= len(configuration) <= 4:
            raise TypeError("give kernel[grid, block], kernel[grid, block, shared_bytes] or kernel[grid, block, shared_bytes, cooperative]")
        self.grid, self.block = dim3(configuration[0]), dim3(configuration[1])
        self.shared_bytes = int(configuration[2]) if len(configuration) > 2 else 0
        self.cooperative = len(configuration) > 3 and bool(configuration[3])


class _Configured:
    """A kernel with its grid and block, ready to be called."""

    def __init__(self, kernel: "Kernel", shape: _Shape, mode: str) -> None:
        self._kernel, self._shape, self._mode = kernel, shape, mode
        self._checks = check_bits("all") if mode == "check" else 0

    def __call__(self, *arguments: Any) -> Launch | None:
        """Runs the kernel. Arrays are passed by address, never copied; scalars by the width of the parameter.

        On CUDA arrays the launch is asynchronous, on the current stream of torch or CuPy. Errors of the kernel appear at the next
        synchronization, or immediately with WARPLENS_SYNC=1.
        Within warplens.emulate(...), launches on CPU arrays run on the emulated GPU, and are in its .launches.
        Raises TypeError for arguments that do not fit. Raises ValueError for arrays that are not contiguous, and for read-only arrays that the kernel may write. Raises KernelFault if an emulated kernel stops before its end, and RuntimeError if the GPU refuses
        the launch.
        """
        kernel = self._kernel
        if self._mode == "run" and kernel.layout is not None and self._launched(kernel.layout, arguments):
            return None
        parameters = kernel.signature
        if len(arguments) != len(parameters):
            raise TypeError(f"{kernel.name} takes {len(parameters)} arguments, not {len(arguments)}")
        arrays = [kernel.array(position, value) for position, value in enumerate(arguments)]
        held = [memory_of(tensor) for value in arguments for tensor in getattr(value, "tensors", ())]  # of structs and tensor maps
        places = {array.gpu for array in [*arrays, *held] if array is not None and array.nbytes}
        if len(places) > 1:
            named = ", ".join(sorted("the CPU" if place is None else f"GPU {place}" for place in places))
            raise TypeError(f"{kernel.name}: the arrays are on {named}; put them all on one")
        packed = [struct.pack("Q", array.address) if array is not None else kernel.scalar(position, value)
                  for position, (value, array) in enumerate(zip(arguments, arrays))]
        gpu = places.pop() if places else None
        if held and self._mode == "profile" or held and gpu is not None and self._mode != "run":
            raise TypeError(f"{kernel.name}: {self._mode} works on copies of arrays, which a tensor map or struct does not name")
        if gpu is not None:
            return self._on_gpu(kernel.module.on_gpu(gpu), packed, arrays)
        if self._mode == "profile":
            return self._on_copies(kernel.module.build, packed, arrays, HostCopies(a for a in arrays if a is not None), keeps=True)
        emulation = active()
        if emulation is None:
            launch = kernel.module.build.emulate(kernel.entry, self._shape, packed, [*arrays, *held], self._checks, False)
        else:
            build = kernel.module.build_for(emulation.device["name"], emulation.device["arch"])
            launch = build.emulate(kernel.entry, self._shape, packed, [*arrays, *held], self._checks | emulation.checks, emulation.counters)
            emulation.launches.append(launch)
        return launch if self._mode == "check" else None

    def _launched(self, layout: struct.Struct, arguments: tuple[Any, ...]) -> bool:
        """The fast path for CUDA tensors of torch and plain numbers; False if the arguments are anything else."""
        gpu, values = -1, []
        for position, value in enumerate(arguments):
            if hasattr(value, "untyped_storage"):
                place = value.get_device()
                if place < 0 or gpu not in (-1, place) or (position, value.dtype) not in self._kernel.fitting or not value.is_contiguous():
                    return False
                gpu = place
                values.append(value.data_ptr())
            elif type(value) in (int, float):
                values.append(value)
            else:
                return False
        if gpu < 0 or len(values) != len(arguments):
            return False
        try:
            block = layout.pack(*values)
        except struct.error:
            return False  # the long way says which argument does not fit
        on, shape = self._kernel.module.on_gpu(gpu), self._shape
        on.native.launch(self._kernel.entry, shape.grid, shape.block, block, _gpu.current_stream(gpu), shape.shared_bytes, on.wait,
                         cooperative=shape.cooperative)
        return True

    def _on_copies(self, build: _Build, packed: list[bytes], arrays: list[Memory | None], copies: HostCopies, keeps: bool) -> Launch:
        """Emulates on copies of the arrays; `keeps`: copies its results back to them."""
        hosts = [copies.on_host(a) if a is not None else None for a in arrays]
        on_host = [struct.pack("Q", h.address) if h is not None else p for h, p in zip(hosts, packed)]
        launch = build.emulate(self._kernel.entry, self._shape, on_host, hosts, self._checks, self._mode == "profile")
        if keeps:
            copies.write_back()
        return launch

    def _on_gpu(self, gpu: _OnGpu, packed: list[bytes], arrays: list[Memory | None]) -> Launch | None:
        kernel, shape, stream = self._kernel, self._shape, _gpu.current_stream(gpu.gpu)
        if self._mode == "run":
            gpu.native.launch(kernel.entry, shape.grid, shape.block, kernel.block_of(packed), stream, shape.shared_bytes, gpu.wait,
                              kernel.offsets, shape.cooperative)
            return None
        copies = HostCopies((a for a in arrays if a is not None), stream)
        launch = self._on_copies(gpu.build, packed, arrays, copies, keeps=self._mode == "check")
        if self._mode == "profile":
            launch.gpu = gpu.name
            launch.hardware = self._counted(gpu, packed, stream)
            launch.time_ns = (launch.hardware.launches[0]["time"]["estimate_ns"] if launch.hardware else
                              gpu.native.timed_launch(kernel.entry, shape.grid, shape.block, kernel.block_of(packed), stream, shape.shared_bytes,
                                                       kernel.offsets, shape.cooperative))
        return launch

    def _counted(self, gpu: _OnGpu, packed: list[bytes], stream: int) -> Counted | None:
        """Makes the launch under hardware counters. Returns None without a launch if counting is impossible here."""
        kernel, shape, launched = self._kernel, self._shape, []

        def call() -> None:
            launched.append(True)
            gpu.native.launch(kernel.entry, shape.grid, shape.block, kernel.block_of(packed), stream, shape.shared_bytes, True,
                              kernel.offsets, shape.cooperative)

        try:
            return count(call)
        except (RuntimeError, FileNotFoundError):
            if launched:
                raise
            return None


class _Launcher:
    """`kernel[grid, block]`, `kernel[grid, block, shared_bytes]` or, for barriers of the whole grid, `kernel[grid, block, shared_bytes, True]`."""

    def __init__(self, kernel: "Kernel", mode: str) -> None:
        self._kernel, self._mode = kernel, mode  # run, profile or check

    def __getitem__(self, configuration: Sequence[Any]) -> _Configured:
        return _Configured(self._kernel, _Shape(configuration), self._mode)


class Kernel(_Launcher):
    """One kernel of an inline module.

    kernel[grid, block](...) runs it. kernel.profile[grid, block](...) runs it and returns its Launch, with counters;
    kernel.check[grid, block](...) runs it under every check of `warplens kernel --check` and returns its Launch.

    On CUDA arrays both emulate the launch on copies of the arrays in host memory, since exact counters and checks need the
    emulator. profile then also launches on the GPU, which changes the arrays. It gives Launch.time_ns and, if counters are
    allowed, Launch.hardware. check does not launch there, because a defect could damage the GPU's state. It copies the
    emulator's results back.
    """

    def __init__(self, module: "InlineModule", name: str) -> None:
        super().__init__(self, "run")
        self.name, self.module = name, module
        self.fitting: set[tuple[int, Any]] = set()  # places and dtypes of tensors that have been found to fit
        self.entry = module.build.compiled.kernel(name)

    def __call__(self, *arguments: Any) -> None:
        raise TypeError(f"{self.name} needs a grid and a block: {self.name}[grid, block](...)")

    @property
    def profile(self) -> _Launcher:
        return _Launcher(self, "profile")

    @property
    def check(self) -> _Launcher:
        return _Launcher(self, "check")

    @functools.cached_property
    def signature(self) -> list[tuple[str, str, int]]:
        """(name, PTX type, bytes) of each parameter."""
        return self.module.build.emulated.parameters(self.entry)

    @functools.cached_property
    def types(self) -> list[tuple[str, bool, bool, str]]:
        """Each parameter in the source: its type, True for a pointer, True if the kernel may write through it, and the element
        type ("" if unusual). Empty if the source does not show them.
        """
        types = _core.kernel_types(self.entry, self.module.source)
        return types if len(types) == len(self.signature) else []

    def _parameter(self, position: int) -> tuple[str, bool, bool, str]:
        """The parameter's name in errors; whether it is a pointer, whether the kernel may write through it; its
        (element) type.
        """
        _, kind, size = self.signature[position]
        plain = (f".{kind}", size == 8, True, kind.replace("s", "i") if kind[0] in "fsu" and size < 8 else "")
        written, pointer, writes, wanted = self.types[position] if self.types else plain
        return f"argument {position} of {self.name}, '{written}'", pointer, writes, wanted

    def array(self, position: int, value: Any) -> Memory | None:
        """The memory of an argument that is an array; None for any other argument.

        Raises TypeError or ValueError for an array that does not fit this parameter.
        """
        try:
            memory = memory_of(value)
        except ValueError as error:
            raise ValueError(f"{self._parameter(position)[0]}: {error}") from None
        if memory is not None:
            self._check_array(position, value)
        return memory

    def _check_array(self, position: int, value: Any) -> None:
        where, pointer, writes, wanted = self._parameter(position)
        if self.signature[position][2] != 8 or not pointer:
            raise TypeError(f"{where}, is not a pointer; pass a number, not an array")
        given = dtype_of(value)
        halves = {given, wanted} & {"f16", "bf16"} and {given, wanted} & {"i16", "u16"}
        same = given == wanted or given.replace("i", "u") == wanted.replace("i", "u") or halves
        if wanted and given and not same:
            raise TypeError(f"{where}, takes {wanted}; the array holds {given}: convert it first")
        if hasattr(value, "untyped_storage") and not value.is_contiguous():
            raise ValueError(f"{where}: the tensor is not contiguous; pass tensor.contiguous()")
        if writes and is_read_only(value):
            raise ValueError(f"{where}: the array is read-only and the kernel may write into it; pass a copy, or declare the parameter const")
        if hasattr(value, "untyped_storage"):
            self.fitting.add((position, value.dtype))

    @functools.cached_property
    def layout(self) -> struct.Struct | None:
        """The parameter block, if all parameters are scalars of known types: each is at a multiple of its size."""
        kinds = [kind for _, kind, _ in self.signature]
        return struct.Struct("@" + "".join(_PACKING[kind] for kind in kinds)) if all(kind in _PACKING for kind in kinds) else None

    def scalar(self, position: int, value: Any) -> bytes:
        _, kind, size = self.signature[position]
        where, pointer, _, wanted = self._parameter(position)
        if self.types and pointer and not isinstance(value, (int, bytes)):
            raise TypeError(f"{where}, takes an array (of torch, numpy, CuPy, ...), not {type(value).__name__}")
        return _scalar(kind, size, "u64" if pointer and self.types else "" if pointer else wanted, value, where)

    @functools.cached_property
    def offsets(self) -> list[int]:
        """Offsets of the parameters in the parameter block; empty if no parameter is a struct or tensor map."""
        return self.module.build.emulated.offsets(self.entry)

    def block_of(self, packed: list[bytes]) -> bytes:
        """The parameter block, from the bytes of each parameter."""
        return self.module.build.emulated.pack(self.entry, packed)


class InlineModule:
    """The kernels of one source, as attributes."""

    def __init__(self, source: str, functions: Sequence[str], device: str, options: Sequence[str], arch: str | None = None) -> None:
        self.source, self._functions, self._options, self._arch = source, tuple(functions), tuple(options), arch
        self._gpus: dict[int, _OnGpu] = {}
        self.build = _Build(source, functions, self._for_arch(_core.device(device)), options)
        self._kernels = {name: Kernel(self, name) for name in functions}

    def _for_arch(self, device: dict[str, Any]) -> dict[str, Any]:
        return dict(device, arch=self._arch) if self._arch else device

    @property
    def device(self) -> dict[str, Any]:
        """The GPU that calls on CPU arrays emulate."""
        return self.build.device

    @property
    def compiled(self) -> _core.Compiled:
        return self.build.compiled

    def build_for(self, name: str, arch: str) -> _Build:
        """The source compiled for a GPU of this machine; models that the catalogue lacks count as the requested one."""
        try:
            device = self._for_arch(_core.device(name))
        except (ValueError, FileNotFoundError):
            device = self._for_arch(dict(self.device, arch=arch, cc=int(arch.removeprefix("sm_"))))
        return self.build if device["arch"] == self.device["arch"] and device["key"] == self.device["key"] else _Build(
            self.source, self._functions, device, self._options)

    def on_gpu(self, gpu: int) -> _OnGpu:
        if gpu not in self._gpus:
            self._gpus[gpu] = _OnGpu(self, gpu)
        return self._gpus[gpu]

    def __getattr__(self, name: str) -> Kernel:
        kernels: dict[str, Kernel] = self.__dict__.get("_kernels", {})
        if name not in kernels:
            try:
                kernels[name] = Kernel(self, name)
            except (ValueError, FileNotFoundError) as error:
                raise AttributeError(str(error)) from None
        return kernels[name]


def load_inline(cuda_source: str, functions: Sequence[str] = (), *, cpp_source: str | None = None, device: str = "h200",
                options: Sequence[str] = ("-lineinfo",), **torch_options: Any) -> Any:
    """Compiles CUDA C++ and returns its kernels as attributes; a hit in the compile cache takes milliseconds.

    functions: the kernels to compile, including template instances such as "scale<float>"; others are found by name on
    first use. device: the GPU that calls on CPU arrays emulate; on CUDA arrays, the source is compiled for their GPU.
    options: NVRTC's. cpp_source: host functions with torch::Tensor, as in PyTorch's extension guide. Torch's own
    builder then compiles, with `torch_options`, and the result is its module.
    Raises ValueError with the compiler's output, line by line.
    """
    if cpp_source is not None:
        from torch.utils import cpp_extension

        return cpp_extension.load_inline(name=torch_options.pop("name", "warplens_inline"), cpp_sources=[cpp_source],
                                         cuda_sources=[cuda_source] if cuda_source else [], functions=list(functions), **torch_options)
    return InlineModule(cuda_source, functions, device, options)
