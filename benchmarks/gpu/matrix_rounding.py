#!/usr/bin/env python3
"""Compares the emulator's matrix instructions with a GPU's, bit by bit.

    nvcc -gencode arch=compute_90a,code=sm_90a -DHOST matrix_rounding.cu -o matrix_rounding; ./matrix_rounding FOLDER
    nvcc -gencode arch=compute_90a,code=compute_90a -ptx matrix_rounding.cu -o FOLDER/matrix_rounding.ptx
    matrix_rounding.py WARPLENS FOLDER
"""
import json
import pathlib
import struct
import subprocess
import sys

KERNELS = ["mma_f16", "mma_bf16", "mma_tf32", "mma_e4m3", "mma_e5m2", "mma_f16_f16", "wgmma_f16", "wgmma_bf16", "wgmma_tf32",
           "wgmma_e4m3", "wgmma_e5m2"]


def write_npy(path, data):
    header = f"{{'descr': '<u4', 'fortran_order': False, 'shape': ({len(data) // 4},), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def words(data):
    return struct.unpack(f"<{len(data) // 4}I", data)


def emulate(program, folder, name, count):
    threads = 128 if name.startswith("w") else 32
    write_npy(folder / "in.npy", (folder / f"{name}.in").read_bytes())
    launch = {"source": "matrix_rounding.ptx", "kernel": name, "save": {"y": "y.npy"},
              "buffers": {"x": {"npy": "in.npy", "dtype": "u32"}, "y": {"dtype": "u32", "count": count}},
              "launches": [{"grid": [count // (threads * 4)], "block": [threads], "args": [{"buffer": "x"}, {"buffer": "y"}]}]}
    (folder / "launch.json").write_text(json.dumps(launch))
    subprocess.run([program, "kernel", "launch.json", "--emulate", "-f"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    data = (folder / "y.npy").read_bytes()
    return words(data[10 + struct.unpack_from("<H", data, 8)[0]:])


def main():
    program, folder = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    total = 0
    for name in KERNELS:
        want = words((folder / f"{name}.out").read_bytes())
        got = emulate(program, folder, name, len(want))
        wrong = [i for i, (a, b) in enumerate(zip(got, want)) if a != b]
        print(f"{name}: {len(wrong)} of {len(want)} words differ")
        total += len(wrong)
        for i in wrong[:4]:
            print(f"  word {i}: emulated {got[i]:08x}, measured {want[i]:08x}")
    return 1 if total else 0


sys.exit(main())
