#!/usr/bin/env python3
"""Measures group-bys over many events against pandas in the same run, on one core, load included: query.py BUILD [COUNT]

Each side is a process that starts, reads its file and answers. pandas gets the columns it needs alone, from Parquet, names as categories:
its fastest way; reading all columns is a row of its own. Both answers are compared. Needs pandas and pyarrow.
"""
import csv
import io
import os
import pathlib
import subprocess
import sys

QUERIES = {
    "time by name": ("select name, count(*) as n, sum(duration_ns) as ns from device_events where kind = 'kernel' group by name order by name",
                     "d[d.kind == 'kernel'].groupby('name', observed=True).duration_ns.agg(['count', 'sum']).sort_index()", ["name", "kind", "duration_ns"]),
    "mean by name and stream": ("select name, stream, count(*) as n, min(duration_ns) as least from device_events group by name, stream order by name, stream",
                                "d.groupby(['name', 'stream'], observed=True).duration_ns.agg(['count', 'min']).sort_index()", ["name", "stream", "duration_ns"]),
}
REPEAT = 3


def best(command, environment=None):
    """Least seconds of processor time of several runs on one core, which other programs change least, and what the command printed."""
    seconds, out = [], ""
    for _ in range(REPEAT):
        process = subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})},
                                   preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
        out = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command)
        seconds.append(usage.ru_utime + usage.ru_stime)
    return min(seconds), out


def pandas_code(expression, columns):
    return ("import pandas, sys\n"
            f"d = pandas.read_parquet(sys.argv[1], columns={columns!r}, use_threads=False)\n"
            f"{expression}.to_csv(sys.stdout, header=False)")


def main(build, count="10000000"):
    build = pathlib.Path(build).resolve()
    data = build / "bench-data"
    data.mkdir(exist_ok=True)
    profile, parquet = data / f"events-{count}.wlens", data / f"events-{count}.parquet"
    if not profile.exists():
        subprocess.run([build / "query_events", profile, count], check=True)
    if not parquet.exists():
        sys.path.insert(0, str(build / "python"))
        import pyarrow.parquet
        import warplens
        pyarrow.parquet.write_table(warplens.load(profile).table("device_events").to_arrow(), parquet)
    one = {"WARPLENS_THREADS": "1", "ARROW_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    start, _ = best([sys.executable, "-c", "import pandas"], one)
    print(f"{int(count):,} events, processor time on one core, load included; pandas' import alone takes {start:.2f} s")
    for name, (sql, expression, columns) in QUERIES.items():
        ours, text = best([build / "warplens", "query", profile, sql, "--format", "csv"], one)
        theirs, peer = best([sys.executable, "-c", pandas_code(expression, columns), parquet], one)
        whole, _ = best([sys.executable, "-c", pandas_code(expression, None), parquet], one)
        # Categories are in the order of their numbers there, texts in that of their bytes here.
        equal = sorted(list(csv.reader(io.StringIO(text)))[1:]) == sorted(csv.reader(io.StringIO(peer)))
        print(f"{name}: warplens {ours:.2f} s; pandas, its columns alone {theirs:.2f} s, {theirs / ours:.1f}x, {(theirs - start) / ours:.1f}x without its "
              f"import; all columns {whole:.2f} s, {whole / ours:.1f}x; answers {'equal' if equal else 'DIFFER'}")


if __name__ == "__main__":
    main(*sys.argv[1:])
