"""Results of matrix_suite.py as Markdown: each case beside the fastest of the libraries' kernels."""
from variants import FP32, PERSISTENT, WGMMA, label

PEERS = ("cuBLAS", "SDPA")


def default(case):
    """The kernel that the suite's family runs there."""
    if "fp32" in case: return label("08_tensor_copies", FP32[0])
    if "matmul" in case: return label("04_persistent", PERSISTENT[0])
    if "forward" not in case: return "01_wgmma" if "backward" in case else "01_paged"
    return label("04_flash_wgmma", WGMMA[2 if "head 64" in case else 0 if "causal" in case else 1])


def value(r):
    return f"{r['gb_s']:.0f} GB/s" if "gb_s" in r else f"{r['tflops']:.1f} TFLOP/s"


def rows(results):
    timed = {name: r for name, r in results.items() if "ms" in r}
    best = min((r["ms"] for name, r in timed.items() if name.startswith(PEERS)), default=None)
    for name, r in sorted(timed.items(), key=lambda x: x[1]["ms"]):
        share = f"{best / r['ms']:.3f}" if best else ""
        yield f"| {name} | {1000 * r['ms']:.1f} | {1000 * r['low_ms']:.1f} to {1000 * r['high_ms']:.1f} | {value(r)} | {share} | {r['error']:.1e} |"


def summary(cases):
    """One line a case: the kernel of the suite beside the fastest of the libraries' and Triton's."""
    yield "| case | kernel | library | Triton | of the library |"
    yield "|---|---:|---:|---:|---:|"
    for name, results in cases.items():
        timed = sorted(((r["ms"], n, r) for n, r in results.items() if "ms" in r), key=lambda x: x[0])
        own = next((x for x in timed if x[1] == default(name)), None)
        peer = next((x for x in timed if x[1].startswith(PEERS)), None)
        triton = next((value(x[2]) for x in timed if x[1] == "Triton"), "")
        if own and peer: yield f"| {name} | {value(own[2])} | {value(peer[2])} ({peer[1]}) | {triton} | {peer[0] / own[0]:.3f} |"


def markdown(cases):
    yield from summary(cases)
    for name, results in cases.items():
        yield from ("", f"### {name}", "", "| kernel | us | 95 % interval | | of the fastest library's | error |", "|---|---:|---:|---:|---:|---:|")
        yield from rows(results)
        yield from (f"\n{n}: {r['error'].splitlines()[0]}" for n, r in results.items() if "ms" not in r)
