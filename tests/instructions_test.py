#!/usr/bin/env python3
"""The emulator against an H200, instruction by instruction: instructions_test.py WARPLENS

tests/data/instructions.h200.xz holds what the GPU gave (tests/instructions/generate.py wrote the kernels): bit for bit
the same, but for approximations, which stay within the bound that generate.py names.
"""
import lzma
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "instructions"))
import generate  # noqa: E402

WIDTH = {"f32": ("<I", "<f"), "f64": ("<Q", "<d")}


def number(bits, to):
    pack, unpack = WIDTH[to]
    return struct.unpack(unpack, struct.pack(pack, bits & (0xffffffff if to == "f32" else 2**64 - 1)))[0]


def ordinal(bits, width):
    """Bits as an integer in the order of the numbers they stand for, so that neighbours differ by one."""
    sign = 1 << (width - 1)
    return -(bits & (sign - 1)) if bits & sign else bits


def half_parts(bits, to):
    return [bits & 0xffff, bits >> 16 & 0xffff] if to == "b32" else [bits & 0xffff]


def is_nan(bits, to):
    return math.isnan(number(bits, to))


def close(got, want, row, operands):
    mnemonic, to, _, check, _ = row
    if got == want:
        return True
    words = check.split()
    if words[0] == "divisor":
        return operands[1] == 0  # what a division by zero gives is not defined
    if words[0].startswith("half-"):
        nan = 0x7c00 if words[0] == "half-h" else 0x7f80
        return all(abs(ordinal(g, 16) - ordinal(w, 16)) <= int(words[1]) or (g & 0x7fff > nan and w & 0x7fff > nan)
                   for g, w in zip(half_parts(got, to), half_parts(want, to)))
    if to not in WIDTH or words[0] == "exact" or words[0] == "atomic":
        return False
    if is_nan(got, to) or is_nan(want, to):
        return is_nan(got, to) and is_nan(want, to)
    g, w = number(got, to), number(want, to)
    bounds = dict(zip(words[::2], words[1::2]))
    if "ulp" in bounds and abs(ordinal(got, 32) - ordinal(want, 32)) <= int(bounds["ulp"]):
        return True
    if "abs" in bounds and abs(g - w) <= float(bounds["abs"]):
        return True
    if "rel" in bounds and w and not math.isinf(w) and abs(g - w) <= float(bounds["rel"]) * abs(w):
        return True
    return words[-1] == "bounded" and abs(number(operands[0], "f32")) > 1e4  # beyond the range of the bound


# The machines that run the launches: PTX alone, and machine code if all of it is known bit for bit.
WAYS = {"PTX": ["--no-counters"], "machine code": []}


def results(program, folder, flags):
    run = subprocess.run([program, "kernel", f"{folder}/instructions.json", "--emulate", "-f", *flags],
                         capture_output=True, text=True, cwd=folder)
    if run.returncode:
        raise SystemExit(run.stderr[-2000:])
    data = (pathlib.Path(folder) / "out.npy").read_bytes()
    header = struct.unpack("<H", data[8:10])[0] + 10
    return struct.unpack(f"<{(len(data) - header) // 8}Q", data[header:])


def judge(way, got, want):
    """Prints what is wrong; whether anything is."""
    table, wrong, exact = generate.rows(), [], 0
    if len(got) != len(want):
        raise SystemExit(f"{len(got)} results, but {len(want)} answers: they are of other kernels")
    for i, row in enumerate(table):
        inputs = [generate.inputs(kind, place) for place, kind in enumerate(row[2])]
        mine = slice(i * generate.THREADS, (i + 1) * generate.THREADS)
        bad = [(operands, g, w) for operands, g, w in zip(zip(*inputs), got[mine], want[mine]) if not close(g, w, row, operands)]
        exact += got[mine] == want[mine]
        if bad:
            operands, g, w = bad[0]
            wrong.append(f"{row[0]}: {len(bad)} of {generate.THREADS}, first {[hex(x) for x in operands]}: {g:#x}, the GPU {w:#x}")
    print("\n".join(wrong))
    print(f"{way}: {len(table)} instructions, {exact} the same bit for bit, {len(table) - exact - len(wrong)} within their bound, {len(wrong)} wrong")
    return bool(wrong)


def main():
    raw = lzma.decompress((ROOT / "data/instructions.h200.xz").read_bytes())
    want = struct.unpack(f"<{len(raw) // 8}Q", raw)
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        sys.argv[1:] = [folder]
        generate.main()
        return any([judge(way, results(program, folder, flags), want) for way, flags in WAYS.items()])


if __name__ == "__main__":
    sys.exit(main())
