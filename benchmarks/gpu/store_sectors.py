#!/usr/bin/env python3
"""Compares sectors and requests of stores: store_sectors.py MEASURED.json EMULATED.json, reports of `warplens counters --json -- ./store_sectors`."""
import json
import pathlib
import sys

NAMES = ["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"]


def main():
    measured, emulated = ([launch for launch in json.loads(pathlib.Path(path).read_text())["launches"]] for path in sys.argv[1:3])
    assert [m["kernel"] for m in measured] == [e["kernel"] for e in emulated], "other launches"
    unequal = 0
    for m, e in zip(measured, emulated):
        values = [(m["metrics"].get(name), e["metrics"].get(name)) for name in NAMES]
        if any(a != b for a, b in values):
            unequal += 1
            print(m["kernel"], *values)
    print(f"{len(measured) - unequal} of {len(measured)} launches equal")
    return 0


if __name__ == "__main__":
    sys.exit(main())
