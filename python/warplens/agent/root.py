"""The folder that tools may read. Every path that a client gives is resolved here, links included."""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Iterator


class OutsideRoot(ValueError):
    """A path that does not exist, or is outside the root."""


class Root:
    def __init__(self, folder: str | pathlib.Path, base: pathlib.Path | None = None) -> None:
        """base: the folder of relative paths (default: the root itself)."""
        self.folder = pathlib.Path(folder).resolve(strict=True)
        self.base = base or self.folder

    def file(self, path: str) -> pathlib.Path:
        """`path`, relative to the root or absolute, as a regular file within the root. Raises OutsideRoot."""
        try:
            found = (self.base / path).resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            raise OutsideRoot(f"{path}: no such file under the root {self.folder}") from None
        if not found.is_relative_to(self.folder):
            raise OutsideRoot(f"{path}: outside the root {self.folder}. Start `warplens mcp --root` on a folder that contains it.")
        if not found.is_file():
            raise OutsideRoot(f"{path}: not a regular file")
        return found

    def array(self, contents: str) -> None:
        """Checks the file of a buffer's contents: "f32@x.npy", "@x.npy"; others, such as "f32[8]:ones", name none. Raises OutsideRoot."""
        at = re.search(r"[\[@]", contents)
        if at and at[0] == "@":
            self.file(contents[at.end():])

    def launch_file(self, path: str) -> pathlib.Path:
        """A launch file whose source and arrays are within the root too. Raises OutsideRoot, or ValueError for bad
        JSON.
        """
        found = self.file(path)
        try:
            described = json.loads(found.read_text(), object_pairs_hook=_members)
        except (UnicodeDecodeError, json.JSONDecodeError) as error:
            raise ValueError(f"{path}: not a launch file: {error}") from None
        beside = Root(self.folder, found.parent)
        for name, is_path in _named_in(described):
            beside.file(name) if is_path else beside.array(name)
        return found


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A JSON object. Refuses a name that occurs twice, because readers may take either value."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise OutsideRoot("a launch file names a member twice: remove one")
    return members


def _named_in(value: object, key: str = "") -> Iterator[tuple[str, bool]]:
    """Texts of a launch file that can name a file, each with True if it is a path alone: its source, and arrays."""
    if isinstance(value, dict):
        if "save" in value:
            raise OutsideRoot("a launch file with `save` writes files: remove `save` to use it here")
        for name, inner in value.items():
            yield from _named_in(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _named_in(inner, key)
    elif isinstance(value, str):
        yield value, key in ("source", "npy")
