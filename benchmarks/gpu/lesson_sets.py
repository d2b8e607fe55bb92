"""More tables for pair_sets.py, in its format: pairs of lessons of labs, exercises and lectures."""

LAB = [
    ("blocksum", "atomic-contention", ("n/1024", 256, "x y", []), ("n/1024", 256, "x y", [])),
    ("softwarp", "redundant-loads", ("n/16384", 256, "x y", [2048]), ("n/16384", 256, "x y", [2048])),
    ("lnorm", "uncoalesced-access", ("n/131072", 256, "x w y", [512]), ("n/4096", 256, "x w y", [512])),
    ("biasgrad", "uncoalesced-access", (1024, 256, "x o", ["n/1024", 1024]), ([32, 33], 256, "x o", ["n/1024", 1024])),
    ("posgrad", "atomic-contention", ("n/512", 256, "x o", ["n/2"]), (264, 256, "x o", ["n/2"])),
    ("cumrows", "uncoalesced-access", ("n/65536", 256, "x y", [256]), ("n/2048", 256, "x y", [256])),
    ("top4", "redundant-loads", ("n/8192", 256, "x y", [8192]), ("n/8192", 256, "x y", [8192])),
    ("dot8", "unvectorised-access", ("n/2048", 256, "k i", ["n/8"]), ("n/2048", 256, "k i", ["n/8"])),
    ("halfpoly", "unvectorised-access", ("n/256", 256, "p q", [64]), ("n/512", 256, "p q", [64])),
    ("nibbles", "unvectorised-access", ("n/512", 256, "k q", ["n/2"]), ("n/2048", 256, "k q", ["n/2"])),
    ("bits", "unvectorised-access", ("n/256", 256, "k i", ["n"]), ("n/1024", 256, "k i", ["n"])),
    ("julia", "accidental-double", (["s/64", "s/32"], [16, 16], "y", ["s/4"]), (["s/64", "s/32"], [16, 16], "y", ["s/4"])),
    ("dft", "precise-functions", ("n/1024", 256, "x y", []), ("n/1024", 256, "x y", [])),
    ("rope", "precise-functions", ("n/512", 256, "x y", [128]), ("n/512", 256, "x y", [128])),
    ("shares", "precise-functions", ("n/1024", 256, "x y", [64]), ("n/1024", 256, "x y", [64])),
    ("assign", "broadcast-loads", ("n/1024", 256, "x w y", [64]), ("n/1024", 256, "x w y", [64])),
    ("merge", "uncoalesced-access", ("n/4096", 128, "x y", []), ("n/2048", 64, "x y", [])),
    ("mats3", "uncoalesced-access", ("n/8192", 256, "x y", []), ("n/8192", 256, "x y", [])),
    ("gauss", "local-array", ("n/16384", 256, "x y", [6]), ("n/16384", 256, "x y", [6])),
    ("dice", "redundant-loads", ("n/4096", 256, "k y", [64]), ("n/4096", 256, "k y", [64])),
    ("attend", "redundant-loads", ("n/32768", 256, "x y", [256]), ("n/32768", 256, "x y", [256])),
    ("cplx", "bank-conflict", ("n/4096", 256, "x y", [64]), ("n/4096", 256, "x y", [64])),
    ("rows48", "small-blocks", ("n/96", 256, "x y", []), ("n/512", 256, "x y", [])),
    ("splat", "atomic-contention", (["s/64", "s/16"], [32, 8], "x y", ["s/2"]), (["s/64", "s/16"], [32, 8], "x y", ["s/2"])),
]

LESSON_SETS = {"lab_pairs": LAB}
