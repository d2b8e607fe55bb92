"""`warplens judge REFERENCE CANDIDATE`."""

from __future__ import annotations

import argparse
import importlib.util
import json
import pathlib
import sys

from .. import _core
from . import verdict
from .judging import Failed, Options, judge
from .processes import adopt, close_to_others

EXIT_FAILED = 1


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="warplens judge", description="Checks that a fast kernel is correct, and fast by honest work.")
    parser.add_argument("reference", type=pathlib.Path)
    parser.add_argument("candidates", type=pathlib.Path, nargs="+")
    parser.add_argument("--device", default="h200", help="the GPU for the reported time")
    parser.add_argument("--gpu", action="store_true", help="run and time on the GPU of this machine; checks stay emulated")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seed", type=int, help="the first seed of the inputs; another each time unless given")
    parser.add_argument("--max-elements", type=int, default=Options.max_elements, help="elements of all inputs; larger sizes are divided; 0: no limit")
    parser.add_argument("--timed-elements", type=int, help="elements of all inputs of the timed calls; 0: no limit; they may take all of --timeout")
    parser.add_argument("--timeout", type=float, default=Options.timeout_s, help="seconds")
    parser.add_argument("--spec", type=json.loads, help="arguments of generate_input, as JSON")
    parser.add_argument("--counters", type=pathlib.Path, help="write the counters of the timed call: FILE.json, .csv, .md, or text")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--report", type=pathlib.Path, help="write the report there")
    given = parser.parse_args(arguments)
    for path in (given.reference, *given.candidates):
        if not path.is_file():
            return _failed(f"{path}: no such file")
    if importlib.util.find_spec("torch") is None:
        return _failed("references need PyTorch, which is missing: run pip install torch numpy")
    is_asked = given.timed_elements is not None
    options = Options(given.device, max(2, given.seeds), given.seed, given.max_elements or 1 << 62,
                      (given.timed_elements or 1 << 62) if is_asked else Options.timed_elements, given.timeout if is_asked else Options.timed_s,
                      given.timeout, given.spec, given.gpu, given.counters.resolve() if given.counters else None)
    try:
        judgements = judge(given.reference, given.candidates, options)
    except (ValueError, Failed) as error:
        return _failed(str(error))
    report = json.dumps({"schema_version": _core.SCHEMA_VERSION, "judgements": judgements}, indent=2) + "\n" if given.json else "\n".join(map(verdict.text, judgements))
    if given.report is not None:
        given.report.write_text(report)
    else:
        print(report, end="")
    return 0 if all(judgement["verdict"] == "accepted" for judgement in judgements) else EXIT_FAILED


def _failed(text: str) -> int:
    print(text, file=sys.stderr)
    return EXIT_FAILED


if __name__ == "__main__":
    close_to_others()
    adopt()
    raise SystemExit(main())
