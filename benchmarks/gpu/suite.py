#!/usr/bin/env python3
"""Every family of kernels/ that has peers (python/warplens/peers.py), every step, on a GPU: checked against float64 at full size, then
timed cold beside PyTorch eager, torch.compile and CUB in one process, in random order.

Usage: suite.py OUT [FAMILY...]      (writes OUT/suite.json, for scripts/stories.py --measured; needs the Python package, torch and a GPU;
SUITE_SECONDS bounds the sampling of each, 0.25; SUITE_DEVICE=cpu tries the script, emulated, at small sizes)
"""
import json
import os
import pathlib
import sys
import time

import torch

from warplens import peers, suite

DEVICE = os.environ.get("SUITE_DEVICE", "cuda")


def rows_of(name):
    rows = []
    for m in suite.run(name, device=DEVICE, seconds=float(os.environ.get("SUITE_SECONDS", "0.25"))):
        row = dict(m.data, family=name, impl=m.name.split("/")[1], point={axis: int(value) for axis, value in m.axes.items()},
                   error=m.data["checks"][0]["error"])
        row.pop("samples_ns")
        rows.append(row)
        print(f"{m.name:40} {m.median_ns / 1e3:9.2f} us  {m.bytes_per_second / 1e9:7.0f} GB/s  error {row['error']:.1e}  {m.errors or ''}", flush=True)
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
