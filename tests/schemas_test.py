#!/usr/bin/env python3
"""The JSON of verbs fits docs/schemas, for the outputs that the schemas are made from and for others.

Usage: schemas_test.py PROGRAM
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import schemas  # noqa: E402
from schema import faults  # noqa: E402

# Outputs that no schema was made from.
OTHERS = {
    "summary": ["summary tests/data/traces/llama_decode.pt.trace.json.gz", "summary tests/data/rules/whole_step_graph.pt.trace.json.zst"],
    "ops": ["ops tests/data/traces/attention.pt.trace.json.gz"],
    "findings": ["findings tests/data/traces/llama_decode.pt.trace.json.gz", "findings tests/data/traces/square_h2d.pt.trace.json.gz"],
    "timeline": ["timeline tests/data/traces/streams.pt.trace.json.gz"],
    "query": ["query tests/data/traces/streams.pt.trace.json.gz 'select count(*) as n, null as missing from kernels'"],
    "kernel": ["kernel examples/probe.json -k matmul_tiled --emulate", "kernel examples/gallery/bf16_softmax.json --emulate",
               "kernel examples/reduce.json -k block_sum --emulate --check all"],
    "bench": ["bench transpose --impl naive --sizes 64 --emulate"],
    "fuse": ["fuse y=x*x+1 --shape 64 --emulate"],
    "inspect": ["inspect examples/kernels/reduce.cu"],
    "occupancy": ["occupancy --arch sm_120 --regs 32 --block 128"],
}


def main(program):
    failed, count = False, 0
    for name, commands in schemas.OUTPUTS.items():
        schema = json.loads((ROOT / f"docs/schemas/{name}.schema.json").read_text())
        for command in commands + OTHERS.get(name, []):
            count += 1
            for fault in faults(schemas.ask(program, command), schema)[:5]:
                failed = True
                print(f"warplens {command}: docs/schemas/{name}.schema.json: {fault}")
    assert faults({"schema_version": 2}, schema) and faults([], schema)
    print(f"{count} outputs" + ("; scripts/schemas.py PROGRAM writes the schemas again" if failed else " as their schemas say"))
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
