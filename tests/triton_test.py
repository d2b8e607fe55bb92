#!/usr/bin/env python3
"""Kernels that Triton compiled, emulated: matrix products by mma, wgmma and tcgen05, tensor copies and warp specialisation.

Inputs are small whole numbers, so that the results are exact in every format. Argument: the program.
"""
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parent / "data" / "ptx"
CODES = {"f16": ("e", "<f2"), "f32": ("f", "<f4"), "i8": ("b", "|i1"), "i32": ("i", "<i4")}


def write_npy(path, values, shape, dtype):
    code, name = CODES[dtype]
    header = f"{{'descr': '{name}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack(f"<{len(values)}{code}", *values))


def read_npy(path, dtype):
    data = path.read_bytes()
    begin = 10 + struct.unpack_from("<H", data, 8)[0]
    code = CODES[dtype][0]
    return struct.unpack(f"<{(len(data) - begin) // struct.calcsize(code)}{code}", data[begin:])


def product(a, b, m, n, k):
    columns = [b[j::n] for j in range(n)]
    return [sum(x * y for x, y in zip(a[i * k:(i + 1) * k], column)) for i in range(m) for column in columns]


def check(program, name, arch, kernel, size, tile, block, dtypes, descriptors):
    m, n, k = size
    rng = random.Random(1)
    a = [rng.randrange(-3, 4) for _ in range(m * k)]
    b = [rng.randrange(-3, 4) for _ in range(k * n)]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        subprocess.run(f"gzip -dc {DATA / f'{name}.{arch}.ptx.gz'} > {work / 'k.ptx'}", shell=True, check=True)
        write_npy(work / "a.npy", a, (m, k), dtypes[0])
        write_npy(work / "b.npy", [b[i * n + j] for j in range(n) for i in range(k)] if descriptors else b, (k, n), dtypes[0])
        write_npy(work / "c.npy", [0] * (m * n), (m, n), dtypes[1])
        strides = [] if descriptors else [{"i32": k}, {"i32": n}, {"i32": n}]
        launch = {
            "source": "k.ptx", "kernel": kernel, "save": {"c": "out.npy"},
            "buffers": {**{x: {"npy": f"{x}.npy", "dtype": dtypes[x == "c"]} for x in "abc"},
                        "scratch": {"dtype": "u8", "count": 65536, "fill": "zeros"}},
            "launches": [{"grid": [2] if descriptors else [m // tile, n // tile], "block": [block], "shared_bytes": 160000 if arch == "sm80" else 220000,
                          "args": [{"buffer": "a"}, {"buffer": "b"}, {"buffer": "c"}, {"i32": m}, {"i32": n}, {"i32": k},
                                   *strides, {"buffer": "scratch"}, {"u64": 0}]}]}
        (work / "launch.json").write_text(json.dumps(launch))
        done = subprocess.run([program, "kernel", "launch.json", "--emulate"], cwd=work, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{name}.{arch}: {done.stderr}"
        got = read_npy(work / "out.npy", dtypes[1])
    want = product(a, b, m, n, k)
    wrong = [i for i, (x, y) in enumerate(zip(got, want)) if x != y]
    assert not wrong, f"{name}.{arch}: {len(wrong)} of {m * n} elements differ, first [{wrong[0] // n}, {wrong[0] % n}]: {got[wrong[0]]} for {want[wrong[0]]}"


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    for arch in ("sm80", "sm90"):
        check(program, "mm_small", arch, "mm", (32, 32, 48), 16, 32, ("f16", "f16"), False)
    for arch in ("sm80", "sm90", "sm100"):
        check(program, "mm_tf32", arch, "mm", (64, 64, 64), 64, 128, ("f32", "f32"), False)
        check(program, "mm_i8", arch, "mm_i8", (64, 64, 128), 64, 128, ("i8", "i32"), False)
        check(program, "mm_f16", arch, "mm", (128, 128, 64), 128, 128, ("f16", "f16"), False)
        check(program, "mm_tma", arch, "mm_tma", (128, 128, 128), 128, 128, ("f16", "f16"), True)
        check(program, "mm_tma_ws", arch, "mm_tma_ws", (256, 128, 64), 128, 256 if arch == "sm100" else 128, ("f16", "f16"), True)


main()
