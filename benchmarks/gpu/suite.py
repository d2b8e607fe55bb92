#!/usr/bin/env python3
"""Every family of kernels/ that has peers (python/warplens/peers.py), every step, on a GPU: checked against float64 at full size, then
timed cold beside PyTorch eager, torch.compile, SDPA's backends, Triton's tutorial kernels and CUB in one process, in random order.

Usage: suite.py OUT [FAMILY...]      (writes OUT/suite.json, for scripts/stories.py --measured; needs the Python package, torch and a GPU;
SUITE_SECONDS bounds the sampling of each, 0.25; SUITE_DEVICE=cpu tries the script, emulated, at small sizes)
"""
import json
import os
import pathlib
import sys
import time

import torch

from warplens import kernels, peers, suite

DEVICE = os.environ.get("SUITE_DEVICE", "cuda")
STORY = {"batch": 1, "heads": 16, "kv_heads": 16, "length": 1024, "size": 128}  # as scripts/stories.py emulates it
BACK = {**STORY, "length": 512}


def attention_of(tokens, length, sizes=(128, 64), **others):
    return [{"batch": tokens // length, "heads": 2048 // size, "kv_heads": 2048 // size, "length": length, "size": size, **others} for size in sizes]


LONG, BATCH, GROUPS = attention_of(16384, 16384), attention_of(16384, 4096), attention_of(16384, 4096, (128,), kv_heads=4)
FAST = ["flash_wgmma", "torch", "triton", "sdpa.cudnn", "sdpa.flash"]
BACKWARD = ["wgmma", "torch", "sdpa.cudnn", "sdpa.flash", "sdpa.efficient"]
CACHES = [{"batch": 1, "heads": 32, "kv_heads": 8, "length": 65536, "size": 128}, {"batch": 64, "heads": 32, "kv_heads": 4, "length": 4096, "size": 128}]
# (points, kernels): where some kernels would take most of the time, the others go on alone. None: the family's own.
CASES = {"matmul": [([{"n": 2048}], []), ([{"n": 1024}, {"n": 4096}], ["warp_tiles", "tensor_copies", "torch"])],
         "matmul_bf16": [([{"n": 1024}, {"n": 2048}, {"n": 4096}], []), ([{"n": 8192}], ["persistent", "torch", "triton"])],
         "attention": [([STORY], []), (None, ["flash_mma", *FAST]), (BATCH + LONG, FAST)],
         "attention_backward": [([BACK], []), (None, BACKWARD), (BATCH + LONG, BACKWARD[:3])],
         "attention_backward_causal": [(None, BACKWARD), (BATCH + LONG, BACKWARD[:3])],
         "attention_causal": [(None, ["flash_mma", *FAST]), (BATCH + LONG, FAST), (GROUPS, ["flash_wgmma", "torch", "sdpa.cudnn"])],
         "attention_decode": [(None, []), (CACHES, ["fused", "torch", "sdpa.cudnn"])]}


def rows_of(name):
    for points, impls in CASES.get(name, [(None, [])]) if DEVICE == "cuda" else [(None, [])]:
        points = points or getattr(kernels, name).described["full" if DEVICE == "cuda" else "small"]
        for m in suite.run(name, impls, points, device=DEVICE, seconds=float(os.environ.get("SUITE_SECONDS", "0.25"))):
            row = dict(m.data, family=name, impl=m.name.split("/")[1], point={axis: int(value) for axis, value in m.axes.items()},
                       error=m.data["checks"][0]["error"])
            row.pop("samples_ns")
            print(f"{m.name:40} {m.median_ns / 1e3:9.2f} us  {m.bytes_per_second / 1e9:7.0f} GB/s  {m.flops_per_second / 1e12:6.1f} TFLOP/s  "
                  f"error {row['error']:.1e}  {m.errors or ''}", flush=True)
            yield row


def main(out, *names):
    rows = []
    result = {"device": torch.cuda.get_device_name() if DEVICE == "cuda" else DEVICE, "torch": torch.__version__, "cuda": torch.version.cuda,
              "date": time.strftime("%Y-%m-%d"), "rows": rows}
    for name in names or peers.TORCH:
        try:
            rows.extend(rows_of(name))
        except Exception as error:  # one that fails must not cost the others their time on the machine
            print(f"{name}: {type(error).__name__}: {error}", flush=True)
        if DEVICE == "cuda":
            torch.cuda.empty_cache()
        pathlib.Path(out, "suite.json").write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
