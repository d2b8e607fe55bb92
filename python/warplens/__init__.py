"""Where GPU time goes, why, and what to do about it, on a GPU or without one.

    warplens.load("trace.json.gz").findings()                  # a recorded program: ops, timeline, summary, tables
    warplens.page("trace.json.gz")                             # the page of `warplens report` in a notebook
    with warplens.profile(schedule=...) as p: ...; p.step()    # record one (trace_handler: as torch.profiler's)
    warplens.count(fn, *args)                                  # hardware counters of the kernels that a call launches
    with warplens.emulate("h200", counters=True) as gpu: ...   # Triton and torch.compile on CPU tensors, no GPU needed
    warplens.load_inline(cuda_source).kernel[grid, block](x)   # CUDA C++ in a string, on a GPU or emulated
    warplens.explain(fn, *args); warplens.fuse(fn)             # the kernels of torch.compile(fn); fn as one kernel
    warplens.bench(fn, *args); warplens.compare(a, b, *args)   # times with intervals; a verdict on which is faster
    warplens.kernels.softmax(x)                                # the suite's kernels; warplens.triton.inspect: Triton's code

Every result is shown as a table, when it is printed and in notebooks, and has all its data as plain Python in `.data`. Importing
warplens creates no CUDA context and does not import torch; each name loads its dependencies on first use.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

from ._core import VERSION as __version__

# Where each public name lives. The one list that __getattr__, __dir__ and __all__ follow.
_HOMES = {
    "load": "profiles",
    "Profile": "profiles",
    "Table": "table",
    "profile": "profiling",
    "schedule": "profiling",
    "record_function": "profiling",
    "trace_handler": "profiling",
    "step": "steps",
    "page": "pages",
    "Page": "pages",
    "emulate": "emulation",
    "Emulation": "launches",
    "Launch": "launches",
    "KernelFault": "launches",
    "device": "known_devices",
    "devices": "known_devices",
    "load_inline": "inline",
    "explain": "explanation",
    "fuse": "fusion",
    "count": "counting",
    "Counted": "counting",
    "bench": "benchmarking",
    "sweep": "benchmarking",
    "compare": "benchmarking",
    "scalars": "exporting",
    "Measurement": "results",
    "Results": "results",
    "Comparison": "results",
    "ComparedResults": "results",
}
_MODULES = ("kernels", "triton")
# What these need beside the standard library; the rest needs nothing, or what its arguments are of.
_NEEDS = {"profiling": "torch", "explanation": "torch", "fusion": "torch", "kernels": "torch", "triton": "triton"}


def _usable(name: str) -> bool:
    needed = _NEEDS.get(_HOMES.get(name, name))
    return needed is None or importlib.util.find_spec(needed) is not None


__all__ = ["__version__", *filter(_usable, [*_HOMES, *_MODULES])]

if TYPE_CHECKING:
    from . import kernels as kernels
    from . import triton as triton
    from .benchmarking import bench as bench, compare as compare, sweep as sweep
    from .counting import Counted as Counted, count as count
    from .known_devices import device as device, devices as devices
    from .emulation import emulate as emulate
    from .launches import Emulation as Emulation, KernelFault as KernelFault, Launch as Launch
    from .explanation import explain as explain
    from .exporting import scalars as scalars
    from .fusion import fuse as fuse
    from .inline import load_inline as load_inline
    from .profiles import Profile as Profile, load as load
    from .profiling import profile as profile, record_function as record_function, schedule as schedule, trace_handler as trace_handler
    from .results import ComparedResults as ComparedResults, Comparison as Comparison, Measurement as Measurement, Results as Results
    from .steps import step as step
    from .table import Table as Table


def __getattr__(name: str) -> Any:
    if name not in _HOMES and name not in _MODULES:
        raise AttributeError(f"module 'warplens' has no attribute '{name}'")
    if not _usable(name):
        needed = _NEEDS[_HOMES.get(name, name)]
        raise ModuleNotFoundError(f"warplens.{name} needs {needed}, which is missing: run pip install {needed}", name=needed)
    module = importlib.import_module(f".{_HOMES.get(name, name)}", __name__)
    value = module if name in _MODULES else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name not in ("annotations", "importlib", "Any", "TYPE_CHECKING")), *__all__})
