#!/usr/bin/env python3
"""Times `warplens ranks FOLDER` on a job of synthetic ranks, and compares its answers with `warplens query`, DuckDB and Spark.

    many_ranks.py PROGRAM [--ranks 64] [--megabytes 1] [--folder DIR] [--compare N] [--parquet DIR] [--spark]

The ranks are one recorded rank, repeated until a file has its size: each gets its own clock, one comes late to every seventh collective.
With --compare N, `query` answers for N of the ranks. With --parquet, DuckDB answers for the Parquet folder that
`examples/many_ranks/convert.py` wrote of all of them, and with --spark a local Spark of two workers does so too.
"""
import argparse
import gzip
import json
import pathlib
import random
import resource
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORDED = ROOT / "tests/data/defects/allreduce_after_backward.bad.rank0.pt.trace.json.gz"
LATE_US, EVERY = 300.0, 7
QUESTION = ("select (select count(*) from kernels) as kernels, s.busy_ns, s.computation_ns, s.exposed_communication_ns "
            "from steps s where s.step is null")


def recorded():
    trace = json.loads(gzip.decompress(RECORDED.read_bytes()))
    trace["traceEvents"] = sorted((e for e in trace["traceEvents"] if e.get("ph") == "X"), key=lambda e: e["ts"])
    return trace


def prepared(events, repeats):
    """Of each event what all ranks share as text, its begin and length, and whether it is a collective."""
    begin, end = events[0]["ts"], max(e["ts"] + e.get("dur", 0) for e in events)
    out = []
    for repeat in range(repeats):
        for event in events:
            args = event.get("args", {})
            ids = {k: args[k] + repeat * 10_000_000 for k in ("correlation", "External id", "Seq") if k in args}
            body = {k: v for k, v in event.items() if k not in ("ts", "dur", "args")} | {"args": {**args, **ids}}
            is_collective = event.get("cat") == "kernel" and "nccl" in event["name"]
            out.append((json.dumps(body)[:-1], event["ts"] + repeat * (end - begin + 1e4), event.get("dur", 0), is_collective))
    return out


def write_ranks(folder, count, megabytes, late):
    """Files of `count` ranks. `late` of them comes late to every EVERY-th collective; the others wait for it."""
    trace = recorded()
    size = len(json.dumps(trace["traceEvents"]))
    events = prepared(trace["traceEvents"], max(1, round(megabytes * 1e6 / size)))
    chance = random.Random(1)
    for rank in range(count):
        clock = chance.uniform(-3e6, 3e6) if rank else 0.0
        trace["distributedInfo"].update(rank=rank, world_size=count)
        for group in trace["distributedInfo"].get("pg_config", []):
            group.update(pg_size=count, ranks=list(range(count)))
        lines, index, later = [], 0, clock
        for body, start, duration, is_collective in events:
            begin = start + later
            if is_collective:
                index += 1
                if index % EVERY == 0:
                    later += LATE_US
                    begin, duration = (begin + LATE_US, duration) if rank == late else (begin, duration + LATE_US)
            lines.append(f'{body}, "ts": {begin:.3f}, "dur": {duration:.3f}}}')
        head = json.dumps({k: v for k, v in trace.items() if k != "traceEvents"})[1:-1]
        (folder / f"rank_{rank}.json").write_text("{" + head + ', "traceEvents": [' + ",\n".join(lines) + "]}\n", encoding="utf-8")


def ask(program, *arguments):
    return json.loads(subprocess.run([program, *map(str, arguments), "--json"], capture_output=True, text=True, check=True).stdout)


def compare_query(program, folder, rows, count):
    for rank in range(count):
        answer = ask(program, "query", folder / f"rank_{rank}.json", QUESTION)["rows"][0]
        assert all(answer[key] == rows[rank][key] for key in answer), (rank, answer, rows[rank])
    print(f"query gives the same kernels, busy time, computation and exposed communication of {count} ranks")


# Of each rank. The n-th collective of a name is the same one in all ranks; beyond the shortest duration it only waits.
BY_RANK = """
with numbered as (select rank, name, duration_ns, row_number() over (partition by rank, name order by start_ns) as number
                  from kernels where class = 'communication'),
     matched as (select rank, duration_ns, min(duration_ns) over (partition by name, number) as transfer_ns from numbered),
     waits as (select rank, count(*) as collectives, sum(transfer_ns) as transfer_ns, sum(duration_ns - transfer_ns) as waiting_ns
               from matched group by rank),
     counts as (select rank, count(*) as kernels from kernels group by rank)
select s.rank, c.kernels, s.busy_ns, s.computation_ns, s.exposed_communication_ns, w.collectives, w.transfer_ns, w.waiting_ns
from steps s join counts c on c.rank = s.rank join waits w on w.rank = s.rank where s.step is null order by s.rank
"""
COLUMNS = ("rank", "kernels", "busy_ns", "computation_ns", "exposed_communication_ns", "collectives", "transfer_ns", "waiting_ns")


def by_duckdb(folder):
    import duckdb

    for table in ("kernels", "steps"):
        duckdb.sql(f"create or replace view {table} as select * from read_parquet('{folder}/{table}/*.parquet')")
    return duckdb.sql(BY_RANK).fetchall()


def by_spark(folder):
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[2]").appName("many_ranks").config("spark.ui.enabled", "false").getOrCreate()
    for table in ("kernels", "steps"):
        spark.read.parquet(f"{folder}/{table}").createOrReplaceTempView(table)
    rows = [tuple(row) for row in spark.sql(BY_RANK).collect()]
    spark.stop()
    return rows


def compare_parquet(name, ask_folder, folder, rows):
    begin = time.monotonic()
    answers = ask_folder(folder)
    assert len(answers) == len(rows), (name, len(answers), len(rows))
    for answer in answers:
        want = tuple(rows[answer[0]][column] for column in COLUMNS)
        assert tuple(map(int, answer)) == want, (name, answer, want)
    print(f"{name} gives the same {', '.join(COLUMNS[1:])} of {len(rows)} ranks ({time.monotonic() - begin:.1f} s)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--megabytes", type=float, default=1)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--compare", type=int, default=4)
    parser.add_argument("--parquet", type=pathlib.Path)
    parser.add_argument("--spark", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or pathlib.Path(temporary) / "traces"
        late = given.ranks // 2
        if not folder.exists():
            folder.mkdir(parents=True)
            write_ranks(folder, given.ranks, given.megabytes, late)
        total = sum(file.stat().st_size for file in folder.iterdir())
        begin = time.monotonic()
        report = ask(given.program, "ranks", folder)
        seconds = time.monotonic() - begin
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        rows = {row["rank"]: row for row in report["ranks"]}
        worst = max(rows.values(), key=lambda row: row["caused_waiting_ns"])
        assert worst["rank"] == late, worst
        assert all(row["clock_sure"] == "yes" for row in rows.values())
        print(f"{len(rows)} ranks, {total / 1e6:.0f} MB: {seconds:.1f} s ({used.ru_utime + used.ru_stime:.1f} s of processors), "
              f"{used.ru_maxrss / 1024:.0f} MiB at most; rank {late} comes late, as made")
        compare_query(given.program, folder, rows, min(given.compare, given.ranks))
        if given.parquet:
            compare_parquet("DuckDB", by_duckdb, given.parquet, rows)
        if given.parquet and given.spark:
            compare_parquet("Spark", by_spark, given.parquet, rows)


if __name__ == "__main__":
    main()
