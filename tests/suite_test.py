#!/usr/bin/env python3
"""Every step of every family of kernels/, at small sizes: right against float64, clean under every check, and its exact counters as
tests/data/suite_counters.json keeps them (matrix_kernels_test.py has odd sizes, grouped heads and sequences of several lengths).
Usage: suite_test.py PROGRAM [--update] [FAMILY...]
"""
import json
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = ROOT / "tests/data/suite_counters.json"
# Counters that depend only on the program, with any compiler of its machine code.
COUNTERS = {
    "load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "reductions": "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    "shared_load_passes": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_passes": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "mma": "sm__inst_executed_pipe_tensor_op_hmma.sum",
    "wgmma": "sm__inst_executed_pipe_tensor_op_gmma.sum",
}
# How often a tile looks for those before it depends on the order in which they run.
NOT_EXACT = {"scan/look_back": ("load_sectors", "shared_load_passes", "shared_store_passes"), "scan/rounds": ("load_sectors",)}

# Under checks naive products take long.
CHECKED_AT = {"matmul": ("--axis", "n=128")}


def run(program, *arguments):
    done = subprocess.run([program, *arguments, "--json", "--config", "none"], capture_output=True, text=True)
    if not done.stdout:
        return {"failed": f"{' '.join(arguments)}: exit code {done.returncode}: {done.stderr[-500:]}"}
    return json.loads(done.stdout)


def counted(measurement):
    skip = NOT_EXACT.get(measurement["name"], ())
    metrics = measurement["metrics"]
    return {short: int(metrics[name]) for short, name in COUNTERS.items() if short not in skip and metrics.get(name)}


def try_family(program, family):
    """The mistakes, and the counters of each step."""
    result, wrong, counters = run(program, "bench", family, "--emulate"), [], {}
    if "failed" in result:
        return [result["failed"]], {}
    for m in result["measurements"]:
        size = ",".join(f"{axis}={value}" for axis, value in (m["axes"].items() if isinstance(m["axes"], dict) else m["axes"]))
        counters[f"{m['name']} {size}"] = counted(m)
        if not m["valid"] or not m["checks"] or not all(c["passed"] for c in m["checks"]):
            wrong.append(f"{m['name']} {size}: {m['errors'] or m['checks']}")
    for name in sorted({m["name"] for m in result["measurements"]}):
        checked = run(program, "kernel", name, "--emulate", "--check", "all", *CHECKED_AT.get(family, ()))
        reports = [checked["failed"]] if "failed" in checked else [r for launch in checked["launches"] for r in launch["reports"]]
        wrong += [f"{name}: {r if isinstance(r, str) else r.get('id')} {r if isinstance(r, str) else json.dumps(r)[:300]}" for r in reports]
    return wrong, counters


def main(program, *rest):
    update, names = "--update" in rest, [r for r in rest if r != "--update"]
    every = not names
    names = names or sorted(file.parent.name for file in (ROOT / "kernels").glob("*/family.json"))
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    failures, seen = [], {}
    with ThreadPoolExecutor(2) as pool:
        for wrong, counters in pool.map(lambda name: try_family(program, name), names):
            failures += wrong
            seen.update(counters)
    if update:
        kept = seen if every else {**kept, **seen}
        KEPT.write_text(json.dumps(kept, indent=0, sort_keys=True) + "\n")
    for name, counters in seen.items():
        if kept.get(name) != counters:
            failures.append(f"{name}: counters {counters}, kept {kept.get(name)}")
    if every:
        failures += [f"{name} is kept but gone" for name in kept if name not in seen]
    print("\n".join(failures) or f"{len(seen)} steps of {len(names)} families are right, clean and counted as before")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
