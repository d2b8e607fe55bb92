#!/usr/bin/env python3
"""CUB's block-wide primitives in all their algorithms, emulated, against Python. Argument: the program."""
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent / "data" / "cub_blocks.cu"
CODES = {"i32": ("i", "<i4"), "u32": ("I", "<u4"), "u8": ("B", "|u1"), "f32": ("f", "<f4"), "u64": ("Q", "<u8"), "i64": ("q", "<i8")}
BLOCKS, THREADS, ITEMS = 3, 96, 4
TILE = THREADS * ITEMS


def write_npy(path, values, dtype):
    code, name = CODES[dtype]
    header = f"{{'descr': '{name}', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack(f"<{len(values)}{code}", *values))


class Launches:
    """Launches with the buffers that they read and what those that they write must hold."""

    def __init__(self):
        self.buffers, self.expected, self.launches = {}, {}, []

    def add(self, kernel, inputs, outputs, scalars=(), block=THREADS, blocks=BLOCKS):
        """`inputs` and `outputs`: (dtype, values) in the order of the kernel's arguments, scalars last."""
        args, number = [], len(self.launches)
        for i, (dtype, values) in enumerate(inputs):
            self.buffers[f"in{number}_{i}"] = (dtype, values)
            args.append({"buffer": f"in{number}_{i}"})
        for i, (dtype, values) in enumerate(outputs):
            self.expected[f"out{number}_{i}"] = (dtype, values)
            args.append({"buffer": f"out{number}_{i}"})
        args += [{"i32": s} for s in scalars]
        self.launches.append({"kernel": kernel, "grid": [blocks], "block": [block], "args": args})

    def run(self, program, checks):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            for name, (dtype, values) in {**self.buffers, **self.expected}.items():
                write_npy(work / f"{name}.npy", values, dtype)
            launch = {
                "source": str(SOURCE), "arch": "sm_90", "options": ["-std=c++17"], "launches": self.launches,
                "buffers": {**{n: {"npy": f"{n}.npy"} for n in self.buffers},
                            **{n: {"dtype": d, "count": len(v), "fill": "zeros"} for n, (d, v) in self.expected.items()}},
                "expect": {n: {"npy": f"{n}.npy", "rtol": 0, "atol": 0} for n in self.expected}}
            (work / "launch.json").write_text(json.dumps(launch))
            for arguments in (["--no-counters"], ["--check", checks]):
                done = subprocess.run([program, "kernel", "launch.json", "--emulate", *arguments], cwd=work,
                                      capture_output=True, text=True, check=False)
                if "cub/" in done.stderr and ("open source file" in done.stderr or "No such file" in done.stderr):
                    print("skipped: CUB's headers are not installed here")
                    sys.exit(77)
                if done.returncode != 0:
                    sys.exit(f"{' '.join(arguments)}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")


def tiles(values, size=TILE):
    return [values[i:i + size] for i in range(0, len(values), size)]


def joined(lists):
    return [x for part in lists for x in part]


def add_reductions(all_launches, rng):
    for algorithm in range(3):
        for block, dtype, ctype, valid in ((128, "i32", "int", 128), (96, "i32", "int", 77), (50, "f32", "float", 50),
                                           (256, "u64", "unsigned long long", 1)):
            x = [float(rng.randrange(1000)) if dtype == "f32" else rng.randrange(1000) for _ in range(BLOCKS * block)]
            want = joined([[sum(t[:valid]), max(t[:valid])] for t in tiles(x, block)])
            all_launches.add(f"reduce<{algorithm}, {block}, {ctype}>", [(dtype, x)], [(dtype, want)], [valid], block)


def running(values, f):
    out = [values[0]]
    for v in values[1:]:
        out.append(f(out[-1], v))
    return out


def add_scans(all_launches, rng):
    x = [rng.randrange(-50, 50) for _ in range(BLOCKS * TILE)]
    for algorithm in range(3):
        sums = joined([[0, *running(t, lambda a, b: a + b)[:-1]] for t in tiles(x)])
        most = joined([running(t, max) for t in tiles(x)])
        all_launches.add(f"scan<{algorithm}>", [("i32", x)], [("i32", sums), ("i32", most), ("i32", [sum(t) for t in tiles(x)])])


def add_sorts(all_launches, rng):
    for ctype, dtype, make in (("int", "i32", lambda: rng.randrange(-9, 9)), ("float", "f32", lambda: float(rng.randrange(-99, 99))),
                               ("unsigned long long", "u64", lambda: rng.randrange(1 << 40)),
                               ("unsigned char", "u8", lambda: rng.randrange(256))):
        x = [make() for _ in range(BLOCKS * TILE)]
        for bits in (4, 6):
            for descending in (False, True):
                orders = [sorted(range(TILE), key=t.__getitem__, reverse=descending) for t in tiles(x)]
                keys = joined([[t[i] for i in order] for t, order in zip(tiles(x), orders)])
                all_launches.add(f"radix_sort<{ctype}, {bits}, {str(descending).lower()}>", [(dtype, x)],
                                 [(dtype, keys), ("i32", joined(orders))])
    x = [rng.randrange(-1000, 1000) for _ in range(BLOCKS * 256)]
    for descending in (False, True):
        all_launches.add(f"merge_sort<{str(descending).lower()}>", [("i32", x)],
                         [("i32", joined([sorted(t, reverse=descending) for t in tiles(x, 256)]))], block=64)


def copied(tile, load, store, valid):
    """Algorithm 1 gives a thread every THREADS-th item, all others consecutive ones."""
    def place(algorithm, i):
        return i % ITEMS * THREADS + i // ITEMS if algorithm == 1 else i

    out = [0] * TILE
    for i in range(TILE):
        if place(store, i) < valid and place(load, i) < valid:
            out[place(store, i)] = tile[place(load, i)]
    return out


def add_copies(all_launches, rng):
    for ctype, dtype in (("int", "i32"), ("unsigned char", "u8"), ("long long", "i64")):
        x = [rng.randrange(200) for _ in range(BLOCKS * TILE)]
        for load in range(6):
            for store in range(6) if dtype == "i32" else (load,):
                for valid in (TILE, 101):
                    want = joined([copied(t, load, store, valid) for t in tiles(x)])
                    all_launches.add(f"load_store<{load}, {store}, {ctype}>", [(dtype, x)], [(dtype, want)], [valid])


def inverse(order):
    out = [0] * len(order)
    for i, place in enumerate(order):
        out[place] = i
    return out


def add_exchanges(all_launches, rng):
    x = [rng.randrange(1 << 30) for _ in range(BLOCKS * TILE)]
    to = list(range(TILE))
    rng.shuffle(to)
    warp = 32 * ITEMS

    scattered = inverse(to)
    # Item i of the block, counted thread after thread, is at to_stripes[i] in stripes.
    to_stripes = [i // ITEMS + i % ITEMS * THREADS for i in range(TILE)]
    to_warp_stripes = [i // warp * warp + i % warp // ITEMS + i % ITEMS * 32 for i in range(TILE)]
    sources = [inverse(to_stripes), to_stripes, inverse(to_warp_stripes), to_warp_stripes, scattered,
               [scattered[p] for p in to_stripes]]
    for kind, source in enumerate(sources):
        for sliced in ("false", "true"):
            want = joined([[t[i] for i in source] for t in tiles(x)])
            all_launches.add(f"exchange<{kind}, {sliced}>", [("i32", x), ("i32", to)], [("i32", want)])


def add_others(all_launches, rng):
    x = [rng.randrange(256) for _ in range(BLOCKS * TILE)]
    bins = joined([[sum(v & 63 == b for v in t) for b in range(64)] for t in tiles(x)])
    for algorithm in range(2):
        all_launches.add(f"histogram<{algorithm}>", [("u8", x)], [("u32", bins)])
    x = [rng.randrange(3) for _ in range(BLOCKS * TILE)]
    heads = joined([[1, *(int(a != b) for a, b in zip(t, t[1:]))] for t in tiles(x)])
    steps = joined([[t[0], *(b - a for a, b in zip(t, t[1:]))] for t in tiles(x)])
    all_launches.add("neighbours", [("i32", x)], [("i32", heads), ("i32", steps)])
    x = [rng.randrange(-99, 99) for _ in range(BLOCKS * THREADS)]
    for width in (32, 16, 8, 4):
        groups = joined([tiles(t, width) for t in tiles(x, THREADS)])
        all_launches.add(f"warp_sums<{width}>", [("i32", x)],
                         [("i32", [sum(g) for g in groups]), ("i32", joined([running(g, lambda a, b: a + b) for g in groups]))])


def main():
    program, rng = str(pathlib.Path(sys.argv[1]).resolve()), random.Random(7)
    for add in (add_reductions, add_scans, add_sorts, add_copies, add_exchanges, add_others):
        launches = Launches()
        add(launches, rng)
        # CUB's merge sort reads one key past its last, and does not use it.
        launches.run(program, "memory,race,sync" if add == add_sorts else "all")
        print(f"{add.__name__[4:]}: {len(launches.launches)} launches right")


main()
