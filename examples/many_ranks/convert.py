#!/usr/bin/env python3
"""Converts the traces of a job to a folder of Parquet files, several at a time: convert.py TRACES OUT [WORKERS]

Each trace is read alone, so memory holds WORKERS traces and no more. A trace that cannot be read is named, and the others go on.
"""
import concurrent.futures
import pathlib
import sys

import warplens


def convert(trace, out):
    """Rank of the trace, and None or why it could not be read."""
    try:
        profile = warplens.load(trace)
        profile.to_parquet(out, ["kernels", "copies", "steps", "gaps"], overwrite=True)
        return trace.name, None
    except (OSError, ValueError) as error:
        return trace.name, str(error)


def main(traces, out, workers="2"):
    files = sorted(f for f in pathlib.Path(traces).iterdir() if f.is_file())
    with concurrent.futures.ProcessPoolExecutor(int(workers)) as pool:
        done = list(pool.map(convert, files, [out] * len(files)))
    for name, error in done:
        if error:
            print(f"left out: {name}: {error}", file=sys.stderr)
    print(f"{sum(error is None for _, error in done)} of {len(files)} traces converted to {out}")
    return 1 if all(error for _, error in done) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
