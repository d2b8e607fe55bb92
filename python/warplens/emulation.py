"""Kernels on the CPU: `with warplens.emulate("h200") as gpu:` makes Triton, torch.compile and inline CUDA use an emulated GPU."""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Iterator, Sequence

from . import _core
from .launches import Emulation, activated, check_bits


@contextlib.contextmanager
def emulate(device: str = "h200", *, counters: bool = False, checks: str | Sequence[str] = "") -> Iterator[Emulation]:
    """Makes Triton kernels and torch.compile on CPU tensors run as compiled for `device`, in the emulator.

    device: a name of `warplens device list`. counters: count every launch (Launch.metrics, .findings); needs ptxas, which
    Triton's own wheel carries, and runs each launch twice. checks: any of memory, race, init, sync, all (see Emulation.reports).
    Kernels of load_inline on CPU arrays are recorded too. Nested and concurrent use is refused. Triton's kernels need triton,
    torch.compile needs torch.
    """
    emulation = Emulation(_core.device(device), check_bits(checks), counters)
    with contextlib.ExitStack() as stack:
        stack.enter_context(activated(emulation))
        if importlib.util.find_spec("triton") is not None:
            from .triton import _driver

            stack.enter_context(_driver.installed(emulation))
        yield emulation
