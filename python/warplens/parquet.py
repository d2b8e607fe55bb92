"""Profiles as a folder of Parquet files, which DuckDB, Spark, pandas and polars read: one file for each rank and table."""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from .profiles import Profile

TABLES = ("kernels", "copies", "steps", "gaps", "operators", "calls", "allocations", "synchronizations")
_ROW_GROUP = 1 << 17  # rows: small enough that statistics let readers skip most of a file


def write_parquet(profile: Profile, folder: str | os.PathLike[str], tables: tuple[str, ...] = TABLES, *, overwrite: bool = False) -> list[pathlib.Path]:
    """Writes `folder`/TABLE/rank-N.parquet for each table and rank, and returns the files. Needs pyarrow.

    `warplens query --schema` lists the columns. Rows are sorted by their begin, and each file has statistics. Row
    numbers ("row", "operator_row") are valid within one rank of one folder. Raises FileExistsError if a file exists and
    `overwrite` is false, and ValueError for an unknown table.
    """
    import pyarrow.parquet

    written: list[pathlib.Path] = []
    for table in tables:
        names = profile.query(f'select * from "{table}"', limit=0).columns
        order = next((name for name in ("start_ns", "time_ns") if name in names), names[0])
        for rank, path in _paths(profile, folder, table):
            if path.exists() and not overwrite:
                raise FileExistsError(f"{path}: exists already; overwrite=True replaces it")
            answer = profile.query(f'select * from "{table}" where rank = {rank} order by "{order}"').to_arrow()
            typed = _typed(profile, table, answer)
            with _new_file(path) as file:
                pyarrow.parquet.write_table(typed, file, row_group_size=_ROW_GROUP, compression="zstd", write_statistics=True)
            written.append(path)
    return written


def _paths(profile: Profile, folder: str | os.PathLike[str], table: str) -> list[tuple[int, pathlib.Path]]:
    """Each rank, and the file of its rows of a table."""
    ranks = sorted(row["rank"] for row in profile.query("select distinct rank from ranks"))
    return [(rank, pathlib.Path(folder) / table / f"rank-{rank:05}.parquet") for rank in ranks]


@contextlib.contextmanager
def _new_file(path: pathlib.Path) -> Iterator[BinaryIO]:
    """A file that gets the name `path` once it is whole. Links that others put into the folder are not followed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.parent.is_symlink():
        raise OSError(f"{path.parent}: is a link, and leads out of the folder: remove it")
    folder = os.open(path.parent, os.O_DIRECTORY | os.O_NOFOLLOW)
    temporary = f".{path.name}.{secrets.token_hex(8)}"
    try:
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666, dir_fd=folder), "wb") as file:
            yield file
        os.replace(temporary, path.name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=folder)
        raise
    finally:
        os.close(folder)


def _remove_others(folder: pathlib.Path, written: set[pathlib.Path]) -> list[pathlib.Path]:
    """Removes the ranks' files of an earlier conversion, which readers of the folder would take for ranks of this one."""
    removed: list[pathlib.Path] = []
    for table in TABLES:
        if (folder / table).is_symlink() or not (folder / table).is_dir():
            continue
        for path in sorted((folder / table).iterdir()):
            if re.fullmatch(r"rank-\d{5,}\.parquet", path.name) and path not in written:
                path.unlink()
                removed.append(path)
    return removed


def _typed(profile: Profile, table: str, answer: "pyarrow.Table") -> "pyarrow.Table":  # type: ignore[name-defined] # noqa: F821
    """The table with its declared column types: an answer without values does not show them."""
    import pyarrow

    types = {"integer": pyarrow.int64(), "real": pyarrow.float64(), "text": pyarrow.large_string()}
    declared = profile.columns(table)
    return answer.cast(pyarrow.schema([(name, types[declared[name]]) for name in answer.column_names]))


def main(arguments: list[str] | None = None) -> int:
    """`python -m warplens.parquet FILE... -o FOLDER`: converts one input after the other; each is a rank, so only one of them is in memory."""
    import argparse
    import sys

    import warplens

    parser = argparse.ArgumentParser(prog="warplens convert --type parquet")
    parser.add_argument("files", nargs="+")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("-f", "--force", action="store_true")
    given = parser.parse_args(arguments)
    given.output = pathlib.Path(given.output)
    failed, written = 0, set[pathlib.Path]()
    for file in given.files:
        try:
            profile = warplens.load(file)
            if twice := written & {path for _, path in _paths(profile, given.output, TABLES[0])}:
                raise FileExistsError(f"{file}: has the rank of another file: {min(twice)} would lose that one's rows; nothing of {file} is written")
            written.update(write_parquet(profile, given.output, overwrite=given.force))
        except (OSError, ValueError) as error:
            failed += 1
            print(f"warplens convert: {error}", file=sys.stderr)
    if written:
        print(f"warplens convert: wrote {given.output}/TABLE/rank-NUMBER.parquet; the tables are {', '.join(TABLES)}", file=sys.stderr)
    if given.force and not failed and (removed := _remove_others(given.output, written)):
        print(f"warplens convert: removed {len(removed)} files of an earlier conversion: {', '.join(sorted({path.stem for path in removed}))}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
