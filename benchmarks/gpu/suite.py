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
LONG = [{**STORY, "heads": 2048 // size, "kv_heads": 2048 // size, "length": 16384, "size": size} for size in (128, 64)]
FAST = ["flash_wgmma", "torch", "triton", "sdpa.cudnn", "sdpa.flash"]
# (points, kernels): where some kernels would take most of the time, the others go on alone.
CASES = {"matmul": [([{"n": 2048}], []), ([{"n": 1024}, {"n": 4096}], ["warp_tiles", "tensor_copies", "torch"])],
         "matmul_bf16": [([{"n": 2048}, {"n": 4096}], []), ([{"n": 8192}], ["persistent", "torch", "triton"])],
         "attention": [([STORY], []), (None, ["flash_mma", *FAST]), (LONG, FAST)],
         "attention_backward": [([BACK], []), (None, ["wgmma", "torch", "sdpa.cudnn", "sdpa.flash", "sdpa.efficient"])],
         "attention_backward_causal": [(None, ["wgmma", "torch", "sdpa.cudnn", "sdpa.flash", "sdpa.efficient"])],
         "attention_causal": [(None, ["flash_mma", *FAST]), (LONG, FAST)]}


def rows_of(name):
    rows = []
    for points, impls in CASES.get(name, [(None, [])]) if DEVICE == "cuda" else [(None, [])]:
        points = points or getattr(kernels, name).described["full" if DEVICE == "cuda" else "small"]
        for m in suite.run(name, impls, points, device=DEVICE, seconds=float(os.environ.get("SUITE_SECONDS", "0.25"))):
            row = dict(m.data, family=name, impl=m.name.split("/")[1], point={axis: int(value) for axis, value in m.axes.items()},
                       error=m.data["checks"][0]["error"])
            row.pop("samples_ns")
            rows.append(row)
            print(f"{m.name:40} {m.median_ns / 1e3:9.2f} us  {m.bytes_per_second / 1e9:7.0f} GB/s  {m.flops_per_second / 1e12:6.1f} TFLOP/s  "
                  f"error {row['error']:.1e}  {m.errors or ''}", flush=True)
    return rows


def main(out, *names):
    rows = []
    result = {"device": torch.cuda.get_device_name() if DEVICE == "cuda" else DEVICE, "torch": torch.__version__, "cuda": torch.version.cuda,
              "date": time.strftime("%Y-%m-%d"), "rows": rows}
    for name in names or peers.TORCH:
        try:
            rows += rows_of(name)
        except Exception as error:  # one that fails must not cost the others their time on the machine
            print(f"{name}: {type(error).__name__}: {error}", flush=True)
        if DEVICE == "cuda":
            torch.cuda.empty_cache()
        pathlib.Path(out, "suite.json").write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
