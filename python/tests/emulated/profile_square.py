"""PyTorch's profiler on an emulated GPU: tables, a schedule and a Chrome trace, whose kernels belong to their operators."""
import json
import pathlib
import tempfile

import torch
from torch.profiler import ProfilerActivity, profile, schedule

BOTH = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
x, layer = torch.randn(200, 64, device="cuda"), torch.nn.Linear(64, 32).cuda()

with profile(activities=BOTH, record_shapes=True) as profiled:
    y = layer(x * x)
    y.sum().item()
rows = {row.key: row for row in profiled.key_averages()}
assert rows["aten::mul"].self_device_time_total > 0
assert rows["aten::addmm"].self_device_time_total > 0, "a library's kernel belongs to its operator"
assert any(key.startswith("gemm f32 32x200x64") for key in rows), list(rows)
assert any("vectorized_elementwise" in key for key in rows)
assert "CUDA time" in profiled.key_averages().table(sort_by="cuda_time_total")
kernels = [k for e in profiled.events() for k in e.kernels]
total_us = sum(k.duration for k in kernels)
assert 3 < total_us < 100, f"modelled, not the emulator's own time: {total_us}"

traces = []
with tempfile.TemporaryDirectory() as folder:
    def keep(profiled):
        path = pathlib.Path(folder) / "trace.json"
        profiled.export_chrome_trace(str(path))
        traces.append(json.loads(path.read_text()))

    with profile(activities=BOTH, schedule=schedule(wait=1, warmup=1, active=2, repeat=1), on_trace_ready=keep) as profiled:
        for _ in range(5):
            torch.square(x)
            profiled.step()
events = traces[0]["traceEvents"]
launches = {e["args"]["correlation"]: e for e in events if e.get("cat") == "cuda_runtime" and e["name"] == "cudaLaunchKernel"}
kernels = [e for e in events if e.get("cat") == "kernel"]
assert len(kernels) == 2, len(kernels)
for kernel in kernels:
    launch = launches[kernel["args"]["correlation"]]
    assert kernel["ts"] >= launch["ts"], "a kernel begins after its launch"
assert abs(kernels[0]["dur"] - kernels[1]["dur"]) < 0.02, "the same kernel takes the same time, to some ns"
print("equal")
