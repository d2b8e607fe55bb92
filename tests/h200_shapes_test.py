#!/usr/bin/env python3
"""Matrix shapes and copies give the bits that an H200 gave (driver 580.159.04): sparse products, mma.m8n8k4, products of four
bits and of one, reductions by the tensor memory unit, alloca. Arguments: the program [SET].

tests/data/h200_shapes holds the PTX of benchmarks/gpu/h200_shapes and what its kernels left. To measure again, on a machine with
the GPU: `h200_shapes_test.py PROGRAM --record FOLDER` writes the answers there.
"""
import gzip
import json
import lzma
import pathlib
import re
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parent / "data" / "h200_shapes"
SETS = ("sparse", "dense", "copies")
BLOCKS = 8

def describe(ptx):
    """A launch of each kernel, and its place in the one buffer of results."""
    launches, places, at = [], {}, 0
    for name, threads, words in re.findall(r"\.entry (\w+_t(\d+)_w(\d+))\(", ptx):
        size = BLOCKS * int(threads) * int(words) * 4
        launches.append({"kernel": name, "grid": [BLOCKS], "block": [int(threads)],
                         "args": [{"buffer": "out", "offset_bytes": at}]})
        places[name] = (at, size)
        at += size
    return {"source": "k.ptx", "arch": "sm_90a", "buffers": {"out": {"dtype": "u8", "count": at, "fill": "zeros"}},
            "launches": launches, "save": {"out": "out.npy"}}, places


def contents(path):
    data = path.read_bytes()
    return data[10 + int.from_bytes(data[8:10], "little"):]


def run(program, name, folder, where):
    ptx = gzip.decompress((DATA / f"{name}.ptx.gz").read_bytes()).decode()
    description, places = describe(ptx)
    (folder / "k.ptx").write_text(ptx)
    (folder / "launch.json").write_text(json.dumps(description))
    command = [program, "kernel", "launch.json", *where, "-f"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:] + done.stdout[-500:]
    return contents(folder / "out.npy"), places


def check(program, name, folder):
    got, places = run(program, name, folder, ["--emulate", "--no-counters"])
    want = lzma.decompress((DATA / f"{name}.xz").read_bytes())
    assert len(got) == len(want), f"{len(got)} bytes, but the answers are {len(want)}: they are of other kernels"
    wrong = 0
    for kernel, (at, size) in places.items():
        differing = [i for i in range(at, at + size, 4) if got[i:i + 4] != want[i:i + 4]]
        if not differing:
            continue
        wrong += 1
        i = differing[0]
        print(f"{kernel}: {len(differing)} of {size // 4} words differ, first number {(i - at) // 4}: "
              f"{got[i:i + 4][::-1].hex()}, the GPU {want[i:i + 4][::-1].hex()}")
    print(f"{name}: {len(places) - wrong} of {len(places)} the same bit for bit")
    return wrong


def main():
    program, wrong = str(pathlib.Path(sys.argv[1]).resolve()), 0
    record = pathlib.Path(sys.argv[3]) if sys.argv[2:3] == ["--record"] else None
    for name in SETS if record or len(sys.argv) < 3 else sys.argv[2:]:
        with tempfile.TemporaryDirectory() as folder:
            if record:
                (record / f"{name}.xz").write_bytes(lzma.compress(run(program, name, pathlib.Path(folder), ["--gpu", "--runs", "1"])[0]))
            else:
                wrong += check(program, name, pathlib.Path(folder))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
