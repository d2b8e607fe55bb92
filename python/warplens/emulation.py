"""Kernels on the CPU: `with warplens.emulate("h200") as gpu:` makes Triton, torch.compile and inline CUDA use an emulated GPU.
With `cuda=True` the whole process gets an emulated CUDA, as under `warplens emulate`."""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import os
import subprocess
from collections.abc import Iterator, Sequence

from . import _core
from ._command import program
from .launches import Emulation, activated, check_bits

_PRELOADED = "LD_PRELOAD"
_loaded = ""  # the GPU that this process has


def _emulated_environment(device: str) -> dict[str, str]:
    """The environment that `warplens emulate` gives a program. ValueError: no such GPU."""
    done = subprocess.run([program(), "emulate", "--device", device, "--", "env", "-0"], capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(done.stderr.strip())
    return dict(line.split("=", 1) for line in done.stdout.split("\0") if "=" in line)


def _loaded_libraries() -> str:
    with open("/proc/self/maps") as maps:
        return maps.read()


def _load_cuda(device: str) -> None:
    """Loads the emulated CUDA before anything else does: later libraries find it by its name."""
    global _loaded
    if _loaded == device:
        return
    environment = _emulated_environment(device)
    changed = {key: value for key, value in environment.items() if os.environ.get(key) != value}
    if _PRELOADED not in changed:  # this process runs under `warplens emulate`
        if changed:
            raise RuntimeError(f"this process has an emulated GPU already, and it is no {device}")
        return
    if any(name in _loaded_libraries() for name in ("libcudart.so", "libcuda.so", "libtorch_cuda.so")):
        raise RuntimeError("CUDA is loaded already: call warplens.emulate(..., cuda=True) before `import torch`, or run the program by `warplens emulate`")
    os.environ.update(changed)  # programs that this one starts get it, too
    for library in changed[_PRELOADED].split(":"):
        ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
    _loaded = device


def emulate(device: str = "h200", *, counters: bool = False, checks: str | Sequence[str] = "",
            cuda: bool = False) -> contextlib.AbstractContextManager[Emulation]:
    """Makes Triton kernels and torch.compile on CPU tensors run as compiled for `device`, in the emulator.

    device: a name of `warplens device list`. counters: count every launch (Launch.metrics, .findings); needs ptxas, which
    Triton's own wheel carries, and runs each launch twice. checks: any of memory, race, init, sync, all (see Emulation.reports).
    Kernels of load_inline on CPU arrays are recorded too. Nested and concurrent use is refused. Triton's kernels need triton,
    torch.compile needs torch.

    cuda: `torch.device("cuda")` and every other user of CUDA in this process get the emulated GPU, from this call until the process
    ends. A `with` block is not needed.
    Triton and torch.compile run there, not on CPU tensors. Emulation.launches stays empty, and counters and checks are
    refused: `warplens counters --emulate` and `warplens emulate --check` do these for whole programs. Raises RuntimeError if CUDA is already loaded, or another GPU is already emulated.
    """
    if cuda:
        if counters or checks:
            raise ValueError("cuda=True takes neither counters nor checks: use `warplens counters --emulate` and `warplens emulate --check`")
        _load_cuda(device)
        return contextlib.nullcontext(Emulation(_core.device(device), 0, False))
    return _emulated_kernels(Emulation(_core.device(device), check_bits(checks), counters))


@contextlib.contextmanager
def _emulated_kernels(emulation: Emulation) -> Iterator[Emulation]:
    with contextlib.ExitStack() as stack:
        stack.enter_context(activated(emulation))
        if importlib.util.find_spec("triton") is not None:
            from .triton import _driver

            stack.enter_context(_driver.installed(emulation))
        yield emulation
