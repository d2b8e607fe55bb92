#!/usr/bin/env python3
"""Small kernels give the bits that an H200 gave (driver 580.159.04): sums of products, some of which ptxas fuses, and
instructions on the bytes and halves of a register. Argument: the program.

tests/data/h200_bits holds the kernels of each set, and 256 threads' 128 bytes of input followed by their 16 bytes of output
for each kernel. A NaN of f64 may have either sign.
"""
import gzip
import json
import lzma
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parent / "data/h200_bits"
THREADS, INPUT, OUTPUT = 256, 128, 16


def npy(data):
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({len(data)},), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def without_nan_signs(row):
    words = struct.unpack("<2Q", row)
    return [w & ~(1 << 63) if w & 0x7fff_ffff_ffff_ffff > 0x7ff0 << 48 else w for w in words]


def check(program, name, folder):
    ptx = gzip.decompress((DATA / f"{name}.ptx.gz").read_bytes()).decode()
    kernels = re.findall(r"\.entry (\w+)", ptx)
    data = lzma.decompress((DATA / f"{name}.xz").read_bytes())
    want = data[THREADS * INPUT:]
    (folder / "k.ptx").write_text(ptx)
    (folder / "x.npy").write_bytes(npy(data[:THREADS * INPUT]))
    outputs = {k: {"dtype": "u8", "count": THREADS * OUTPUT, "fill": "zeros"} for k in kernels}
    launch = {"source": "k.ptx", "arch": "sm_90", "buffers": {"x": {"npy": "x.npy"}, **outputs},
              "launches": [{"kernel": k, "grid": [1], "block": [THREADS], "args": [{"buffer": "x"}, {"buffer": k}, {"u32": 1}]}
                           for k in kernels], "save": {k: f"{k}.npy" for k in kernels}}
    (folder / "launch.json").write_text(json.dumps(launch))
    done = subprocess.run([program, "kernel", "launch.json", "--emulate", "--no-counters", "-f"], cwd=folder, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    wrong = []
    for i, k in enumerate(kernels):
        got = (folder / f"{k}.npy").read_bytes()[-THREADS * OUTPUT:]
        for t in range(THREADS):
            g, w = got[t * OUTPUT:(t + 1) * OUTPUT], want[(i * THREADS + t) * OUTPUT:(i * THREADS + t + 1) * OUTPUT]
            if g != w and without_nan_signs(g) != without_nan_signs(w):
                wrong.append(f"{k}, thread {t}: {g.hex()}, the GPU {w.hex()}")
                break
    print("\n".join(wrong[:20]))
    print(f"{name}: {len(kernels) - len(wrong)} of {len(kernels)} kernels the same bit for bit")
    return len(wrong)


def main():
    program, wrong = str(pathlib.Path(sys.argv[1]).resolve()), 0
    for name in ("contraction", "video"):
        with tempfile.TemporaryDirectory() as folder:
            wrong += check(program, name, pathlib.Path(folder))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
