#!/usr/bin/env python3
"""Writes one kernel an instruction and modifier, their inputs, and a launch file: generate.py FOLDER

Each kernel reads a, b and c as 64-bit words, runs its instruction in 256 threads and writes the result as 64 bits. The
first 144 inputs pair special values (zeros, infinities, NaNs, denormals, limits), the others are random.
"""
import itertools
import json
import pathlib
import struct
import sys

THREADS = 256
ROUNDINGS = ["rn", "rz", "rm", "rp"]


def random_words(seed):
    state = seed
    while True:
        state = (state + 0x9e3779b97f4a7c15) & (2**64 - 1)
        z = state
        z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & (2**64 - 1)
        z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & (2**64 - 1)
        yield z ^ (z >> 31)


def f32(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def f64(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


SPECIALS = {
    "b16": [0, 1, 2, 3, 7, 15, 16, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff],
    "b32": [0, 1, 2, 5, 31, 32, 33, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff],
    "b64": [0, 1, 2, 31, 32, 63, 64, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 2, 2**64 - 1],
    "h16": [0, 0x8000, 1, 0x8001, 0x3c00, 0xbc00, 0x3555, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e01],
    "n16": [0, 0x8000, 1, 0x8080, 0x3f80, 0xbf80, 0x3eab, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc1],
    "f32": [0, 0x80000000, 1, 0x807fffff, 0x00800000, f32(1.0), f32(-1.0), f32(0.333333), 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00001],
    "f64": [0, 2**63, 1, 0x800fffffffffffff, 0x0010000000000000, f64(1.0), f64(-1.0), f64(1 / 3), 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001],
}


def random_value(kind, word):
    low = word & 0xffffffff
    if kind == "b16":
        return low & 0xffff
    if kind == "b32":
        return low >> ((word >> 32) % 32)
    if kind == "b64":
        return word >> ((word >> 3) % 64)
    if kind == "h16":
        return (low & 0x8000) | (0x2800 + (low & 0x7fff) % 0x2800)
    if kind == "n16":
        return (low & 0x8000) | (0x3e00 + (low & 0x7fff) % 0x0300)
    if kind == "f32":  # exponents near 1, so that sums and products round
        return (low & 0x807fffff) | ((115 + (word >> 40) % 24) << 23)
    return (word & 0x800fffffffffffff) | ((1011 + (word >> 53) % 24) << 52)


def inputs(kind, place):
    if kind in ("h16x2", "n16x2"):
        half = kind[:3]
        low, high = inputs(half, place), inputs(half, place + 1)
        return [a | b << 16 for a, b in zip(low, high)]
    values = SPECIALS[kind]
    pairs = list(itertools.product(values, values))
    words = random_words(1000 * place + len(kind) * 7 + ord(kind[0]))
    out = []
    for i in range(THREADS):
        word = next(words)
        if i < len(pairs):
            out.append(pairs[i][place % 2] if place < 2 else values[word % len(values)])
        else:
            out.append(random_value(kind, word))
    return out


# Register class of each kind: declared type, how it comes from and goes to a 64-bit register.
LOAD = {
    "b16": "cvt.u16.u64 {r}, {w};", "h16": "cvt.u16.u64 {r}, {w};", "n16": "cvt.u16.u64 {r}, {w};",
    "b32": "cvt.u32.u64 {r}, {w};", "h16x2": "cvt.u32.u64 {r}, {w};", "n16x2": "cvt.u32.u64 {r}, {w};",
    "b64": "mov.b64 {r}, {w};", "f32": "{{ .reg .b32 t; cvt.u32.u64 t, {w}; mov.b32 {r}, t; }}", "f64": "mov.b64 {r}, {w};",
    "pred": "{{ .reg .b64 t; and.b64 t, {w}, 1; setp.ne.u64 {r}, t, 0; }}",
}
STORE = {
    "b16": "cvt.u64.u16 {w}, {r};", "b32": "cvt.u64.u32 {w}, {r};", "b64": "mov.b64 {w}, {r};",
    "f32": "{{ .reg .b32 t; mov.b32 t, {r}; cvt.u64.u32 {w}, t; }}", "f64": "mov.b64 {w}, {r};",
    "pred": "selp.u64 {w}, 1, 0, {r};",
}
TYPE = {"b16": ".b16", "h16": ".b16", "n16": ".b16", "b32": ".b32", "h16x2": ".b32", "n16x2": ".b32", "b64": ".b64", "f32": ".f32", "f64": ".f64", "pred": ".pred"}


class Table:
    def __init__(self):
        self.rows = []

    def add(self, mnemonic, to, sources, check="exact", text=None):
        """`text` may spell out the statement with {d} {a} {b} {c}; inputs of a predicate come from b64's."""
        names = ["{a}", "{b}", "{c}"][:len(sources)]
        self.rows.append((mnemonic, to, sources, check, text or f"{mnemonic} {', '.join(['{d}'] + names)};"))


def integers(t):
    for bits in (16, 32, 64):
        b = f"b{bits}"
        for op in ("and", "or", "xor"):
            t.add(f"{op}.b{bits}", b, [b, b])
        t.add(f"not.b{bits}", b, [b])
        t.add(f"cnot.b{bits}", b, [b])
        t.add(f"shl.b{bits}", b, [b, "b32"])
        for sign in "us":
            ty = f"{sign}{bits}"
            for op in ("add", "sub", "mul.lo", "mul.hi", "min", "max", "div", "rem"):
                t.add(f"{op}.{ty}", b, [b, b], "divisor" if op in ("div", "rem") else "exact")
            t.add(f"mad.lo.{ty}", b, [b, b, b])
            t.add(f"mad.hi.{ty}", b, [b, b, b])
            t.add(f"sad.{ty}", b, [b, b, b])
            t.add(f"shr.{ty}", b, [b, "b32"])
            if bits < 64:
                t.add(f"mul.wide.{ty}", f"b{bits * 2}", [b, b])
                t.add(f"mad.wide.{ty}", f"b{bits * 2}", [b, b, f"b{bits * 2}"])
            if bits > 16:
                t.add(f"bfe.{ty}", b, [b, "b32", "b32"])
                t.add(f"bfind.{ty}", "b32", [b])
                t.add(f"bfind.shiftamt.{ty}", "b32", [b])
                t.add(f"add.cc.{ty}", b, [b, b, b], text=f"add.cc.{ty} {{d}}, {{a}}, {{b}}; addc.{ty} {{d}}, {{a}}, {{c}};")
                t.add(f"sub.cc.{ty}", b, [b, b, b], text=f"sub.cc.{ty} {{d}}, {{a}}, {{b}}; subc.{ty} {{d}}, {{a}}, {{c}};")
                t.add(f"mad.lo.cc.{ty}", b, [b, b, b], text=f"mad.lo.cc.{ty} {{d}}, {{a}}, {{b}}, {{c}}; madc.hi.{ty} {{d}}, {{a}}, {{b}}, {{c}};")
            for cmp in ("eq", "ne", "lt", "le", "gt", "ge"):
                t.add(f"setp.{cmp}.{ty}", "pred", [b, b])
        t.add(f"abs.s{bits}", b, [b])
        t.add(f"neg.s{bits}", b, [b])
        if bits > 16:
            for op in ("popc", "clz"):
                t.add(f"{op}.b{bits}", "b32", [b])
            t.add(f"brev.b{bits}", b, [b])
            t.add(f"bfi.b{bits}", b, [b, b, "b32"], text=f"bfi.b{bits} {{d}}, {{a}}, {{b}}, {{c}}, 7;")
    x = "b32"
    for op in ("add.sat.s32", "sub.sat.s32"):
        t.add(op, x, [x, x])
    t.add("mad.hi.sat.s32", x, [x, x, x])
    for cmp in ("lo", "ls", "hi", "hs"):
        t.add(f"setp.{cmp}.u32", "pred", [x, x])
    for sign in "us":
        for part in ("lo", "hi"):
            t.add(f"mul24.{part}.{sign}32", x, [x, x])
            t.add(f"mad24.{part}.{sign}32", x, [x, x, x])
        for other in "us":
            t.add(f"dp4a.{sign}32.{other}32", x, [x, x, x])
            t.add(f"dp2a.lo.{sign}32.{other}32", x, [x, x, x])
            t.add(f"dp2a.hi.{sign}32.{other}32", x, [x, x, x])
        for mode in ("clamp", "wrap"):
            t.add(f"szext.{mode}.{sign}32", x, [x, x])
        for op in ("add", "min", "max"):
            t.add(f"{op}.{sign}16x2", x, [x, x])
    for mode in ("clamp", "wrap"):
        t.add(f"bmsk.{mode}.b32", x, [x, x])
        for side in "lr":
            t.add(f"shf.{side}.{mode}.b32", x, [x, x, x])
    t.add("prmt.b32", x, [x, x, x])
    for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        t.add(f"prmt.b32.{mode}", x, [x, x, x])
    for lut in (0x96, 0xe8, 0xca, 0x1b):
        t.add(f"lop3.b32 {lut}", x, [x, x, x], text=f"lop3.b32 {{d}}, {{a}}, {{b}}, {{c}}, {lut};")
    t.add("fns.b32", x, [x, x, x], text="{{ .reg .b32 t; .reg .b32 u; and.b32 t, {b}, 31; and.b32 u, {c}, 7; sub.s32 u, u, 3; fns.b32 {d}, {a}, t, u; }}")
    for op in ("min.relu.s32", "max.relu.s32", "min.relu.s16x2", "max.relu.s16x2"):
        t.add(op, x, [x, x])
    t.add("slct.b32.s32", x, [x, x, x])
    t.add("slct.b64.s32", "b64", ["b64", "b64", x])


def reals(t):
    s, d = "f32", "f64"
    for ftz in ("", ".ftz"):
        for rnd in ROUNDINGS:
            for sat in ("", ".sat"):
                for op in ("add", "sub", "mul"):
                    t.add(f"{op}.{rnd}{ftz}{sat}.f32", s, [s, s])
                t.add(f"fma.{rnd}{ftz}{sat}.f32", s, [s, s, s])
            t.add(f"div.{rnd}{ftz}.f32", s, [s, s])
            t.add(f"rcp.{rnd}{ftz}.f32", s, [s])
            t.add(f"sqrt.{rnd}{ftz}.f32", s, [s])
        for op, bound in (("rcp", "ulp 1"), ("sqrt", "ulp 2"), ("rsqrt", "ulp 2"), ("ex2", "ulp 2"), ("lg2", "abs 2.4e-7 ulp 2"), ("sin", "abs 7e-7 bounded"), ("cos", "abs 7e-7 bounded")):
            t.add(f"{op}.approx{ftz}.f32", s, [s], bound)
        t.add(f"div.approx{ftz}.f32", s, [s, s], "ulp 2")
        t.add(f"div.full{ftz}.f32", s, [s, s], "ulp 2")
        t.add(f"abs{ftz}.f32", s, [s])
        t.add(f"neg{ftz}.f32", s, [s])
        for op in ("min", "max"):
            for mod in ("", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"):
                t.add(f"{op}{ftz}{mod}.f32", s, [s, s])
        for cmp in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"):
            t.add(f"setp.{cmp}{ftz}.f32", "pred", [s, s])
            if not ftz:
                t.add(f"setp.{cmp}.f64", "pred", [d, d])
        t.add(f"set.gt{ftz}.f32.f32", s, [s, s])
        t.add(f"set.lt{ftz}.u32.f32", "b32", [s, s])
        t.add(f"slct{ftz}.f32.f32", s, [s, s, s])
    t.add("tanh.approx.f32", s, [s], "rel 5e-4")
    t.add("copysign.f32", s, [s, s])
    t.add("copysign.f64", d, [d, d])
    for test in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
        t.add(f"testp.{test}.f32", "pred", [s])
        t.add(f"testp.{test}.f64", "pred", [d])
    for rnd in ROUNDINGS:
        for op in ("add", "sub", "mul", "div"):
            t.add(f"{op}.{rnd}.f64", d, [d, d])
        t.add(f"fma.{rnd}.f64", d, [d, d, d])
        t.add(f"rcp.{rnd}.f64", d, [d])
        t.add(f"sqrt.{rnd}.f64", d, [d])
    t.add("rcp.approx.ftz.f64", d, [d], "rel 1e-6")
    t.add("rsqrt.approx.ftz.f64", d, [d], "rel 1e-6")
    for op in ("abs", "neg"):
        t.add(f"{op}.f64", d, [d])
    for op in ("min", "max"):
        t.add(f"{op}.f64", d, [d, d])


def halves(t):
    for kind, ty in (("h16", "f16"), ("n16", "bf16"), ("h16x2", "f16x2"), ("n16x2", "bf16x2")):
        out = "b32" if "x2" in kind else "b16"
        flush = ["", ".ftz"] if kind[0] == "h" else [""]
        for ftz in flush:
            for sat in (["", ".sat"] if kind[0] == "h" else [""]):
                for op in ("add", "sub", "mul"):
                    t.add(f"{op}.rn{ftz}{sat}.{ty}", out, [kind, kind])
                t.add(f"fma.rn{ftz}{sat}.{ty}", out, [kind] * 3)
            t.add(f"fma.rn{ftz}.relu.{ty}", out, [kind] * 3)
            for op in ("min", "max"):
                for mod in ("", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"):
                    t.add(f"{op}{ftz}{mod}.{ty}", out, [kind, kind])
            t.add(f"abs{ftz}.{ty}", out, [kind])
            t.add(f"neg{ftz}.{ty}", out, [kind])
        half = "h" if kind[0] == "h" else "n"
        t.add(f"ex2.approx{'' if half == 'h' else '.ftz'}.{ty}", out, [kind], f"half-{half} 2")
        t.add(f"tanh.approx.{ty}", out, [kind], f"half-{half} 2")
    for kind, ty in (("h16", "f16"), ("n16", "bf16")):
        for cmp in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"):
            t.add(f"setp.{cmp}.{ty}", "pred", [kind, kind])


def conversions(t):
    kinds = {"u8": "b16", "s8": "b16", "u16": "b16", "s16": "b16", "u32": "b32", "s32": "b32", "u64": "b64", "s64": "b64"}
    for to, out in kinds.items():
        for source, kind in kinds.items():
            t.add(f"cvt.{to}.{source}", out, [kind])
            wide, narrow = int(to[1:]), int(source[1:])
            fits = wide >= narrow if to[0] == source[0] else to[0] == "s" and wide > narrow
            if not fits:
                t.add(f"cvt.sat.{to}.{source}", out, [kind])
        for rnd in ROUNDINGS:
            for ty, real in (("f32", "f32"), ("f64", "f64"), ("f16", "b16")):
                t.add(f"cvt.{rnd}.{ty}.{to}", real, [out])
            for ty, real in (("f32", "f32"), ("f64", "f64"), ("f16", "h16")):
                t.add(f"cvt.{rnd}i.{to}.{ty}", out, [real])
        t.add(f"cvt.rzi.ftz.{to}.f32", out, ["f32"])
    for rnd in ROUNDINGS:
        for ftz in ("", ".ftz"):
            t.add(f"cvt.{rnd}i{ftz}.f32.f32", "f32", ["f32"])
            t.add(f"cvt.{rnd}i{ftz}.sat.f32.f32", "f32", ["f32"])
            t.add(f"cvt.{rnd}{ftz}.f32.f64", "f32", ["f64"])
            t.add(f"cvt.{rnd}{ftz}.f16.f32", "b16", ["f32"])
        t.add(f"cvt.{rnd}i.f64.f64", "f64", ["f64"])
        t.add(f"cvt.{rnd}i.f16.f16", "b16", ["h16"])
        t.add(f"cvt.{rnd}.f16.f64", "b16", ["f64"])
    t.add("cvt.f64.f32", "f64", ["f32"])
    t.add("cvt.ftz.f64.f32", "f64", ["f32"])
    t.add("cvt.f32.f16", "f32", ["h16"])
    t.add("cvt.f64.f16", "f64", ["h16"])
    t.add("cvt.f32.bf16", "f32", ["n16"])
    t.add("cvt.sat.f32.f32", "f32", ["f32"])
    t.add("cvt.rn.sat.f16.f32", "b16", ["f32"])
    for rnd in ("rn", "rz"):
        for relu in ("", ".relu"):
            t.add(f"cvt.{rnd}{relu}.bf16.f32", "b16", ["f32"])
            t.add(f"cvt.{rnd}{relu}.f16x2.f32", "b32", ["f32", "f32"])
            t.add(f"cvt.{rnd}{relu}.bf16x2.f32", "b32", ["f32", "f32"])
            t.add(f"cvt.{rnd}{relu}.tf32.f32", "b32", ["f32"])
    t.add("cvt.rna.tf32.f32", "b32", ["f32"])
    for fp8 in ("e4m3x2", "e5m2x2"):
        for relu in ("", ".relu"):
            t.add(f"cvt.rn.satfinite{relu}.{fp8}.f32", "b16", ["f32", "f32"])
            t.add(f"cvt.rn.satfinite{relu}.{fp8}.f16x2", "b16", ["h16x2"])
            t.add(f"cvt.rn{relu}.f16x2.{fp8}", "b32", ["b16"])


def warps(t):
    x = "b32"
    for mode in ("up", "down", "bfly", "idx"):
        for clamp in ("0x1f", "0", "0x181f", "0x1c00"):
            t.add(f"shfl.sync.{mode}.b32 {clamp}", "b64", [x, x], text=f"{{{{ .reg .pred q; .reg .b32 t; .reg .b64 u, v; shfl.sync.{mode}.b32 t|q, {{a}}, {{b}}, {clamp}, 0xffffffff; cvt.u64.u32 u, t; selp.u64 v, 0x100000000, 0, q; or.b64 {{d}}, u, v; }}}}")
    for op in ("add", "min", "max"):
        for ty in ("u32", "s32"):
            t.add(f"redux.sync.{op}.{ty}", x, [x], text=f"redux.sync.{op}.{ty} {{d}}, {{a}}, 0xffffffff;")
    for op in ("and", "or", "xor"):
        t.add(f"redux.sync.{op}.b32", x, [x], text=f"redux.sync.{op}.b32 {{d}}, {{a}}, 0xffffffff;")
    vote = "{{{{ .reg .pred q; setp.gt.s32 q, {{a}}, 0; {} }}}}"
    t.add("vote.sync.ballot.b32", x, [x], text=vote.format("vote.sync.ballot.b32 {{d}}, q, 0xffffffff;").replace("{{", "{").replace("}}", "}"))
    for op in ("all", "any", "uni"):
        t.add(f"vote.sync.{op}.pred", "pred", [x], text=vote.format(f"vote.sync.{op}.pred {{{{d}}}}, q, 0xffffffff;").replace("{{", "{").replace("}}", "}"))
    t.add("match.any.sync.b32", x, [x], text="{{ .reg .b32 t; and.b32 t, {a}, 3; match.any.sync.b32 {d}, t, 0xffffffff; }}")
    t.add("match.any.sync.b64", x, ["b64"], text="{{ .reg .b64 t; and.b64 t, {a}, 5; match.any.sync.b64 {d}, t, 0xffffffff; }}")
    t.add("match.all.sync.b32", x, [x], text="{{ .reg .pred q; .reg .b32 t; shr.u32 t, {a}, 31; match.all.sync.b32 t|q, t, 0xffffffff; selp.b32 {d}, t, 77, q; }}")


def atomics(t):
    for ty in ("u32", "s32", "u64", "s64"):
        b = "b" + ty[1:]
        for op in ("add", "min", "max"):
            if (op, ty) != ("add", "s64"):
                t.add(f"atom.global.{op}.{ty}", b, [b, b], "atomic")
    for bits in (32, 64):
        b = f"b{bits}"
        for op in ("and", "or", "xor", "exch"):
            t.add(f"atom.global.{op}.b{bits}", b, [b, b], "atomic")
        t.add(f"atom.global.cas.b{bits}", b, [b, b, b], "atomic")
    for op in ("inc", "dec"):
        t.add(f"atom.global.{op}.u32", "b32", ["b32", "b32"], "atomic")
    t.add("atom.global.add.f32", "f32", ["f32", "f32"], "atomic")
    t.add("atom.shared.add.f32", "f32", ["f32", "f32"], "atomic")
    t.add("atom.global.add.f64", "f64", ["f64", "f64"], "atomic")
    t.add("atom.global.add.noftz.f16x2", "b32", ["h16x2", "h16x2"], "atomic")
    t.add("atom.global.add.noftz.bf16x2", "b32", ["n16x2", "n16x2"], "atomic")
    t.add("atom.global.add.noftz.f16", "b16", ["h16", "h16"], "atomic")
    t.add("atom.global.add.noftz.bf16", "b16", ["n16", "n16"], "atomic")


def atomic_text(mnemonic, to, sources):
    """Memory starts as a; the result is what the memory holds after the operation, so that both halves are seen."""
    shared = ".shared" in mnemonic
    bits = {"b16": "b16", "b32": "b32", "b64": "b64", "f32": "f32", "f64": "f64"}[to]
    space = "shared" if shared else "global"
    where = "sm" if shared else "%rd13"
    others = ", ".join(["{b}", "{c}"][:len(sources) - 1])
    address = "mad.lo.u32 %r9, %r8, 8, %r7;" if shared else ""
    at = "[%r9]" if shared else f"[{where}]"
    return f"{address} st.{space}.{bits} {at}, {{a}}; {mnemonic} {{d}}, {at}, {others}; ld.{space}.{bits} {{d}}, {at};"


def rows():
    table = Table()
    for family in (integers, reals, halves, conversions, warps, atomics):
        family(table)
    return table.rows


def kernel(number, row):
    mnemonic, to, sources, check, text = row
    if check == "atomic":
        text = atomic_text(mnemonic, to, sources)
    registers = {"d": "%d", "a": "%a", "b": "%b", "c": "%c"}
    lines = [f".visible .entry k{number}(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd) {{ // {mnemonic}",
             f"  .reg {TYPE[to]} %d; .reg .b64 %rd<20>; .reg .b32 %r<10>;"]
    lines += [f"  .reg {TYPE[kind]} %{name};" for name, kind in zip("abc", sources)]
    if ".shared" in mnemonic:
        lines.append("  .shared .align 8 .b8 sm[2048]; mov.u32 %r7, sm;")
    lines.append("  mov.u32 %r8, %tid.x; mul.wide.u32 %rd0, %r8, 8; ld.param.u64 %rd13, [pd]; add.u64 %rd13, %rd13, %rd0;")
    for i, (name, kind) in enumerate(zip("abc", sources)):
        lines.append(f"  ld.param.u64 %rd{i + 1}, [p{name}]; add.u64 %rd{i + 1}, %rd{i + 1}, %rd0; ld.global.u64 %rd{i + 4}, [%rd{i + 1}];")
        lines.append("  " + LOAD[kind].format(r=registers[name], w=f"%rd{i + 4}"))
    lines.append("  " + text.replace("{{", "{").replace("}}", "}").replace("{d}", "%d").replace("{a}", "%a").replace("{b}", "%b").replace("{c}", "%c"))
    lines.append("  " + STORE[to].format(r="%d", w="%rd14").replace("{{", "{").replace("}}", "}") + " st.global.u64 [%rd13], %rd14;\n  ret;\n}")
    return "\n".join(lines)


def write_npy(path, words):
    header = "{'descr': '<u8', 'fortran_order': False, 'shape': (%d,), }" % len(words)
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(words)}Q", *words))


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    table = rows()
    kernels = [kernel(i, row) for i, row in enumerate(table)]
    (folder / "instructions.ptx").write_text(".version 8.1\n.target sm_90\n.address_size 64\n" + "\n".join(kernels) + "\n")
    buffers = {}
    for kind in sorted({k for row in table for k in row[2]}):
        for place in range(3):
            write_npy(folder / f"{kind}.{place}.npy", inputs(kind, place))
            buffers[f"{kind}.{place}"] = {"npy": f"{kind}.{place}.npy"}
    buffers["out"] = {"dtype": "u64", "count": THREADS * len(table), "fill": "zeros"}
    launches = []
    for i, row in enumerate(table):
        arguments = [{"buffer": f"{kind}.{place}"} for place, kind in enumerate(row[2])]
        arguments += [arguments[0]] * (3 - len(arguments)) + [{"buffer": "out", "offset_bytes": 8 * THREADS * i}]
        launches.append({"kernel": f"k{i}", "grid": [1], "block": [THREADS], "args": arguments})
    (folder / "instructions.json").write_text(json.dumps({"source": "instructions.ptx", "buffers": buffers, "launches": launches, "save": {"out": "out.npy"}}))
    print(len(table), "kernels")


if __name__ == "__main__":
    main()
