"""torch.compile on CPU tensors, with Inductor generating Triton for the emulated GPU.

It relies on these internals of Inductor: `config.cpu_backend = "triton"`, DeviceProperties.create for the GPU's
properties, and CachingAutotuner.bench for choosing configurations.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any


@contextlib.contextmanager
def on_emulator(gpu: dict[str, Any], benchmark: Callable[..., Any]) -> Iterator[None]:
    """Inside the block Inductor compiles CPU functions to Triton kernels for `gpu`, and chooses configurations by `benchmark`."""
    if "torch" not in sys.modules:
        yield  # a program without torch has nothing to compile
        return
    import torch
    from torch._inductor import config
    from torch._inductor.runtime.hints import DeviceProperties
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner

    if not hasattr(config, "cpu_backend"):
        raise NotImplementedError(f"torch {torch.__version__} has no Inductor setting cpu_backend; warplens.emulate needs torch 2.9 or later")

    def bench(self: Any, launcher: Any, *args: Any, with_profiler: bool = False, **kwargs: Any) -> float:
        copied, copied_kwargs = self.maybe_clone_args(set(), *args, **kwargs)
        return benchmark(lambda: launcher(*copied, **copied_kwargs, stream=0))

    def properties(cls: type[DeviceProperties], device: torch.device) -> DeviceProperties:
        return cls(type=device.type, index=device.index, multi_processor_count=gpu["sms"], cc=gpu["cc"], major=gpu["cc"] // 10,
                   regs_per_multiprocessor=gpu["registers_per_sm"], max_threads_per_multi_processor=gpu["threads_per_sm"],
                   max_threads_per_block=1024, warp_size=32)

    template_fusion = "benchmark_template_fusion" if hasattr(config, "benchmark_template_fusion") else "benchmark_epilogue_fusion"
    originals = CachingAutotuner.bench, DeviceProperties.create
    CachingAutotuner.bench, DeviceProperties.create = bench, classmethod(properties)
    try:
        # Its compile workers are processes of their own, which know nothing of this one's Triton backend. A template with
        # and without what follows it would be timed through torch's own device interface.
        with config.patch(cpu_backend="triton", compile_threads=1, fx_graph_cache=False, **{template_fusion: False}):
            torch._dynamo.reset()
            yield
    finally:
        CachingAutotuner.bench, DeviceProperties.create = originals
        torch._dynamo.reset()
