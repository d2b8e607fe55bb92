"""Profiles as a folder of Parquet files, which DuckDB, Spark, pandas and polars read: one file for each rank and table."""

from __future__ import annotations

import os
import pathlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .profiles import Profile

TABLES = ("kernels", "copies", "steps", "gaps", "operators", "calls", "allocations", "synchronizations")
_ROW_GROUP = 1 << 17  # rows: small enough that statistics let readers skip most of a file


def write_parquet(profile: Profile, folder: str | os.PathLike[str], tables: tuple[str, ...] = TABLES, *, overwrite: bool = False) -> list[pathlib.Path]:
    """Writes `folder`/TABLE/rank-N.parquet for each table and rank, and returns the files. Needs pyarrow.

    Columns are those of `warplens query --schema`. Rows are sorted by their begin, and each file has statistics. Row
    numbers ("row", "operator_row") are valid within one rank of one folder. Raises FileExistsError if a file exists and
    `overwrite` is false, and ValueError for an unknown table.
    """
    import pyarrow.parquet

    written = []
    ranks = sorted(row["rank"] for row in profile.query("select distinct rank from ranks"))
    for table in tables:
        names = profile.query(f'select * from "{table}"', limit=0).columns
        order = next((name for name in ("start_ns", "time_ns") if name in names), names[0])
        for rank in ranks:
            path = pathlib.Path(folder) / table / f"rank-{rank:05}.parquet"
            if path.exists() and not overwrite:
                raise FileExistsError(f"{path}: exists already; overwrite=True replaces it")
            answer = profile.query(f'select * from "{table}" where rank = {rank} order by "{order}"').to_arrow()
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(".partial")
            pyarrow.parquet.write_table(_typed(profile, table, answer), partial, row_group_size=_ROW_GROUP, compression="zstd", write_statistics=True)
            partial.replace(path)
            written.append(path)
    return written


def _typed(profile: Profile, table: str, answer: "pyarrow.Table") -> "pyarrow.Table":  # type: ignore[name-defined] # noqa: F821
    """The table with its declared column types: an answer without values does not show them."""
    import pyarrow

    types = {"integer": pyarrow.int64(), "real": pyarrow.float64(), "text": pyarrow.large_string()}
    declared = profile.columns(table)
    return answer.cast(pyarrow.schema([(name, types[declared[name]]) for name in answer.column_names]))


def main(arguments: list[str] | None = None) -> int:
    """`python -m warplens.parquet FILE... -o FOLDER`: one input after the other, each a rank, so memory holds only one."""
    import argparse
    import sys

    import warplens

    parser = argparse.ArgumentParser(prog="warplens convert --type parquet")
    parser.add_argument("files", nargs="+")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("-f", "--force", action="store_true")
    given = parser.parse_args(arguments)
    failed = 0
    for file in given.files:
        try:
            write_parquet(warplens.load(file), given.output, overwrite=given.force)
        except (OSError, ValueError) as error:
            failed += 1
            print(f"warplens convert: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
