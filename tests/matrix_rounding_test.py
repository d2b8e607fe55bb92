#!/usr/bin/env python3
"""mma and wgmma, emulated, give the bits that an H200 gave (driver 580, CUDA 13.0; benchmarks/gpu/matrix_rounding.cu)."""
import gzip
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

with tempfile.TemporaryDirectory() as folder:
    for packed in (HERE / "data" / "matrix_rounding").glob("*.gz"):
        (pathlib.Path(folder) / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    script = HERE.parent / "benchmarks" / "gpu" / "matrix_rounding.py"
    sys.exit(subprocess.run([sys.executable, script, sys.argv[1], folder], check=False).returncode)
