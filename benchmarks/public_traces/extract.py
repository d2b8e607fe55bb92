#!/usr/bin/env python3
"""Writes every trace that git repositories hold, in any commit, to a folder outside them.

    extract.py FOLDER REPOSITORY...

A REPOSITORY is a checkout or a bare repository of https://github.com/AMD-AGI/TraceLens,
facebookresearch/HolisticTraceAnalysis, facebookresearch/param, pytorch/kineto, deepseek-ai/profile-data,
astra-sim/astra-sim or another that keeps traces; FOLDER is new. A file becomes FOLDER/<repository>/<its path>, other
versions of it have their blob's first 8 digits before the name; archives are opened. What git does not hold (large files of
a partial clone) is listed in FOLDER/absent.txt.
"""

import argparse
import gzip
import hashlib
import io
import pathlib
import re
import subprocess
import tarfile
import zlib

TRACE_NAME = re.compile(r"\.(json|json\.gz|pb|pb\.gz|raw\.gz|tar\.gz|tgz|zip|sqlite|db|nsys-rep)$")
SETTINGS = re.compile(r"(package|package-lock|tsconfig|prettier|angular|openapi|s3_init|lint)[^/]*\.json$|/configs?/")
# What tells a trace from settings and expected results: a key or a kind of event that only profilers write.
TRACE_TEXT = re.compile(rb'"traceEvents"|"ph"\s*:\s*"[XBEiCM]"|"schemaVersion"|rocprofiler|"deviceProperties"')


def git(repository: pathlib.Path, *arguments: str, data: bytes | None = None) -> bytes:
    return subprocess.run(["git", "-C", repository, *arguments], input=data, capture_output=True, check=False).stdout


def newest(repository: pathlib.Path) -> dict[str, str]:
    """The blob of each path of the newest commit that may hold a trace."""
    listed = git(repository, "ls-tree", "-r", "HEAD").decode(errors="replace").splitlines()
    entries = [line.partition("\t") for line in listed]
    return {path: fields.split()[2] for fields, _, path in entries if may_be_trace(path)}


def older(repository: pathlib.Path) -> dict[str, list[str]]:
    """Blobs of each path in all commits; git names a blob that is at several paths once."""
    blobs: dict[str, list[str]] = {}
    listed = git(repository, "rev-list", "--objects", "--missing=allow-any", "--all")
    for line in listed.decode(errors="replace").splitlines():
        blob, _, path = line.partition(" ")
        if may_be_trace(path):
            blobs.setdefault(path, []).append(blob)
    return blobs


def may_be_trace(path: str) -> bool:
    return TRACE_NAME.search(path) is not None and not SETTINGS.search(path)


def is_trace(name: str, data: bytes) -> bool:
    if not data or data.startswith(b"version https://git-lfs"):
        return False
    if name.endswith((".pb", ".sqlite", ".db", ".nsys-rep", ".raw.gz")):
        return True
    if name.endswith(".gz"):
        try:
            data = zlib.decompressobj(wbits=31).decompress(data, 1 << 20)
        except zlib.error:
            return True  # a damaged file is worth reading too
    return TRACE_TEXT.search(data[: 1 << 20]) is not None


def members(name: str, data: bytes) -> list[tuple[str, bytes]]:
    """The files of an archive, or the file itself."""
    if not name.endswith((".tar.gz", ".tgz")):
        return [(name, data)]
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            files = [member for member in archive.getmembers() if member.isfile()]
            return [(f"{name}.d/{member.name}", archive.extractfile(member).read()) for member in files]
    except (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error):
        return []


class Extraction:
    """Writes one repository's traces, equal ones once but for those of the newest commit."""

    def __init__(self, repository: pathlib.Path, folder: pathlib.Path):
        self.repository = repository
        self.folder = folder
        self.blobs: set[str] = set()
        self.digests: set[str] = set()
        self.absent: list[str] = []
        self.count = 0

    def run(self) -> None:
        for path, blob in newest(self.repository).items():
            self.write(path, blob, old=False)
        for path, blobs in older(self.repository).items():
            for blob in blobs:
                if blob not in self.blobs:
                    self.write(path, blob, old=True)

    def write(self, path: str, blob: str, old: bool) -> None:
        self.blobs.add(blob)
        data = git(self.repository, "cat-file", "blob", blob)
        if not data and not old:
            self.absent.append(path)
        for name, contents in members(path, data):
            digest = hashlib.sha256(contents).hexdigest()
            if not TRACE_NAME.search(name) or not is_trace(name, contents) or (old and digest in self.digests):
                continue
            self.digests.add(digest)
            target = self.folder / name
            if target.exists():
                target = target.with_name(f"{blob[:8]}_{target.name}")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(contents)
            self.count += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("repositories", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    absent = []
    for repository in arguments.repositories:
        name = repository.name if repository.name != "repo" else repository.parent.name.partition("+")[2]
        extraction = Extraction(repository, arguments.folder / name)
        extraction.run()
        print(f"{name}: {extraction.count} traces, {len(extraction.absent)} absent")
        absent += [f"{name}/{path}" for path in extraction.absent]
    (arguments.folder / "absent.txt").write_text("".join(f"{path}\n" for path in absent))


if __name__ == "__main__":
    main()
