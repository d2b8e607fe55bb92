#!/usr/bin/env python3
"""Beside PyTorch in the same run: fused kernels against torch.compile, timings against do_bench, inline compilation
against load_inline. Needs a GPU, torch, triton and cupy.

Usage: beside_torch.py fusion FUSION.json | do_bench | load_inline     (FUSION.json comes from `gpu_study fusion` wrote)
"""
import json
import statistics
import sys
import tempfile
import time

import cupy
import torch

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
NAMES = dict(tanh=torch.tanh, erf=torch.erf, exp=torch.exp, log=torch.log, log1p=torch.log1p, sqrt=torch.sqrt, rsqrt=torch.rsqrt,
             sin=torch.sin, cos=torch.cos, abs=torch.abs, where=torch.where, sigmoid=torch.sigmoid, clamp=torch.clamp,
             maximum=lambda a, b: torch.clamp_min(a, b), softmax=lambda x: torch.softmax(x, -1),
             layer_norm=lambda x: torch.nn.functional.layer_norm(x, x.shape[-1:]),
             rms_norm=lambda x: torch.nn.functional.rms_norm(x, x.shape[-1:], eps=1e-6))


def cold_medians(calls, rounds=60):
    """Median microseconds of each call, L2 flushed before it, the calls taking turns."""
    flush = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    times = [[] for _ in calls]
    for call in calls:
        call()
    for _ in range(rounds):
        for call, list_ in zip(calls, times):
            flush.zero_()
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            call()
            end.record()
            list_.append((begin, end))
    torch.cuda.synchronize()
    return [statistics.median(b.elapsed_time(e) * 1e3 for b, e in list_) for list_ in times]


def launcher(fused, tensors):
    module = cupy.RawModule(code=fused["source"], options=("--std=c++17", "--prec-div=false", "--prec-sqrt=false"))
    kernel = module.get_function(fused["kernel"])
    count = max(t.numel() for t in tensors)
    arguments = tuple(cupy.uint64(t.data_ptr()) for t in tensors) + (cupy.uint32(count),)
    stream = cupy.cuda.Stream.from_external(torch.cuda.current_stream())

    def call():
        with stream:
            kernel(tuple(fused["grid"]), tuple(fused["block"]), arguments)
    return call


def fusion(path):
    rows = []
    for item in json.load(open(path))["formulas"]:
        torch._dynamo.reset()
        fused = item["report"]["fused"]
        inputs = {i["name"]: torch.rand(i["shape"], device="cuda").mul_(2).sub_(1).to(DTYPES[i["dtype"]]) for i in fused["inputs"]}
        # A function of its own text, which torch.compile can trace.
        space = dict(NAMES)
        exec(f"def eager({', '.join(inputs)}):\n    return {item['formula'].split('=', 1)[1].strip()}", space)
        eager = space["eager"]
        compiled = torch.compile(eager, dynamic=False)
        want, out = compiled(*inputs.values()), torch.empty(fused["outputs"][0]["shape"], device="cuda", dtype=DTYPES[fused["outputs"][0]["dtype"]])
        ours = launcher(fused, [*inputs.values(), out])
        ours()
        error = ((out.float() - want.float()).norm() / want.float().norm()).item()
        source, target = (torch.empty(item["report"]["fused_bytes"] // 2, dtype=torch.uint8, device="cuda") for _ in range(2))
        us = cold_medians([ours, lambda: compiled(*inputs.values()), lambda: target.copy_(source), lambda: eager(*inputs.values())])
        rows.append(dict(name=item["name"], fused_us=us[0], torch_compile_us=us[1], copy_us=us[2], eager_us=us[3],
                         share_of_copy=us[2] / us[0], speed_over_torch_compile=us[1] / us[0], difference=error,
                         harness_us=item["report"]["measurements"][0]["median_ns"] / 1e3))
        print("{name:16} fused {fused_us:8.1f}  torch.compile {torch_compile_us:8.1f}  copy {copy_us:8.1f}  eager {eager_us:9.1f} us  "
              "of copy {share_of_copy:.3f}  over torch {speed_over_torch_compile:.3f}  diff {difference:.1e}".format(**rows[-1]), file=sys.stderr)
    return rows


SAXPY = r'''
extern "C" __global__ void saxpy(const float4* x, float4* y, float a, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 u = x[i], v = y[i];
  y[i] = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + v.w);
}'''


def do_bench():
    import triton
    kernel = cupy.RawModule(code=SAXPY).get_function("saxpy")
    rows = []
    for floats in (1 << 14, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 100 << 18):
        x, y = (torch.rand(floats, device="cuda") for _ in range(2))
        arguments = (cupy.uint64(x.data_ptr()), cupy.uint64(y.data_ptr()), cupy.float32(0.5), cupy.uint32(floats // 4))
        stream = cupy.cuda.Stream.from_external(torch.cuda.current_stream())

        def call():
            with stream:
                kernel(((floats // 4 + 255) // 256,), (256,), arguments)
        begin = time.time()
        mean = triton.testing.do_bench(call)
        seconds = time.time() - begin
        rows.append(dict(floats=floats, mean_ns=mean * 1e6, median_ns=triton.testing.do_bench(call, return_mode="median") * 1e6,
                         seconds=seconds))
    return rows


def load_inline():
    from torch.utils.cpp_extension import load_inline as build
    cuda = SAXPY + r'''
#include <torch/extension.h>
void run(torch::Tensor x, torch::Tensor y) {
  saxpy<<<64, 256>>>((const float4*)x.data_ptr(), (float4*)y.data_ptr(), 0.5f, 1u << 14);
}'''
    times = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            begin = time.time()
            module = build("warplens_inline", cpp_sources="void run(torch::Tensor x, torch::Tensor y);", cuda_sources=cuda, functions=["run"],
                           build_directory=folder)
            times.append(time.time() - begin)
    x = torch.rand(1 << 20, device="cuda")
    module.run(x, x)
    torch.cuda.synchronize()
    return dict(from_nothing_s=times[0], again_s=times[1])


if __name__ == "__main__":
    what = {"fusion": fusion, "do_bench": do_bench, "load_inline": load_inline}[sys.argv[1]]
    print(json.dumps(dict(device=torch.cuda.get_device_name(), torch=torch.__version__, rows=what(*sys.argv[2:])), indent=1))
