#!/usr/bin/env python3
"""A Spark job that converts a folder of traces, each on an executor, and asks the result: spark_job.py TRACES OUT

    spark-submit --master spark://HOST:7077 examples/many_ranks/spark_job.py TRACES OUT

Executors need warplens and pyarrow, and see both folders. A trace that cannot be read is named, and the others go on.
"""
import pathlib
import sys

from pyspark.sql import SparkSession

RANKS = """
select rank, count(*) as kernels, sum(duration_ns) / 1e6 as kernel_ms,
       coalesce(sum(case when class = 'communication' then duration_ns end), 0) / 1e6 as communication_ms
from kernels group by rank order by rank
"""


def convert(trace, out):
    """Name of the trace, and None or why it could not be read."""
    import warplens

    try:
        warplens.load(trace).to_parquet(out, ["kernels", "copies", "steps", "gaps"], overwrite=True)
    except (OSError, ValueError) as error:
        return trace, str(error)
    return trace, None


def main(traces, out):
    files = sorted(str(f.resolve()) for f in pathlib.Path(traces).iterdir() if f.is_file())
    out = str(pathlib.Path(out).resolve())
    spark = SparkSession.builder.appName("warplens").getOrCreate()
    done = spark.sparkContext.parallelize(files, max(1, len(files))).map(lambda trace: convert(trace, out)).collect()
    for trace, error in done:
        if error:
            print(f"left out: {trace}: {error}", file=sys.stderr)
    spark.read.parquet(f"{out}/kernels").createOrReplaceTempView("kernels")
    spark.sql(RANKS).show(100, truncate=False)
    spark.stop()
    return 1 if all(error for _, error in done) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
