"""Pairs of launches, one with a known defect and one with it mended: the tables that pairs.py makes launch files and host programs of.

A pair is a name, a finding, the bad launch and the fixed one: grid, block, buffers, numbers, and dynamic shared memory where there is any.
A string is an expression of n, the elements of the largest buffers, and of s, its square root; a pair of a type and a value is a number of
that type. Buffers: type, and the part of n that they hold (0: 4,096 elements)."""

FIRST = [
    ("column", "uncoalesced-access", ("n/256", 256, "x y", ["n"]), ("n/256", 256, "x y", ["n"])),
    ("scatter", "uncoalesced-access", ("n/256", 256, "x y", ["n"]), ("n/256", 256, "x y", ["n"])),
    ("rowsum", "bank-conflict", ("n/2048", 256, "x y", [16]), ("n/2048", 256, "x y", [16])),
    ("parity", "divergence", ("n/256", 256, "x y", ["n"]), ("n/256", 256, "x y", ["n"])),
    ("trips", "divergence", ("n/256", 256, "x y", ["n"]), ("n/256", 256, "x y", ["n"])),
    ("hoard", "low-occupancy", ("n/64", 64, "x y", ["n"]), ("n/64", 64, "x y", ["n"])),
    ("few", "small-grid", (16, 256, "x y", ["n"]), (1056, 256, "x y", ["n"])),
    ("last", "tail-effect", (300, 1024, "x y", [4000]), (2400, 128, "x y", [4000])),
    ("celsius", "accidental-double", ("n/256", 256, "x y", ["n"]), ("n/256", 256, "x y", ["n"])),
    ("polynomial", "unfused-multiply-add", ("n/256", 256, "x y", ["n"]), ("n/256", 256, "x y", ["n"])),
    ("hold", "spills", ("n/8192", 1024, "x y", [20]), ("n/1024", 128, "x y", [20])),
    ("pick", "local-array", ("n/1024", 256, "x y", ["n/4", 100]), ("n/1024", 256, "x y", ["n/4", 100])),
    ("total", "atomic-contention", ("n/256", 256, "x o", ["n"]), (1056, 256, "x o", ["n"])),
    ("bins", "atomic-contention", ("n/256", 256, "x h", ["n"]), (1056, 256, "x h", ["n"])),
    ("window", "redundant-loads", ("n/256", 256, "x y", ["n"]), ("n/1024", 256, "x y", ["n"])),
    ("narrow", "unvectorised-access", ("n*2/256", 256, "x y", ["n*2"]), ("n*2/4096", 256, "x y", ["n*2"])),
    ("odd", "partial-warps", ("n/33", 33, "x y", ["n"]), ("n/256", 256, "x y", ["n"])),
    ("wait", "excess-synchronization", ("n/4096", 1024, "x y", [256]), ("n/4096", 1024, "x y", [256])),
    ("serial", "dependence-chain", (132, 32, "x y", [4096]), (132, 32, "x y", [4096])),
    ("digits", "integer-division", ("n/1024", 256, "i j", ["n/4", 10]), ("n/1024", 256, "i j", ["n/4", 10])),
    ("power", "accidental-double", ("n/256", 256, "x y", ["n"]), ("n/256", 256, "x y", ["n"])),
    ("tree", "bank-conflict", ("n/4096", 512, "x y", [8]), ("n/4096", 512, "x y", [8])),
    ("rows", "uncoalesced-access", ("n/64/256", 256, "x y", ["n"]), ("n/512", 256, "x y", ["n"])),
    ("weights", "broadcast-loads", ("n/256", 256, "x w y", ["n"]), ("n/256", 256, "x w y", ["n"])),
]
MEMORY = [
    ("turn", "uncoalesced-access", (["s/16", "s/16"], [32, 8], "x y", ["s*2", "s/2"]), (["s/16", "s/64"], [32, 8], "x y", ["s*2", "s/2"])),
    ("luma", "uncoalesced-access", ("n/1024", 256, "x y", ["n/4"]), ("n/1024", 256, "x y", ["n/4"])),
    ("kinetic", "uncoalesced-access", ("n/4096", 256, "d e", ["n/16"]), ("n/4096", 256, "d e", ["n/16"])),
    ("rowmax", "uncoalesced-access", ("n/32768", 256, "p q", ["n/128", 128]), ("n/1024", 256, "p q", ["n/128", 128])),
    ("gather", "uncoalesced-access", ("n/256", 256, "i x y", ["n"]), ("n/256", 256, "i x y", ["n"])),
    ("turn64", "bank-conflict", (["s/64", "s/64"], [32, 8], "d e", ["s/2"]), (["s/64", "s/64"], [32, 8], "d e", ["s/2"])),
    ("owncounts", "bank-conflict", ("n/8192", 128, "i j", [64]), ("n/8192", 128, "i j", [64])),
    ("deal", "bank-conflict", ("n/4096", 1024, "x y", [12]), ("n/4096", 1024, "x y", [12])),
    ("blur", "redundant-loads", (["s/64", "s/16"], [32, 8], "x y", ["s/2"]), (["s/64", "s/64"], [32, 8], "x y", ["s/2"])),
    ("columns", "redundant-loads", ("n/64/256", 256, "x y", ["n/64", 64]), ("n/64/256", 256, "x y", ["n/64", 64])),
    ("product16", "redundant-loads", (["s*3/512", "s*3/128"], [32, 8], "p q", ["s*3/16"]), (["s*3/512", "s*3/512"], [32, 8], "p q", ["s*3/16"])),
    ("axpy16", "unvectorised-access", ("n/256", 256, "p q", ["n"]), ("n/2048", 256, "p q", ["n"])),
    ("scale", "unvectorised-access", ("n/256", 256, "x y", ["n"]), ("n/1024", 256, "x y", ["n"])),
    ("threshold", "unvectorised-access", (1056, 256, "x y", ["n*2"]), (1056, 256, "x y", ["n*2"])),
    ("eight", "atomic-contention", (1056, 256, "i h", ["n"]), (1056, 256, "i h", ["n"])),
    ("largest", "atomic-contention", ("n/8192", 256, "i g", ["n/32"]), ("n/131072", 256, "i g", ["n/32"])),
    ("segments", "atomic-contention", ("n/4096", 256, "x o", ["n/16"]), ("n/32768", 256, "x o", ["n/16"])),
    ("bins4096", "atomic-contention", ("n/1024", 256, "i h", ["n/4"]), (264, 512, "i h", ["n/4"])),
    ("sort12", "local-array", ("n/4096", 256, "x y", ["n/16"]), ("n/4096", 256, "x y", ["n/16"])),
    ("tally", "local-array", ("n/4096", 256, "i y", ["n/16", 16]), ("n/4096", 256, "i y", ["n/16", 16])),
    ("chains", "spills", ("n/16384", 512, "x y", ["n/32", 32]), ("n/8192", 256, "x y", ["n/32", 32])),
    ("series", "broadcast-loads", ("n/512", 256, "x w y", ["n/2", 64]), ("n/512", 256, "x w y", ["n/2", 64])),
]
COMPUTE = [
    ("hashloop", "divergence", ("n/4096", 256, "x y", ["n/16"]), ("n/4096", 256, "x y", ["n/16"])),
    ("checker", "divergence", (["s/32", "s/32"], [16, 16], "x y", ["s/2"]), (["s/32", "s/32"], [16, 16], "x y", ["s/2"])),
    ("few4", "divergence", ("n/1024", 256, "x y", ["n/4"]), ("n/1024", 256, "x y", ["n/4"])),
    ("hold160", "low-occupancy", ("n/32768", 128, "x y", ["n/256"]), ("n/32768", 128, "x y", ["n/256"])),
    ("tiny", "low-occupancy", ("n/128", 32, "x y", ["n/4"]), ("n/1024", 256, "x y", ["n/4"])),
    ("stage", "low-occupancy", ("n/1024", 128, "x y", ["n/8"]), ("n/1024", 128, "x y", ["n/8"])),
    ("edge", "tail-effect", ([17, 16], [32, 32], "x y", [1500]), ([34, 32], [16, 16], "x y", [1500])),
    ("slabs", "tail-effect", (140, 512, "x y", ["n*3/245760"], 204800), (1120, 64, "x y", ["n*3/245760"], 25600)),
    ("rowsums", "small-grid", (24, 1024, "x o", ["n/32"]), ([24, 44], 256, "x o", ["n/32"])),
    ("steps", "small-grid", (40, 256, "x y", ["n/64", 1000]), (1024, 256, "x y", ["n/64", 1000])),
    ("normal", "accidental-double", ("n/4096", 256, "x y", ["n/512"]), ("n/4096", 256, "x y", ["n/512"])),
    ("angle", "accidental-double", (["s/128", "s/8"], [64, 4], "x y", ["s/2"]), (["s/128", "s/8"], [64, 4], "x y", ["s/2"])),
    ("rotate", "unfused-multiply-add", ("n/1024", 256, "x y", ["n/4", ("f32", 0.995), ("f32", 0.0998)]),
     ("n/1024", 256, "x y", ["n/4", ("f32", 0.995), ("f32", 0.0998)])),
    ("horner64", "unfused-multiply-add", ("n/1024", 256, "d e", ["n/4"]), ("n/1024", 256, "d e", ["n/4"])),
    ("horner16", "unfused-multiply-add", ("n/1024", 256, "p q", ["n/4"]), ("n/1024", 256, "p q", ["n/4"])),
    ("mix", "partial-warps", ("n/80+1", 40, "x y", ["n/2"]), ("n/512", 256, "x y", ["n/2"])),
    ("laplace", "partial-warps", (["s/10+1", "s/10+1"], [5, 5], "x y", ["s/2"]), (["s/64", "s/16"], [32, 8], "x y", ["s/2"])),
    ("scan", "excess-synchronization", ("n/4096", 1024, "x y", []), ("n/4096", 1024, "x y", [])),
    ("drip", "excess-synchronization", (1056, 256, "x y", [512]), (1056, 256, "x y", [512])),
    ("roots", "dependence-chain", (132, 64, "x y", [1024]), (132, 64, "x y", [1024])),
    ("compound", "dependence-chain", (264, 64, "d e", [4096]), (264, 64, "d e", [4096])),
    ("shuffle4", "integer-division", ("n/256", 256, "x y", ["n/262144", 32, 64, 128]), ("n/256", 256, "x y", ["n/262144", 32, 64, 128])),
    ("ring", "integer-division", ("n/4096", 256, "i j", ["n/16", 4099]), ("n/4096", 256, "i j", ["n/16", 4099])),
    ("divide64", "integer-division", ("n/4096", 256, "i j", ["n/16", ("i64", 10)]), ("n/4096", 256, "i j", ["n/16", ("i64", 10)])),
]

FIRST_BUFFERS = {"x": ("f32", 1), "y": ("f32", 1), "i": ("i32", 4), "j": ("i32", 4), "w": ("f32", 0), "o": ("f32", 0), "h": ("u32", 0)}
BUFFERS = {"x": ("f32", 1), "y": ("f32", 1), "i": ("i32", 1), "j": ("i32", 8), "w": ("f32", 0), "o": ("f32", 0), "h": ("u32", 0), "g": ("u64", 0),
           "p": ("f16", 1), "q": ("f16", 1), "d": ("f64", 2), "e": ("f64", 2)}

# name of the set, which is its source's too -> pairs, buffers, n at full size, bits of random integers
SETS = {"pairs": (FIRST, FIRST_BUFFERS, 1 << 23, 20), "memory_pairs": (MEMORY, BUFFERS, 1 << 24, 24), "compute_pairs": (COMPUTE, BUFFERS, 1 << 24, 24)}
