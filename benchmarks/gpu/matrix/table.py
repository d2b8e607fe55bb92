"""Results of matrix_suite.py as Markdown: each case beside the fastest of the libraries' kernels."""
PEERS = ("cuBLAS", "SDPA")


def value(r):
    return f"{r['gb_s']:.0f} GB/s" if "gb_s" in r else f"{r['tflops']:.1f} TFLOP/s"


def rows(results):
    timed = {name: r for name, r in results.items() if "ms" in r}
    best = min((r["ms"] for name, r in timed.items() if name.startswith(PEERS)), default=None)
    for name, r in sorted(timed.items(), key=lambda x: x[1]["ms"]):
        share = f"{best / r['ms']:.3f}" if best else ""
        yield f"| {name} | {1000 * r['ms']:.1f} | {1000 * r['low_ms']:.1f} to {1000 * r['high_ms']:.1f} | {value(r)} | {share} | {r['error']:.1e} |"


def summary(cases):
    """One line a case: the fastest own kernel beside the fastest library's and Triton's."""
    yield "| case | kernel | | library | Triton | of the library |"
    yield "|---|---|---:|---:|---:|---:|"
    for name, results in cases.items():
        timed = sorted(((r["ms"], n, r) for n, r in results.items() if "ms" in r), key=lambda x: x[0])
        own = next((x for x in timed if not x[1].startswith((*PEERS, "Triton"))), None)
        peer = next((x for x in timed if x[1].startswith(PEERS)), None)
        triton = next((value(x[2]) for x in timed if x[1] == "Triton"), "")
        if own and peer: yield f"| {name} | {own[1]} | {value(own[2])} | {value(peer[2])} ({peer[1]}) | {triton} | {peer[0] / own[0]:.3f} |"


def markdown(cases):
    yield from summary(cases)
    for name, results in cases.items():
        yield from ("", f"### {name}", "", "| kernel | us | 95 % interval | | of the fastest library's | error |", "|---|---:|---:|---:|---:|---:|")
        yield from rows(results)
        yield from (f"\n{n}: {r['error'].splitlines()[0]}" for n, r in results.items() if "ms" not in r)
