#!/usr/bin/env python3
"""Writes docs/schemas/*.schema.json and docs/reference/json.md from what the verbs print for OUTPUTS.

Usage: schemas.py PROGRAM. tests/schemas_test.py holds the schemas against these outputs and others.
"""
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from schema import type_of  # noqa: E402

TRACES, RULES = "tests/data/traces", "tests/data/rules"
GPT2 = f"{TRACES}/gpt2_train_stack.pt.trace.json.gz"
PROBE = "kernel examples/probe.json --emulate"
RANKS = f"{RULES}/uneven_batches.rank0.pt.trace.json.zst {RULES}/uneven_batches.rank1.pt.trace.json.zst"
# Schema: commands whose outputs it is made from.
OUTPUTS = {
    "summary": [f"summary {GPT2}", f"summary {TRACES}/square.pt.trace.json.gz", f"summary {RANKS}", f"summary {TRACES}/gpt2_train.pt.trace.json.gz"],
    "ops": [f"ops {GPT2}", f"ops {TRACES}/square.pt.trace.json.gz --by-shape"],
    "ops-by": [f"ops {GPT2} --by module", f"ops {GPT2} --by kernel", f"ops {GPT2} --by class"],
    "findings": [f"findings {GPT2}", f"findings {RANKS}", f"findings {TRACES}/square.pt.trace.json.gz", f"findings {RULES}/one_block_too_many.pt.trace.json.zst", "findings tests/data/recordings/decode_until.wlens.gz", "findings tests/data/counters/defects.timeline.wlens --counters tests/data/counters/defects.counts"],
    "explanations": ["findings --explain all"],
    "timeline": [f"timeline {GPT2}", f"timeline {TRACES}/square.pt.trace.json.gz", f"timeline {RANKS}"],
    "forecast": ["forecast --devices h200,a100 -- python3 tests/data/programs/doubled.py"],
    "diff": [f"diff {TRACES}/gpt2_train.pt.trace.json.gz {TRACES}/gpt2_compiled.pt.trace.json.gz", f"diff {TRACES}/square.pt.trace.json.gz {TRACES}/square_h2d.pt.trace.json.gz"],
    "ranks": [f"ranks {RANKS}"],
    "query": [f"query {TRACES}/square.pt.trace.json.gz 'select name, duration_ns from kernels'"],
    "memory": ["memory tests/data/pickles/leak.pickle", "memory tests/data/pickles/split.pickle"],
    "hang": ["hang tests/data/pickles/hang"],
    "kernel": [f"{PROBE} -k transpose_conflict", f"{PROBE} -k transpose_conflict --baseline tests/data/counters/probe.counts", f"{PROBE} -k divergent", f"{PROBE} -k gelu_double", "kernel tests/data/counters/defects.counts", "kernel tests/data/counters/stalls.counts", "kernel examples/reduce.json --emulate --check all", "kernel examples/reduce.json --emulate",
               "kernel examples/softmax_triton.json --emulate", "kernel examples/gallery/polynomial.json --emulate", "kernel examples/gallery/nbody.json --emulate",
               "kernel tests/data/checks/messages/messages.ptx -k past_the_end --grid 2 --block 32 --arg x=i32[64] --arg y=i32[64] --arg i32=64 --emulate",
               "kernel tests/data/checks/messages/messages.ptx -k past_the_end --grid 2 --block 32 --arg x=i32[64] --arg y=i32[64] --arg i32=64 --emulate --check all"],
    "inspect": ["inspect tests/data/cubin/resources.cu --arch sm_90", "inspect examples/kernels/softmax_triton.ptx"],
    "occupancy": ["occupancy --arch sm_90 --regs 64 --block 256", "occupancy --arch sm_80 --regs 168 --block 64 --smem 17408"],
    "learn": ["learn copy", "learn transpose --impl naive,tiled", "learn gelu"],
    "bench": ["bench copy --impl vector --sizes 1024 --emulate", "bench softmax --impl naive,online --sizes 1024 --emulate"],
    "fuse": ["fuse y=x*sigmoid(z) --shape 256 --emulate", "fuse y=softmax(x) --shape 8x64 --no-run"],
    "device-list": ["device list"],
    "doctor": ["doctor"],
    "help": ["help"],
}
# Objects whose members are named by what was measured, not by the format.
MAPS = {"metrics", "fidelity", "units", "evidence", "classes", "counters", "axes"}
ROWS_OF_ANY_COLUMNS = {"query"}  # their rows have the columns that were asked for
WHOLE = ("_ns", "_bytes", "count", "line", "grid", "block", "schema_version")  # other numbers may be whole by chance
FRACTIONAL = {"bench", "fuse"}  # times of which are medians
NULL_OF_LIBRARY_CALLS = ("occupancy", "roofline")  # of a launch that a library's stand-in computed: no sample here has one
UNITS = (("_ns", "nanoseconds"), ("_bytes", "bytes"), ("_fraction", "a share, 0..1"), ("_share", "a share, 0..1"), ("_per_step", "a step"),
         ("_tflops", "TFLOP/s"), ("_gbs", "GB/s"))


def ask(program, command):
    verb, *words = shlex.split(command)
    done = subprocess.run([program, verb, "--format", "json", "--config", "none", *words], cwd=ROOT, capture_output=True, text=True,
                          env=dict(os.environ, WARPLENS_CACHE=str(pathlib.Path(program).resolve().parent / "golden-cache")))
    if not done.stdout:
        raise SystemExit(f"warplens {command}: {done.stderr}")
    return json.loads(done.stdout)


def describe(name):
    return next((text for suffix, text in UNITS if name.endswith(suffix)), None)


def schema_of(values, name="", whole=WHOLE):
    """The schema of all `values`, samples of one place."""
    kinds = sorted({type_of(v) for v in values})
    if "integer" in kinds and ("number" in kinds or not name.endswith(whole)):
        kinds = sorted({*kinds, "number"} - {"integer"})
    known = kinds and kinds != ["null"]  # a sample that is null alone does not tell what else it may be
    schema = {"type": kinds[0] if len(kinds) == 1 else kinds} if known else {}
    if text := describe(name):
        schema["description"] = text
    if name == "schema_version":
        schema["const"] = 1
    objects, arrays = [v for v in values if isinstance(v, dict)], [v for v in values if isinstance(v, list)]
    if objects and name in MAPS:
        schema["additionalProperties"] = schema_of([m for o in objects for m in o.values()], whole=whole)
    elif objects:
        names = dict.fromkeys(key for o in objects for key in o)
        schema["properties"] = {key: schema_of([o[key] for o in objects if key in o], key, whole) for key in names}
        schema["required"] = [key for key in names if all(key in o for o in objects)]
    if arrays:
        schema["items"] = schema_of([e for a in arrays for e in a], name, whole)
    return schema


def page(schemas):
    parts = ["<!-- Written by scripts/schemas.py. -->\n", "# JSON",
             "The output of verbs with `--format json` (`--json`). `schema_version` grows when a member changes its meaning or is removed; members may be "
             "added. Times are integer nanoseconds named `*_ns`, bytes integers, shares 0..1; null means unknown."]
    for name, schema in schemas.items():
        rows = [f"| `{key}` | {kind_text(member)} | {member.get('description', '')} |" for key, member in schema["properties"].items()]
        commands = shlex.split(OUTPUTS[name][0])
        shown = [pathlib.Path(w).name if w.endswith(".py") else w for w in commands]
        example = " ".join(w if " " not in w else f"'{w}'" for w in shown if "/" not in w)
        parts.append(f"## {name}\n\nSchema of `warplens {example}`: [{name}.schema.json](../schemas/{name}.schema.json).\n\n| member | type | |\n| --- | --- | --- |\n" + "\n".join(rows))
    return "\n\n".join(parts) + "\n"


def kind_text(schema):
    kind = schema.get("type", "any")
    text = " or ".join(kind) if isinstance(kind, list) else kind
    return f"{text} of {kind_text(schema['items'])}" if kind == "array" and schema.get("items") else text


def main(program):
    folder = ROOT / "docs/schemas"
    folder.mkdir(exist_ok=True)
    schemas = {}
    for name, commands in OUTPUTS.items():
        whole = ("schema_version",) if name in FRACTIONAL else WHOLE
        body = schema_of([ask(program, command) for command in commands], whole=whole)
        if name == "kernel":
            for member in NULL_OF_LIBRARY_CALLS:
                body["properties"]["launches"]["items"]["properties"][member]["type"] = ["null", "object"]
        if name in ROWS_OF_ANY_COLUMNS:
            body["properties"]["rows"] = {"type": "array", "items": {"type": "object", "additionalProperties": {}}}
        schemas[name] = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"warplens {name}", **body}
        (folder / f"{name}.schema.json").write_text(json.dumps(schemas[name], indent=1) + "\n")
    (ROOT / "docs/reference/json.md").write_text(page(schemas))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
