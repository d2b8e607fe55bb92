#!/usr/bin/env python3
"""Asks a folder of Parquet files by SQL, however many ranks it holds: ask_duckdb.py FOLDER. Needs duckdb."""
import sys

import duckdb

RANKS = """
select rank, count(*) as kernels, sum(duration_ns) / 1e6 as kernel_ms,
       coalesce(sum(duration_ns) filter (where class = 'communication'), 0) / 1e6 as communication_ms
from read_parquet('{folder}/kernels/*.parquet') group by rank order by kernel_ms desc limit 10
"""
OUTLIERS = """
with totals as (select rank, sum(idle_ns) as idle_ns from read_parquet('{folder}/steps/*.parquet') where step is null group by rank),
     middle as (select median(idle_ns) as idle_ns from totals)
select totals.rank, totals.idle_ns / 1e6 as idle_ms, middle.idle_ns / 1e6 as median_ms
from totals, middle where totals.idle_ns > 1.2 * middle.idle_ns order by idle_ms desc limit 10
"""


def main(folder):
    for title, sql in (("ranks by kernel time", RANKS), ("ranks idle a fifth longer than the median", OUTLIERS)):
        print(title)
        print(duckdb.sql(sql.format(folder=folder.replace("'", "''"))))


if __name__ == "__main__":
    main(sys.argv[1])
